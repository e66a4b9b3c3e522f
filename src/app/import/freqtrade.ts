/**
 * freqtrade: the configuration, with what it says of stakes and exits. When to enter is in a Python class there, which nobody can
 * read as data: the file says so, and `when:` is for the user to write.
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { negate } from "../../strategy/kinds/PriceLevels.ts"
import { type ForeignSettings, NotImported, needed } from "./ForeignSettings.ts"
import { entersAtOnce, inHundred, line, namesIn, otherMarkets, percentOf, type Translated } from "./Translated.ts"

/** Its way to say that there is no stop. */
const asNone = Decimal.make(-99n, 2)

export const freqtrade = Effect.fnUntraced(function* (settings: ForeignSettings) {
  settings.pass(
    "$schema",
    "dry_run",
    "dry_run_wallet",
    "api_server",
    "telegram",
    "bot_name",
    "initial_state",
    "internals",
    "dataformat_ohlcv"
  )
  settings.pass(
    "entry_pricing",
    "exit_pricing",
    "order_types",
    "unfilledtimeout",
    "pairlists",
    "cancel_open_orders_on_exit",
    "max_open_trades"
  )
  const stake = settings.text("stake_amount")
  const size = stake === undefined ? undefined : Decimal.parse(stake)
  if (size === undefined || !Decimal.isPositive(size))
    return yield* new NotImported({
      message: `stake_amount is ${stake ?? "missing"}: a strategy here has a fixed size, so write a number`
    })
  const exchange = settings.within("exchange")
  const pairs = exchange?.texts("pair_whitelist") ?? []
  exchange?.pass("name", "key", "secret", "password", "ccxt_config", "ccxt_async_config", "pair_blacklist")
  const [pair] = pairs
  if (pair?.includes(":") === true)
    return yield* new NotImported({ message: `${pair} is a future: this service trades spot alone` })
  const targets = settings.within("minimal_roi")
  if (targets === undefined)
    return yield* new NotImported({
      message: "it has no minimal_roi, which stands in the Python class then: copy it into the configuration"
    })
  const stop = settings.number("stoploss")
  const trails = settings.flag("trailing_stop")
  const trail = trails ? settings.number("trailing_stop_positive") : undefined
  settings.pass("stake_currency", "timeframe", "strategy")
  return {
    kind: "deals",
    market: namesIn(pair, "/"),
    budget: { quote: size },
    section: [
      `size: { quote: ${Decimal.format(size)} }`,
      entersAtOnce,
      `takeProfit: ${percentOf(yield* needed(targets, "0", "minimal_roi begins with the one at 0 minutes"))}`,
      ...line("trail", trail && inHundred(trail), "%"),
      ...line("stop", stop === undefined || Decimal.isLess(stop, asNone) ? undefined : inHundred(negate(stop)), "%")
    ],
    otherwise: [
      "when to enter is in the Python class: a deal begins as soon as the last one is over until you write when:",
      ...(trails ? ["it trails from the take-profit on, by trailing_stop_positive alone"] : []),
      "fees are not added to minimal_roi here: the exit has the same distance before fees",
      ...otherMarkets(pairs)
    ],
    leftOut: settings.rest()
  } satisfies Translated
})
