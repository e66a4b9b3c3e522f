/** Prices that matter to a strategy beside its orders: its stop, its range, targets of orders that have not filled, the cost of its position. */
import { Schema } from "effect"
import * as CostBasis from "../domain/CostBasis.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { StrategyState } from "../engine/state/strategies/StrategyState.ts"
import * as Money from "../report/text/Money.ts"
import { armedLeg, type Decision } from "../strategy/Decision.ts"
import { marketsOf, type Strategy } from "../strategy/Strategy.ts"
import { progressOf, type View } from "../strategy/View.ts"

export const LevelView = Schema.Struct({
  /** `trail`: a stop that follows the price. */
  kind: Schema.Literals(["stop", "trail", "target", "range-low", "range-high", "average-entry", "break-even"]),
  market: Schema.String,
  price: Schema.String
})
export type LevelView = typeof LevelView.Type

/** A grid's `trail: up`, `down` or `both` moves its range; it is not a trailing stop. */
const trails = /^[^#\n]*\btrail:(?!\s*(?:up|down|both)\b)/m

export const levelsOf = (
  strategy: Pick<Strategy, "market" | "others" | "text">,
  trading: StrategyState["trading"] = new Map(),
  { desired, stops = {} }: Pick<Decision, "desired" | "stops"> = { desired: [] },
  slotsNow: () => View["slots"] = () => new Map()
): ReadonlyArray<LevelView> => {
  const level = (kind: LevelView["kind"], market: string, price: Decimal.Decimal | undefined) =>
    price === undefined ? [] : [{ kind, market, price: Decimal.short(price) }]
  const main = strategy.market.name
  const stop = trails.test(strategy.text) ? "trail" : "stop"
  const exiting = desired.filter(({ cycle, legs }) => !cycle && legs.at(-1)?.side !== legs[0].side)
  const slots = exiting.length === 0 ? new Map() : slotsNow()
  const targets = exiting.flatMap((each) => {
    const { legs, market = strategy.market, slot } = each
    const isDone = armedLeg(each, progressOf({ slots }, slot)) === undefined
    return isDone ? [] : level("target", market.name, legs.at(-1)?.price)
  })
  const cells = desired.filter(({ cycle, legs, market }) => cycle && legs.length > 1 && (market?.name ?? main) === main)
  const edges = cells.length < 2 ? [] : cells.flatMap(({ legs }) => legs.map(({ price }) => price))
  return [
    ...level("range-low", main, edges.length === 0 ? undefined : edges.reduce(Decimal.min)),
    ...level("range-high", main, edges.length === 0 ? undefined : edges.reduce(Decimal.max)),
    ...[stops.priceBelow, stops.priceAbove].flatMap((price) => level(stop, main, price)),
    ...new Map(targets.map((target) => [`${target.market} ${target.price}`, target])).values(),
    ...marketsOf(strategy).flatMap((market) => {
      const basis = trading.get(market.name)?.position.basis
      if (basis === undefined) return []
      return [
        ...level("average-entry", market.name, CostBasis.averagePrice(basis, market)),
        ...level("break-even", market.name, CostBasis.breakEven(basis, market))
      ]
    })
  ]
}

/** At this price a sale of all that the strategy holds brings back its cost, less what its trading has earned. */
export interface BreakEven {
  readonly market: string
  readonly price: string
  readonly held: string
}

/** No row for a market whose cost is recovered already, or without a position. */
export const breakEvens = (
  { trading }: Pick<StrategyState, "trading">,
  assets: Money.Assets
): ReadonlyArray<BreakEven> =>
  [...trading].flatMap(([market, { position }]) => {
    const [base, quote] = market.split("/").map((symbol) => assets.get(symbol))
    const price = base && quote && CostBasis.breakEven(position.basis, { base, quote })
    if (price === undefined || base === undefined) return []
    return [
      { market, price: Decimal.short(price), held: Money.amountText(assets, base.symbol, position.basis.position) }
    ]
  })

export const breakEvenText = ({ price, held, market }: BreakEven): string =>
  `breaks even at ${price}, with all ${held} ${market.split("/")[0]} that the strategy holds`
