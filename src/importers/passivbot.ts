/** Imports the long side of one coin of Passivbot 7. Each re-entry is a multiple of the position, so they form a geometric series. */
import { Effect } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { type ForeignSettings, needed, refused } from "./ForeignSettings.ts"
import { entersAtOnce, otherMarkets, percentOf, quoteRounded, type Translated } from "./Translated.ts"

const maxOrders = 50

const isOff = (side: ForeignSettings): boolean =>
  ["n_positions", "total_wallet_exposure_limit"].some((key) => {
    const value = side.number(key)
    return value !== undefined && !Decimal.isPositive(value)
  })

export const passivbot = Effect.fnUntraced(function* (
  settings: ForeignSettings,
  budget: Decimal.Decimal | undefined,
  market: Translated["market"]
) {
  const version = settings.text("config_version")
  if (version !== undefined && !/^v?7(\.|$)/.test(version))
    return yield* refused(
      `config_version is ${version.slice(0, 20)}: only version 7 can be imported; later versions use the same names differently`
    )
  const long = settings.within("bot")?.within("long")
  if (long === undefined)
    return yield* refused("it has no bot.long: only the long side can be imported, in the form of version 7")
  if (isOff(long))
    return yield* refused(
      "bot.long is switched off (n_positions or total_wallet_exposure_limit is 0): it does not trade"
    )
  const short = settings.within("bot")?.within("short")
  const alsoSells = short !== undefined && !isOff(short)
  short?.passAll()
  if (budget === undefined)
    return yield* refused("its sizes are shares of a wallet: set the quote amount it may use with --budget")
  settings.pass("backtest optimize logging")
  const live = settings.within("live")
  const coins = live?.within("approved_coins")?.texts("long") ?? live?.texts("approved_coins") ?? []
  const share = yield* needed(long, "entry_initial_qty_pct", "it is the size of the base order")
  const factor = yield* needed(
    long,
    "entry_grid_double_down_factor",
    "it is the size of the next entry relative to the position"
  )
  const size = quoteRounded(market, Decimal.multiply(budget, share), "down")
  const first = quoteRounded(market, Decimal.multiply(size, factor), "down")
  const scale = Decimal.add(Decimal.one, factor)
  let [orders, next, held] = [0, first, size]
  while (orders < maxOrders && !Decimal.isGreater(Decimal.add(held, next), budget)) {
    held = Decimal.add(held, next)
    next = quoteRounded(market, Decimal.multiply(next, scale), "up")
    orders += 1
  }
  const marks = ["close_grid_markup_start", "close_grid_markup_end", "close_grid_min_markup"].flatMap(
    (key) => long.number(key) ?? []
  )
  const [markup] = marks.filter(Decimal.isPositive).toSorted(Decimal.compare)
  if (markup === undefined) return yield* refused("it has no close_grid_markup: a deal needs an exit distance")
  long.pass("n_positions total_wallet_exposure_limit")
  return {
    kind: "deals",
    // Passivbot trades futures, and this service does not have their quote asset.
    market: undefined,
    budget: { quote: budget },
    section: [
      `size: { quote: ${Decimal.format(size)} }`,
      entersAtOnce,
      ...(orders === 0
        ? []
        : [
            "safety:",
            `  orders: ${orders}`,
            `  size: { quote: ${Decimal.format(first)} }`,
            `  distance: ${percentOf(yield* needed(long, "entry_grid_spacing_pct", "it is the distance of the next entry"))}`,
            `  sizeScale: ${Decimal.format(scale)}`
          ]),
      `takeProfit: ${percentOf(markup)}`
    ],
    otherwise: [
      "the budget is the whole exposure of this coin; leverage and other positions do not exist here",
      "the distance of an entry counts from the base order, not from the average of the position",
      ...(alsoSells ? ["bot.short is on: it is not imported"] : []),
      "a deal exits whole at the lowest of its markups, not in parts",
      ...otherMarkets(coins)
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
