/** Books for beancount and hledger, letter by letter: names that these programs accept, prices, and closing balances. */
import { assert, describe, it } from "@effect/vitest"
import type { Booking } from "../../src/ledger/Entries.ts"
import * as PlainText from "../../src/ledger/PlainText.ts"
import type { Trade } from "../../src/ledger/Trades.ts"

const at = (day: number, hour: number) => Date.UTC(2026, 2, day, hour)
const wallet = { kind: "asset", place: "wallet", strategy: "dip buyer" } as const
const capital = { kind: "equity", place: "capital", strategy: "dip buyer" } as const
const fees = { kind: "expense", place: "fees", strategy: "dip buyer" } as const
const inOrder = { kind: "asset", place: "in order", strategy: undefined } as const

/** Not in the order of time, as after a clock that was set back. */
const bookings: ReadonlyArray<Booking> = [
  {
    at: at(2, 5),
    text: 'settled "dip\\buyer"; a|b',
    postings: [
      { account: inOrder, asset: "1INCH", amount: -25n },
      { account: wallet, asset: "1INCH", amount: 20n },
      { account: fees, asset: "1INCH", amount: 5n }
    ]
  },
  {
    at: at(1, 4),
    text: "deposit seen",
    postings: [
      { account: capital, asset: "USDT.e", amount: -1_500_000n },
      { account: wallet, asset: "USDT.e", amount: 1_500_000n },
      { account: capital, asset: "1INCH", amount: -25n },
      { account: inOrder, asset: "1INCH", amount: 25n },
      { account: capital, asset: 'X"', amount: -3n },
      { account: wallet, asset: 'X"', amount: 3n }
    ]
  }
]

const trade = (day: number, hour: number, baseAmount: bigint, quoteAmount: bigint): Trade => ({
  at: at(day, hour),
  strategy: "dip buyer",
  slot: "a",
  placement: "p",
  market: "1INCH/USDT.e",
  base: "1INCH",
  quote: "USDT.e",
  fillId: "f",
  side: "BUY",
  baseAmount,
  quoteAmount
})

const decimals = (symbol: string): number => ({ "1INCH": 1, 'X"': 0 })[symbol] ?? 6
const trades = [trade(1, 1, 10n, 1n), trade(1, 2, 30n, 10_000_000n), trade(2, 3, 0n, 5n)]
const books = { bookings, trades, decimals }

describe("books as plain text", () => {
  it("open accounts on the first day and close on the last one of many bookings", () => {
    const many = Array.from({ length: 200_000 }, (_, index) => ({ at: at(1, 0) + index, text: "x", postings: [] }))
    const all = { ...books, bookings: [...many, ...bookings] }
    assert.include(PlainText.beancount(all), "2026-03-01 open Assets:Limitbot:In-order")
    assert.include(PlainText.hledger(all), "2026-03-02 * closing balances")
  })

  it("for beancount have capital, accounts opened on the first day, and balances the day after", () => {
    assert.strictEqual(
      PlainText.beancount(books),
      `option "title" "limitbot"
2026-03-01 open Assets:Limitbot:In-order
2026-03-01 open Assets:Limitbot:Wallet:Dip-buyer
2026-03-01 open Equity:Limitbot:Capital:Dip-buyer
2026-03-01 open Expenses:Limitbot:Fees:Dip-buyer

2026-03-01 price X1INCH 3.3333333333 USDT-E

2026-03-01 * "deposit seen"
  Equity:Limitbot:Capital:Dip-buyer  -1.5 USDT-E
  Assets:Limitbot:Wallet:Dip-buyer  1.5 USDT-E
  Equity:Limitbot:Capital:Dip-buyer  -2.5 X1INCH
  Assets:Limitbot:In-order  2.5 X1INCH
  Equity:Limitbot:Capital:Dip-buyer  -3 XX
  Assets:Limitbot:Wallet:Dip-buyer  3 XX

2026-03-02 * "settled \\"dip\\\\buyer\\"; a|b"
  Assets:Limitbot:In-order  -2.5 X1INCH
  Assets:Limitbot:Wallet:Dip-buyer  2 X1INCH
  Expenses:Limitbot:Fees:Dip-buyer  0.5 X1INCH

2026-03-03 balance Assets:Limitbot:In-order  0 X1INCH
2026-03-03 balance Assets:Limitbot:Wallet:Dip-buyer  2 X1INCH
2026-03-03 balance Expenses:Limitbot:Fees:Dip-buyer  0.5 X1INCH
2026-03-03 balance Equity:Limitbot:Capital:Dip-buyer  -1.5 USDT-E
2026-03-03 balance Assets:Limitbot:Wallet:Dip-buyer  1.5 USDT-E
2026-03-03 balance Equity:Limitbot:Capital:Dip-buyer  -2.5 X1INCH
2026-03-03 balance Equity:Limitbot:Capital:Dip-buyer  -3 XX
2026-03-03 balance Assets:Limitbot:Wallet:Dip-buyer  3 XX
`
    )
  })

  it("for hledger have commodities with decimals, odd ones in quotes, and assertions on the last day", () => {
    assert.strictEqual(
      PlainText.hledger(books),
      `; limitbot
commodity 1.0 "1INCH"
commodity 1.000000 "USDT.e"
commodity 1.0 "X"
account assets:limitbot:in-order
account assets:limitbot:wallet:dip-buyer
account equity:limitbot:capital:dip-buyer
account expenses:limitbot:fees:dip-buyer

P 2026-03-01 "1INCH" 3.3333333333 "USDT.e"

2026-03-01 * deposit seen
    equity:limitbot:capital:dip-buyer  -1.5 "USDT.e"
    assets:limitbot:wallet:dip-buyer  1.5 "USDT.e"
    equity:limitbot:capital:dip-buyer  -2.5 "1INCH"
    assets:limitbot:in-order  2.5 "1INCH"
    equity:limitbot:capital:dip-buyer  -3 "X"
    assets:limitbot:wallet:dip-buyer  3 "X"

2026-03-02 * settled "dip\\buyer"  a b
    assets:limitbot:in-order  -2.5 "1INCH"
    assets:limitbot:wallet:dip-buyer  2 "1INCH"
    expenses:limitbot:fees:dip-buyer  0.5 "1INCH"

2026-03-02 * closing balances
    assets:limitbot:in-order  0 "1INCH" = 0 "1INCH"
    assets:limitbot:wallet:dip-buyer  0 "1INCH" = 2 "1INCH"
    expenses:limitbot:fees:dip-buyer  0 "1INCH" = 0.5 "1INCH"
    equity:limitbot:capital:dip-buyer  0 "USDT.e" = -1.5 "USDT.e"
    assets:limitbot:wallet:dip-buyer  0 "USDT.e" = 1.5 "USDT.e"
    equity:limitbot:capital:dip-buyer  0 "1INCH" = -2.5 "1INCH"
    equity:limitbot:capital:dip-buyer  0 "X" = -3 "X"
    assets:limitbot:wallet:dip-buyer  0 "X" = 3 "X"
`
    )
  })

  it("name a commodity of one letter, or of too many, as beancount requires", () => {
    const named = (asset: string) =>
      /price (\S+) /.exec(PlainText.beancount({ ...books, trades: [{ ...trade(1, 1, 10n, 1n), base: asset }] }))?.[1]
    assert.strictEqual(named("S"), "SX")
    assert.strictEqual(named("SOL"), "SOL")
    assert.strictEqual(named("sol-"), "SOLX")
    assert.strictEqual(named("averyverylongnameofacoin1"), "AVERYVERYLONGNAMEOFACOIN")
  })
})

describe("names in plain text", () => {
  const owned = (strategy: string, asset: string, amount: bigint): Booking => ({
    at: at(1, 1),
    text: "deposit seen",
    postings: [
      { account: { ...capital, strategy }, asset, amount: -amount },
      { account: { ...wallet, strategy }, asset, amount }
    ]
  })
  const odd = [
    owned("by hand", "USDt", 1n),
    owned("by-hand", "USDT", 2n),
    owned("By hand", "USD-T", 3n),
    owned("by.hand", "X", 4n)
  ]

  it("are one-to-one: no two strategies or symbols share one, for either program", () => {
    for (const render of [PlainText.beancount, PlainText.hledger]) {
      const text = render({ bookings: [...odd, owned("by hand", 'X"', 5n)], trades: [], decimals: () => 0 })
      const wallets = new Set([...text.matchAll(/^ +(\S+:[Ww]allet:\S+) {2}/gm)].map(([, account]) => account))
      const symbols = new Set([...text.matchAll(/^ +\S+:[Ww]allet:\S+ {2}\d+ (\S+)$/gm)].map(([, symbol]) => symbol))
      assert.strictEqual(wallets.size, 4, text)
      assert.strictEqual(symbols.size, 5, text)
    }
    assert.match(
      PlainText.beancount({ bookings: odd, trades: [], decimals: () => 0 }),
      /Assets:Limitbot:Wallet:By-hand {2}2 USDT$/m
    )
  })

  it("have balances with a tolerance if these have more digits than beancount adds", () => {
    const many = [owned("near", "wNEAR", 10n ** 30n + 1n), owned("near", "wNEAR", 1n)]
    const text = PlainText.beancount({ bookings: many, trades: [], decimals: () => 24 })
    assert.match(text, /balance Assets:\S+ {2}1000000\.000000000000000000000002 ~ 0\.000000000000000000002 WNEAR/)
    assert.notInclude(PlainText.beancount({ bookings: odd, trades: [], decimals: () => 0 }), "~")
  })
})
