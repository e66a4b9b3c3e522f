/**
 * The decision in force of each strategy: its last answer while that holds, otherwise a new one. A strategy is asked only when its
 * last answer no longer holds, and an answer is recorded when it differs.
 */
import { Effect } from "effect"
import type { Depth } from "../../domain/Book.ts"
import type { Signals } from "../../domain/Signal.ts"
import { type Decision, holds, written } from "../../strategy/Decision.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { View } from "../../strategy/View.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { decisionEvent, type MarketMoment, stable } from "./DecisionRecord.ts"
import type { Refusals } from "./exits/Refusals.ts"

interface Standing {
  readonly strategy: Strategy
  readonly decision: Decision
  readonly moves: number
  readonly candles: View["candles"]
  readonly depth: Depth | undefined
  readonly signals: Signals
  readonly recorded: string
}

export const make = (books: Bookkeeper["Service"], refusals: Refusals) => {
  const standing = new Map<string, Standing>()

  const inForce = (strategy: Strategy, moment: MarketMoment): Decision | undefined => {
    const last = standing.get(strategy.name)
    const moves = books.state.strategies.get(strategy.name)?.moves ?? 0
    return last?.strategy === strategy && stillHolds(last, moment, moves, books.state.signals)
      ? last.decision
      : undefined
  }

  const decide = Effect.fnUntraced(function* (strategy: Strategy, view: View) {
    const standingDecision = inForce(strategy, view)
    if (standingDecision !== undefined) return standingDecision
    const last = standing.get(strategy.name)
    const strategyState = books.state.strategies.get(strategy.name)
    const moves = strategyState?.moves ?? 0
    const memory = strategyState?.memory ?? strategy.initialMemory
    const decision = written(strategy.decide(view, memory))
    const event = decisionEvent(strategy, view, decision, strategy.inputs?.(view, memory))
    const recorded = stable(event)
    const { signals } = books.state
    standing.set(strategy.name, {
      strategy,
      decision,
      moves,
      candles: view.candles,
      depth: view.depth,
      signals,
      recorded
    })
    // The first answer of an edited file is recorded even if it is the same: it shows which older orders the new file continues.
    if (recorded !== last?.recorded || strategyState?.isTried === false) {
      refusals.forgetAllBut(
        strategy.name,
        event.desired.map(({ slot }) => slot)
      )
      yield* books.record(event)
    }
    return decision
  })

  return { decide, inForce }
}

/** A newly closed candle is a new object in the view, and so is newly quoted depth. */
const stillHolds = (
  { decision: { until }, moves, candles, depth, signals }: Standing,
  view: MarketMoment,
  movesNow: number,
  signalsNow: Signals
): boolean =>
  holds(until, view, movesNow > moves) &&
  (until.barClose === undefined || JoinedCandles.isSame(view.candles, candles)) &&
  (until.depth === undefined || view.depth === depth) &&
  (until.signals === undefined || signalsNow === signals)
