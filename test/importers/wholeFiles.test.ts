/**
 * Whole configurations as other bots write them, with all that stands beside the settings: what they become, to the amount, or
 * why they are refused. The forms are those that the bots document; the values are ours.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Importing from "../../src/importers/Importing.ts"

interface Whole {
  readonly bot: Importing.OtherBot
  readonly what: string
  readonly text: string
  readonly market?: string
  readonly budget?: string
}

interface Becomes extends Whole {
  readonly lines: ReadonlyArray<string>
  readonly left?: ReadonlyArray<string>
  readonly says?: RegExp
}

interface Refused extends Whole {
  readonly why: RegExp
}

const makerOf = (more: string): string => `
template_version: 24
strategy: pure_market_making
exchange: kucoin
market: ETH-USDC
bid_spread: 0.5
ask_spread: 0.5
minimum_spread: -100.0
order_refresh_time: 30.0
max_order_age: 1800.0
order_refresh_tolerance_pct: -1.0
order_amount: 0.1
price_ceiling: -1.0
price_floor: -1.0
moving_price_band_enabled: false
price_ceiling_pct: 1.0
price_floor_pct: -1.0
ping_pong_enabled: false
inventory_skew_enabled: false
filled_order_delay: 60.0
hanging_orders_enabled: false
hanging_orders_cancel_pct: 10.0
order_optimization_enabled: false
add_transaction_costs: false
price_source: current_market
price_type: mid_price
take_if_crossed:
order_override: {}
${more}`

const strikeOf = (more: string): string => `
id: 8rSv6vS2
controller_name: grid_strike
controller_type: generic
total_amount_quote: '500'
manual_kill_switch: false
candles_config: []
initial_positions: []
leverage: 1
position_mode: ONEWAY
connector_name: binance
trading_pair: SOL-USDC
${more}
min_spread_between_orders: '0.01'
min_order_amount_quote: '10'
max_open_orders: 4
max_orders_per_batch: 1
order_frequency: 3
activation_bounds: null
keep_position: false
triple_barrier_config:
  open_order_type: 3
  stop_loss: null
  take_profit: '0.01'
  trailing_stop: null
`

const gridBot = (more: object): string =>
  JSON.stringify({
    id: 41,
    account_id: 7,
    account_name: "Ours",
    is_enabled: true,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-02T00:00:00.000Z",
    strategy_type: "manual",
    upper_stop_loss_enabled: false,
    lower_stop_loss_enabled: false,
    note: null,
    editable: true,
    lower_price: "50000.0",
    lower_stop_loss_price: null,
    lower_stop_loss_action: "stop_bot",
    upper_price: "60000.0",
    upper_stop_loss_price: null,
    upper_stop_loss_action: "stop_bot",
    quantity_per_grid: "25.0",
    grids_quantity: "11",
    leverage_type: "not_specified",
    leverage_custom_value: null,
    name: "ours",
    pair: "USDC_BTC",
    start_price: null,
    grid_price_step: "1000.0",
    current_profit: "3.1",
    current_price: "55000.0",
    max_active_buy_lines: "11",
    max_active_sell_lines: "11",
    order_currency_type: "quote",
    profit_currency_type: "quote",
    trailing_up_enabled: "false",
    grid_type: "arithmetic",
    investment_quote_currency: "250.0",
    orderbook_price_currency: "USDC",
    expansion_down_enabled: "false",
    grid_lines: [{ id: 1, price: "50000.0", side: "buy", order_placed: true }],
    ...more
  })

const dealBot = (more: object): string =>
  JSON.stringify({
    id: 42,
    account_id: 7,
    is_enabled: true,
    max_safety_orders: 3,
    active_safety_orders_count: 1,
    pairs: ["USDC_ETH"],
    strategy_list: [{ options: {}, strategy: "nonstop" }],
    max_active_deals: 1,
    active_deals_count: 1,
    trailing_enabled: false,
    tsl_enabled: false,
    stop_loss_timeout_enabled: false,
    stop_loss_timeout_in_seconds: 0,
    take_profit_steps: [],
    take_profit: "2.0",
    take_profit_type: "total",
    base_order_volume: "50.0",
    base_order_volume_type: "quote_currency",
    safety_order_volume: "50.0",
    safety_order_volume_type: "quote_currency",
    safety_order_step_percentage: "1.5",
    martingale_volume_coefficient: "2.0",
    martingale_step_coefficient: "1.0",
    stop_loss_percentage: "0.0",
    cooldown: "0",
    type: "Bot::SingleBot",
    strategy: "long",
    leverage_type: "not_specified",
    leverage_custom_value: null,
    start_order_type: "market",
    profit_currency: "quote_currency",
    active_deals: [{ id: 1, bought_amount: "0.02" }],
    finished_deals_profit_usd: "12.5",
    ...more
  })

const longOf = (more: object, short: object = { n_positions: 0, total_wallet_exposure_limit: 0 }): string =>
  JSON.stringify({
    config_version: "v7.3.0",
    backtest: { start_date: "2024-01-01", starting_balance: 1000 },
    bot: {
      long: {
        n_positions: 1,
        total_wallet_exposure_limit: 1,
        entry_initial_qty_pct: 0.02,
        entry_grid_double_down_factor: 1,
        entry_grid_spacing_pct: 0.03,
        close_grid_markup_start: 0.02,
        close_grid_markup_end: 0.01,
        ...more
      },
      short
    },
    live: { approved_coins: { long: ["BTC", "ETH"], short: [] }, user: "binance_01" },
    optimize: { iters: 1000 }
  })

const trader = (more: string): string => `{
    "max_open_trades": 3,
    "stake_currency": "USDC",
    // how much for each deal
    "stake_amount": 100,
    "tradable_balance_ratio": 0.99, /* the rest is for fees */
    "dry_run": true,
    "trading_mode": "spot",
    "margin_mode": "",
    "exchange": { "name": "kraken", "key": "", "secret": "", "pair_whitelist": ["BTC/USDC", "ETH/USDC"],
                  "ccxt_config": { "url": "https://api.example//v1" } },
    "minimal_roi": { "60": 0.01, "0": 0.03, },
${more}
}`

const files: ReadonlyArray<Becomes> = [
  {
    bot: "hummingbot",
    what: "pure_market_making, of one level",
    text: makerOf("order_levels: 1\norder_level_amount: 0\norder_level_spread: 1.0"),
    budget: "500",
    lines: ["budget: { base: 0.1, quote: 500 }", "levels: 1", "spread: 1%", "size: 0.1"]
  },
  {
    bot: "hummingbot",
    what: "pure_market_making, whose levels grow in size",
    text: makerOf("order_levels: 3\norder_level_amount: 0.05\norder_level_spread: 0.4"),
    budget: "2000",
    lines: ["budget: { base: 0.45, quote: 2000 }", "levels: 3", "step: 0.4%", "size: [0.1, 0.15, 0.2]"]
  },
  {
    bot: "hummingbot",
    what: "grid_strike, that buys",
    text: strikeOf("side: 1\nstart_price: '100'\nend_price: '150'\nlimit_price: '90'"),
    lines: [
      "market: SOL/USDC",
      "budget: { quote: 500 }",
      "lower: 100",
      "upper: 150",
      "levels: 41",
      "spacing: geometric",
      "size: { quote: 12.5 }",
      "fundNearest: 4",
      "stop: 90"
    ]
  },
  {
    bot: "3commas",
    what: "a grid of quote, with its number of cells",
    text: gridBot({}),
    lines: ["market: BTC/USDC", "budget: { base: 0.005, quote: 250 }", "levels: 11", "size: { quote: 25 }"],
    left: []
  },
  {
    bot: "3commas",
    what: "a geometric grid that trails, keeps base and has exits",
    text: gridBot({
      grid_type: "geometric",
      trailing_up_enabled: "true",
      profit_currency_type: "base",
      order_currency_type: "base",
      quantity_per_grid: "0.0005",
      lower_stop_loss_enabled: true,
      lower_stop_loss_price: "45000.0",
      lower_stop_loss_action: "stop_bot_and_sell",
      max_active_buy_lines: "5"
    }),
    lines: [
      "budget: { base: 0.005, quote: 300 }",
      "levels: 11",
      "spacing: geometric",
      "size: { base: 0.0005 }",
      "profit: base",
      "trail: up",
      "stop: 45000"
    ],
    left: [],
    says: /all levels are open at once/
  },
  {
    bot: "3commas",
    what: "a grid that stops without selling, which is not a stop here",
    text: gridBot({ lower_stop_loss_enabled: true, lower_stop_loss_price: "45000.0" }),
    lines: ["size: { quote: 25 }"],
    left: ['lower_stop_loss_price: "45000.0"']
  },
  {
    bot: "3commas",
    what: "deals, with everything that the bot exports",
    text: dealBot({}),
    lines: [
      "market: ETH/USDC",
      "budget: { quote: 400 }",
      "size: { quote: 50 }",
      "orders: 3",
      "distance: 1.5%",
      "sizeScale: 2",
      "active: 1",
      "takeProfit: 2%"
    ]
  },
  {
    bot: "3commas",
    what: "deals whose exit and stop count from the base order, with a note",
    text: dealBot({ take_profit_type: "base", stop_loss_percentage: "20.0" }),
    lines: ["takeProfit: 2%", "stop: 20%"],
    says: /take_profit counts from the average entry[\s\S]*the stop is below the average entry/
  },
  {
    bot: "passivbot",
    what: "entries that double, with coins by side",
    text: longOf({}),
    market: "BTC/USDC",
    budget: "1000",
    lines: [
      "size: { quote: 20 }",
      "orders: 5",
      "size: { quote: 20 }",
      "distance: 3%",
      "sizeScale: 2",
      "takeProfit: 1%"
    ],
    says: /ETH need separate files/
  },
  {
    bot: "passivbot",
    what: "a file whose short side trades too, with a note that it is left out",
    text: longOf({}, { n_positions: 2, total_wallet_exposure_limit: 0.5, entry_initial_qty_pct: 0.01 }),
    market: "BTC/USDC",
    budget: "1000",
    lines: ["size: { quote: 20 }"],
    says: /bot\.short is on/
  },
  {
    bot: "passivbot",
    what: "one entry as large as the budget",
    text: longOf({ entry_initial_qty_pct: 1 }),
    market: "BTC/USDC",
    budget: "300",
    lines: ["size: { quote: 300 }", "takeProfit: 1%"]
  },
  {
    bot: "freqtrade",
    what: "a configuration with remarks and trailing commas",
    text: trader('"stoploss": -0.05, "trailing_stop": false'),
    lines: ["market: BTC/USDC", "budget: { quote: 100 }", "size: { quote: 100 }", "takeProfit: 1%", "stop: 5%"],
    left: ["tradable_balance_ratio: 0.99", "minimal_roi.0: 0.03"],
    says: /ETH\/USDC need separate files/
  },
  {
    bot: "freqtrade",
    what: "a stop that follows the price, with a note that it is fixed",
    text: trader('"stoploss": -0.05, "trailing_stop": true'),
    lines: ["takeProfit: 1%", "stop: 5%"],
    says: /the stop is fixed/
  },
  {
    bot: "freqtrade",
    what: "a hyperopt result without a stake",
    text: JSON.stringify({
      strategy_name: "Ours",
      params: {
        roi: { "0": 0.08, "40": 0.02 },
        stoploss: { stoploss: -0.12 },
        trailing: { trailing_stop: true, trailing_stop_positive: 0.015, trailing_only_offset_is_reached: false },
        buy: { buy_rsi: 31 }
      },
      ft_stratparam_v: 1,
      export_time: "2026-01-01 00:00:00+00:00"
    }),
    market: "BTC/USDC",
    budget: "250",
    lines: ["budget: { quote: 250 }", "size: { quote: 250 }", "takeProfit: 2%", "trail: 1.5%", "stop: 12%"],
    left: ['params.buy: {"buy_rsi":31}', "params.roi.0: 0.08"]
  }
]

const refused: ReadonlyArray<Refused> = [
  {
    bot: "hummingbot",
    what: "levels with spreads of their own",
    text: makerOf('order_levels: 2\nsplit_order_levels_enabled: true\nbid_order_level_spreads: "1,2"'),
    budget: "500",
    why: /split_order_levels_enabled is on/
  },
  {
    bot: "hummingbot",
    what: "levels that shrink to nothing",
    text: makerOf("order_levels: 3\norder_level_amount: -0.05"),
    budget: "500",
    why: /leave no order/
  },
  {
    bot: "hummingbot",
    what: "a grid that sells first",
    text: strikeOf("side: 2\nstart_price: '100'\nend_price: '150'\nlimit_price: '160'"),
    why: /side is not BUY/
  },
  {
    bot: "hummingbot",
    what: "an executor of another kind",
    text: "controller_name: dman_v3\ntrading_pair: SOL-USDC\ndca_spreads: '0.01,0.02'\n",
    why: /its strategy is dman_v3/
  },
  {
    bot: "3commas",
    what: "a grid with leverage",
    text: gridBot({ leverage_type: "cross", leverage_custom_value: "10.0" }),
    why: /leverage_type is cross/
  },
  {
    bot: "3commas",
    what: "a grid that does not name the asset of its amounts",
    text: gridBot({ order_currency_type: undefined }),
    why: /order_currency_type is missing: write base or quote/
  },
  { bot: "3commas", what: "a grid of one level", text: gridBot({ grids_quantity: "1" }), why: /two levels or more/ },
  {
    bot: "3commas",
    what: "deals whose safety orders are amounts of base",
    text: dealBot({ safety_order_volume_type: "base_currency" }),
    why: /safety_order_volume_type is base_currency/
  },
  {
    bot: "passivbot",
    what: "a long side that is switched off",
    text: longOf({ n_positions: 0 }, { n_positions: 3, total_wallet_exposure_limit: 1 }),
    market: "BTC/USDC",
    budget: "1000",
    why: /bot\.long is switched off/
  },
  {
    bot: "passivbot",
    what: "the form of version 6",
    text: JSON.stringify({ long: { enabled: true, ddown_factor: 0.8 }, short: { enabled: false } }),
    market: "BTC/USDC",
    budget: "1000",
    why: /no bot\.long/
  },
  {
    bot: "freqtrade",
    what: "futures, by their mode",
    text: trader('"stoploss": -0.05').replace('"spot"', '"futures"'),
    why: /trading_mode is futures/
  },
  {
    bot: "freqtrade",
    what: "a hyperopt result without a sum",
    text: JSON.stringify({ params: { roi: { "0": 0.08 } } }),
    market: "BTC/USDC",
    why: /--budget/
  }
]

const importedFrom = ({ bot, text, market, budget }: Whole) => {
  const file = join(mkdtempSync(join(tmpdir(), "limitbot-whole-")), "theirs.txt")
  writeFileSync(file, text)
  const sum = budget === undefined ? undefined : Decimal.parse(budget)
  return Effect.provide(Importing.strategyText({ bot, file, market, budget: sum }), NodeServices.layer)
}

describe("a whole file of another bot", () => {
  it.effect.each(files)("$bot: $what", (whole) =>
    Effect.gen(function* () {
      const text = yield* importedFrom(whole)
      const lines = text.split("\n").map((line) => line.trim())
      assert.deepStrictEqual(
        whole.lines.filter((line) => !lines.includes(line)),
        [],
        text
      )
      if (whole.says !== undefined) assert.match(text, whole.says)
      const left = lines.flatMap((line) => /^# Not imported: (.*)$/.exec(line)?.slice(1) ?? [])
      if (whole.left?.length === 0) assert.deepStrictEqual(left, [])
      assert.includeMembers(left, [...(whole.left ?? [])])
    })
  )

  it.effect.each(refused)("$bot refuses $what", (whole) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(importedFrom(whole))
      assert.match(message, whole.why)
    })
  )
})
