/**
 * Solvers that fill the orders of a sandbox, as data. They ask for a margin, check an order some time after the market has reached it, have
 * limited money, and are absent at times. Without a law, an order fills when the mid touches its limit. All functions are pure. They share
 * nothing with the fill rules of backtests, because they are used to judge those. Times are the service's, at any speed of the market.
 * Swaps and quotes have no solvers.
 */
import { Schema } from "effect"
import { hourMillis } from "../domain/Durations.ts"
import { withDefault } from "../venue/wire/WireValue.ts"
import * as Seeded from "./Seeded.ts"

const BasisPoints = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5000 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 864_000_000 }))
const Period = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_640_000_000 }))

/** A missing key means the most willing solver. */
export const SolverLaw = Schema.Struct({
  /** Lowest and highest distance of the mid beyond the limit. Each solver draws its own for each order. */
  marginBasisPoints: withDefault(Schema.Tuple([BasisPoints, BasisPoints]), [0, 0]),
  marginPerThousandUsd: withDefault(BasisPoints, 0),
  /** Number of solvers that compete for an order. The one with the lowest margin fills it. */
  solvers: withDefault(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })), 1),
  /** Lowest and highest delay from when the market reaches an order until a solver fills it, if it is still reached then. */
  latencyMillis: withDefault(Schema.Tuple([Millis, Millis]), [0, 0]),
  /** Dollars that all orders of a market receive in each period. */
  depth: Schema.optionalKey(Schema.Struct({ usd: Schema.Finite.check(Schema.isGreaterThan(0)), periodMillis: Period })),
  /** Share of periods without a solver. */
  absence: Schema.optionalKey(
    Schema.Struct({ share: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })), periodMillis: Period })
  )
})
export type SolverLaw = typeof SolverLaw.Type

const eager: SolverLaw = { marginBasisPoints: [0, 0], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
const usual: SolverLaw = { ...eager, marginBasisPoints: [2, 10], latencyMillis: [500, 5000] }

export const solverLaws: Readonly<Record<string, SolverLaw>> = {
  margin: { ...eager, marginBasisPoints: [20, 20] },
  random: { ...eager, marginBasisPoints: [0, 30], latencyMillis: [500, 5000] },
  competition: { ...eager, marginBasisPoints: [0, 60], solvers: 4, latencyMillis: [500, 5000] },
  "by-size": { ...eager, marginBasisPoints: [2, 4], marginPerThousandUsd: 4, latencyMillis: [500, 5000] },
  thin: { ...usual, depth: { usd: 1500, periodMillis: hourMillis / 2 } },
  away: { ...usual, absence: { share: 0.25, periodMillis: 4 * hourMillis } },
  slow: { ...usual, latencyMillis: [10_000, 180_000] }
}

const maxMargin = 0.5

/** The lowest margin of all solvers, as a ratio of the price. */
export const marginOf = (law: SolverLaw | undefined, seed: number, order: number, usd: number): number => {
  if (law === undefined) return 0
  const [lowest, highest] = law.marginBasisPoints
  let least = highest
  for (let solver = 0; solver < law.solvers; solver++) {
    const solverMargin = lowest + (highest - lowest) * Seeded.fraction(seed, "margin", order, solver)
    least = Math.min(least, solverMargin)
  }
  return Math.min(maxMargin, (least + (law.marginPerThousandUsd * usd) / 1000) / 10_000)
}

export const latencyOf = (law: SolverLaw | undefined, seed: number, order: number, attempt: number): number =>
  law === undefined ? 0 : Seeded.between(law.latencyMillis, seed, "solver", order, attempt)

/** `since`: milliseconds since the service began. */
export const areAway = (law: SolverLaw | undefined, seed: number, since: number): boolean => {
  if (law?.absence === undefined) return false
  const { share, periodMillis } = law.absence
  return Seeded.fraction(seed, "away", Math.floor(since / periodMillis)) < share
}

export type Spent = Readonly<Record<"period" | "usd", number>>

const periodOf = ({ periodMillis }: { readonly periodMillis: number }, since: number): number =>
  Math.floor(since / periodMillis)

export const usdLeft = (law: SolverLaw | undefined, spent: Spent, since: number): number => {
  if (law?.depth === undefined) return Number.POSITIVE_INFINITY
  return spent.period === periodOf(law.depth, since) ? Math.max(0, law.depth.usd - spent.usd) : law.depth.usd
}

export const spentAfter = (law: SolverLaw | undefined, spent: Spent, since: number, usd: number): Spent => {
  if (law?.depth === undefined) return spent
  const period = periodOf(law.depth, since)
  return { period, usd: usd + (spent.period === period ? spent.usd : 0) }
}
