/**
 * p5, p50 and p95 of runs drawn alike. Of 20 k − 1 runs, p5 is the k-th lowest and p95 the k-th highest. If live trading were one more run
 * of the same law, it would lie outside in two of twenty cases, for any law and any number of runs.
 */

export const quantileNames = ["p5", "p50", "p95"] as const

export type QuantileName = (typeof quantileNames)[number]

export type Quantiles<Value> = Readonly<Record<QuantileName, Value>>

const inTwenty: Quantiles<number> = { p5: 1, p50: 10, p95: 19 }

export const batch = 20
export const firstRuns = batch - 1

/** With fewer than nineteen values, p5 and p95 are the lowest and the highest. */
export const of = <Value extends number | bigint>(
  values: readonly [Value, ...ReadonlyArray<Value>]
): Quantiles<Value> => {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (name: QuantileName): Value => {
    const rank = Math.round(((sorted.length + 1) * inTwenty[name]) / batch)
    return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1] ?? values[0]
  }
  return { p5: at("p5"), p50: at("p50"), p95: at("p95") }
}

/** Quantiles are settled if the last batch moved each by at most this share of the distance from p5 to p95, or at most `matters`. */
const still = 0.1

export const isSettled = (before: Quantiles<bigint>, now: Quantiles<bigint>, matters: number): boolean => {
  const most = Math.max(matters, Number(now.p95 - now.p5) * still)
  return quantileNames.every((name) => Math.abs(Number(now[name] - before[name])) <= most)
}
