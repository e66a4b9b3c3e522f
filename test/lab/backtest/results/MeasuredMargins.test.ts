/** Margins that were measured from an account's own fills, against what the solvers of the sandbox really wanted. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Candles, slice } from "../../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import type { BotEvent, Recorded } from "../../../../src/domain/BotEvent.ts"
import { minuteMillis } from "../../../../src/domain/Durations.ts"
import * as MeasuredRules from "../../../../src/lab/backtest/results/MeasuredRules.ts"
import * as Calibration from "../../../../src/ledger/measured/Calibration.ts"
import type { SandboxOrder } from "../../../../src/sandbox/core/State.ts"
import { type SolverLaw, solverLaws } from "../../../../src/sandbox/Solvers.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { trade } from "../SandboxTrader.ts"
import * as sharedData from "../sharedData.ts"

const assets = [
  { symbol: "COIN", id: "nep141:coin", decimals: 8 },
  { symbol: "USD", id: "nep141:usd", decimals: 6 }
]

/** What a journal would have of it. */
const eventsOf = (order: SandboxOrder): ReadonlyArray<Recorded> => {
  const about = { strategy: "s", slot: order.id, placement: order.id }
  const { side, price, quantity, inputAmount, outputAmount, deadline } = order
  const [inputAsset, outputAsset] = [order.origin.symbol, order.destination.symbol]
  const why = { code: "test", text: "" }
  const amounts = { inputAsset, inputAmount, outputAsset, outputAmount }
  const events: ReadonlyArray<readonly [number, BotEvent]> = [
    [order.createdAt, { _tag: "Planned", ...about, market: "m", side, price, quantity, ...amounts, deadline, why }],
    [order.createdAt + 1000, { _tag: "DepositSeen", ...about, asset: inputAsset, total: 1n, fresh: 1n }],
    ...order.fills.map(({ id: fillId, at, amountIn, amountOut }) => {
      const filled = { side, price, filledAt: at, inputAsset, amountIn, outputAsset, amountOut }
      return [at, { _tag: "FillSeen", ...about, fillId, ...filled }] as const
    })
  ]
  return events.map(([at, event]) => ({ sequence: 1, at, event }))
}

const measuredOf = (minutes: Candles, solvers: SolverLaw) => {
  const price = minutes.close[0] ?? 0
  const budget = `limits: { budget: { base: ${(50_000 / price).toFixed(6)}, quote: 50000 }, maxPriceDeviation: 10% }`
  const grid = `{ lower: ${(price * 0.93).toFixed(2)}, upper: ${(price * 1.065).toFixed(2)}, levels: 24, size: { quote: 1000 } }`
  const text = `name: s\nmarket: COIN/USD\nkind: grid\n${budget}\ngrid: ${grid}\n`
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
  const venue = { seed: 1, lookMillis: 10_000, firstLookMillis: minuteMillis, stepMillis: 2000, solvers }
  const { orders } = trade(strategy, minutes, venue)
  const ranges = Array.from({ length: minutes.bars }, (_, bar) => ({
    openedAt: TimeAxis.openTime(minutes.time, bar),
    low: minutes.low[bar] ?? 0,
    high: minutes.high[bar] ?? 0
  }))
  const found = Calibration.measure(orders.flatMap(eventsOf), new Map([["m", ranges]]))
  const edge = (mode: "optimistic" | "pessimistic") => MeasuredRules.rulesFor(found, mode).edgeBasisPoints ?? Number.NaN
  return [edge("optimistic"), edge("pessimistic")] as const
}

const wants = (basisPoints: number): SolverLaw => ({
  marginBasisPoints: [basisPoints, basisPoints],
  marginPerThousandUsd: 0,
  solvers: 1,
  latencyMillis: [0, 0]
})

describe.skipIf(!sharedData.isPresent)("measured margins (skipped without the shared data)", () => {
  const minutes = () => slice(sharedData.candles("btc-perp-1m-20211231-20220201.csv.gz"), 3000, 3000 + 4 * 1440)
  const cases = [
    ["always 20", wants(20), 20],
    ["the least of four", solverLaws["competition"] ?? wants(0), 12]
  ] as const
  it.each(cases)("enclose the solvers' margin between both sides: %s", (_, solvers, mean) => {
    const [kind, unkind] = measuredOf(minutes(), solvers)
    assert.isAtMost(kind, mean)
    assert.isAtLeast(unkind, mean)
    assert.isAtMost(unkind, 2.5 * mean + 10)
  })
})
