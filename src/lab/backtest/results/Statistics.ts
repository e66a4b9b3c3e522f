/**
 * Statistics of a series of equity, one value per period. Ratios are per year, with no interest on cash.
 *
 * Sharpe (1994): mean over standard deviation of period returns, times the square root of periods per year. Sortino and Price (1994): the
 * deviation below zero instead. Young (1991), Calmar: yearly return over the largest drawdown. Bailey and López de Prado (2012): the
 * probability that the true Sharpe ratio exceeds a benchmark, given length, skew and kurtosis; (2014): the deflated Sharpe ratio, whose
 * benchmark is what the best of all trials reaches by luck.
 */

export type Statistics = ReturnType<typeof of>

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const moment = (values: ReadonlyArray<number>, middle: number, k: number): number =>
  values.reduce((sum, value) => sum + (value - middle) ** k, 0) / values.length

type Shape = ReturnType<typeof shapeOf>

const shapeOf = (values: ReadonlyArray<number>) => {
  const count = values.length
  const middle = mean(values)
  const variance = moment(values, middle, 2)
  const moments = { count, mean: middle, deviation: count < 2 ? 0 : Math.sqrt((variance * count) / (count - 1)) }
  if (!(variance > 0)) return { ...moments, skew: 0, kurtosis: 3 }
  const [skew, kurtosis] = [moment(values, middle, 3) / variance ** 1.5, moment(values, middle, 4) / variance ** 2]
  return { ...moments, skew, kurtosis }
}

const ratio = (numerator: number, denominator: number): number => (denominator > 0 ? numerator / denominator : 0)

/** Not annualised. */
export const sharpeOf = (returns: ReadonlyArray<number>): number => {
  const { mean, deviation } = shapeOf(returns)
  return ratio(mean, deviation)
}

export const returnsOf = (equity: ReadonlyArray<number>): ReadonlyArray<number> =>
  equity.slice(1).map((value, index) => ratio(value, equity[index] ?? 0) - 1)

export const falls = (equity: ReadonlyArray<number>, before = Number.NEGATIVE_INFINITY): ReadonlyArray<number> => {
  let peak = before
  return equity.map((value) => {
    peak = Math.max(peak, value)
    return peak > 0 ? value / peak - 1 : 0
  })
}

export const maxDrawdownOf = (equity: ReadonlyArray<number>, before?: number): number =>
  falls(equity, before).reduce((deepest, fall) => Math.max(deepest, -fall), 0)

/** Abramowitz and Stegun 7.1.26: off by at most 1.5e-7. */
export const normalProbability = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const erf = 1 - polynomial * Math.exp(-x * x)
  return z >= 0 ? (1 + erf) / 2 : (1 - erf) / 2
}

export const normalQuantile = (probability: number): number => {
  let [low, high] = [-10, 10]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normalProbability(middle) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Both Sharpe ratios are per period. */
const exceeds = ({ count, mean, deviation, skew, kurtosis }: Shape, benchmark: number): number => {
  if (count < 3 || deviation === 0) return 0.5
  const sharpe = mean / deviation
  const error = 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2
  return normalProbability(((sharpe - benchmark) * Math.sqrt(count - 1)) / Math.sqrt(Math.max(error, 1e-12)))
}

const eulerMascheroni = 0.5772156649015329

const expectedMaximum = (trials: number): number => {
  if (trials < 2) return 0
  const best = normalQuantile(1 - 1 / trials)
  const next = normalQuantile(1 - 1 / (trials * Math.E))
  return (1 - eulerMascheroni) * best + eulerMascheroni * next
}

/** Returns the Sharpe ratio (per period) that the best of these trials shows by luck alone. */
export const luckySharpe = (sharpes: ReadonlyArray<number>): number =>
  shapeOf(sharpes).deviation * expectedMaximum(sharpes.length)

/** Returns the probability that the best trial has skill. `sharpes` are of all trials, `returns` of the best, all per period. */
export const deflatedSharpe = (returns: ReadonlyArray<number>, sharpes: ReadonlyArray<number>): number =>
  exceeds(shapeOf(returns), luckySharpe(sharpes))

/** Deflated Sharpe ratio if only the number of trials is known; without skill, ratios deviate by 1 over the root of periods (Lo, 2002). */
export const deflatedAfter = (returns: ReadonlyArray<number>, trials: number): number =>
  exceeds(shapeOf(returns), expectedMaximum(trials) / Math.sqrt(Math.max(1, returns.length - 1)))

/** `years`: length of all periods, because the first and the last may be shorter. */
export interface Duration {
  readonly periodsPerYear: number
  readonly years: number
}

export const of = (equity: ReadonlyArray<number>, { periodsPerYear, years }: Duration) => {
  const returns = returnsOf(equity)
  const [first = 1] = equity
  const totalReturn = ratio(equity.at(-1) ?? first, first) - 1
  const yearlyReturn = Math.max(0, 1 + totalReturn) ** (years > 0 ? 1 / years : 0) - 1
  const shape = shapeOf(returns)
  const volatility = shape.deviation * Math.sqrt(periodsPerYear)
  const yearlyMean = shape.mean * periodsPerYear
  const below = Math.sqrt(mean(returns.map((value) => Math.min(0, value) ** 2)) * periodsPerYear)
  const maxDrawdown = maxDrawdownOf(equity)
  return {
    periods: returns.length,
    totalReturn,
    yearlyReturn,
    volatility,
    sharpe: ratio(yearlyMean, volatility),
    sortino: ratio(yearlyMean, below),
    calmar: ratio(yearlyReturn, maxDrawdown),
    maxDrawdown,
    skew: shape.skew,
    /** 3 for a normal distribution. */
    kurtosis: shape.kurtosis,
    probabilisticSharpe: exceeds(shape, 0)
  }
}
