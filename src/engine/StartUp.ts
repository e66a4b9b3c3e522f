/** A journal belongs to one account at one venue in one mode. Any other combination is refused, because its money would be miscounted. */
import { Effect, Random, Schema } from "effect"
import type { BotEvent, Of, Reason } from "../domain/BotEvent.ts"
import { givenBack, totals } from "../domain/Ledger.ts"
import { present } from "../domain/Present.ts"
import { operatorLimit } from "../domain/Text.ts"
import type { JournalError } from "../journal/Journal.ts"
import { budgets, marketNames, marketsOf, type Strategy } from "../strategy/Strategy.ts"
import * as Cancelling from "./Cancelling.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as FundingStop from "./holds/FundingStop.ts"
import * as OperatorPause from "./holds/OperatorPause.ts"
import { Bookkeeper } from "./state/Bookkeeper.ts"
import { type BotState, unfinished } from "./state/BotState.ts"
import { leftPositions } from "./state/strategies/LeftPosition.ts"

export type BotRun = Omit<Of<"BotStarted">, "_tag" | "mark" | "database" | "left" | "overall">

export class JournalOfAnother extends Schema.TaggedError<JournalOfAnother>()("JournalOfAnother", {
  what: Schema.String,
  journal: Schema.String,
  configured: Schema.String
}) {
  override get message(): string {
    return `This journal belongs to the ${this.what} ${this.journal}, but the configuration says ${this.configured}. Use the matching configuration, or another journal file.`
  }
}

/** Two symbols would count one sum of money twice, or one symbol would mix the money of two assets. */
export class AssetRenamed extends Schema.TaggedError<AssetRenamed>()("AssetRenamed", {
  symbol: Schema.String,
  id: Schema.String,
  configured: Schema.String
}) {
  override get message(): string {
    return `This journal has money or orders of ${this.symbol}, which is ${this.id}, but the configuration says ${this.configured}. Restore assets.${this.symbol}, or use another journal file.`
  }
}

/** The journal was handed over to another machine and is closed here, because two bots on one account could fund one slot twice. */
export class JournalHandedOver extends Schema.TaggedError<JournalHandedOver>()("JournalHandedOver", {
  to: Schema.String
}) {
  override get message(): string {
    return `This journal was handed over as ${this.to} and is closed. Run the bot where that copy is, after: limitbot journal restore ${this.to}`
  }
}

/** The journal can be read but not written, for example on a full disk. A bot that cannot write tracks nothing and pays nothing. */
export class StartUnwritten extends Schema.TaggedError<StartUnwritten>()("StartUnwritten", {
  why: Schema.String,
  isWithdrawn: Schema.Boolean,
  resting: Schema.Int
}) {
  override get message(): string {
    const rests = `${this.resting} of its orders may be open`
    const killed = `The kill switch is on: ${this.resting === 0 ? "every order was cancelled, without a record" : rests}`
    const done = this.isWithdrawn ? killed : `${rests}; to cancel them on a full disk: limitbot kill, then start again`
    return `${this.why}. ${done}. Fix it (a full disk needs at least 8 MB), then start again`
  }
}

export const record = Effect.fn("StartUp.record")(function* (
  run: BotRun,
  strategies: ReadonlyArray<Strategy>,
  onRemoved: Of<"StrategyRemoved">["orders"] = "drained"
) {
  const { database, record, state } = yield* Bookkeeper
  yield* belongs(run)
  const { account, overall } = yield* EngineSettings
  const limits = { ...overall, exposure: Object.fromEntries(overall?.exposure ?? []) }
  const mark = state.integrity.mark === undefined ? { mark: yield* Random.nextIntBetween(1, 2 ** 31 - 1) } : {}
  const names = new Set(strategies.map(({ name }) => name))
  const positions = leftPositions(state, ({ name }) => !names.has(name))
  const { fillBasisPoints } = account
  const facts = { ...present({ database, fillBasisPoints }), ...(positions.length > 0 && { left: positions }) }
  yield* record(
    { _tag: "BotStarted", ...run, ...facts, ...mark, overall: limits },
    ...(onRemoved === "left" ? [] : renamedFrom(state, strategies)),
    ...strategies.flatMap((strategy) => loaded(state, strategy))
  )
})

/**
 * Strategies without a file that have orders, and no position, in a market of a strategy that has never run. Their file was renamed while no
 * bot ran, so their orders are cancelled, and the orders of the new name wait for that.
 */
const renamedFrom = (state: BotState, strategies: ReadonlyArray<Strategy>): ReadonlyArray<Of<"StrategyRemoved">> => {
  const hasRun = (name: string) => state.strategies.get(name)?.loaded !== undefined
  const fresh = strategies.filter(({ name }) => !hasRun(name))
  const markets = new Set(fresh.flatMap(marketsOf).map(({ name }) => name))
  const holders = leftPositions(state, () => true).map(({ strategy }) => strategy)
  const kept = new Set([...strategies.map(({ name }) => name), ...holders])
  const owners = new Set(unfinished(state).flatMap(({ market, strategy }) => (markets.has(market) ? strategy : [])))
  const renamed = [...owners].filter((name) => !kept.has(name) && hasRun(name))
  return renamed.map((strategy) => ({ _tag: "StrategyRemoved", strategy, orders: "drained" }))
}

/**
 * Like `record`, for a bot that may have open orders. If the journal cannot be written, no other process cancels them. So it cancels them
 * without a record if `withdraw` has a reason, and fails with `StartUnwritten` in either case.
 */
export const recordOrWithdraw = Effect.fn("StartUp.recordOrWithdraw")(function* (
  run: BotRun,
  strategies: ReadonlyArray<Strategy>,
  withdraw: Effect.Effect<Reason | undefined>,
  onRemoved?: Of<"StrategyRemoved">["orders"]
) {
  const cancelling = yield* Cancelling.make({ withdraw, wakeTurn: Effect.void })
  const unwritten = Effect.fnUntraced(function* ({ message }: JournalError) {
    const isWithdrawn = (yield* withdraw) !== undefined
    if (isWithdrawn) yield* Effect.logWarning(`${message}. Cancelling all orders, without recording it`)
    const resting = yield* cancelling.cancelUnrecorded
    return yield* new StartUnwritten({ why: message, isWithdrawn, resting })
  })
  yield* Effect.catchTag(record(run, strategies, onRemoved), "JournalError", unwritten)
})

export type Contradiction = JournalHandedOver | JournalOfAnother | AssetRenamed

/** True once the venue has answered properly. A journal that was only started at a misspelt address is not bound to it. */
export const isBound = ({ placements, strategies }: BotState): boolean =>
  placements.size > 0 || [...strategies.values()].some(({ decision }) => decision !== undefined)

export const contradictionOf = (state: BotState, run: Partial<BotRun>): Contradiction | undefined => {
  if (state.movedTo !== undefined) return new JournalHandedOver({ to: state.movedTo })
  for (const what of ["account", "venue", "mode"] as const) {
    const [journal, configured] = [state.run?.[what], run[what]]
    const isSame = journal === undefined || configured === undefined || journal === configured
    if (!isSame && (what !== "venue" || isBound(state))) return new JournalOfAnother({ what, journal, configured })
  }
  return renamedIn(state, run.assets ?? {})
}

export const belongs = Effect.fn("StartUp.belongs")(function* (run: Partial<BotRun>) {
  const contradiction = contradictionOf((yield* Bookkeeper).state, run)
  if (contradiction !== undefined) return yield* contradiction
})

const renamedIn = (state: BotState, configured: Readonly<Record<string, string>>) => {
  const symbols = new Map(Object.entries(configured).map(([symbol, id]) => [id, symbol]))
  const inOrders = unfinished(state).flatMap(({ market }) => market.split("/"))
  const inLedger = [...totals(state.ledger), ...givenBack(state.ledger)].map(({ asset }) => asset)
  for (const [symbol, id] of state.assets) {
    if (![...inLedger, ...inOrders].includes(symbol)) continue
    const [now = id, twin = symbol] = [configured[symbol], symbols.get(id)]
    if (now !== id) return new AssetRenamed({ symbol, id, configured: `that it is ${now}` })
    if (twin !== symbol) return new AssetRenamed({ symbol, id, configured: `that this is ${twin}` })
  }
  return undefined
}

/** An operator who paused all running strategies also means those that are added or renamed in the meantime. */
const isAmongPaused = ({ strategies }: BotState, name: string): boolean => {
  const others = [...strategies].filter(([other, { isLoaded }]) => other !== name && isLoaded === true)
  const isNew = strategies.get(name)?.loaded === undefined
  return isNew && others.length > 0 && others.every(([, { paused }]) => paused?.limit === operatorLimit)
}

export const loaded = (state: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const { name, file, kind, hash, limits, text } = strategy
  const strategyState = state.strategies.get(name)
  const allotted = strategyState?.budget
  const isSameText = strategyState?.loaded?.text === text
  const content = { ...(isSameText ? {} : { text }), ...present({ minOrder: limits.minOrder }) }
  const newBudgets = new Map(budgets(strategy).map(({ asset, amount }) => [asset.symbol, amount]))
  // An asset that the file no longer names gets a budget of zero.
  const assets = new Set([...(allotted?.keys() ?? []), ...newBudgets.keys()])
  const changed = [...assets].filter((asset) => (allotted?.get(asset) ?? 0n) !== (newBudgets.get(asset) ?? 0n))
  return [
    { _tag: "StrategyLoaded", strategy: name, file, kind, market: marketNames(strategy), hash, ...content },
    ...(strategyState?.paused?.limit === "drawdown" &&
    strategyState.loaded?.hash !== hash &&
    FundingStop.whyStopped(strategyState) === undefined
      ? [{ _tag: "Resumed", strategy: name, reason: "its file was changed" } as const]
      : []),
    ...(isAmongPaused(state, name)
      ? OperatorPause.pause(state, name, "pause", "all strategies were paused by the operator")
      : []),
    ...changed.map(
      (asset): BotEvent => ({ _tag: "BudgetAllotted", strategy: name, asset, amount: newBudgets.get(asset) ?? 0n })
    )
  ]
}
