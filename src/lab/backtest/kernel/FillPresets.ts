/**
 * Two sets of rules that bracket the fills possible at this venue. There is no queue to model, because solvers fill orders for a profit.
 * The open questions are how far beyond the limit the market must go until a solver fills, and how long money is in transit.
 */
import type { FillRules } from "./FillRules.ts"

export type FillMode = "optimistic" | "pessimistic"

/** Live runs may do better than both sides, or worse. */
export const sideNames: Readonly<Record<FillMode, string>> = { optimistic: "more fills", pessimistic: "fewer fills" }

export const noCosts = {
  spreadBasisPoints: 0,
  impactBasisPoints: 0,
  feeBasisPoints: 0,
  appFeeBasisPoints: 0,
  withdrawFee: { base: 0n, quote: 0n },
  refundFee: { base: 0n, quote: 0n },
  minimumQuote: 0n
}

/** Costs of the venue that the user knows; both sides of the band have the same. */
export type Costs = Readonly<typeof noCosts>

/** A touch fills the whole order at its limit, at once and without fees. */
export const touching: FillRules = {
  ...noCosts,
  touch: "at",
  stops: "close",
  edgeBasisPoints: 0,
  price: "limit",
  placeMillis: 0,
  payoutMillis: 0,
  cancelMillis: 0,
  inHand: { share: 0, distance: 0, seed: 1 },
  refundedSwapShare: 0,
  volumeShare: 0
}

/** A touch fills the whole order at once. An order that is marketable gets the market price, as at this venue. */
const optimistic: FillRules = { ...touching, price: "arrival" }

/** Requires a solver's margin beyond the limit, allows a tenth of the volume, and takes time to place, pay out and cancel. */
const pessimistic: FillRules = {
  ...optimistic,
  stops: "first",
  edgeBasisPoints: 10,
  placeMillis: 30_000,
  payoutMillis: 60_000,
  cancelMillis: 60_000,
  volumeShare: 0.1
}

export const fillPresets: Readonly<Record<FillMode, FillRules>> = { optimistic, pessimistic }

const short = (value: number): string => `${Number(value.toFixed(2))}`

const minutes = (millis: number): string => `${short(millis / 60_000)} min`

export const describe = (rules: FillRules): ReadonlyArray<string> => [
  {
    at: "an order fills when the price reaches its limit",
    through: "an order fills when the price goes beyond its limit",
    within: "an order fills when a bar contains its limit; a gap over it does not fill",
    close: "an order fills when a bar closes at or beyond its limit"
  }[rules.touch] +
    (rules.edgeBasisPoints > 0 ? `; the price must be ${short(rules.edgeBasisPoints)} basis points beyond it` : ""),
  {
    limit: "fills are at the limit",
    open: "a bar that opens beyond the limit fills at its open",
    arrival: "an order that is marketable on arrival fills at once at the close, any other at its limit"
  }[rules.price],
  {
    close: "a stop counts when a bar closes beyond it",
    first: "a bar that reaches a stop does so first, and the exit fills within the bar"
  }[rules.stops],
  rules.volumeShare === 0
    ? "orders fill whole"
    : `own fills take at most ${short(rules.volumeShare * 100)} % of a bar's volume`,
  `placing takes ${minutes(rules.placeMillis)}, payout ${minutes(rules.payoutMillis)}, cancelling ${minutes(rules.cancelMillis)}`,
  `bid and ask are ${short(rules.spreadBasisPoints)} basis points from each close: an order that takes the market pays that too${
    rules.impactBasisPoints === 0
      ? ""
      : `, and ${short(rules.impactBasisPoints)} basis points more for each million of quote`
  }`,
  ...(rules.refundedSwapShare === 0
    ? []
    : [`${short(rules.refundedSwapShare * 100)} % of all swaps come back unexecuted, less the fee of the refund`]),
  `fees are ${rules.feeBasisPoints} basis points of the output`,
  ...(rules.appFeeBasisPoints === 0
    ? []
    : [
        `fees on inputs are ${rules.appFeeBasisPoints} basis points: an order fills only once the market is that much better than its limit`
      ])
]

export const notModelled: ReadonlyArray<string> = [
  "the order of high and low within a bar, decisions within it, and fills of orders during their cancel, if the band has both sides only (--band rules)",
  "requests that fail, are repeated or are refused by the venue",
  "market impact of own orders",
  "changes of the spread over time: each run has one ratio of the price, and one law for size (with `--spread-bps`, the same for any size); a strategy sees the prices of a small size",
  "swaps (`by: swap`) that are delayed or fail for good, and prices between two closes at which they could have executed",
  "times without solvers, and the solvers' liquidity",
  "rebates of app fees (`self`), and a platform's share of app fees",
  "limits over all strategies together: a backtest has one",
  "the time out of the market as a cost of moving an order; its fees are modelled"
]
