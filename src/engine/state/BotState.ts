/**
 * The bot's memory: a fold of the journal and nothing else, so a restart is a re-read. `apply` accepts every legal history and throws on an
 * impossible one, because a broken invariant is a defect, not an error to recover from.
 */
import { Result } from "effect"
import type { BotEvent, Of, PlacementEvent, Recorded } from "../../domain/BotEvent.ts"
import { hourMillis } from "../../domain/Durations.ts"
import * as EchoedFee from "../../domain/EchoedFee.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { byHand, hasNoBudget, isFinished } from "../../domain/Placement.ts"
import type { Signals } from "../../domain/Signal.ts"
import { messageOf } from "../../domain/Text.ts"
import * as EndedOrders from "./orders/EndedOrders.ts"
import * as JournalIntegrity from "./orders/JournalIntegrity.ts"
import { isEarly, type Placement } from "./Placement.ts"
import { placementAfter, planned, unreadable } from "./PlacementFold.ts"
import * as RunState from "./RunState.ts"
import * as SlotFold from "./SlotFold.ts"
import * as RefusedExits from "./strategies/RefusedExits.ts"
import * as Replacements from "./strategies/Replacements.ts"
import type { StrategyEvent, StrategyState } from "./strategies/StrategyState.ts"
import { changedBy, emptyStrategy, refusedOnceMore, resumed } from "./strategies/StrategyState.ts"
import { changesOwnState, tradingAfter } from "./strategies/TradingFold.ts"

export interface BotState extends RunState.RunState {
  sequence: number
  placementCount: number
  fills: number
  readonly integrity: JournalIntegrity.JournalIntegrity
  readonly placements: Map<string, Placement>
  readonly ended: EndedOrders.EndedOrders
  readonly slots: SlotFold.Slots
  readonly strategies: Map<string, StrategyState>
  readonly ledger: Ledger.Ledger
  readonly replacements: Replacements.Replacements
  readonly refusedExits: RefusedExits.RefusedExits
  /** A new object after each new value. */
  signals: Signals
  swapCount: number
  /** Sequence number of each strategy's last event; under `undefined`, of the last event that concerns all strategies. */
  readonly touched: Map<string | undefined, number>
}

export const make = (): BotState => ({
  sequence: 0,
  ...RunState.make(),
  placementCount: 0,
  fills: 0,
  integrity: JournalIntegrity.make(),
  placements: new Map(),
  ended: EndedOrders.make(),
  slots: new Map(),
  strategies: new Map(),
  ledger: Ledger.make(),
  replacements: Replacements.make(),
  refusedExits: new Map(),
  signals: new Map(),
  swapCount: 0,
  touched: new Map()
})

export const touchedAt = ({ touched }: BotState, strategy: string): number =>
  Math.max(touched.get(strategy) ?? 0, touched.get(undefined) ?? 0)

/** Caches a value until the next event, because nothing but events changes a state. */
export const perEvent = <A>(read: (state: BotState) => A): ((state: BotState) => A) => {
  const values = new WeakMap<BotState, { readonly sequence: number; readonly value: A }>()
  return (state) => {
    const last = values.get(state)
    if (last?.sequence === state.sequence) return last.value
    const value = read(state)
    values.set(state, { sequence: state.sequence, value })
    return value
  }
}

export const unfinished = perEvent(
  ({ placements }): ReadonlyArray<Placement> => [...placements.values()].filter(({ state }) => !isFinished(state))
)

const byStrategy = perEvent((state) => Map.groupBy(unfinished(state), ({ strategy }) => strategy))

export const unfinishedOf = (state: BotState, strategy: string): ReadonlyArray<Placement> =>
  byStrategy(state).get(strategy) ?? []

export const apply = (state: BotState, { sequence, at, event }: Recorded): void => {
  assert(sequence === state.sequence + 1, `journal event ${sequence} follows ${state.sequence}`)
  state.sequence = sequence
  Ledger.apply(state.ledger, event)
  const doubtsAll = JournalIntegrity.apply(state.integrity, event, at)
  if (doubtsAll) doubtAll(state)
  state.touched.set(!doubtsAll && "strategy" in event ? event.strategy : undefined, sequence)
  RefusedExits.see(state.refusedExits, event, at)
  if ("placement" in event) applyPlacement(state, event, at)
  else applyOther(state, event, at)
}

const doubtAll = ({ placements }: BotState): void => {
  for (const [id, placement] of placements) placements.set(id, JournalIntegrity.doubted(placement))
}

const applyOther = (state: BotState, event: Exclude<BotEvent, PlacementEvent>, at: number): void => {
  if ("strategy" in event) return applyToStrategy(state, event, at)
  switch (event._tag) {
    case "BotStarted":
      RunState.apply(state, event._tag, event, at)
      // A strategy that still fails is reported again by the new run.
      for (const name of state.strategies.keys())
        changeStrategy(state, name, () => ({ isLoaded: false, failing: undefined }))
      return
    case "SignalReceived":
      state.signals = new Map(state.signals).set(event.name, { value: event.value, at: event.from })
      return
    case "OddOrderSeen":
      return noteUnreadable(state, event, at)
    case "ClockCompared":
      // If the clock was set back, orders planned before count as planned now: they hold up new ones for an hour at most.
      for (const name of state.strategies.keys())
        changeStrategy(state, name, ({ planned }) => ({ planned: planned.map((time) => Math.min(time, at)) }))
      return RunState.apply(state, event._tag, event, at)
    case "AlertUnpriced":
    case "Commanded":
    case "LoopFailed":
    case "JournalBehind":
    case "JournalCut":
    case "BotStopped":
      return
    default:
      return RunState.apply(state, event._tag, event, at)
  }
}

const applyToStrategy = (state: BotState, event: StrategyEvent | Of<"Resumed">, at: number): void => {
  if (event._tag === "Resumed") return resume(state, event.strategy)
  if (event._tag === "LegClosed") SlotFold.closeLeg(state.slots, event)
  if (event._tag === "StrategyLoaded") noteEdit(state, event)
  changeStrategy(state, event.strategy, (strategy) => changedBy(strategy, event._tag, event, at))
}

const noteEdit = ({ placements, strategies }: BotState, { hash, strategy }: Of<"StrategyLoaded">): void => {
  const before = strategies.get(strategy)?.loaded
  if (before === undefined || before.hash === hash) return
  for (const [id, placement] of placements)
    if (placement.strategy === strategy) placements.set(id, { ...placement, isOfOlderFile: true })
}

const resume = (state: BotState, name: string): void => {
  const strategyState = state.strategies.get(name)
  if (strategyState !== undefined) state.strategies.set(name, resumed(strategyState))
}

const changeStrategy = (state: BotState, name: string, change: (strategy: StrategyState) => Partial<StrategyState>) => {
  if (hasNoBudget(name)) return
  const strategy = state.strategies.get(name) ?? emptyStrategy(name)
  state.strategies.set(name, { ...strategy, ...change(strategy) })
}

/**
 * Returns why `events` cannot come next; `undefined` if they can. Callers check before writing, because a journal with an impossible event
 * is lost. A placement may have changed between a request and its answer.
 */
export const objection = ({ ended, placements }: BotState, events: ReadonlyArray<BotEvent>): string | undefined => {
  const changed = new Map<string, Placement | undefined>()
  for (const event of events) {
    if (!("placement" in event)) continue
    const { placement: id } = event
    const placementBefore = changed.has(id) ? changed.get(id) : (placements.get(id) ?? livingOn(ended, event))
    if (event._tag === "Planned") {
      if (placementBefore !== undefined) return `${id} is planned twice`
      changed.set(id, planned(event, 0))
    } else if (placementBefore === undefined) {
      if (!mayConcernEnded(event, ended)) return `${event._tag} of the unknown placement ${id}`
    } else {
      const next = Result.try(() => placementAfter(placementBefore, event, 0))
      if (Result.isFailure(next)) return messageOf(next.failure)
      changed.set(id, next.success.state === "settled" ? undefined : next.success)
    }
  }
  return undefined
}

const applyPlacement = (state: BotState, event: PlacementEvent, at: number): void => {
  Replacements.see(state.replacements, event, at)
  RunState.correct(state, event)
  if (event._tag === "Planned") return applyPlanned(state, event, at)
  const placement = state.placements.get(event.placement) ?? livingOn(state.ended, event)
  // A slot stays frozen after the placement that froze it is settled and gone.
  if (event._tag === "Resolved") SlotFold.thaw(state.slots, event)
  if (placement === undefined && mayConcernEnded(event, state.ended)) return applyEnded(state, event, at)
  assert(placement !== undefined, `${event._tag} of the unknown placement ${event.placement}`)
  const changed = placementAfter(placement, event, at)
  state.placements.set(placement.id, changed)
  EndedOrders.see(state.ended, changed, event, at)
  if (event._tag === "FillSeen") state.fills += 1
  if (event._tag === "FeeEchoed")
    EchoedFee.learn(state.echoedFees, changed.market, event, { at, isFirst: placement.feeEcho === undefined })
  if (event._tag === "TakenBack") {
    for (const { slices } of placement.fills.values()) state.fills -= Number(slices)
    if (placement.state === "settled")
      SlotFold.change(state.slots, event, (slot) => SlotFold.afterTakingBack(slot, placement))
  }
  // The slot of a given-up placement has moved on, so its events no longer change the slot.
  if (placement.state !== "given up") SlotFold.apply(state.slots, changed, event, at)
  if (event._tag === "Settled") noteUnexplained(state, changed)
  noteRefused(state, placement, event, at)
  noteEarlyEnd(state, placement, event, at)
  noteTrading(state, changed, event, at)
  // A settled order that lives on becomes a placement again (`EndedOrders`). Other finished placements stay, because lists may still show
  // their orders.
  if (changed.state === "settled") state.placements.delete(changed.id)
}

const livingOn = (ended: EndedOrders.EndedOrders, event: PlacementEvent): Placement | undefined =>
  event._tag === "TakenBack" ? EndedOrders.ofPlacement(ended, event.placement)?.last : undefined

/** True for events that may be recorded of a placement that has left the state: no money is in it, or its order lives on. */
const mayConcernEnded = ({ _tag, placement }: PlacementEvent, ended: EndedOrders.EndedOrders): boolean =>
  _tag === "Resolved" ||
  _tag === "WrittenOff" ||
  _tag === "Found" ||
  _tag === "OrphanSeen" ||
  _tag === "OrphanCancelled" ||
  (_tag === "Contradiction" && EndedOrders.ofPlacement(ended, placement) !== undefined)

const applyEnded = (state: BotState, event: PlacementEvent, at: number): void => {
  const order = EndedOrders.ofPlacement(state.ended, event.placement)
  if (event._tag !== "Contradiction" || order === undefined) return
  const { last } = order
  EndedOrders.noteAlive(state.ended, order)
  changeStrategy(state, last.strategy, ({ revived = [] }) => ({ revived: [...revived, last.order.id] }))
  SlotFold.apply(state.slots, last, event, at)
}

const noteTrading = (state: BotState, placement: Placement, event: PlacementEvent, at: number): void => {
  if (!changesOwnState(event)) return
  const { market, strategy } = placement
  changeStrategy(state, strategy, ({ loaded, moves, trading }) => {
    const terms = { at, least: loaded?.minOrder ?? 1n }
    return {
      moves: moves + 1,
      ...(event._tag === "FillSeen" && { isLeftToAccount: undefined }),
      trading: new Map(trading).set(market, tradingAfter(trading.get(market), placement, event, terms))
    }
  })
}

const applyPlanned = (state: BotState, event: Of<"Planned">, at: number): void => {
  const { placement: id } = event
  assert(!state.placements.has(id), `${id} is planned twice`)
  state.placementCount += 1
  const placement = planned(event, at)
  state.placements.set(id, placement)
  forgetEnded(state, at)
  noteTrading(state, placement, event, at)
  SlotFold.change(state.slots, event, () => ({ placement: id }))
  if (event.strategy === byHand) state.swapCount = Math.max(state.swapCount, Number(id.slice(1)))
  changeStrategy(state, event.strategy, (strategy) => {
    const refusals = new Map(strategy.refusals)
    refusals.delete(event.slot)
    return { refusals, planned: [...strategy.planned.filter((time) => time > at - hourMillis), at] }
  })
}

const noteUnreadable = ({ placements }: BotState, { orderId, reason }: Of<"OddOrderSeen">, at: number): void => {
  const placement = [...placements.values()].find(({ order }) => order !== undefined && order.id === orderId)
  if (placement !== undefined) placements.set(placement.id, unreadable(placement, reason, at))
}

/** Within this time, an order whose create was not answered, and a deposit that was booked as not made, appear. */
const rememberedMillis = hourMillis

/** Deletes placements that ended without money once their orders can no longer appear. Otherwise refused attempts would fill the memory. */
const forgetEnded = (state: BotState, at: number): void => {
  for (const [id, { changedAt, deadline, spares, state: ended }] of state.placements) {
    if (ended !== "abandoned" && ended !== "dead") continue
    // By then the venue has ended the order.
    const isOver = at > Math.max(deadline, changedAt) + rememberedMillis
    const isCleared = at > changedAt + rememberedMillis && [...spares.values()].every((isCancelled) => isCancelled)
    if (isOver || (isCleared && ended === "abandoned")) state.placements.delete(id)
  }
}

/**
 * Counts the refused payments of a strategy. A payment in doubt and a wallet that was not asked prove no refusal. If the deposit of a
 * payment that was booked as not made arrives, the strategy is stopped until the operator resumes it.
 */
const noteRefused = (state: BotState, before: Placement, event: PlacementEvent, at: number): void => {
  if (state.strategies.get(before.strategy)?.refused?.isLie === true) return
  const refuse = (answer: string, lie: { readonly isLie?: true } = {}) =>
    changeStrategy(state, before.strategy, ({ refused }) => ({
      refused: { ...refusedOnceMore(refused, before, answer, at), ...lie }
    }))
  if (event._tag === "DepositSeen") {
    if (before.state === "dead")
      return refuse(`the payment of ${before.id} was booked as not made, but its deposit has arrived`, { isLie: true })
    return changeStrategy(state, before.strategy, () => ({ refused: undefined }))
  }
  if (event._tag !== "FundingDead" || before.state !== "funding") return
  if (SlotFold.isRefusedPayment(before, event)) refuse(before.funding.lastAnswer ?? event.reason)
}

/** Counts only orders planned by this run: a cancel that an earlier process requested may be missing in the journal. */
const noteEarlyEnd = (state: BotState, before: Placement, event: PlacementEvent, at: number): void => {
  const { order, plannedAt, strategy } = before
  if (event._tag !== "Closed") return
  if (event.status === "FILLED") return changeStrategy(state, strategy, () => ({ endedEarly: undefined }))
  if (!isEarly(before, event.status, at) || plannedAt < state.runStartedAt) return
  changeStrategy(state, strategy, ({ endedEarly }) => ({
    endedEarly: { times: (endedEarly?.times ?? 0) + 1, how: `order ${order?.id} ${event.status}` }
  }))
}

const noteUnexplained = (state: BotState, { id, inputAsset, order, outputAsset, strategy }: Placement): void => {
  const residual = [inputAsset, outputAsset].map(
    (asset) => [asset, Ledger.heldBy(state.ledger, id, asset, "residual")] as const
  )
  const amounts = new Map(residual.filter(([, amount]) => amount !== 0n))
  if (amounts.size === 0) return
  changeStrategy(state, strategy, ({ unexplained = [] }) => {
    const others = unexplained.filter(({ placement }) => placement !== id)
    return { unexplained: [...others, { placement: id, order: order?.id ?? "", amounts }] }
  })
}

function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant of the journal: ${what}`)
}
