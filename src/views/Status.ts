/** The status of a bot: from the running bot, which knows its pulse and prices, or from its journal alone. */
import { Schema } from "effect"
import type { SeenAfter } from "../domain/Book.ts"
import type { Of } from "../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../domain/Market.ts"
import { iso } from "../domain/Text.ts"
import { progress } from "../engine/planning/DecisionRecord.ts"
import { type BotState, unfinished, unfinishedOf } from "../engine/state/BotState.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { isBareSuccess } from "../engine/tracking/amounts/BareSuccess.ts"
import type { StepTerms } from "../engine/tracking/Overdue.ts"
import type * as Money from "../report/text/Money.ts"
import type { Decision } from "../strategy/Decision.ts"
import type { Inputs, Strategy } from "../strategy/Strategy.ts"
import { version } from "../version.ts"
import { asOf, Time } from "./AsOf.ts"
import { breakEvens, LevelView, levelsOf } from "./Levels.ts"
import { moneySums } from "./Money.ts"
import { type NextOf, NextView, nextOf } from "./Next.ts"
import { PriceView, priceView } from "./Prices.ts"
import { ProblemView, problemsOf } from "./Problems.ts"
import { profitBySlot } from "./Profit.ts"
import type { Pulse } from "./Pulse.ts"
import * as LiveProfit from "./profit/LiveProfit.ts"
import type { RunningProfit } from "./profit/RunningProfit.ts"

const Text = Schema.String

const StrategyView = Schema.Struct({
  name: Text,
  kind: Text,
  file: Text,
  market: Text,
  paused: Schema.NullOr(Schema.Struct({ by: Text, action: Schema.Literals(["pause", "drain"]), reason: Text })),
  openOrders: Schema.Int,
  slots: Schema.Int,
  decidedAt: Time,
  next: Schema.Array(NextView),
  levels: Schema.Array(LevelView)
})

const SeenAfterView = Schema.Struct({ market: Text, p50Millis: Schema.Int, p99Millis: Schema.Int })
export type SeenAfterView = typeof SeenAfterView.Type

const SignalView = Schema.Struct({
  name: Text,
  value: Schema.NullOr(Schema.Finite),
  since: Schema.NullOr(Time),
  until: Schema.NullOr(Time)
})

const signalsOf = (
  { signals }: BotState,
  strategies: ReadonlyArray<Strategy>
): ReadonlyArray<typeof SignalView.Type> => {
  const ages = new Map<string, number>()
  for (const [name, age] of strategies.flatMap((each) => [...(each.signals ?? [])]))
    ages.set(name, Math.min(age, ages.get(name) ?? age))
  return [...ages].map(([name, age]) => {
    const signal = signals.get(name)
    return { name, value: signal?.value ?? null, since: signal?.at ?? null, until: signal ? signal.at + age : null }
  })
}

export const Status = Schema.Struct({
  ...asOf,
  version: Text,
  mode: Text,
  venue: Text,
  account: Text,
  journal: Text,
  pid: Schema.Int,
  startedAt: Time,
  turnedAt: Time,
  leaving: Schema.NullOr(Text),
  killSwitch: Schema.NullOr(Text),
  venueDownSince: Schema.NullOr(Time),
  fills: Schema.Int,
  /** Every unfinished placement, also a planned or closing one. */ openOrders: Schema.Int,
  strategies: Schema.Array(StrategyView),
  prices: Schema.Array(PriceView),
  /** Delay until the bot sees a price move: for half of all moves, and for 99 of 100. No row before the second poll of a market. */
  seenAfter: Schema.Array(SeenAfterView),
  /** `value` is null if no signal arrived; `until` is the time until which it counts for all strategies. */
  signals: Schema.Array(SignalView),
  problems: Schema.Array(ProblemView),
  role: Schema.Literals(["signaller", "viewer", "trader", "operator"])
})
export type Status = typeof Status.Type

export interface RunningFacts extends Pulse {
  readonly journal: string
  readonly assets: Money.Assets
  readonly strategies: () => ReadonlyArray<Strategy>
  /** The checks of its conditions now, by slot, and its decision; `undefined` before its first price. */
  readonly checksOf: (strategy: Strategy) => Inputs | undefined
  readonly decisionOf: (strategy: Strategy) => Decision | undefined
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly stuckAfter: StepTerms
}

export const statusOf = (
  state: BotState,
  bot: RunningFacts,
  seenAfter: (market: string) => SeenAfter | undefined,
  now: number
): Omit<Status, "at" | "sequence" | "role"> => {
  const open = unfinished(state)
  return {
    version,
    mode: state.run?.mode ?? "",
    venue: state.run?.venue ?? "",
    account: state.run?.account ?? "",
    journal: bot.journal,
    pid: state.run?.pid ?? 0,
    startedAt: state.runStartedAt,
    turnedAt: bot.turnedAt(),
    leaving: bot.leaving() ?? null,
    killSwitch: state.killed ?? null,
    venueDownSince: state.venueDownSince ?? null,
    fills: state.fills,
    openOrders: open.length,
    strategies: bot.strategies().map((strategy) => {
      const { endsAt, file, kind, market, name } = strategy
      const own = state.strategies.get(name)
      const { decidedAt = 0, decision, paused } = own ?? {}
      return {
        name,
        kind,
        file,
        market: market.name,
        paused: paused === undefined ? null : { by: paused.limit, action: paused.action, reason: paused.reason },
        openOrders: open.filter(({ strategy }) => strategy === name).length,
        slots: (decision?.desired.length ?? 0) + (decision?.absent.length ?? 0),
        decidedAt,
        next: nextOf(decision ?? { absent: [] }, now, bot.checksOf(strategy), endsAt),
        levels: levelsOf(strategy, own?.trading, bot.decisionOf(strategy), () =>
          progress(state, name, unfinishedOf(state, name))
        )
      }
    }),
    prices: [...bot.prices].map(([market, price]) => priceView(market, price)),
    seenAfter: [...bot.prices.keys()].flatMap((market) => {
      const quote = seenAfter(market)
      return quote === undefined ? [] : [{ market, ...quote }]
    }),
    signals: signalsOf(state, bot.strategies()),
    problems: problemsOf(state, bot.assets, { now, pulse: bot, stuckAfter: bot.stuckAfter })
  }
}

export interface JournalFacts {
  readonly journal: string
  readonly state: BotState
  readonly assets: Money.Assets
  readonly stuckAfter: StepTerms
  readonly now: number
  readonly trading: RunningProfit
  /** `signed`: every quote must have the venue's signature. */
  readonly prices: "signed" | "unsigned"
  readonly runningPid: number | undefined
  readonly dashboard: string | undefined
  readonly seenAfter: ReadonlyArray<SeenAfterView> | undefined
  /** The state of the switch itself. The bot records it when it obeys. */
  readonly killSwitch: string | undefined
  /** Next steps; the running bot knows more than the journal. */
  readonly next: ReadonlyArray<NextOf>
}

/** Only the running bot can tell whether a turn is late. */
export const problemsInJournal = ({
  assets,
  now,
  state,
  stuckAfter
}: Pick<JournalFacts, "assets" | "now" | "state" | "stuckAfter">) =>
  problemsOf(state, assets, { now, pulse: undefined, stuckAfter })

/** Stable output: fields are only added. */
export const journalStatus = (facts: JournalFacts) => {
  const { assets, now, state, trading } = facts
  const until = safeUntil(state)
  return {
    journal: facts.journal,
    runningPid: facts.runningPid ?? null,
    dashboard: facts.dashboard ?? null,
    run: state.run && runView(state.run),
    killSwitch: facts.killSwitch ?? null,
    problems: problemsInJournal(facts),
    prices: facts.prices,
    seenAfter: facts.seenAfter ?? null,
    signals: [...state.signals].map(([name, { at, value }]) => ({ name, value, since: at })),
    pricesRefused: [...state.doubts].map(([market, { reason, since }]) => ({ market, why: reason, since })),
    clock: { skewMillis: state.clock?.skewMillis ?? null, ok: state.clock?.ok ?? null },
    rejectedEdit: state.rejectedEdit ?? null,
    diskFullSince: state.diskFull?.since ?? null,
    journalGone: state.leaseLost ?? null,
    journalChanged: state.broken ?? null,
    venueDownSince: state.venueDownSince ?? null,
    failing: [...state.strategies.values()].flatMap(({ name, failing }) =>
      failing === undefined ? [] : [{ strategy: name, why: failing.reason, since: failing.since }]
    ),
    frozen: [...state.slots.values()].flatMap(({ strategy, slot, frozen }) =>
      frozen === undefined ? [] : [{ slot: slotKey(strategy, slot), why: frozen }]
    ),
    fills: state.fills,
    openOrders: unfinished(state).length,
    ...moneySums(state, assets),
    next: facts.next,
    breakEven: breakEvensIn(facts),
    profit: profitBySlot(LiveProfit.profitNow(trading, assets, now), assets),
    contradictions: state.reconciled?.contradictions ?? [],
    foreign: state.reconciled?.foreign ?? [],
    safeUnattendedUntil: until === undefined ? null : iso(until)
  }
}

export const breakEvensIn = ({ assets, state }: Pick<JournalFacts, "assets" | "state">) =>
  [...state.strategies.values()].flatMap((each) =>
    breakEvens(each, assets).map((row) => ({ strategy: each.name, ...row }))
  )

/** Only the configuration can show the limits over all strategies. */
const runView = ({ overall: _, mark: __, boot: ___, ...run }: Of<"BotStarted">) => run

/** Time at which the venue ends the first order and refunds it. Until then no bot is needed. */
export const safeUntil = (state: BotState): number | undefined => {
  // A swap that has succeeded is not refunded.
  const open = unfinished(state).filter((placement) => !isBareSuccess(placement))
  return open.length === 0 ? undefined : Math.min(...open.map(({ deadline }) => deadline))
}
