/** Imports stakes and exits of freqtrade. Entries are in a Python class, which cannot be read as data, so the user writes `when:`. */
import { Effect } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { negate } from "../strategy/kinds/PriceLevels.ts"
import { type ForeignSettings, needed, refused } from "./ForeignSettings.ts"
import { entersAtOnce, inHundred, line, namesIn, otherMarkets, percentOf, type Translated } from "./Translated.ts"

/** freqtrade's strategies without a stop have this value or a lower one. */
const asNone = Decimal.make(-99n, 2)

/** A file of hyperopt (`params`) has only exits and no stake, so the user must give the amount of a deal. */
const exitsIn = (settings: ForeignSettings) => {
  const params = settings.within("params")
  if (params === undefined)
    return { targets: settings.withinNumbers("minimal_roi"), stop: settings.number("stoploss"), trailing: settings }
  settings.pass("strategy_name ft_stratparam_v export_time")
  return {
    targets: params.withinNumbers("roi"),
    stop: params.within("stoploss")?.number("stoploss"),
    trailing: params.within("trailing")
  }
}

/** Targets fall with the minutes of a deal. The last one above zero holds until the deal ends. */
const lastTarget = (targets: ForeignSettings): string =>
  targets.positive().reduce((last, minutes) => (Number(minutes) > Number(last) ? minutes : last), "0")

const sizeOf = (settings: ForeignSettings, budget: Decimal.Decimal | undefined) => {
  const stake = settings.text("stake_amount")
  const size = stake === undefined ? budget : Decimal.parse(stake)
  if (size !== undefined && Decimal.isPositive(size)) return Effect.succeed(size)
  const why =
    stake === undefined
      ? "it has no stake_amount: set the quote amount of a deal with --budget"
      : `stake_amount is ${stake}: a strategy here has a fixed size, so write a number`
  return Effect.fail(refused(why))
}

const unused =
  "$schema dry_run dry_run_wallet api_server telegram bot_name initial_state internals dataformat_ohlcv entry_pricing exit_pricing " +
  "order_types unfilledtimeout pairlists cancel_open_orders_on_exit max_open_trades stake_currency timeframe strategy"

export const freqtrade = Effect.fnUntraced(function* (settings: ForeignSettings, budget: Decimal.Decimal | undefined) {
  settings.pass(unused)
  const size = yield* sizeOf(settings, budget)
  const mode = settings.text("trading_mode") ?? ""
  const exchange = settings.within("exchange")
  const pairs = exchange?.texts("pair_whitelist") ?? []
  exchange?.pass("name key secret password ccxt_config ccxt_async_config pair_blacklist")
  const [pair] = pairs
  const isFuture = pair?.includes(":") === true
  if (isFuture || (mode !== "" && mode !== "spot"))
    return yield* refused(
      `${isFuture ? `${pair} is a future` : `trading_mode is ${mode}`}: this service trades spot only`
    )
  const { stop, targets, trailing } = exitsIn(settings)
  if (targets === undefined)
    return yield* refused("it has no minimal_roi; copy it from the Python class into the configuration")
  const minutes = lastTarget(targets)
  const trails = trailing?.flag("trailing_stop") === true
  // Without `trailing_stop_positive`, freqtrade's stop itself trails the price from the start.
  const distance = trails ? trailing?.number("trailing_stop_positive") : undefined
  return {
    kind: "deals",
    market: namesIn(pair, "/"),
    budget: { quote: size },
    section: [
      `size: { quote: ${Decimal.format(size)} }`,
      entersAtOnce,
      `takeProfit: ${percentOf(yield* needed(targets, minutes, "minimal_roi has no target"))}`,
      ...line("trail", distance && inHundred(distance), "%"),
      ...line("stop", stop === undefined || !Decimal.isGreater(stop, asNone) ? undefined : inHundred(negate(stop)), "%")
    ],
    otherwise: [
      "when to enter is in the Python class: until you set when:, a deal starts as soon as the last one has ended",
      ...(distance !== undefined ? ["it trails from the take-profit on, by trailing_stop_positive only"] : []),
      ...(trails && distance === undefined ? ["the stop is fixed; in Freqtrade it trails the price"] : []),
      ...(minutes === "0"
        ? []
        : [`minimal_roi has higher targets before ${minutes} minutes; here its last target applies from the start`]),
      ...otherMarkets(pairs)
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
