/** Searches the past and runs the best trial on the following stretch, repeatedly, on each market separately. */
import { Effect } from "effect"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as WalkForward from "../backtest/search/WalkForward.ts"
import * as OnMarkets from "./OnMarkets.ts"
import * as SearchSetUp from "./SearchSetUp.ts"

interface WalkForwardAsked extends SearchSetUp.SearchAsked {
  readonly windows: number
  readonly train: number
  readonly anchored: boolean
}

export const run = Effect.fn("WalkForwardRun.run")(function* (asked: WalkForwardAsked) {
  const { anchored, train, windows } = asked
  const loaded = yield* SearchSetUp.load(asked)
  const { objective, runs, space, trials } = loaded
  const kind = anchored ? ("anchored" as const) : ("rolling" as const)
  const progress = yield* Progress.make("walk-forward")
  const perMarket = trials.length * windows
  const total = perMarket * runs.length
  const walk = Effect.fnUntraced(function* ({ inputs, name, search }: SearchSetUp.SearchedRun, index: number) {
    const { bars } = inputs[0].candles
    const stretches = WalkForward.stretches(bars, windows, train, kind)
    if (stretches.some(({ from, to, end }) => to - from < 2 || end - to < 2))
      return yield* wrongUsage(`${name}: ${bars} bars are too few for this many windows`)
    return yield* WalkForward.run({ ...loaded, search, inputs, stretches }, (done) =>
      progress.update(index * perMarket + done, total, `${index * perMarket + done} of ${total}`)
    )
  })
  const markets = yield* OnMarkets.each(runs, walk)
  return { kind, objective, runs, space, markets, warnings: OnMarkets.warningsOf(runs) }
})

export type WalkForwardFound = Effect.Success<ReturnType<typeof run>>
