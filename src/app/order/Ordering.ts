/**
 * Places orders by hand from the command line. The user sees the plan with its costs and accepts it; then the running bot writes one line
 * of a file. If no bot works with the journal, this process writes it, and is the bot until the order has ended.
 */
import { Console, Effect, type FileSystem, Schema } from "effect"
import { type Refused, refuse } from "../../control/api/ControlApi.ts"
import type { OrderAnswer, OrderChange, OrderRequest } from "../../control/api/Order.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { monotonicMillis } from "../../domain/Durations.ts"
import { byHand } from "../../domain/Placement.ts"
import { faultsOf, sentenceOf } from "../../domain/Text.ts"
import { findingNames } from "../../engine/planning/ahead/PlanFindings.ts"
import * as BotState from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ByHand from "../../files/ByHand.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import { wordsOf } from "../../process/Failure.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { numberHint } from "../../strategy/Fields.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { isCancelled, isOverOrClosed, liveIn, unendedIn } from "../byHand/OrderBudget.ts"
import { type RuleTerms, slotsOf, termsIn } from "../byHand/OrderRule.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as OrderServices from "../control/OrderServices.ts"
import { stateOf } from "../journal/JournalView.ts"
import * as PlanDraft from "../plan/PlanDraft.ts"
import { PlanRefused } from "../plan/PlanRefused.ts"
import { run } from "../run/Running.ts"
import { agree, someoneAgrees, type Ways } from "../swap/Carrying.ts"

const placedMillis = 15_000
const lookMillis = 500

const until = Effect.fnUntraced(function* <E, R>(holds: Effect.Effect<boolean, E, R>, patienceMillis = placedMillis) {
  for (let waited = 0; waited < patienceMillis && !(yield* holds); waited += lookMillis) yield* Effect.sleep(lookMillis)
})

type Answered = Effect.Effect<OrderAnswer, Refused | RunningBot.BotUnreachable, FileSystem.FileSystem>

interface Client {
  place(request: OrderRequest, key: string): Answered
  change(request: OrderChange): Answered
  cancel(order: string): Answered
}

const clientOfBot = (journal: string): Client => {
  const ask = <E extends { readonly message: string }>(call: RunningBot.BotCall<OrderAnswer, E>) =>
    RunningBot.askForPlan(journal, call)
  return {
    place: (payload, key) => ask(({ command }) => command.order({ payload, headers: { "idempotency-key": key } })),
    change: (payload) => ask(({ command }) => command.orderChange({ payload })),
    cancel: (order) => ask(({ command }) => command.orderCancel({ payload: { order } }))
  }
}

const localClient = Effect.fnUntraced(function* (config: ConfigFile.BotConfig) {
  const account = yield* Layers.accountOf(config)
  const drafted = (strategies: ReadonlyArray<Strategy>) =>
    PlanDraft.draft(config, account, strategies).pipe(Effect.provide(Layers.looking(config, account)), Effect.scoped)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof drafted>>>()
  const here = <A, E>(asked: Effect.Effect<A, E, Effect.Services<ReturnType<typeof drafted>>>) =>
    Effect.mapError(Effect.provideContext(asked, context), refuse)
  const plan = (strategies: ReadonlyArray<Strategy>) => here(drafted(strategies))
  const reload = () => Effect.succeed({ objection: "", note: "" })
  const state = here(stateOf(config.journal))
  // The process that follows an order runs all orders by hand, so they share the account's money.
  const { strategies } = yield* StrategyFiles.readAll(yield* ByHand.filesOf(config.journal), config.markets)
  const [running, leaving] = [() => strategies, () => undefined]
  return yield* OrderServices.make({ config, running, state, plan, reload, leaving })
})

const clientFor = Effect.fnUntraced(function* ({ config, earlierOrders }: Options, isDry: boolean) {
  const hasBot = (yield* Lease.holder(config.journal)) !== undefined
  const followsHere = !hasBot && !isDry
  if (followsHere) yield* requireNoOtherPositions(yield* stateOf(config.journal))
  const client: Client = hasBot ? clientOfBot(config.journal) : yield* localClient(config)
  return { client, hasBot, earlier: followsHere ? yield* earlierOrders : new Set<string>() }
})

/** A bot that runs only orders by hand would leave other orders and positions without their strategies. */
const requireNoOtherPositions = Effect.fnUntraced(function* (state: BotState.BotState) {
  const holders = [...state.strategies.values()].flatMap(({ isLoaded, name, trading }) =>
    isLoaded && [...trading.values()].some(({ position }) => position.basis.position !== 0n) ? [name] : []
  )
  const names = [...BotState.unfinished(state).map(({ strategy }) => strategy), ...holders]
  const strategy = names.find((name) => !ByHand.isByHand(name) && name !== byHand)
  if (strategy === undefined) return
  return yield* commandFailed(
    `No bot runs, and "${strategy}" of this journal has open orders or a position. Start the bot with its files (limitbot run FILE…) and repeat the command: the bot follows the order`
  )
})

export const listed = (config: Pick<ConfigFile.BotSettings, "journal" | "markets">) =>
  Effect.flatMap(stateOf(config.journal), (state) => OrderServices.listed(config, state))

/** True while the state of the order will soon change: it is on its way, or still open at another price than its file says. */
const isMoving: EndTest = (state, { order, strategy, terms }) => {
  const { decision, refusals } = state.strategies.get(strategy) ?? {}
  const open = liveIn(state, strategy, order)
  return slotsOf(order, terms).some(({ slot }) => {
    const live = open.find((each) => each.slot === slot)
    if (live === undefined)
      return decision?.absent.some((each) => each.slot === slot) !== true && refusals?.has(slot) !== true
    const isElsewhere = terms?.side === live.side && Decimal.compare(terms.price, live.price) !== 0
    return live.state !== "open" || live.cancel !== undefined || isElsewhere
  })
}

const usual = {
  dryRun: false,
  cancelOnExit: false,
  onRemoved: "drain",
  payAgain: [],
  poll: undefined,
  forMillis: undefined
} as const

interface Options extends Ways {
  readonly file: string
  readonly config: ConfigFile.BotConfig
  readonly earlierOrders: ReturnType<typeof allOrders>
  /** `undefined` follows an order without limit. */
  readonly patienceMillis?: number
}

interface FollowedOrder {
  readonly strategy: string
  readonly order: string
  readonly terms: RuleTerms | undefined
}
type EndTest = (state: BotState.BotState, followed: FollowedOrder) => boolean

/** Another terminal, the page or a chat may have cancelled the order or closed its strategy. */
const isEnded: EndTest = (state, { order, strategy }) =>
  isCancelled(state, strategy, order) || isOverOrClosed(state, strategy, order)
export const isGone: EndTest = (state, { order, strategy }) => liveIn(state, strategy, order).length === 0
/** True if the order is open, or the bot has reported why it is not. */
export const isShown: EndTest = (state, followed) => isEnded(state, followed) || !isMoving(state, followed)

interface Edit {
  readonly before: string
  readonly written: string
}

/**
 * Takes a new order out of its file, or moves a changed one back, if the bot of this process has failed before it planned the order. A
 * later start would place the order when no person expects it. Returns false if nothing was undone.
 */
const undo = Effect.fnUntraced(
  function* ({ file, order, slot }: OrderAnswer, journal: string, edit: Edit | undefined) {
    if (edit === undefined) return false
    const { before, written } = edit
    const [strategy = ""] = slot.split("/")
    const ruleIn = (text = "") => ByHand.ordersIn(text).get(order)
    const { isTried, loaded } = (yield* stateOf(journal)).strategies.get(strategy) ?? {}
    if (isTried === true && ruleIn(loaded?.text) === ruleIn(written)) return false
    yield* OrderServices.rewrite(file, written, before)
    return true
  },
  Effect.orElseSucceed(() => false)
)

const notPlaced = (error: unknown) => {
  const why = error instanceof PlanRefused ? error.findings.join("; ") : wordsOf(error)
  return commandFailed(`Not placed: ${why}`)
}

interface Following {
  readonly hasBot: boolean
  readonly earlier: ReadonlySet<string>
  readonly reached: EndTest
  /** Absent if nothing was written. Undone if this process cannot be the bot of the order. */
  readonly edit?: Edit
}

const follow = Effect.fnUntraced(function* (answer: OrderAnswer, options: Options, following: Following) {
  const { earlier, edit, hasBot, reached } = following
  const { config, file, json, patienceMillis } = options
  const { order, slot } = answer
  const [isCancel, followsAll] = [reached === isGone, reached === isEnded]
  const [strategy = ""] = slot.split("/")
  const market = [...Layers.marketsByName(config.markets).values()].find((each) => ByHand.strategyOf(each) === strategy)
  const rule = ByHand.ordersIn(yield* ByHand.textOf(answer.file)).get(order)
  const followed: FollowedOrder = { strategy, order, terms: (market && rule && termsIn(market, rule)) || undefined }
  const present = stateOf(config.journal)
  const isReached = (state: BotState.BotState) => reached(state, followed)
  // Another terminal, the page or a chat may send orders to this process, which is their only bot. A cancel leaves earlier orders as they
  // were.
  const others = (state: BotState.BotState) =>
    unendedIn(state).filter((id) => id !== order && (followsAll || !earlier.has(id)))
  const deadline = (yield* monotonicMillis) + (patienceMillis ?? Number.POSITIVE_INFINITY)
  // `first-order` cancels an order once it is shown, and that cancel follows the others.
  const areOthersOver = (state: BotState.BotState) => reached === isShown || others(state).length === 0
  // The journal does not know yet what this command has written.
  let isFollowed = hasBot || (edit === undefined && isReached(yield* present))
  if (!json) yield* Console.log(`${answer.message}.`)
  if (!isFollowed) {
    const which = followsAll ? "it and all other orders by hand. Ctrl-C leaves them" : "it. Ctrl-C leaves it"
    if (!json) yield* Console.log(`No bot runs, so this command follows ${which} open.`)
    const files = yield* ByHand.filesOf(config.journal)
    // No finding of a plan delays a cancel.
    const allow = isCancel ? findingNames : []
    const mayEnd = (state: BotState.BotState, now: number) =>
      (isReached(state) || now >= deadline) && areOthersOver(state)
    const running = run({ ...usual, files, config: file, allow, json, isOver: mayEnd })
    // A bot that started in the meantime has read the order from its file.
    isFollowed = yield* Effect.as(running, false).pipe(
      Effect.catchTag("JournalInUse", () => Effect.succeed(true)),
      Effect.catch((error) =>
        Effect.flatMap(undo(answer, config.journal, edit), (isUndone) =>
          Effect.fail(isUndone ? notPlaced(error) : error)
        )
      )
    )
  }
  const isSettled = (state: BotState.BotState) => isReached(state) || (!isCancel && isShown(state, followed))
  if (isFollowed) yield* until(Effect.map(present, isSettled), patienceMillis)
  const state = yield* present
  const hasNoneOpen = (isCancel && isReached(state)) || isCancelled(state, strategy, order)
  const standing = hasNoneOpen
    ? { state: "cancelled", why: "nothing of it is open", hasEnded: true }
    : OrderServices.standingsIn(state, config)(slot)
  yield* Console.log(json ? JSON.stringify({ ...answer, ...standing }) : `${order}: ${standing.state}: ${standing.why}`)
  const isDone = isReached(state)
  if (isFollowed || json || (isDone && areOthersOver(state))) return answer
  const subject = isDone ? others(state).join(", ") : "it"
  const again = `To follow ${subject} again: limitbot run ${answer.file} --config ${file}`
  yield* Console.log(isDone ? again : `${again}. To cancel it: limitbot order cancel ${order}`)
  return answer
})

/** Places or changes an order after a plan and a question, then follows it. Returns `undefined` if only the plan is shown. */
export const carry = Effect.fn("Ordering.carry")(function* (
  send: (client: Client, dry: boolean, draft?: OrderAnswer) => Answered,
  options: Options,
  isDry: boolean,
  { key, reached = isEnded }: { readonly key?: string; readonly reached?: EndTest } = {}
) {
  if (!isDry) yield* someoneAgrees(options)
  const { client, ...present } = yield* clientFor(options, isDry)
  const draft = yield* send(client, true)
  if (isDry)
    return yield* Effect.as(Console.log(options.json ? JSON.stringify(draft) : draft.terms.join("\n")), undefined)
  yield* agree(options, "Place it?")(draft.terms)
  const before = yield* ByHand.textOf(draft.file)
  const answer = yield* Effect.mapError(send(client, false, draft), (error) => {
    if (error._tag !== "BotUnreachable" || error.why === "refused") return error
    const again = key === undefined ? "" : `. The same command with --key ${key} places no second one`
    return commandFailed(`${error.message}. It may have been done: limitbot order list shows it${again}`)
  })
  const written = yield* ByHand.textOf(answer.file)
  const edited = before === written ? {} : { edit: { before, written } }
  return yield* follow(answer, options, { ...present, reached, ...edited })
})

export const cancel = Effect.fn("Ordering.cancel")(function* (order: string, options: Options) {
  const { client, ...present } = yield* clientFor(options, false)
  return yield* follow(yield* client.cancel(order), options, { ...present, reached: isGone })
})

/** Follows an order that an interrupted command has placed or cancelled. */
export const again = Effect.fn("Ordering.again")(function* (order: string, options: Options, reached: EndTest) {
  const { journal, markets } = options.config
  const { earlier, hasBot } = yield* clientFor(options, false)
  for (const market of Layers.marketsByName(markets).values()) {
    const [file, strategy] = [ByHand.fileOf(journal, market), ByHand.strategyOf(market)]
    if (!(yield* ByHand.textOf(file)).includes(order)) continue
    const about = { message: `Continues with ${order}`, order, slot: slotKey(strategy, order), file }
    yield* follow({ ...about, amount: "", terms: [] }, options, { earlier, hasBot, reached })
  }
})

/** Decodes the words of a command. An error names the wrong word, the reason and a suggestion. */
export const checked = <A>(schema: Schema.Decoder<A>, words: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(words), (error) => {
    const keys = new Set(faultsOf(error).flatMap(({ path }) => path.slice(0, 1)))
    const texts = [...keys].map((key) => Object(words)[key]).filter((word) => typeof word === "string")
    const hints = texts.flatMap((text) => (text.includes("%") ? [] : (numberHint(text) ?? [])))
    return wrongUsage([sentenceOf(error), ...hints].join("; "))
  })

interface Given extends Ways, Pick<Options, "patienceMillis"> {
  readonly config: string
}

const allOrders = Effect.fn("Ordering.allOrders")(function* (journal: string) {
  const texts = yield* Effect.forEach(yield* ByHand.filesOf(journal), ByHand.textOf)
  // Money of an order whose line is gone may still be on its way.
  const unended = unendedIn(yield* stateOf(journal))
  return new Set([...texts.flatMap((text) => [...ByHand.ordersIn(text).keys()]), ...unended])
})

export const optionsOf = Effect.fn("Ordering.optionsOf")(function* ({ config: file, ...ways }: Given) {
  const config = yield* ConfigFile.load(file)
  return { ...ways, config, file, earlierOrders: yield* Effect.cached(allOrders(config.journal)) } satisfies Options
})
