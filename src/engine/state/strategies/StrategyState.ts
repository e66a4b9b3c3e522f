/** State of one strategy: a part of the fold of the journal (see `BotState`). */
import type { Amount } from "../../../domain/Amount.ts"
import type { Of, Tag } from "../../../domain/BotEvent.ts"
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
  /** Changes of the budget since its equity was last marked, by asset: capital, neither profit nor loss. */
  readonly flows: ReadonlyMap<string, Amount>
  readonly decision?: Of<"Decided">
  /** The file that made this decision. */
  readonly decidedBy?: Of<"StrategyLoaded">
  readonly decidedAt: number
  readonly memory: Memory | undefined
  /** Times at which its placements were planned, at least those of the last hour. */ readonly planned: ReadonlyArray<number>
  /** Increases whenever the strategy's visible trading or money may have changed. */
  readonly moves: number
  readonly trading: ReadonlyMap<string, MarketTrading>
  /** Equity at the start of the UTC day (days since 1970), and the highest marked equity; quote smallest units. */
  readonly equity?: { readonly day: number; readonly atStart: Amount; readonly peak: Amount } | undefined
  readonly paused?: {
    readonly limit: string
    readonly by?: string
    readonly action: "pause" | "drain"
    readonly reason: string
    readonly day: number
  }
  /** Ended orders that do not add up; the strategy funds nothing until the operator resumes it. */
  readonly unexplained?: ReadonlyArray<UnexplainedOrder>
  readonly refused?: RefusedPayments | undefined
  /** Its orders that live on although their books were closed, since the strategy was last resumed. */
  readonly revived?: ReadonlyArray<string> | undefined
  readonly endedEarly?: { readonly times: number; readonly how: string } | undefined
  readonly failing?: { readonly reason: string; readonly since: number } | undefined
  readonly loaded?: Of<"StrategyLoaded">
  readonly loadedAt?: number
  /** The loaded text has decided at least once. */ readonly isTried?: boolean
  readonly isLoaded?: boolean
  /** A person left its position to the account while no file named it. */
  readonly isLeftToAccount?: true | undefined
  readonly removed?: "drained" | "left" | undefined
  readonly refusals: ReadonlyMap<string, string>
}

export interface UnexplainedOrder {
  readonly placement: string
  readonly order: string
  /** By asset. */
  readonly amounts: ReadonlyMap<string, Amount>
}

/** Number of payments that were clearly refused since the last deposit that showed, and the last answer. */
export interface RefusedPayments {
  readonly times: number
  readonly answer: string
  /** A payment that counted as never made has a deposit. */
  readonly isLie?: boolean
  readonly saltSince?: number
}

/** Payments that were planned before a salt change became known are all refused for it, and count as one. */
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

type Change<T extends Tag> = (event: Of<T>, at: number, strategy: StrategyState) => Partial<StrategyState>

const table = {
  BudgetAllotted: (event, _, strategy) => ({
    budget: new Map(strategy.budget).set(event.asset, event.amount),
    flows: flowsAfter(strategy, event),
    moves: strategy.moves + 1
  }),
  Decided: (event, at, { loaded }) => ({
    decision: event,
    ...present({ decidedBy: loaded }),
    decidedAt: at,
    isTried: true,
    memory: event.memory
  }),
  LegClosed: (event, _, strategy) => ({ moves: strategy.moves + 1, trading: tradingWithout(strategy, event) }),
  Denied: ({ limit, reason, slot }, _, { refusals }) => ({
    refusals: new Map(refusals).set(slot, `${limit}: ${reason}`)
  }),
  Deferred: ({ reason, slot }, _, { refusals }) => ({ refusals: new Map(refusals).set(slot, reason) }),
  StrategyLoaded: (event, at, strategy) => ({ ...loadedAs(strategy, event), loadedAt: at }),
  EquityMarked: ({ day, equity, peak }) => ({ equity: { day, atStart: equity, peak }, flows: new Map() }),
  Paused: ({ action, by, limit, reason }, at) => ({
    paused: { limit, ...present({ by }), action, reason, day: utcDay(at) }
  }),
  PlanFailed: ({ reason }, at) => ({ failing: { reason, since: at } }),
  PlanMended: () => ({ failing: undefined }),
  StrategyRemoved: ({ orders }) => ({ removed: orders, isLoaded: false, failing: undefined })
} satisfies { readonly [T in Tag]?: Change<T> }

type StrategyTag = keyof typeof table
export type StrategyEvent = Of<StrategyTag>
const changes: { readonly [T in StrategyTag]: Change<T> } = table

export const changedBy = <T extends StrategyTag>(strategy: StrategyState, tag: T, event: Of<T>, at: number) =>
  changes[tag](event, at, strategy)

/** Base that a sale leaves unsold has its own place and is no longer held (see `Ledger`). */
const tradingWithout = ({ trading }: StrategyState, { asset, rest, side }: Of<"LegClosed">) => {
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
  isLeftToAccount: undefined,
  // The failure was of the earlier text. If the new text fails too, its first plan reports it.
  failing: undefined,
  removed: undefined,
  loaded: loaded?.text !== undefined && loaded.hash === event.hash ? { text: loaded.text, ...event } : event
})

const flowsAfter = ({ budget, equity, flows }: StrategyState, { amount, asset }: Of<"BudgetAllotted">) =>
  equity === undefined
    ? flows
    : new Map(flows).set(asset, (flows.get(asset) ?? 0n) + amount - (budget.get(asset) ?? 0n))

const assetsOf = ({ market }: Of<"StrategyLoaded">): ReadonlyArray<string> => market.split(/, |\//)

/** Restarts the marks if the new file lacks a market for an asset, because its unpriced value would count as a loss. */
const marksUnder = (
  marks: Pick<StrategyState, "equity" | "flows">,
  before: Of<"StrategyLoaded"> | undefined,
  now: Of<"StrategyLoaded">
): Pick<StrategyState, "equity" | "flows"> => {
  const currentAssets = new Set(assetsOf(now))
  const isValued = before === undefined || assetsOf(before).every((asset) => currentAssets.has(asset))
  return isValued ? marks : { equity: undefined, flows: new Map() }
}

export const resumed = ({
  paused: _,
  refused: __,
  unexplained: ___,
  endedEarly: ____,
  revived: _____,
  ...rest
}: StrategyState): StrategyState => (rest.isLoaded === false ? { ...rest, isLeftToAccount: true } : rest)

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
