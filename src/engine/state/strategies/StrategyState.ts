/** What the bot remembers of one strategy: a part of the fold of the journal (see `BotState`). */
import type { Amount } from "../../../domain/Amount.ts"
import type { Of } from "../../../domain/BotEvent.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import { utcDay } from "../../../domain/Durations.ts"
import { isStale } from "../../../domain/Payload.ts"
import { present } from "../../../domain/Present.ts"
import type { Memory } from "../../../strategy/Decision.ts"
import type { Placement } from "../Placement.ts"
import type { MarketTrading } from "./TradingFold.ts"

export interface StrategyState {
  readonly name: string
  readonly budget: ReadonlyMap<string, Amount>
  /** Changes of the budget since its worth was last marked, by asset: capital, neither profit nor loss. */
  readonly flows: ReadonlyMap<string, Amount>
  readonly decision?: Of<"Decided">
  readonly decidedAt: number
  readonly memory: Memory | undefined
  /** When the placements of the last hour were planned. */
  readonly planned: ReadonlyArray<number>
  /** Goes up whenever the strategy's own trading or money, as it can see them, may have changed. */
  readonly moves: number
  /** By market. */
  readonly trading: ReadonlyMap<string, MarketTrading>
  /** Worth at the beginning of the UTC day (days since 1970), and the highest worth marked; quote smallest units. */
  readonly equity?: { readonly day: number; readonly atStart: Amount; readonly peak: Amount } | undefined
  readonly paused?: {
    readonly limit: string
    readonly by?: string
    readonly action: "pause" | "drain"
    readonly reason: string
    readonly day: number
  }
  /** An order ended and its amounts do not add up; the strategy funds nothing until somebody resumes it. */
  readonly unexplained?: {
    readonly placement: string
    readonly order: string
    readonly asset: string
    readonly amount: Amount
  }
  readonly refused?: RefusedPayments | undefined
  /** Its orders that live on although their books were closed, since it was last resumed. */
  readonly revived?: ReadonlyArray<string> | undefined
  /** Its orders that ended in a row before their time, not whole and without a cancel of ours, and how the last one did. */
  readonly endedEarly?: { readonly times: number; readonly how: string } | undefined
  /** It cannot be planned, by a mistake of this program. */
  readonly failing?: { readonly reason: string; readonly since: number } | undefined
  /** The strategy file in force, with its text where the journal has it. */
  readonly loaded?: Of<"StrategyLoaded">
  readonly loadedAt?: number
  /** It has decided something with its present file. */
  readonly isTried?: boolean
  /** Loaded by the present run, or by the last one. */
  readonly isLoaded?: boolean
  /** Its file was removed while the bot ran; says what happens to its orders. */
  readonly removed?: "drained" | "left" | undefined
  /** Last denial or deferral by slot, so that each is reported once. */
  readonly refusals: ReadonlyMap<string, string>
}

/** Payments that were refused for certain since the last deposit that was seen, and what the last one was answered. */
export interface RefusedPayments {
  readonly times: number
  readonly answer: string
  /** It was paid. */
  readonly isLie?: boolean
  /** When the first one ended that was refused for its salt. */
  readonly saltSince?: number
}

/** Everything that was planned before a change of the salt was known is refused for it as well, and counts once together. */
export const refusedOnceMore = (
  refused: RefusedPayments | undefined,
  { funding, plannedAt }: Placement,
  answer: string,
  at: number
): RefusedPayments => {
  const { saltSince, times = 0 } = refused ?? {}
  if (funding === undefined || !isStale(funding)) return { times: times + 1, answer, ...present({ saltSince }) }
  const isCounted = saltSince !== undefined && plannedAt <= saltSince
  return { times: isCounted ? times : times + 1, answer, saltSince: saltSince ?? at }
}

type StrategyEvent = Of<
  | "BudgetAllotted"
  | "Decided"
  | "Deferred"
  | "Denied"
  | "EquityMarked"
  | "LegClosed"
  | "Paused"
  | "PlanFailed"
  | "PlanMended"
  | "StrategyLoaded"
  | "StrategyRemoved"
>

/** What an event about a strategy changes of it. */
export const changedBy = (strategy: StrategyState, event: StrategyEvent, at: number): Partial<StrategyState> => {
  switch (event._tag) {
    case "BudgetAllotted":
      return {
        budget: new Map(strategy.budget).set(event.asset, event.amount),
        flows: flowsAfter(strategy, event),
        moves: strategy.moves + 1
      }
    case "Decided":
      return { decision: event, decidedAt: at, isTried: true, memory: event.memory }
    case "LegClosed":
      return { moves: strategy.moves + 1, trading: tradingWithout(strategy, event) }
    case "Denied":
      return { refusals: new Map(strategy.refusals).set(event.slot, `${event.limit}: ${event.reason}`) }
    case "Deferred":
      return { refusals: new Map(strategy.refusals).set(event.slot, event.reason) }
    case "StrategyLoaded":
      return { ...loadedAs(strategy, event), loadedAt: at }
    case "EquityMarked": {
      const { day, equity, peak } = event
      return { equity: { day, atStart: equity, peak }, flows: new Map() }
    }
    case "Paused": {
      const { limit, by, action, reason } = event
      return { paused: { limit, ...present({ by }), action, reason, day: utcDay(at) } }
    }
    case "PlanFailed":
      return { failing: { reason: event.reason, since: at } }
    case "PlanMended":
      return { failing: undefined }
    case "StrategyRemoved":
      return { removed: event.orders, isLoaded: false, failing: undefined }
  }
}

/** Base that a sale leaves unsold has a place of its own, and is not held any more (see `Ledger`). */
const tradingWithout = (
  { trading }: StrategyState,
  { asset, rest, side }: Of<"LegClosed">
): StrategyState["trading"] => {
  const [name, known] = [...trading].find(([market]) => market.startsWith(`${asset}/`)) ?? []
  if (side === "BUY" || name === undefined || known === undefined) return trading
  return new Map(trading).set(name, { ...known, position: CostBasis.setAside(known.position, rest) })
}

const loadedAs = (
  { equity, flows, isTried = false, loaded }: StrategyState,
  event: Of<"StrategyLoaded">
): Partial<StrategyState> => ({
  ...marksUnder({ equity, flows }, loaded, event),
  isTried: isTried && loaded?.hash === event.hash,
  isLoaded: true,
  // What failed was the text before it; one that fails as well is known by its first plan.
  failing: undefined,
  removed: undefined,
  loaded: loaded?.text !== undefined && loaded.hash === event.hash ? { text: loaded.text, ...event } : event
})

/** Without a mark there is nothing to correct. */
const flowsAfter = ({ budget, equity, flows }: StrategyState, { amount, asset }: Of<"BudgetAllotted">) =>
  equity === undefined
    ? flows
    : new Map(flows).set(asset, (flows.get(asset) ?? 0n) + amount - (budget.get(asset) ?? 0n))

const assetsOf = ({ market }: Of<"StrategyLoaded">): ReadonlyArray<string> => market.split(/, |\//)

/**
 * What an asset is worth that the new file has no market for, nobody can say by its prices: what such assets were worth would be a
 * loss. So its marks begin anew.
 */
const marksUnder = (
  marks: Pick<StrategyState, "equity" | "flows">,
  before: Of<"StrategyLoaded"> | undefined,
  now: Of<"StrategyLoaded">
): Pick<StrategyState, "equity" | "flows"> => {
  const named = new Set(assetsOf(now))
  const isValued = before === undefined || assetsOf(before).every((asset) => named.has(asset))
  return isValued ? marks : { equity: undefined, flows: new Map() }
}

/** Somebody has looked: what had stopped it counts anew. */
export const resumed = ({
  paused: _,
  refused: __,
  unexplained: ___,
  endedEarly: ____,
  revived: _____,
  ...rest
}: StrategyState): StrategyState => rest

export const emptyStrategy = (name: string): StrategyState => ({
  name,
  budget: new Map(),
  flows: new Map(),
  decidedAt: 0,
  memory: undefined,
  planned: [],
  moves: 0,
  trading: new Map(),
  refusals: new Map()
})
