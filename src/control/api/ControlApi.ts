/**
 * The contract of the control API: one declaration from which the server, the commands that talk to a running bot,
 * and the OpenAPI document derive. Reading changes nothing; every command is a POST with a JSON body.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Amount } from "../../domain/EventValues.ts"
import { SignalName } from "../../domain/Signal.ts"
import { version } from "../../version.ts"
import { BacktestAnswer } from "../../views/Backtest.ts"
import { Book } from "../../views/Book.ts"
import { Candles } from "../../views/Candles.ts"
import { Lines } from "../../views/Events.ts"
import { Explanation } from "../../views/Explanation.ts"
import { Fills } from "../../views/Fills.ts"
import { Money } from "../../views/Money.ts"
import { Orders } from "../../views/Orders.ts"
import { Plan } from "../../views/Plan.ts"
import { Word } from "../../views/Problems.ts"
import { Profit } from "../../views/Profit.ts"
import { Reconciliation } from "../../views/Reconciliation.ts"
import { Slots } from "../../views/Slots.ts"
import { Status } from "../../views/Status.ts"
import { Commands, NeededRole, Reads, Understood } from "./Access.ts"
import { CloseAnswer, CloseRequest } from "./Close.ts"
import { FileText, StrategyFileView } from "./Files.ts"
import { type CommandName, operatorCommands } from "./OperatorCommands.ts"
import { OrderAnswer, OrderChange, OrderId, OrderKey, OrderRequest, OrderStanding } from "./Order.ts"
import { Phone, PhoneName, PushKey } from "./Push.ts"
import { EventStream } from "./Stream.ts"
import { SwapOffer, SwapRequest } from "./Swap.ts"

export class Refused extends Schema.TaggedError<Refused>()(
  "Refused",
  { message: Schema.String },
  { httpApiStatus: 409 }
) {}

export class Unknown extends Schema.TaggedError<Unknown>()(
  "Unknown",
  { message: Schema.String },
  { httpApiStatus: 404 }
) {}

export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()(
  "TooManyStreams",
  { message: Schema.String },
  { httpApiStatus: 429 }
) {}

const error = [Refused, Unknown]
const Name = Schema.String.check(Schema.isBetweenLength(1, 200))
const Words = Schema.String.check(Schema.isBetweenLength(1, 500))
const Count = (most: number) =>
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: most }))
const Sequence = Count(Number.MAX_SAFE_INTEGER)

const Done = Schema.Struct({ message: Schema.String })

const LookGroup = HttpApiGroup.make("look")
  .add(
    HttpApiEndpoint.get("status", "/api/v1/status", { success: Status, error }).annotate(
      OpenApi.Summary,
      "State of the bot: mode, venue, switches, problems and payments in doubt"
    ),
    HttpApiEndpoint.get("slots", "/api/v1/slots", { success: Slots, error }).annotate(
      OpenApi.Summary,
      "The order of each slot, and the reason"
    ),
    HttpApiEndpoint.get("orders", "/api/v1/orders", { success: Orders, error }).annotate(
      OpenApi.Summary,
      "Every unsettled order, with its ids at the venue"
    ),
    HttpApiEndpoint.get("byHand", "/api/v1/order", { success: Schema.Array(OrderStanding), error }).annotate(
      OpenApi.Summary,
      "The orders by hand and where each stands"
    ),
    HttpApiEndpoint.get("fills", "/api/v1/fills", {
      query: { limit: Schema.optionalKey(Count(10_000)), after: Schema.optionalKey(Sequence) },
      success: Fills,
      error
    }).annotate(OpenApi.Summary, "Fills, the newest last; `after`: only those of later events"),
    HttpApiEndpoint.get("money", "/api/v1/money", { success: Money, error }).annotate(
      OpenApi.Summary,
      "Where the money is, by asset and place"
    ),
    HttpApiEndpoint.get("profit", "/api/v1/profit", { success: Profit, error }).annotate(
      OpenApi.Summary,
      "Profit of each strategy, with the totals of the page's first row"
    ),
    HttpApiEndpoint.get("candles", "/api/v1/candles", {
      query: {
        market: Name,
        timeframe: Schema.optionalKey(Schema.Literals(["5s", "1m", "5m", "15m", "1h", "4h", "1d"]))
      },
      success: Candles,
      error
    }).annotate(OpenApi.Summary, "Candles of prices that the bot has recorded"),
    HttpApiEndpoint.get("book", "/api/v1/book", { query: { market: Name }, success: Book, error }).annotate(
      OpenApi.Summary,
      "Quoted depth of the market, with the bot's own orders"
    ),
    HttpApiEndpoint.get("log", "/api/v1/log", {
      query: {
        before: Schema.optionalKey(Sequence),
        limit: Schema.optionalKey(Count(1_000)),
        search: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)))
      },
      success: Lines,
      error
    }).annotate(
      OpenApi.Summary,
      "What happened, in sentences; `before`: only events before this number; `search`: words that the sentence, the slot or the kind of event must contain"
    ),
    HttpApiEndpoint.get("events", "/api/v1/events", {
      headers: { "last-event-id": Schema.optionalKey(Sequence) },
      query: { after: Schema.optionalKey(Sequence) },
      success: EventStream,
      error: [TooManyStreams]
    }).annotate(
      OpenApi.Summary,
      "Live events, prices and keep-alives as server-sent events. `Last-Event-ID` or `after` names the last sequence number that you saw: later events are sent first, and nothing is skipped"
    ),
    HttpApiEndpoint.get("explain", "/api/v1/explain", {
      query: { slot: Schema.optionalKey(Name), at: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(40))) },
      success: Schema.Array(Explanation),
      error
    }).annotate(OpenApi.Summary, "Why a slot holds an order or none, and what would change that, now or at a time"),
    HttpApiEndpoint.get("files", "/api/v1/files", { success: Schema.Array(StrategyFileView), error }).annotate(
      OpenApi.Summary,
      "The strategy files with their text, and the problems of edits"
    ),
    HttpApiEndpoint.get("backtest", "/api/v1/backtest", {
      query: { file: Schema.String.check(Schema.isMaxLength(1_000)) },
      success: BacktestAnswer,
      error
    }).annotate(
      OpenApi.Summary,
      "A backtest of a running strategy over the prices that the bot has recorded, as `backtest --json` shows it, with the band over time"
    ),
    HttpApiEndpoint.get("plan", "/api/v1/plan", { success: Plan, error }).annotate(
      OpenApi.Summary,
      "What the bot would create, cancel and keep now"
    ),
    HttpApiEndpoint.get("push", "/api/v1/push", { success: PushKey, error }).annotate(
      OpenApi.Summary,
      "The key with which a browser subscribes to notices; null where the configuration has no receiver `push`"
    )
  )
  .middleware(Understood)
  .middleware(Reads)

const why = Schema.optionalKey(Words)
/** Here and below, the default is all strategies. */
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
    commanded("release", "release", nothing),
    commanded("reload", "reload", nothing),
    HttpApiEndpoint.post("resolve", "/api/v1/resolve", {
      payload: Schema.Struct({ placement: Name, word: Word, received: Schema.optionalKey(Amount), why }),
      success: Done,
      error
    }).annotate(
      OpenApi.Summary,
      "Records what happened to an order in doubt, stuck, frozen or contradictory; `status` lists the possible words. `received`: amount that arrived from a swap that the venue ended without amounts, in smallest units"
    ),
    HttpApiEndpoint.post("signal", "/api/v1/signals/:name", {
      params: { name: SignalName },
      payload: Schema.Struct({
        value: Schema.Union([Schema.Finite, Schema.Boolean]),
        at: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
        note: Schema.optionalKey(Words)
      }),
      success: Done,
      error
    })
      .annotate(NeededRole, "signaller")
      .annotate(
        OpenApi.Summary,
        'A number that strategies look at (`signal("trend", 2h)`); `at`: epoch milliseconds from which it counts, default now'
      ),
    HttpApiEndpoint.post("subscribe", "/api/v1/push/subscribe", { payload: Phone, success: Done, error })
      .annotate(NeededRole, "viewer")
      // Browsers put more into `PushSubscription.toJSON()` than is needed here.
      .annotate(HttpApi.PayloadParseOptions, {})
      .annotate(
        OpenApi.Summary,
        "Subscribes a browser, mostly one on a phone, to notices while the token is valid; the first one is sent at once"
      ),
    HttpApiEndpoint.post("unsubscribe", "/api/v1/push/unsubscribe", { payload: PhoneName, success: Done, error })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Unsubscribes a browser that was subscribed with this token"),
    HttpApiEndpoint.post("reconcile", "/api/v1/reconcile", { payload: nothing, success: Reconciliation, error })
      .annotate(NeededRole, "trader")
      .annotate(OpenApi.Summary, "Compares the bot's records with its witnesses"),
    HttpApiEndpoint.post("swapQuote", "/api/v1/swap/quote", {
      payload: SwapRequest,
      success: SwapOffer,
      error
    }).annotate(
      OpenApi.Summary,
      "The venue's quote for a manual swap, with its terms as text to show to the user. Nothing is paid or recorded"
    ),
    HttpApiEndpoint.post("swap", "/api/v1/swap", {
      payload: Schema.Struct({ quote: Name, confirm: Schema.Literal("swap") }),
      success: Schema.Struct({ ...Done.fields, swap: Schema.String }),
      error
    }).annotate(OpenApi.Summary, "Makes the swap of a quote; each quote can be used once"),
    HttpApiEndpoint.post("close", "/api/v1/close", { payload: CloseRequest, success: CloseAnswer, error }).annotate(
      OpenApi.Summary,
      "Ends a strategy: its orders are withdrawn, then its position is sold. `dry`: only the plan with its costs"
    ),
    HttpApiEndpoint.post("order", "/api/v1/order", {
      headers: { "idempotency-key": OrderKey },
      payload: OrderRequest,
      success: OrderAnswer,
      error
    }).annotate(
      OpenApi.Summary,
      "Places one order by hand, which the bot follows to its end; the same `Idempotency-Key` never places a second one. `dry`: only the plan"
    ),
    HttpApiEndpoint.post("orderChange", "/api/v1/order/change", {
      payload: OrderChange,
      success: OrderAnswer,
      error
    }).annotate(OpenApi.Summary, "Moves an order by hand to another price; the old one is cancelled first"),
    HttpApiEndpoint.post("orderCancel", "/api/v1/order/cancel", {
      payload: Schema.Struct({ order: OrderId }),
      success: OrderAnswer,
      error
    })
      .annotate(NeededRole, "trader")
      .annotate(OpenApi.Summary, "Cancels an order by hand for good; its money is refunded"),
    HttpApiEndpoint.post("check", "/api/v1/check", {
      payload: Schema.Struct({ files: Schema.Array(FileText).check(Schema.isMaxLength(20)) }),
      success: Schema.Struct({ problems: Schema.Array(Schema.String) }),
      error
    })
      .annotate(NeededRole, "trader")
      .annotate(OpenApi.Summary, "Problems of edited files; nothing is written"),
    HttpApiEndpoint.post("backtestWith", "/api/v1/backtest", { payload: FileText, success: BacktestAnswer, error })
      .annotate(NeededRole, "trader")
      .annotate(OpenApi.Summary, "The same backtest with the edited text of a strategy file; nothing is written"),
    HttpApiEndpoint.post("planWith", "/api/v1/plan", {
      payload: Schema.Struct({ files: Schema.Array(FileText).check(Schema.isMaxLength(20)) }),
      success: Plan,
      error
    })
      .annotate(NeededRole, "trader")
      .annotate(OpenApi.Summary, "What the bot would do with edited files; nothing is written"),
    HttpApiEndpoint.post("apply", "/api/v1/apply", {
      payload: Schema.Struct({ ...FileText.fields, hash: Name }),
      success: Done,
      error
    }).annotate(OpenApi.Summary, "Writes an edited strategy file; `hash` is the hash of the text that was edited")
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
