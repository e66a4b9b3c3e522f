/** Configurations of other bots, in the forms that their documentation shows: what a strategy file makes of each, and what it leaves out. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Importing from "../../src/importers/Importing.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"

type Given = Readonly<Record<string, unknown>>

const quotes: Given = {
  template_version: 24,
  strategy: "pure_market_making",
  exchange: "binance",
  market: "BTC-USDT",
  bid_spread: 0.4,
  ask_spread: 0.6,
  minimum_spread: -100,
  order_refresh_time: 30,
  order_refresh_tolerance_pct: 0.2,
  order_amount: 0.005,
  price_ceiling: -1,
  price_floor: -1,
  ping_pong_enabled: false,
  inventory_skew_enabled: true,
  order_levels: 3,
  order_level_amount: 0,
  order_level_spread: 0.3
}
const strike: Given = {
  controller_name: "grid_strike",
  trading_pair: "BTC-USDC",
  side: 1,
  start_price: 50000,
  end_price: 60000,
  limit_price: 48000,
  total_amount_quote: 1000,
  min_spread_between_orders: 0.01,
  min_order_amount_quote: 20,
  max_open_orders: 3,
  leverage: 20
}
const dca: Given = {
  id: 1,
  pairs: ["USDT_ETH", "USDT_SOL"],
  strategy: "long",
  base_order_volume: "20.0",
  base_order_volume_type: "quote_currency",
  take_profit: "1.5",
  safety_order_volume: "40.0",
  safety_order_step_percentage: "2.0",
  martingale_volume_coefficient: "1.4",
  martingale_step_coefficient: "1.2",
  max_safety_orders: 5,
  active_safety_orders_count: 2,
  stop_loss_percentage: "15.0",
  cooldown: "1800",
  strategy_list: [{ strategy: "rsi", options: { points: "30" } }]
}
const grid: Given = {
  pair: "USDT_BTC",
  upper_price: "60000",
  lower_price: "50000",
  grids_quantity: "11",
  quantity_per_grid: "0.001",
  order_currency_type: "base"
}
const long: Given = {
  close_grid_markup_end: 0.0089,
  close_grid_markup_start: 0.004,
  close_grid_qty_pct: 0.125,
  entry_grid_double_down_factor: 0.89,
  entry_grid_spacing_pct: 0.052,
  entry_initial_qty_pct: 0.013,
  n_positions: 10.1,
  total_wallet_exposure_limit: 1.7
}
const passivbot: Given = { bot: { long, short: { n_positions: 0 } }, live: { approved_coins: ["BTC"], leverage: 10 } }
const freqtrade: Given = {
  stake_currency: "USDT",
  stake_amount: 50,
  minimal_roi: { "0": 0.04, "30": 0.02 },
  stoploss: -0.1,
  trailing_stop: true,
  trailing_stop_positive: 0.01,
  exchange: { name: "binance", key: "our-key", secret: "our-secret", pair_whitelist: ["ETH/USDT"] },
  my_plugin: { api_token: "our-token", level: 3 }
}

const said = Effect.fnUntraced(function* (
  bot: Importing.OtherBot,
  settings: Given | string,
  asked: { readonly market?: string; readonly budget?: string } = {}
) {
  const file = join(mkdtempSync(join(tmpdir(), "limitbot-import-")), "theirs.json")
  writeFileSync(file, typeof settings === "string" ? settings : JSON.stringify(settings))
  const budget = asked.budget === undefined ? undefined : Decimal.parse(asked.budget)
  return yield* Importing.strategyText({ bot, file, market: asked.market, budget })
}, Effect.provide(NodeServices.layer))

const withoutComments = (text: string): string => text.replace(/^#.*\n/gm, "")
const notTaken = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^# Not imported: (.*)$/gm)].map(([, line = ""]) => line)

type Case = readonly [
  what: string,
  bot: Importing.OtherBot,
  given: Given,
  asked: { market?: string; budget?: string },
  section: string,
  left: ReadonlyArray<string>
]

const cases: ReadonlyArray<Case> = [
  [
    "quotes",
    "hummingbot",
    quotes,
    { budget: "1000" },
    "budget: { base: 0.015, quote: 1000 }\n\nmarket-making:\n  levels: 3\n  spread: 1%\n  step: 0.3%\n  size: 0.005\n  requote: 0.2%\n",
    ["inventory_skew_enabled: true"]
  ],
  [
    "a grid",
    "hummingbot",
    strike,
    {},
    "budget: { quote: 1000 }\n\ngrid:\n  lower: 50000\n  upper: 60000\n  levels: 19\n  spacing: geometric\n  size: { quote: 55.55 }\n  fundNearest: 3\n  stop: 48000\n",
    ["leverage: 20"]
  ],
  [
    "deals",
    "3commas",
    dca,
    { market: "ETH/USDC" },
    "budget: { quote: 457.83 }\n\ndeals:\n  size: { quote: 20 }\n  reach: 0.1%\n  safety:\n    orders: 5\n    size: { quote: 40 }\n    distance: 2%\n    sizeScale: 1.4\n    distanceScale: 1.2\n    active: 2\n  takeProfit: 1.5%\n  stop: 15%\n  cooldown: 1800s\n",
    ['strategy_list: [{"strategy":"rsi","options":{"points":"30"}}]']
  ],
  [
    "a grid",
    "3commas",
    grid,
    {},
    "budget: { base: 0.01, quote: 600 }\n\ngrid:\n  lower: 50000\n  upper: 60000\n  levels: 11\n  size: { base: 0.001 }\n",
    []
  ],
  [
    "entries that double",
    "passivbot",
    passivbot,
    { market: "BTC/USDC", budget: "1000" },
    "budget: { quote: 1000 }\n\ndeals:\n  size: { quote: 13 }\n  reach: 0.1%\n  safety:\n    orders: 6\n    size: { quote: 11.57 }\n    distance: 5.2%\n    sizeScale: 1.89\n  takeProfit: 0.4%\n",
    ["bot.long.close_grid_qty_pct: 0.125", "live.leverage: 10"]
  ],
  [
    "exits",
    "freqtrade",
    freqtrade,
    {},
    "budget: { quote: 50 }\n\ndeals:\n  size: { quote: 50 }\n  reach: 0.1%\n  takeProfit: 2%\n  trail: 1%\n  stop: 10%\n",
    ['my_plugin: {"api_token":"(not shown)","level":3}', "minimal_roi.0: 0.04"]
  ]
]

const refused: ReadonlyArray<readonly [bot: Importing.OtherBot, given: Given | string, says: RegExp, budget?: string]> =
  [
    ["hummingbot", quotes, /has no quote budget: .*--budget/],
    [
      "hummingbot",
      { ...quotes, strategy: "cross_exchange_market_making" },
      /its strategy is cross_exchange_market_making/
    ],
    ["hummingbot", { ...strike, side: 2 }, /side is not BUY/],
    ["hummingbot", { ...strike, total_amount_quote: 10 }, /less than one order/],
    ["hummingbot", { ...quotes, order_levels: 2.5 }, /order_levels is 2\.5: it has to be a whole number/],
    ["hummingbot", { ...quotes, order_levels: -1 }, /order_levels is -1/],
    ["3commas", { ...dca, max_safety_orders: 1e15 }, /max_safety_orders is 1000000000000000: .* from 0 to 1000/],
    ["3commas", { ...grid, grids_quantity: "10.4" }, /grids_quantity is 10\.4/],
    ["3commas", { ...dca, strategy: "short" }, /strategy is short/],
    ["3commas", { ...dca, base_order_volume_type: "percent" }, /only quote_currency/],
    ["3commas", { ...dca, take_profit: "0" }, /take_profit is missing, or not above zero/],
    ["3commas", { ...grid, lower_price: "70000" }, /makes no strategy here: /],
    ["passivbot", passivbot, /with --budget/],
    ["passivbot", passivbot, /names no market.*--market/, "1000"],
    ["freqtrade", { ...freqtrade, stake_amount: "unlimited" }, /stake_amount is unlimited/],
    ["freqtrade", { ...freqtrade, minimal_roi: undefined }, /from the Python class/],
    ["freqtrade", { ...freqtrade, exchange: { pair_whitelist: ["BTC/USDT:USDT"] } }, /is a future/],
    ["hummingbot", strike, /sets its own quote budget, 1000: omit --budget 5000,/, "5000"],
    ["freqtrade", freqtrade, /sets its own .*, 50: omit --budget 5000,/, "5000"],
    ["freqtrade", "[1, 2]", /has no settings/],
    ["freqtrade", "{ a: [", /is neither YAML nor JSON/]
  ]

describe("a configuration of another bot", () => {
  it.effect.each(cases)("becomes a strategy file: %s of %s", ([, bot, given, asked, section, left]) =>
    Effect.gen(function* () {
      const text = yield* said(bot, given, asked)
      assert.include(withoutComments(text), section)
      assert.deepStrictEqual(notTaken(text), left)
      const [, market = ""] = /^market: (.*)$/m.exec(text) ?? []
      const assets = market.split("/").map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
      const read = StrategyFile.parse(text, "theirs.yaml", { assets, ticks: new Map() })
      assert.isTrue(Result.isSuccess(read), text)
      assert.notMatch(text, /our-/, "no credential of the other bot is in it")
    })
  )

  it.effect.each(refused)("is refused with what to do: %s", ([bot, given, says, budget]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(said(bot, given, budget === undefined ? {} : { budget }))
      assert.match(message, says)
      assert.match(message, /theirs\.json/)
    })
  )

  it.effect("trails only if the other bot trails", () =>
    Effect.gen(function* () {
      const trailing = { ...dca, trailing_deviation: "0.5" }
      assert.include(yield* said("3commas", { ...trailing, trailing_enabled: true }), "  trail: 0.5%\n")
      const still = yield* said("3commas", { ...trailing, trailing_enabled: false })
      assert.notInclude(still, "trail: ")
      assert.include(notTaken(still), 'trailing_deviation: "0.5"')
      const fixed = yield* said("freqtrade", { ...freqtrade, trailing_stop: false })
      assert.notInclude(fixed, "trail: ")
      assert.include(notTaken(fixed), "trailing_stop_positive: 0.01")
    })
  )

  it.effect("of freqtrade has no stop at -0.99 or lower", () =>
    Effect.gen(function* () {
      for (const stoploss of [-0.99, -0.991, -1, -10])
        assert.notInclude(yield* said("freqtrade", { ...freqtrade, stoploss }), "  stop: ")
      assert.include(yield* said("freqtrade", { ...freqtrade, stoploss: -0.989 }), "  stop: 98.9%\n")
    })
  )

  const small = { ...strike, start_price: 0.05, end_price: 0.06, limit_price: 0, total_amount_quote: 0.1 }
  const amounts: ReadonlyArray<
    readonly [Importing.OtherBot, Given, quote: string, says: string, asked?: { market: string; budget: string }]
  > = [
    ["3commas", { ...dca, base_order_volume: 0.001, safety_order_volume: 0.001 }, "USDT", "budget: { quote: 0.02 }"],
    [
      "3commas",
      { ...dca, pairs: ["BTC_ETH"], base_order_volume: "0.001", safety_order_volume: "0.001" },
      "BTC",
      "budget: { quote: 0.0119456 }"
    ],
    [
      "3commas",
      { ...grid, pair: "BTC_ETH", lower_price: 0.05, upper_price: "0.06", quantity_per_grid: 0.0001 },
      "BTC",
      "budget: { base: 0.001, quote: 0.00006 }"
    ],
    [
      "hummingbot",
      { ...small, trading_pair: "ETH-BTC", min_order_amount_quote: 0.001 },
      "BTC",
      "{ quote: 0.00555555 }"
    ],
    ["passivbot", passivbot, "BTC", "size: { quote: 0.00654225 }", { market: "ETH/BTC", budget: "0.50325" }],
    ["passivbot", passivbot, "USDC", "size: { quote: 13.08 }", { market: "ETH/USDC", budget: "1006.5" }]
  ]
  it.effect.each(amounts)(
    "of %s has cents of a currency and eight decimals of a coin",
    ([bot, given, quote, says, asked]) =>
      Effect.gen(function* () {
        const text = yield* said(bot, given, asked)
        assert.match(text, new RegExp(`^market: \\w+/${quote}$`, "m"))
        assert.include(text, says)
      })
  )

  it.effect("of freqtrade takes its last target above zero, because targets fall with time", () =>
    Effect.gen(function* () {
      const tables: ReadonlyArray<readonly [roi: Record<string, number>, takeProfit: string]> = [
        [{ "0": 0.04 }, "4%"],
        [{ "60": 0.01, "30": 0.02, "20": 0.03, "0": 0.04 }, "1%"],
        [{ "0": 0.04, "20": 0.03, "120": 0, "240": -1 }, "3%"],
        [{ "0": 10, "45": 0.015 }, "1.5%"],
        [{ "10": 0.02 }, "2%"]
      ]
      for (const [minimal_roi, takeProfit] of tables)
        assert.include(yield* said("freqtrade", { ...freqtrade, minimal_roi }), `  takeProfit: ${takeProfit}\n`)
    })
  )

  it.effect("lists targets of zero too, at which the other bot exits without a loss", () =>
    Effect.gen(function* () {
      const targets = { "0": 0.05, "120": 0, "240": -1 }
      const whole = yield* said("freqtrade", { ...freqtrade, minimal_roi: targets })
      assert.include(notTaken(whole), "minimal_roi.120: 0")
      assert.include(notTaken(whole), "minimal_roi.240: -1")
      const found = { strategy_name: "Mine", params: { roi: { "0": 0.05, "164": 0 }, stoploss: { stoploss: -0.1 } } }
      const hyperopt = yield* said("freqtrade", found, { market: "BTC/USDC", budget: "100" })
      assert.deepStrictEqual(notTaken(hyperopt), ["params.roi.164: 0"])
    })
  )

  it.effect.each<readonly [key: string, value: unknown]>([
    ["db_url", "postgresql://bot:hunterTwo@10.0.0.5/bot"],
    ["webhook", { url: "https://chat.example/T/hunterTwo" }],
    ["api_passwd", "hunter"],
    ["headers", { Authorization: "Bearer hunterTwo" }],
    ["note", "9f86d081884c7d659a2feaa0c55ad015"],
    ["list", ["hunterTwo9"]],
    ["pin_code", 123456789012],
    ["by_name", { "9f86d081884c7d659a2feaa0c55ad015": true }]
  ])("never shows a value that may be a credential: %s", ([key, value]) =>
    Effect.gen(function* () {
      const text = yield* said("freqtrade", { ...freqtrade, [key]: value })
      assert.notMatch(text, /hunter|9f86d08|123456789012/)
      assert.include(text, `# Not imported: ${key}: `)
    })
  )

  it.effect.each<readonly [Importing.OtherBot, Given]>([
    ["3commas", { ...dca, pairs: ["BINANCE:BTC_USDT"] }],
    ["3commas", { ...dca, pairs: ["BTC_USDT"] }],
    ["3commas", { ...dca, pairs: ["USDT_BTC-PERP"] }],
    ["3commas", { ...dca, pairs: ["USDT_1000PEPE"] }],
    ["hummingbot", { ...strike, trading_pair: "BTC-USDT-SWAP" }],
    ["freqtrade", { ...freqtrade, exchange: { pair_whitelist: ["1000PEPE/USDT"] } }]
  ])("needs --market for an unknown pair: %s", ([bot, given]) =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(said(bot, given))).message, /none of this service: add --market/)
      assert.include(yield* said(bot, given, { market: "BTC/USDC" }), "market: BTC/USDC")
    })
  )

  it.effect.each<Given>([
    { ...quotes, exchange: "binance_perpetual" },
    { ...strike, connector_name: "hyperliquid_perpetual_testnet" }
  ])("of Hummingbot for perpetuals is refused", (given) =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(said("hummingbot", given))).message, /its connector is for perpetuals/)
    })
  )

  it.effect("shows no other pair that is no pair, and no line of its own making", () =>
    Effect.gen(function* () {
      const pairs = ["USDT_ETH", "USDT_SOL", "9f86d081884c7d659a2feaa0c55ad015", "A\nname: other"]
      const text = yield* said("3commas", { ...dca, pairs })
      assert.include(text, "one file trades one market: USDT_SOL, (not shown), (not shown) need separate files")
    })
  )

  it.effect("says that a profit in base is kept in quote", () =>
    Effect.gen(function* () {
      const text = yield* said("3commas", { ...dca, profit_currency: "base_currency" })
      assert.include(text, "# Differs from the original: the profit is kept in the quote asset")
      assert.notInclude(yield* said("3commas", { ...dca, profit_currency: "quote_currency" }), "is kept in")
    })
  )

  it.effect("of a Passivbot version with another meaning is refused by its name", () =>
    Effect.gen(function* () {
      const asked = { market: "BTC/USDC", budget: "1000" }
      const { message } = yield* Effect.flip(said("passivbot", { ...passivbot, config_version: "v8.0.1" }, asked))
      assert.match(message, /config_version is v8\.0\.1: only version 7 can be imported/)
      assert.include(yield* said("passivbot", { ...passivbot, config_version: "7.4.0" }, asked), "kind: deals")
    })
  )

  it.effect("may give a grid without a minimum order", () =>
    Effect.gen(function* () {
      assert.include(yield* said("hummingbot", { ...strike, min_order_amount_quote: 0 }), "  levels: 19\n")
    })
  )

  it.effect("loses no setting silently: an unknown one is listed, wherever it is", () =>
    Effect.gen(function* () {
      for (const [, bot, given, asked] of cases)
        assert.include(notTaken(yield* said(bot, { ...given, somethingNew: 7 }, asked)), "somethingNew: 7")
      const inner = { ...passivbot, bot: { long: { ...long, somethingNew: 7 } } }
      const text = yield* said("passivbot", inner, { market: "BTC/USDC", budget: "1000" })
      assert.include(notTaken(text), "bot.long.somethingNew: 7")
    })
  )
})
