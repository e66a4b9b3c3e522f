/** Runs the best trial with other fees and delays. No user knows them exactly, so a good result must not depend on them. */
import { Array as Arr } from "effect"
import * as Decimal from "../../../domain/Decimal.ts"
import * as Backtest from "../Backtest.ts"
import { noCosts } from "../kernel/FillPresets.ts"
import type { FillRules } from "../kernel/FillRules.ts"
import * as Trial from "./Trial.ts"

const { refundFee, withdrawFee } = noCosts
/** App fees that the strategy's terms ask for stay: the user sets them. */
const noFees = { feeBasisPoints: 0, appFeeBasisPoints: 0, refundFee, withdrawFee }
/** Basis points of outputs in addition to the fees of the run. */
const furtherFees = [10, 30]

type Variation = readonly [name: string, rules: Partial<FillRules>]

const variationsOf = ({ options }: Backtest.MarketInput): ReadonlyArray<Variation> => {
  const { appFeeBasisPoints: ofInput, feeBasisPoints } = Backtest.rulesIn("pessimistic", options)
  return [
    ["as searched", {}],
    ["no fees", noFees],
    ...furtherFees.map((further): Variation => {
      const ofOutput = Decimal.sumOf([feeBasisPoints, further])
      return [`fees of ${Decimal.sumOf([ofInput, ofOutput])} basis points`, { feeBasisPoints: ofOutput }]
    }),
    ...[30_000, 120_000, 600_000].map((millis): Variation => {
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
