/** Imports a DCA bot or a grid bot of 3Commas. Percentages are written as percentages; a pair names its quote first (`USDT_BTC`). */
import { Effect } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { countIn, type ForeignSettings, needed, refused } from "./ForeignSettings.ts"
import {
  costOfDeal,
  entersAtOnce,
  line,
  namesIn,
  otherMarkets,
  quoteRounded,
  type Translated,
  times
} from "./Translated.ts"

const marketOf = (pair: string | undefined): Translated["market"] => namesIn(pair, "_", "quote")

export const threeCommas = Effect.fnUntraced(function* (settings: ForeignSettings) {
  settings.pass("id account_id account_name account name created_at updated_at is_enabled type url_secret")
  const leverage = settings.text("leverage_type") ?? spot
  if (leverage !== spot) return yield* refused(`leverage_type is ${leverage}: this service trades spot only`)
  settings.pass("leverage_custom_value")
  return yield* settings.number("grids_quantity") === undefined ? dealsOf(settings) : gridOf(settings)
})

/** Word of 3Commas for an account without leverage. */
const spot = "not_specified"

const gridNews =
  "start_price grid_price_step grid_lines current_price current_profit current_profit_usd current_profit_loss " +
  "current_profit_loss_percent total_profits_count bought_volume sold_volume profit_percentage strategy_type " +
  "investment_base_currency investment_quote_currency unrealized_profit_loss orderbook_price_currency note editable"

/** Returns the line for the price at which the bot sells all and stops. A stop without a sale stays in `rest` as not imported. */
const exitOf = (settings: ForeignSettings, end: "lower" | "upper", key: string): ReadonlyArray<string> => {
  const sells = settings.text(`${end}_stop_loss_action`) === "stop_bot_and_sell"
  if (!settings.flag(`${end}_stop_loss_enabled`)) settings.pass(`${end}_stop_loss_price`)
  else if (sells) return line(key, settings.number(`${end}_stop_loss_price`))
  return []
}

const trailOf = (settings: ForeignSettings): ReadonlyArray<string> => {
  const [up, down] = [settings.flag("trailing_up_enabled"), settings.flag("trailing_down_enabled")]
  if (!up && !down) return []
  return [`trail: ${up && down ? "both" : up ? "up" : "down"}`]
}

const gridOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  const [lower, upper] = [
    yield* needed(settings, "lower_price", "a grid has two ends"),
    yield* needed(settings, "upper_price", "a grid has two ends")
  ]
  const levels = (yield* countIn(settings, "grids_quantity")) ?? 0
  if (levels < 2) return yield* refused(`grids_quantity is ${levels}: a grid has two levels or more`)
  const size = yield* needed(settings, "quantity_per_grid", "it is the size of each level's order")
  const asset = settings.text("order_currency_type")
  if (asset !== "base" && asset !== "quote")
    return yield* refused(
      `order_currency_type is ${asset ?? "missing"}: write base or quote, the asset of quantity_per_grid`
    )
  settings.pass(gridNews)
  const market = marketOf(settings.text("pair"))
  const cells = levels - 1
  const all = times(size, cells)
  const budget =
    asset === "base"
      ? { base: all, quote: quoteRounded(market, Decimal.multiply(all, upper), "up") }
      : { base: Decimal.divide(all, lower, 8, "up"), quote: all }
  const lines = [settings.number("max_active_buy_lines"), settings.number("max_active_sell_lines")]
  const hides = lines.some((most) => most !== undefined && Decimal.isLess(most, Decimal.make(BigInt(levels))))
  return {
    kind: "grid",
    market,
    budget,
    section: [
      `lower: ${Decimal.format(lower)}`,
      `upper: ${Decimal.format(upper)}`,
      `levels: ${levels}`,
      ...(settings.text("grid_type") === "geometric" ? ["spacing: geometric"] : []),
      `size: { ${asset}: ${Decimal.format(size)} }`,
      ...(settings.text("profit_currency_type") === "base" ? ["profit: base"] : []),
      ...trailOf(settings),
      ...exitOf(settings, "lower", "stop"),
      ...exitOf(settings, "upper", "takeProfit")
    ],
    otherwise: [
      "the budget covers all cells on both sides; the side on which they do not start needs less",
      ...(hides ? ["all levels are open at once: max_active_buy_lines and max_active_sell_lines are not used"] : [])
    ],
    leftOut: settings.rest()
  } satisfies Translated
})

const dealNews =
  "start_order_type active_deals active_deals_count active_deals_usd_profit deals_counter " +
  "easy_form_supported editable finished_deals_count finished_deals_profit_usd"

const dealsOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  const side = settings.text("strategy") ?? "long"
  if (side !== "long")
    return yield* refused(
      `strategy is ${side}: a bot that sells first borrows or holds there; deals here start from the budget: write side: sell by hand`
    )
  const base = yield* needed(settings, "base_order_volume", "it is the size of the base order")
  const orders = (yield* countIn(settings, "max_safety_orders")) ?? 0
  const unit = settings.text("base_order_volume_type") ?? "quote_currency"
  if (unit !== "quote_currency")
    return yield* refused(`base_order_volume_type is ${unit}: only quote_currency is a fixed amount`)
  const safetyUnit = settings.text("safety_order_volume_type") ?? unit
  if (orders > 0 && safetyUnit !== unit)
    return yield* refused(`safety_order_volume_type is ${safetyUnit}: only quote_currency is a fixed amount`)
  settings.pass(dealNews)
  const safety =
    orders === 0
      ? undefined
      : {
          orders,
          size: yield* needed(settings, "safety_order_volume", "it is the size of the first safety order"),
          scale: settings.number("martingale_volume_coefficient") ?? Decimal.one,
          distance: yield* needed(
            settings,
            "safety_order_step_percentage",
            "it is the distance of the first safety order"
          ),
          distanceScale: settings.number("martingale_step_coefficient") ?? Decimal.one,
          active: settings.number("active_safety_orders_count")
        }
  const stop = settings.number("stop_loss_percentage")
  const pairs = settings.texts("pairs")
  const market = marketOf(pairs[0])
  return {
    kind: "deals",
    market,
    budget: { quote: safety === undefined ? base : quoteRounded(market, costOfDeal(base, safety), "up") },
    section: [
      `size: { quote: ${Decimal.format(base)} }`,
      entersAtOnce,
      ...(safety === undefined
        ? []
        : [
            "safety:",
            `  orders: ${safety.orders}`,
            `  size: { quote: ${Decimal.format(safety.size)} }`,
            `  distance: ${Decimal.format(safety.distance)}%`,
            `  sizeScale: ${Decimal.format(safety.scale)}`,
            `  distanceScale: ${Decimal.format(safety.distanceScale)}`,
            ...(safety.active === undefined ? [] : [`  active: ${Decimal.format(safety.active)}`])
          ]),
      `takeProfit: ${Decimal.format(yield* needed(settings, "take_profit", "a deal exits above its average entry"))}%`,
      ...line("trail", settings.flag("trailing_enabled") ? settings.number("trailing_deviation") : undefined, "%"),
      ...line("stop", stop, "%"),
      ...line("cooldown", settings.number("cooldown"), "s")
    ],
    otherwise: [
      "the base order is a limit order that may pay 0.1% more than the mid, not a market order",
      "a deal starts as soon as the last one has ended; set when: for a condition",
      ...(settings.text("profit_currency") === "base_currency" ? ["the profit is kept in the quote asset"] : []),
      ...(settings.text("take_profit_type") === "base" && orders > 0
        ? ["take_profit counts from the average entry of all orders, not from the base order: it exits later here"]
        : []),
      ...(stop === undefined || !Decimal.isPositive(stop)
        ? []
        : [
            "the stop is below the average entry, not below the base order: it sells lower here once a safety order has filled"
          ]),
      ...otherMarkets(pairs)
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
