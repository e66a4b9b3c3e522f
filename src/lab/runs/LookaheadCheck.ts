/** Runs the look-ahead check of `limitbot check --lookahead` on given candles, and reports on each strategy. */
import { Effect } from "effect"
import { countText, utc } from "../../domain/Text.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as Lookahead from "../backtest/Lookahead.ts"
import * as RunCandles from "./RunCandles.ts"
import { checkTimeframes } from "./RunSetUp.ts"

const moments = 500

export const look = Effect.fn("LookaheadCheck.look")(function* (
  strategies: ReadonlyArray<Strategy>,
  data: string,
  part: RunCandles.PartAsked
) {
  const columns = { open: true, volume: true, indexed: false }
  const { candles } = yield* RunCandles.ofFile(data, part, columns, strategies[0]?.market.name)
  return yield* Effect.forEach(strategies, (strategy) =>
    Effect.map(checkTimeframes(strategy, [candles]), () => {
      const { file } = strategy
      const report = Lookahead.look(strategy, candles, moments)
      const { peeks, sensitive, warm } = report
      const json = { moments: report.moments, peeks: peeks.length, firstPeekAt: peeks[0]?.at ?? null, warm, sensitive }
      return { file, faults: faultsOf(report), passedText: passedText(strategy, report), json: { file, ...json } }
    })
  )
})

const faultsOf = (report: Lookahead.LookaheadReport): ReadonlyArray<string> => {
  const { peeks, warm, sensitive } = report
  const [peek] = peeks
  return [
    peek &&
      `looks into the future: at ${utc(peek.at)} unfinished candles changed ${peek.text} (${peeks.length} of ${countText(report.moments, "time")})`,
    Lookahead.isTooSensitive(report) &&
      `needs more candles than it declares: older ones changed the answer at ${sensitive} of ${countText(warm, "time")}`
  ].filter((fault) => typeof fault === "string")
}

const passedText = (strategy: Strategy, report: Lookahead.LookaheadReport): string => {
  const prefix = `checked at ${countText(report.moments, "time")}, no look-ahead found`
  if (strategy.candles === undefined || strategy.candles.size === 0) return `${prefix}; it uses no candles`
  if (report.warm === 0) return `${prefix}; too little data for its indicators, use longer data`
  return `${prefix}; older candles than it declares changed ${report.sensitive} of ${countText(report.warm, "answer")}`
}
