/** Runs the best trial with other fees and delays. No user knows them exactly, so a good result must not depend on them. */
import * as Backtest from "../Backtest.ts"
import type { FillRules } from "../kernel/FillRules.ts"
import * as Trial from "./Trial.ts"
import type { TrialResult } from "./TrialResult.ts"

/** Basis points in addition to the fees of the run. */
const furtherFees = [10, 30]
const delaysMillis = [30_000, 120_000, 600_000]

interface Variation {
  readonly name: string
  readonly rules: Partial<FillRules>
}

const seconds = (millis: number): string => `${millis / 1000} s`

const variationsOf = ({ options }: Backtest.MarketInput): ReadonlyArray<Variation> => {
  const { feeBasisPoints } = Backtest.rulesIn("pessimistic", options)
  const withRules = (name: string, rules: Partial<FillRules>): Variation => ({ name, rules })
  return [
    withRules("as searched", {}),
    withRules("no fees", { feeBasisPoints: 0 }),
    ...furtherFees.map((fee) =>
      withRules(`fees of ${feeBasisPoints + fee} basis points`, { feeBasisPoints: feeBasisPoints + fee })
    ),
    ...delaysMillis.map((delay) =>
      withRules(`${seconds(delay)} to place, cancel and pay out`, {
        placeMillis: delay,
        cancelMillis: delay,
        payoutMillis: delay
      })
    )
  ]
}

export interface Sensitivity {
  readonly name: string
  readonly result: TrialResult
}

export const of = (
  search: Trial.Search,
  trial: number,
  [first, ...others]: Backtest.MarketInputs
): ReadonlyArray<Sensitivity> =>
  variationsOf(first).map(({ name, rules }) => {
    const changed = (given: Backtest.MarketInput): Backtest.MarketInput => ({
      ...given,
      options: { ...given.options, changes: { ...given.options.changes, ...rules } }
    })
    return { name, result: Trial.run(search, trial, [changed(first), ...others.map(changed)]) }
  })
