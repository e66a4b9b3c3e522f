/** The strategies in force and their last decisions. A strategy that throws keeps its orders, and is asked again at each turn. */
import { Clock, Effect } from "effect"
import type { Reason } from "../../domain/BotEvent.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import { messageOf } from "../../domain/Text.ts"
import type { Decision } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { EngineInputs } from "../EngineSettings.ts"
import * as FundingStop from "../holds/FundingStop.ts"
import { MarketWatch } from "../markets/MarketWatch.ts"
import { checksAt, type MarketMoment } from "../planning/DecisionRecord.ts"
import * as LossGuard from "../planning/LossGuard.ts"
import * as Planning from "../planning/Planning.ts"
import { ForgottenOrders } from "../restart/ForgottenOrders.ts"
import * as StartUp from "../StartUp.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { leftPositions } from "../state/strategies/LeftPosition.ts"

/** A strategy that failed counts as fixed after this time without another failure. */
const fixedAfterMillis = 60_000

export type StrategyPlans = Effect.Success<typeof make>

export const make = Effect.gen(function* () {
  const { strategies: first } = yield* EngineInputs
  const watch = yield* MarketWatch
  const books = yield* Bookkeeper
  const planning = yield* Planning.make((yield* ForgottenOrders).admits)
  const decisions = new Map<string, Decision>()
  let strategies = first
  const lastMoments = new Map<string, readonly [MarketMoment, MarketMoment | undefined]>()
  const failedAt = new Map<string, number>()
  yield* watch.watchMarketsOf(first)

  /**
   * Uses these strategies from the next turn on. Their slots keep their history, by name. A strategy that is the same object as before is
   * not asked again. Orders of removed strategies are cancelled (`drained`) or left.
   */
  const replace = Effect.fn("StrategyPlans.replace")(function* (
    next: ReadonlyArray<Strategy>,
    removed: "drained" | "left"
  ) {
    const names = new Set(next.map(({ name }) => name))
    const removedStrategies = strategies.filter(({ name }) => !names.has(name))
    const changed = next.filter((strategy) => !strategies.includes(strategy))
    yield* watch.watchMarketsOf(next)
    yield* books.record(
      ...changed.flatMap((strategy) => StartUp.loaded(books.state, strategy)),
      ...removedStrategies.map(({ name: strategy }) => {
        const leftovers = leftPositions(books.state, ({ name }) => name === strategy)
        const about = { strategy, orders: removed, ...(leftovers.length > 0 && { left: leftovers }) }
        return { _tag: "StrategyRemoved", ...about } as const
      })
    )
    // A price that an edited file saw may be another market's.
    for (const { name } of changed) lastMoments.delete(name)
    strategies = next
  })

  const previousMoment = ({ name }: Strategy, moment: MarketMoment): MarketMoment | undefined => {
    const [last, earlier] = lastMoments.get(name) ?? []
    const isSameLook = last?.price.at === moment.price.at
    lastMoments.set(name, [moment, isSameLook ? earlier : last])
    return isSameLook ? earlier : last
  }

  const stateOf = ({ name }: Strategy) => books.state.strategies.get(name)

  /** Returns true if the strategy could be planned; without a price that is unknown. */
  const decideAndPlan = Effect.fnUntraced(function* (strategy: Strategy, cancelAll: Reason | undefined) {
    const now = yield* Clock.currentTimeMillis
    yield* books.record(...FundingStop.check(books.state, strategy))
    const moment = watch.moment(strategy, now)
    if (moment === undefined) return false
    yield* books.record(...LossGuard.check(books.state, strategy, moment, previousMoment(strategy, moment)))
    const paused = stateOf(strategy)?.paused
    const losing = paused?.action === "drain" ? { code: paused.limit, text: paused.reason } : undefined
    decisions.set(strategy.name, yield* planning.plan(strategy, moment, cancelAll ?? losing))
    return true
  })

  const noteFailure = Effect.fnUntraced(function* (strategy: Strategy, mistake: unknown) {
    failedAt.set(strategy.name, yield* Clock.currentTimeMillis)
    if (stateOf(strategy)?.failing !== undefined) return
    yield* books.record({ _tag: "PlanFailed", strategy: strategy.name, reason: messageOf(mistake) })
  })

  const plan = Effect.fnUntraced(
    function* (strategy: Strategy, cancelAll: Reason | undefined) {
      const isPlanned = yield* decideAndPlan(strategy, cancelAll)
      if (!isPlanned || stateOf(strategy)?.failing === undefined) return
      // A strategy that fails every second turn is still failing.
      const calmMillis = elapsedMillis(failedAt.get(strategy.name) ?? 0, yield* Clock.currentTimeMillis)
      if (calmMillis >= fixedAfterMillis) yield* books.record({ _tag: "PlanMended", strategy: strategy.name })
    },
    (planned, strategy) => Effect.catchDefect(planned, (mistake) => noteFailure(strategy, mistake))
  )

  return {
    replace,
    checksOf: (strategy: Strategy) => checksAt(books.state, strategy, lastMoments.get(strategy.name)?.[0]),
    decisionOf: ({ name }: Strategy) => decisions.get(name),
    inForce: () => strategies,
    decided: () =>
      strategies.flatMap((strategy) => {
        const decision = decisions.get(strategy.name)
        return decision === undefined ? [] : [{ strategy, decision }]
      }),
    planAll: (admits: (name: string) => boolean, cancelAll: Reason | undefined) =>
      Effect.forEach(strategies, (each) => (admits(each.name) ? plan(each, cancelAll) : Effect.void), { discard: true })
  } as const
})
