/** Ranks trials, and checks conditions on them, by the figures of their results. */
import * as Decimal from "../../../domain/Decimal.ts"
import type { TrialFigures, TrialResult } from "./TrialResult.ts"

export const objectives = ["profitQuote", "pnlQuote", "dailySharpe", "maxDrawdown", "pnlPerDrawdown"] as const
export type Objective = (typeof objectives)[number]

export const ranks = ["p5", "p50"] as const
export type Rank = (typeof ranks)[number]

type Scored = Pick<TrialFigures, "profitQuote" | "pnlQuote" | "dailySharpe" | "maxDrawdown">

/** Larger is better. `pnlPerDrawdown` divides a gain by the drawdown and multiplies a loss by it, so a deeper drawdown is always worse. */
export const score = (objective: Objective, { dailySharpe, maxDrawdown, profitQuote, pnlQuote }: Scored): number => {
  const pnl = Number(pnlQuote)
  const pnlPerDrawdown = pnl < 0 ? pnl * maxDrawdown : maxDrawdown > 0 ? pnl / maxDrawdown : pnl
  const scores = {
    profitQuote: Number(profitQuote),
    pnlQuote: pnl,
    dailySharpe,
    maxDrawdown: -maxDrawdown,
    pnlPerDrawdown
  }
  return scores[objective]
}

export interface Condition {
  readonly holds: (result: TrialFigures) => boolean
  /** True if the figure only grows: a condition that fails on the first part of the data then fails on all of it. */
  readonly isFinal: boolean
}

const pattern =
  /^(profitQuote|pnlQuote|feesQuote|base|quote|fills|maxDrawdown|dailySharpe)\s*(<=|>=|<|>)\s*(-?[\d.]+)\s*(%?)$/

const growing: ReadonlySet<string> = new Set(["fills", "maxDrawdown"])

/** Parses `maxDrawdown<=20%` or `fills>100`; `undefined` if the text is not a condition. */
export const condition = (text: string): Condition | undefined => {
  const [, name, operator = "", limit, percent] = pattern.exec(text.trim()) ?? []
  const bound = limit === undefined ? undefined : Decimal.parse(limit)
  if (name === undefined || bound === undefined) return undefined
  const against = Decimal.toNumber(percent === "%" ? Decimal.multiply(bound, Decimal.make(1n, 2)) : bound)
  const value = (result: TrialFigures): number => Number(Object.entries(result).find(([key]) => key === name)?.[1])
  const holds = (result: TrialFigures): boolean =>
    (operator.endsWith("=") && value(result) === against) ||
    (operator.startsWith("<") ? value(result) < against : value(result) > against)
  return { holds, isFinal: growing.has(name) && operator.startsWith("<") }
}

/** On both sides of the band, if both ran. */
const meets = (result: TrialResult, conditions: ReadonlyArray<Condition>): boolean =>
  result.refused === undefined &&
  conditions.every(({ holds }) => holds(result) && (result.other === undefined || holds(result.other)))

export const ranked = (
  results: ReadonlyArray<TrialResult>,
  objective: Objective,
  conditions: ReadonlyArray<Condition>
): ReadonlyArray<TrialResult> =>
  results
    .filter((result) => meets(result, conditions))
    .sort((a, b) => score(objective, b) - score(objective, a) || a.trial - b.trial)

export type Elsewhere = ReadonlyMap<number, ReadonlyArray<TrialResult>>

/** Ranks trials by their worst score over all data. The conditions must hold on all of it. */
export const rankedAcross = (
  results: ReadonlyArray<TrialResult>,
  elsewhere: Elsewhere,
  objective: Objective,
  conditions: ReadonlyArray<Condition>
): ReadonlyArray<TrialResult> => {
  const everywhere = (result: TrialResult) => [result, ...(elsewhere.get(result.trial) ?? [])]
  const worst = new Map(
    results.map((result) => [result, Math.min(...everywhere(result).map((each) => score(objective, each)))])
  )
  return ranked(results, objective, conditions)
    .filter((result) => ranked(everywhere(result), objective, conditions).length === everywhere(result).length)
    .toSorted((a, b) => (worst.get(b) ?? 0) - (worst.get(a) ?? 0) || a.trial - b.trial)
}

/** Returns the Pareto front, ordered by the first objective: no other trial is as good by every objective and better by one. */
export const front = (
  results: ReadonlyArray<TrialResult>,
  objectives: ReadonlyArray<Objective>,
  conditions: ReadonlyArray<Condition>
): ReadonlyArray<TrialResult> => {
  const [first = "profitQuote"] = objectives
  const all = ranked(results, first, conditions).map((result) => ({
    result,
    scores: objectives.map((objective) => score(objective, result))
  }))
  const beats = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.every((value, index) => value >= (b[index] ?? value)) && a.some((value, index) => value > (b[index] ?? value))
  return all.filter(({ scores }) => !all.some((other) => beats(other.scores, scores))).map(({ result }) => result)
}

/** Parses `profitQuote,maxDrawdown`: two or more objectives, each once; `undefined` otherwise. */
export const several = (text: string): ReadonlyArray<Objective> | undefined => {
  const names = text.split(",").map((name) => name.trim())
  const matches = objectives.filter((objective) => names.includes(objective))
  const isValid = matches.length === names.length && new Set(names).size === names.length && names.length > 1
  return isValid ? names.flatMap((name) => matches.find((objective) => objective === name) ?? []) : undefined
}
