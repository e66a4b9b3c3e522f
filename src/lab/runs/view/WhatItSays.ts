/** Explains the figures of a backtest in sentences, for readers of its report. */

import { percent } from "../../../domain/Text.ts"
import { counted } from "../../../domain/Words.ts"
import * as Band from "../../backtest/Band.ts"
import { sideNames } from "../../backtest/kernel/FillPresets.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

/** Below this many trades the report says nothing about the future. */
const enoughFills = 30

export const ofOne = (result: BacktestResult): ReadonlyArray<string> => {
  const { band } = result
  const simulated = BacktestSummary.quantified(result)
  const { low, high } = BacktestSummary.profitRange(result)
  const compared = BacktestSummary.comparedFacts(result, band.low)
    .map(([name, gain]) => `${name} ${gain}`)
    .join(", ")
  const fills = Math.min(band.low.fills, band.high.fills)
  const fall = Math.max(band.low.outcome.maxDrawdown, band.high.outcome.maxDrawdown)
  return [
    low === high
      ? `${compareWithBudget(low, high)}.`
      : simulated === undefined
        ? `${compareWithBudget(low, high)}: with fewer and with more fills.`
        : `${compareWithBudget(low, high)}: p5 to p95 of ${counted(simulated.runs.length, "simulated run")}.`,
    verdict(result),
    `Equity changed by ${BacktestSummary.changeText(result, band.low)}${isOneSide(result) ? "" : " in the worse case"}; ${compared}.`,
    `It fell by up to ${percent(fall)} from its peak.`,
    ...(fills < enoughFills ? [`Too few fills (${fills}) to tell skill from luck.`] : [])
  ]
}

/** Compares the low and the high gain, both as text with the unit. Losses are named as losses, without their signs. */
const compareWithBudget = (low: string, high: string): string => {
  const [isLoss, isAllLoss] = [low.startsWith("-"), high.startsWith("-")]
  const [least, most] = [low, high].map((gain) => gain.replace("-", ""))
  const span = (from = "", to = "") => (from === to ? to : `${from.split(" ")[0]} to ${to}`)
  if (isAllLoss) return `The strategy lost ${span(most, least)} against its untouched budget`
  if (isLoss) return `The strategy made between a loss of ${least} and a gain of ${most} against its untouched budget`
  return `The strategy made ${span(least, most)} more than its untouched budget`
}

const isOneSide = ({ sides }: BacktestResult): boolean => sides.length === 1

const endsOf = (result: BacktestResult) => {
  const { band } = result
  const simulated = BacktestSummary.quantified(result)
  if (simulated === undefined)
    return {
      gains: [band.low, band.high].map(BandSide.profitOf),
      lower: "Its worse case",
      both: "under both fill assumptions",
      neither: "under neither fill assumption"
    }
  const { p5, p95 } = Band.quantilesOf(simulated, BandSide.profitOf)
  return { gains: [p5, p95], lower: "Its p5", both: "at both p5 and p95", neither: "at neither p5 nor p95" }
}

const verdict = (result: BacktestResult): string => {
  const { both, gains, lower, neither } = endsOf(result)
  const isGain = (gain: bigint): boolean => gain > 0n
  if (isOneSide(result))
    return `By the rules of ${sideNames[result.band.low.mode]} alone it ${gains.some(isGain) ? "gained" : "did not gain"}.`
  if (gains.every(isGain)) return `It gained ${both}.`
  if (!gains.some(isGain)) return `It gained ${neither}.`
  const isLoss = BacktestSummary.quoteText(result, gains[0] ?? 0n).startsWith("-")
  return `${lower} ${isLoss ? "lost" : "made nothing"}: the data cannot tell whether it gains.`
}

interface RunReturn {
  readonly name: string
  readonly low: number
  readonly high: number
  readonly fills: number
}

export const ofSeveral = (runs: ReadonlyArray<RunReturn>): ReadonlyArray<string> => {
  const [best, ...others] = runs.toSorted((a, b) => b.low - a.low)
  if (best === undefined) return []
  const near = others.filter(({ high }) => high >= best.low)
  const isBand = runs.some(({ low, high }) => low !== high)
  const alone = isBand ? ["Its worst case is above the best case of every other run."] : []
  return [
    `${best.name} has the best ${isBand ? "worst case" : "return"}: ${percent(best.low)}.`,
    ...(near.length === 0
      ? alone
      : [`The ranges overlap with ${near.map(({ name }) => name).join(", ")}; the data cannot tell which is better.`]),
    ...runs.filter(({ fills }) => fills === 0).map(({ name }) => `${name} traded nothing, so it returned nothing.`)
  ]
}
