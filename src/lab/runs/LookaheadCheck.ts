/** Runs the look-ahead check of `limitbot check --lookahead` on given candles, and reports on each strategy. */
import { Effect } from "effect"
import { iso } from "../../domain/Text.ts"
import { countText } from "../../domain/Words.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as Lookahead from "../backtest/Lookahead.ts"
import * as RunCandles from "./RunCandles.ts"
import { checkTimeframes } from "./RunSetUp.ts"

const moments = 500

interface Finding {
  readonly strategy: Strategy
  readonly report: Lookahead.LookaheadReport
}

export const look = Effect.fn("LookaheadCheck.look")(function* (
  strategies: ReadonlyArray<Strategy>,
  data: string,
  part: RunCandles.PartAsked
) {
  const { candles } = yield* RunCandles.ofFile(data, part, { open: true, volume: true, indexed: false })
  return yield* Effect.forEach(strategies, (strategy) =>
    Effect.map(checkTimeframes(strategy, candles), () => {
      const finding = { strategy, report: Lookahead.look(strategy, candles, moments) }
      return { file: strategy.file, faults: faultsOf(finding), passedText: passedText(finding), json: json(finding) }
    })
  )
})

const faultsOf = ({ report }: Finding): ReadonlyArray<string> => {
  const [peek] = report.peeks
  const { peeks, warm, sensitive } = report
  return [
    ...(peek === undefined
      ? []
      : [
          `looks into the future: at ${iso(peek.at)} unfinished candles changed ${peek.text} (${peeks.length} of ${countText(report.moments, "time")})`
        ]),
    ...(Lookahead.isTooSensitive(report)
      ? [
          `needs more candles than it declares: older ones changed the answer at ${sensitive} of ${countText(warm, "time")}`
        ]
      : [])
  ]
}

const passedText = ({ strategy, report }: Finding): string => {
  const prefix = `checked at ${countText(report.moments, "time")}, no look-ahead found`
  if (strategy.candles === undefined || strategy.candles.size === 0) return `${prefix}; it uses no candles`
  if (report.warm === 0) return `${prefix}; too little data for its indicators, use longer data`
  return `${prefix}; older candles than it declares changed ${report.sensitive} of ${countText(report.warm, "answer")}`
}

const json = ({ strategy, report }: Finding) => ({
  file: strategy.file,
  moments: report.moments,
  peeks: report.peeks.length,
  firstPeekAt: report.peeks[0]?.at ?? null,
  warm: report.warm,
  sensitive: report.sensitive
})
