/**
 * Who fills the orders of a sandbox, as data: solvers want a margin, look at an order some time after the market has
 * reached it, have so much money, and are away at times. Without a law, a touch of the mid fills (`Matching`).
 *
 * Pure in the law, the seed, the order and the time. It shares nothing with the fill rules of backtests, because those are
 * judged by it. Times are the service's, whatever the speed of the market. Swaps and quotes know no solvers.
 */
import { Effect, Schema } from "effect"
import * as Seeded from "./Seeded.ts"

const BasisPoints = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5000 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 864_000_000 }))
const Period = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_640_000_000 }))

/** What is left out is as eager as can be. */
export const SolverLaw = Schema.Struct({
  /** Lowest and highest: how far beyond its limit the mid must be; each solver draws its own for each order. */
  marginBasisPoints: Schema.Tuple([BasisPoints, BasisPoints]).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed([0, 0] as const))
  ),
  /** The same for size: so much more for every thousand dollars of the order. */
  marginPerThousandUsd: BasisPoints.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(0))),
  /** How many compete for an order: the one who wants the least fills it. */
  solvers: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed(1))
  ),
  /** Lowest and highest, from when the market has reached an order until a solver fills it: if it is still reached then. */
  latencyMillis: Schema.Tuple([Millis, Millis]).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed([0, 0] as const))
  ),
  /** What all orders of a market get in each period, in dollars. */
  depth: Schema.optionalKey(Schema.Struct({ usd: Schema.Finite.check(Schema.isGreaterThan(0)), periodMillis: Period })),
  /** The share of periods in which there is no solver. */
  absence: Schema.optionalKey(
    Schema.Struct({ share: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })), periodMillis: Period })
  )
})
export type SolverLaw = typeof SolverLaw.Type

const eager: SolverLaw = { marginBasisPoints: [0, 0], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
const hourMillis = 3_600_000

/** Laws with a name, for the command line and for certificates. */
export const named: Readonly<Record<string, SolverLaw>> = {
  margin: { ...eager, marginBasisPoints: [20, 20] },
  random: { ...eager, marginBasisPoints: [0, 30], latencyMillis: [500, 5000] },
  competition: { ...eager, marginBasisPoints: [0, 60], solvers: 4, latencyMillis: [500, 5000] },
  "by-size": { ...eager, marginBasisPoints: [2, 4], marginPerThousandUsd: 4, latencyMillis: [500, 5000] },
  thin: {
    ...eager,
    marginBasisPoints: [2, 10],
    latencyMillis: [500, 5000],
    depth: { usd: 1500, periodMillis: hourMillis / 2 }
  },
  away: {
    ...eager,
    marginBasisPoints: [2, 10],
    latencyMillis: [500, 5000],
    absence: { share: 0.25, periodMillis: 4 * hourMillis }
  },
  slow: { ...eager, marginBasisPoints: [2, 10], latencyMillis: [10_000, 180_000] }
}

const mostMargin = 0.5

/** A ratio of the price: what the solver who wants the least of it wants beyond the limit of an order. */
export const marginOf = (law: SolverLaw | undefined, seed: number, order: number, usd: number): number => {
  if (law === undefined) return 0
  const [lowest, highest] = law.marginBasisPoints
  let least = highest
  for (let solver = 0; solver < law.solvers; solver++) {
    const wanted = lowest + (highest - lowest) * Seeded.fraction(seed, "margin", order, solver)
    least = Math.min(least, wanted)
  }
  return Math.min(mostMargin, (least + (law.marginPerThousandUsd * usd) / 1000) / 10_000)
}

/** `attempt`: the same order may be looked at more than once. */
export const latencyOf = (law: SolverLaw | undefined, seed: number, order: number, attempt: number): number =>
  law === undefined ? 0 : Seeded.between(law.latencyMillis, seed, "solver", order, attempt)

/** `since`: milliseconds since the service began. */
export const areAway = (law: SolverLaw | undefined, seed: number, since: number): boolean => {
  if (law?.absence === undefined) return false
  const { share, periodMillis } = law.absence
  return Seeded.fraction(seed, "away", Math.floor(since / periodMillis)) < share
}

/** Dollars that orders of one market got in a period. */
export interface Spent {
  readonly period: number
  readonly usd: number
}

const periodOf = ({ periodMillis }: { readonly periodMillis: number }, since: number): number =>
  Math.floor(since / periodMillis)

/** Dollars that orders of a market can still get now. */
export const usdLeft = (law: SolverLaw | undefined, spent: Spent, since: number): number => {
  if (law?.depth === undefined) return Number.POSITIVE_INFINITY
  return spent.period === periodOf(law.depth, since) ? Math.max(0, law.depth.usd - spent.usd) : law.depth.usd
}

export const spentAfter = (law: SolverLaw | undefined, spent: Spent, since: number, usd: number): Spent => {
  if (law?.depth === undefined) return spent
  const period = periodOf(law.depth, since)
  return { period, usd: usd + (spent.period === period ? spent.usd : 0) }
}
