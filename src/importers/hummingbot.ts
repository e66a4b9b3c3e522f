/** Imports Hummingbot's market maker `pure_market_making`, whose spreads are percentages, and `grid_strike`, whose spreads are ratios. */
import { Effect } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { countIn, type ForeignSettings, needed, refused } from "./ForeignSettings.ts"
import { line, namesIn, percentOf, quoteRounded, type Translated, times } from "./Translated.ts"

export const hummingbot = Effect.fnUntraced(function* (settings: ForeignSettings) {
  settings.pass("template_version id controller_type candles_config order_type")
  const connectors = ["exchange", "connector_name"].map((key) => settings.text(key) ?? "")
  if (connectors.some((connector) => connector.includes("perpetual")))
    return yield* refused("its connector is for perpetuals: this service trades spot only")
  const name = settings.text("controller_name") ?? settings.text("strategy") ?? "nothing"
  if (name === "pure_market_making") return yield* quotesOf(settings)
  if (name === "grid_strike") return yield* gridOf(settings)
  return yield* refused(`its strategy is ${name}: pure_market_making and grid_strike can be imported`)
})

/** Hummingbot's values for none, and its timer settings. */
const isNothing = /^(order_refresh_time: |(price_ceiling|price_floor): -1$|minimum_spread: -100$)/

const quotesOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  if (settings.flag("split_order_levels_enabled"))
    return yield* refused(
      "split_order_levels_enabled is on: each level has its own spread; set spread and step by hand"
    )
  const why = "it is the distance of the quotes from the mid"
  const [bid, ask] = [yield* needed(settings, "bid_spread", why), yield* needed(settings, "ask_spread", why)]
  const size = yield* needed(settings, "order_amount", "it is the size of each order")
  const levels = (yield* countIn(settings, "order_levels")) ?? 1
  const step = settings.number("order_level_spread")
  const tolerance = settings.number("order_refresh_tolerance_pct")
  const growth = settings.number("order_level_amount") ?? Decimal.zero
  const sizes = Array.from({ length: levels }, (_, level) => Decimal.add(size, times(growth, level)))
  const smallest = sizes.at(-1)
  if (smallest === undefined || !Decimal.isPositive(smallest))
    return yield* refused("order_levels and order_level_amount leave no order: each level needs a size above zero")
  const isGrowing = !Decimal.equals(growth, Decimal.zero)
  return {
    kind: "market-making",
    market: namesIn(settings.text("market"), "-"),
    budget: { base: sizes.reduce(Decimal.add) },
    section: [
      `levels: ${levels}`,
      `spread: ${Decimal.format(Decimal.add(bid, ask))}%`,
      ...line("step", step, "%"),
      `size: ${isGrowing ? `[${sizes.map(Decimal.format).join(", ")}]` : Decimal.format(size)}`,
      ...line("requote", tolerance, "%")
    ],
    otherwise: [
      "quotes follow the price, not a clock: order_refresh_time is not used",
      ...(Decimal.equals(bid, ask) ? [] : [`bid and ask are equally far from the middle, with the same total width`])
    ],
    leftOut: settings.rest().filter((line) => !isNothing.test(line))
  } satisfies Translated
})

const gridOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  if ((settings.text("side") ?? "1").replace("BUY", "1") !== "1")
    return yield* refused(
      "side is not BUY: a grid that sells first is a grid with base in its budget; write it by hand"
    )
  const [lower, upper] = [
    yield* needed(settings, "start_price", "a grid has two ends"),
    yield* needed(settings, "end_price", "a grid has two ends")
  ]
  const total = yield* needed(settings, "total_amount_quote", "it is the grid's budget")
  const spread = yield* needed(settings, "min_spread_between_orders", "it sets the number of levels")
  const least = settings.number("min_order_amount_quote")
  const limit = settings.number("limit_price")
  const apart = Math.floor(
    Math.log(Decimal.toNumber(upper) / Decimal.toNumber(lower)) / Math.log1p(Decimal.toNumber(spread))
  )
  const isAnySize = least === undefined || !Decimal.isPositive(least)
  const affordable = isAnySize ? apart : Math.floor(Decimal.toNumber(Decimal.divide(total, least, 6, "down")))
  const cells = Math.min(apart, affordable)
  if (cells < 1)
    return yield* refused(
      "its ends are closer together than min_spread_between_orders, or its total is less than one order"
    )
  const market = namesIn(settings.text("trading_pair"), "-")
  const size = quoteRounded(market, Decimal.divide(total, Decimal.make(BigInt(cells)), 8, "down"), "down")
  return {
    kind: "grid",
    market,
    budget: { quote: total },
    section: [
      `lower: ${Decimal.format(lower)}`,
      `upper: ${Decimal.format(upper)}`,
      `levels: ${cells + 1}`,
      "spacing: geometric",
      `size: { quote: ${Decimal.format(size)} }`,
      ...line("fundNearest", settings.number("max_open_orders")),
      ...line("stop", limit !== undefined && Decimal.isLess(limit, lower) ? limit : undefined)
    ],
    otherwise: [
      `levels are ${cells + 1}, as far apart as the ends and the least order allow (at least ${percentOf(spread)})`,
      "each cell sells one level higher than it bought; take_profit of single orders is not used"
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
