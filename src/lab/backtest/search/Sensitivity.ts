/** Runs the best trial with other fees and delays. No user knows them exactly, so a good result must not depend on them. */
import { Array as Arr } from "effect"
import * as Backtest from "../Backtest.ts"
import type { FillRules } from "../kernel/FillRules.ts"
import * as Trial from "./Trial.ts"

/** Basis points in addition to the fees of the run. */
const furtherFees = [10, 30]
const delaysMillis = [30_000, 120_000, 600_000]

type Variation = readonly [name: string, rules: Partial<FillRules>]

const variationsOf = ({ options }: Backtest.MarketInput): ReadonlyArray<Variation> => {
  const { feeBasisPoints } = Backtest.rulesIn("pessimistic", options)
  const fees = furtherFees.map((fee) => feeBasisPoints + fee)
  return [
    ["as searched", {}],
    ["no fees", { feeBasisPoints: 0 }],
    ...fees.map((fee): Variation => [`fees of ${fee} basis points`, { feeBasisPoints: fee }]),
    ...delaysMillis.map((millis): Variation => {
      const delays = { placeMillis: millis, cancelMillis: millis, payoutMillis: millis }
      return [`${millis / 1000} s to place, cancel and pay out`, delays]
    })
  ]
}

export const of = (search: Trial.Search, trial: number, inputs: Backtest.MarketInputs) =>
  variationsOf(inputs[0]).map(([name, rules]) => {
    const changed = Arr.map(inputs, ({ options, ...input }) => ({
      ...input,
      options: { ...options, changes: { ...options.changes, ...rules } }
    }))
    return { name, result: Trial.run(search, trial, changed) }
  })
