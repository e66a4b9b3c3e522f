/** Declares the control API, from which the server, its clients and the OpenAPI document derive. Reading changes nothing. */
import { Schema } from "effect"
import { HttpApi, type HttpApiClient, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Amount } from "../../domain/EventValues.ts"
import { present } from "../../domain/Present.ts"
import { SignalName } from "../../domain/Signal.ts"
import { messageOf } from "../../domain/Text.ts"
import { version } from "../../version.ts"
import { BacktestAnswer } from "../../views/Backtest.ts"
import { Book } from "../../views/Book.ts"
import { Candles } from "../../views/Candles.ts"
import { Lines, LineView } from "../../views/Events.ts"
import { Explanation } from "../../views/Explanation.ts"
import { Fills } from "../../views/Fills.ts"
import { Money } from "../../views/Money.ts"
import { Orders } from "../../views/Orders.ts"
import { Plan } from "../../views/Plan.ts"
import { PriceView } from "../../views/Prices.ts"
import { Word } from "../../views/Problems.ts"
import { Profit } from "../../views/Profit.ts"
import { Reconciliation } from "../../views/Reconciliation.ts"
import { Slots } from "../../views/Slots.ts"
import { Status } from "../../views/Status.ts"
import { Commands, NeededRole, Reads, Understood } from "./Access.ts"
import { FileText, StrategyFileView } from "./Files.ts"
import { type CommandName, operatorCommands, type TokenRole } from "./OperatorCommands.ts"
import {
  CloseAnswer,
  CloseRequest,
  OrderAnswer,
  OrderChange,
  OrderId,
  OrderKey,
  OrderRequest,
  OrderStanding
} from "./Order.ts"
import { Phone, PhoneName, PushKey } from "./Push.ts"
import { SwapOffer, SwapRequest } from "./Swap.ts"

const message = { message: Schema.String }
export class Refused extends Schema.TaggedError<Refused>()("Refused", message, { httpApiStatus: 409 }) {}
export const refuse = (error: unknown): Refused => new Refused({ message: messageOf(error) })
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", message, { httpApiStatus: 404 }) {}
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", message, {
  httpApiStatus: 429
}) {}

/** The live stream. A reader that reconnects names the sequence number of its last event and misses nothing. */
const StreamMessage = Schema.TaggedUnion({
  Event: LineView.fields,
  Prices: { at: Schema.Int, prices: Schema.Array(PriceView) },
  /** Sent at least every five seconds. `sequence` is the newest event: a reader with a lower number has missed something. */
  Alive: { at: Schema.Int, sequence: Schema.Int, turnedAt: Schema.Int }
})
export type StreamMessage = typeof StreamMessage.Type

const EventStream = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    id: Schema.optional(Schema.String),
    event: Schema.Literals(["Event", "Prices", "Alive"]),
    data: Schema.fromJsonString(StreamMessage)
  })
})

const error = [Refused, Unknown]
const Name = Schema.String.check(Schema.isBetweenLength(1, 200))
const Short = (most: number) => Schema.optionalKey(Schema.String.check(Schema.isMaxLength(most)))
const Count = (most: number) =>
  Schema.optionalKey(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: most })))
const Sequence = Count(Number.MAX_SAFE_INTEGER)
const Files = Schema.Struct({ files: Schema.Array(FileText).check(Schema.isMaxLength(20)) })

const Done = Schema.Struct(message)

const summaries = {
  status: "State of the bot: mode, venue, switches, problems and payments in doubt",
  slots: "The order of each slot, and the reason",
  orders: "Every placement that is not settled, with its ids at the venue",
  byHand: "The orders by hand and where each stands",
  fills: "Fills, the newest last; `after`: only those of later events",
  money: "Where the money is, by asset and place",
  profit: "Profit of each strategy, with the totals of the page's first row",
  candles: "Candles of prices that the bot has recorded",
  book: "Quoted depth of the market, with the bot's own orders",
  log: "What happened, in sentences; `before`: only events before this number; `search`: words that the sentence, the slot or the kind of event must contain",
  events:
    "Live events, prices and keep-alives as server-sent events. `Last-Event-ID` or `after` names the last sequence number that you saw: later events are sent first, and nothing is skipped",
  explain: "Why a slot holds an order or none, and what would change that, now or at a time",
  files: "The strategy files with their text, and the problems of edits",
  backtest:
    "A backtest of a running strategy over the prices that the bot has recorded, as `backtest --json` shows it, with the band over time",
  plan: "What the bot would create, cancel and keep now",
  push: "The key with which a browser subscribes to notices; null where the configuration has no receiver `push`",
  resolve:
    "Records what happened to an order in doubt, stuck, frozen or contradictory; `status` lists the possible words. `received`: amount that arrived from a swap that the venue ended without amounts, in smallest units",
  signal:
    'A number that strategies look at (`signal("trend", 2h)`); `at`: epoch milliseconds from which it counts, default now',
  subscribe:
    "Subscribes a browser, mostly one on a phone, to notices while the token is valid; the first one is sent at once",
  unsubscribe: "Unsubscribes a browser that was subscribed with this token",
  reconcile: "Compares the bot's records with the venue's orders, its history and the balances",
  swapQuote:
    "The venue's quote for a manual swap, with its terms as text to show to the user. Nothing is paid or recorded",
  swap: "Makes the swap of a quote; each quote can be used once",
  close: "Ends a strategy: its orders are withdrawn, then its position is sold. `dry`: only the plan with its costs",
  order:
    "Places one order by hand, which the bot follows to its end; the same `Idempotency-Key` never places a second one. `dry`: only the plan",
  orderChange: "Moves an order by hand to another price; the old one is cancelled first",
  orderCancel: "Cancels an order by hand for good; its money is refunded",
  check: "Problems of edited files; nothing is written",
  backtestWith: "The same backtest with the edited text of a strategy file; nothing is written",
  planWith: "What the bot would do with edited files; nothing is written",
  apply: "Writes an edited strategy file; `hash` is the hash of the text that was edited"
} as const
type Summed = keyof typeof summaries

const look = <const Id extends Summed, Success extends Schema.Top, Query extends Schema.Struct.Fields = never>(
  id: Id,
  success: Success,
  query?: Query
) => HttpApiEndpoint.get(id, `/api/v1/${id}`, { query, success, error }).annotate(OpenApi.Summary, summaries[id])

const LookGroup = HttpApiGroup.make("look")
  .add(
    look("status", Status),
    look("slots", Slots),
    look("orders", Orders),
    HttpApiEndpoint.get("byHand", "/api/v1/order", { success: Schema.Array(OrderStanding), error }).annotate(
      OpenApi.Summary,
      summaries.byHand
    ),
    look("fills", Fills, { limit: Count(10_000), after: Sequence }),
    look("money", Money),
    look("profit", Profit),
    look("candles", Candles, {
      market: Name,
      timeframe: Schema.optionalKey(Schema.Literals(["5s", "1m", "5m", "15m", "1h", "4h", "1d"]))
    }),
    look("book", Book, { market: Name }),
    look("log", Lines, { before: Sequence, limit: Count(1_000), search: Short(200) }),
    HttpApiEndpoint.get("events", "/api/v1/events", {
      headers: { "last-event-id": Sequence },
      query: { after: Sequence },
      success: EventStream,
      error: [TooManyStreams]
    }).annotate(OpenApi.Summary, summaries.events),
    look("explain", Schema.Array(Explanation), { slot: Schema.optionalKey(Name), at: Short(40) }),
    look("files", Schema.Array(StrategyFileView)),
    look("backtest", BacktestAnswer, { file: FileText.fields.file }),
    look("plan", Plan),
    look("push", PushKey)
  )
  .middleware(Understood)
  .middleware(Reads)

const why = Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 500)))
/** Without `strategy`: all strategies. */
const strategies = Schema.Struct({ strategy: Schema.optionalKey(Name), why })
/** Requires the exact words, so that no single click and no stray request triggers it. */
const confirmed = <const Word extends string>(word: Word) => Schema.Struct({ confirm: Schema.Literal(word), why })

/** Accepts no keys. An empty `Struct` would accept any. */
const nothing = Schema.Record(Schema.String, Schema.Never)

const commanded = <const Id extends string, const Command extends CommandName, Payload extends Schema.Top>(
  id: Id,
  command: Command,
  payload: Payload
) =>
  HttpApiEndpoint.post(id, `/api/v1/${command}`, { payload, success: Done, error })
    .annotate(NeededRole, operatorCommands[command].role)
    .annotate(OpenApi.Summary, operatorCommands[command].does)

const post = <
  const Id extends Summed,
  const Path extends string,
  Payload extends Schema.Top,
  Success extends Schema.Top
>(
  id: Id,
  path: Path,
  payload: Payload,
  success: Success,
  role: TokenRole = "operator"
) =>
  HttpApiEndpoint.post(id, `/api/v1/${path}`, { payload, success, error })
    .annotate(NeededRole, role)
    .annotate(OpenApi.Summary, summaries[id])

/** A misspelt key must fail, not be ignored. */
export const exactly = { onExcessProperty: "error" } as const

const CommandGroup = HttpApiGroup.make("command")
  .add(
    commanded("pause", "pause", strategies),
    commanded("resume", "resume", strategies),
    commanded("drain", "drain", Schema.Struct({ strategy: Name, why })),
    commanded("cancel", "cancel", Schema.Struct({ slot: Name, why })),
    commanded("cancelAll", "cancel-all", confirmed(operatorCommands["cancel-all"].confirm)),
    commanded("kill", "kill", confirmed(operatorCommands.kill.confirm)),
    commanded("release", "release", Schema.Struct({ why })),
    commanded("reload", "reload", nothing),
    post(
      "resolve",
      "resolve",
      Schema.Struct({ placement: Name, word: Word, received: Schema.optionalKey(Amount), why }),
      Done
    ),
    HttpApiEndpoint.post("signal", "/api/v1/signals/:name", {
      params: { name: SignalName },
      payload: Schema.Struct({
        value: Schema.Union([Schema.Finite, Schema.Boolean]),
        at: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
        note: why
      }),
      success: Done,
      error
    })
      .annotate(NeededRole, "signaller")
      .annotate(OpenApi.Summary, summaries.signal),
    // Browsers put more into `PushSubscription.toJSON()` than is needed here.
    post("subscribe", "push/subscribe", Phone, Done, "viewer").annotate(HttpApi.PayloadParseOptions, {}),
    post("unsubscribe", "push/unsubscribe", PhoneName, Done, "viewer"),
    post("reconcile", "reconcile", nothing, Reconciliation, "trader"),
    post("swapQuote", "swap/quote", SwapRequest, SwapOffer),
    post(
      "swap",
      "swap",
      Schema.Struct({ quote: Name, confirm: Schema.Literal("swap") }),
      Schema.Struct({ ...message, swap: Schema.String })
    ),
    post("close", "close", CloseRequest, CloseAnswer),
    HttpApiEndpoint.post("order", "/api/v1/order", {
      headers: { "idempotency-key": OrderKey },
      payload: OrderRequest,
      success: OrderAnswer,
      error
    }).annotate(OpenApi.Summary, summaries.order),
    post("orderChange", "order/change", OrderChange, OrderAnswer),
    post("orderCancel", "order/cancel", Schema.Struct({ order: OrderId }), OrderAnswer, "trader"),
    post("check", "check", Files, Schema.Struct({ problems: Schema.Array(Schema.String) }), "trader"),
    post("backtestWith", "backtest", FileText, BacktestAnswer, "trader"),
    post("planWith", "plan", Files, Plan, "trader"),
    post("apply", "apply", Schema.Struct({ ...FileText.fields, hash: Name }), Done)
  )
  .middleware(Understood)
  .middleware(Commands)
  .annotate(HttpApi.PayloadParseOptions, exactly)

export const ControlApi = HttpApi.make("control")
  .add(LookGroup, CommandGroup)
  .annotateMerge(
    OpenApi.annotations({
      title: "limitbot control",
      version,
      description:
        "Reads and controls a running bot. Tokens are in the files <journal>.token and <journal>.viewer-token; `limitbot people` makes further ones for people with names."
    })
  )

export type ControlClient = HttpApiClient.ForApi<typeof ControlApi>

/** Makes the request of an operator's command to a running bot, for the command line and for agents. */
export const callOf =
  (name: CommandName, target: string | undefined, why: string | undefined) =>
  ({ command }: ControlClient) => {
    const reason = present({ why })
    const [needed = "", strategies] = [target, present({ strategy: target })]
    const calls = {
      pause: () => command.pause({ payload: { ...strategies, ...reason } }),
      resume: () => command.resume({ payload: { ...strategies, ...reason } }),
      drain: () => command.drain({ payload: { strategy: needed, ...reason } }),
      cancel: () => command.cancel({ payload: { slot: needed, ...reason } }),
      "cancel-all": () =>
        command.cancelAll({ payload: { confirm: operatorCommands["cancel-all"].confirm, ...reason } }),
      kill: () => command.kill({ payload: { confirm: operatorCommands.kill.confirm, ...reason } }),
      release: () => command.release({ payload: reason }),
      reload: () => command.reload({ payload: {} })
    }
    return calls[name]()
  }
