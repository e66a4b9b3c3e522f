/**
 * 3Commas: a DCA bot or a grid bot, as its API and its export tell one. Percentages are written as such there, and a pair names its
 * quote first (`USDT_BTC`).
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { counted, type ForeignSettings, NotImported, needed } from "./ForeignSettings.ts"
import { costOfDeal, entersAtOnce, line, namesIn, otherMarkets, type Translated, times } from "./Translated.ts"

const marketOf = (pair: string | undefined): Translated["market"] => {
  const names = namesIn(pair, "_")
  return names && [names[1], names[0]]
}

export const threeCommas = Effect.fnUntraced(function* (settings: ForeignSettings) {
  settings.pass(
    "id",
    "account_id",
    "account_name",
    "account",
    "name",
    "created_at",
    "updated_at",
    "is_enabled",
    "type",
    "url_secret"
  )
  return yield* settings.number("grids_quantity") === undefined ? dealsOf(settings) : gridOf(settings)
})

const gridOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  const [lower, upper] = [
    yield* needed(settings, "lower_price", "a grid has two ends"),
    yield* needed(settings, "upper_price", "a grid has two ends")
  ]
  yield* needed(settings, "grids_quantity", "a grid has cells")
  const cells = (yield* counted(settings, "grids_quantity")) ?? 1
  const size = yield* needed(settings, "quantity_per_grid", "it is the size of each cell")
  settings.pass("current_price", "strategy_type")
  const quote = Decimal.roundToStep(times(Decimal.multiply(size, upper), cells), Decimal.make(1n, 2), "up")
  return {
    kind: "grid",
    market: marketOf(settings.text("pair")),
    budget: { base: times(size, cells), quote },
    section: [
      `lower: ${Decimal.format(lower)}`,
      `upper: ${Decimal.format(upper)}`,
      `levels: ${cells + 1}`,
      `size: { base: ${Decimal.format(size)} }`
    ],
    otherwise: [
      "the budget is what all cells need on either side; less is enough on the side that they do not begin on"
    ],
    leftOut: settings.rest()
  } satisfies Translated
})

const dealsOf = Effect.fnUntraced(function* (settings: ForeignSettings) {
  const side = settings.text("strategy") ?? "long"
  if (side !== "long")
    return yield* new NotImported({
      message: `strategy is ${side}: a bot that sells first borrows or holds there; deals here begin from the budget, say side: sell by hand`
    })
  const base = yield* needed(settings, "base_order_volume", "it is the size of the base order")
  const orders = (yield* counted(settings, "max_safety_orders")) ?? 0
  const unit = settings.text("base_order_volume_type") ?? "quote_currency"
  if (unit !== "quote_currency")
    return yield* new NotImported({
      message: `base_order_volume_type is ${unit}: only quote_currency is a fixed amount`
    })
  settings.pass("safety_order_volume_type", "take_profit_type", "start_order_type", "profit_currency", "leverage_type")
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
  const cooldown = settings.number("cooldown")
  const trail = settings.flag("trailing_enabled") ? settings.number("trailing_deviation") : undefined
  const pairs = settings.texts("pairs")
  return {
    kind: "deals",
    market: marketOf(pairs[0]),
    budget: { quote: safety === undefined ? base : costOfDeal(base, safety) },
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
      `takeProfit: ${Decimal.format(yield* needed(settings, "take_profit", "a deal leaves above its average entry"))}%`,
      ...line("trail", trail, "%"),
      ...line("stop", stop, "%"),
      ...line("cooldown", cooldown, "s")
    ],
    otherwise: [
      "the base order is a limit order that may pay 0.1% more than the mid, not a market order",
      "a deal begins as soon as the last one is over; say when: for a condition",
      ...otherMarkets(pairs)
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
