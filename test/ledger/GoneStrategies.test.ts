/**
 * A strategy whose file was taken away, or which a start did not load: what it had free is back in the account, and every
 * surface says so alike, whenever that happens in the life of its orders. Whatever it earned stays what it earned.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import * as Ledger from "../../src/domain/Ledger.ts"
import * as Entries from "../../src/ledger/Entries.ts"
import * as MoneyOverTime from "../../src/ledger/MoneyOverTime.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as Money from "../../src/report/text/Money.ts"
import { decimals, journal, start } from "./account.ts"

const strategy = "grid"
const other = "other"
const started: BotEvent = { _tag: "BotStarted", pid: 1, version: "1", mode: "live", account: "a", venue: "v" }
const loaded = (name: string): BotEvent => ({
  _tag: "StrategyLoaded",
  strategy: name,
  file: `${name}.yaml`,
  kind: "grid",
  market: "BTC/USDC, ETH/USDC",
  hash: name
})
const removed: BotEvent = { _tag: "StrategyRemoved", strategy, orders: "drained" }
const given: BotEvent = { _tag: "BudgetAllotted", strategy: other, asset: "USDC", amount: 7_000_000n }

/** The small account, and beside it a strategy that only has its budget. */
const life: ReadonlyArray<Recorded> = [
  ...[started, loaded(strategy), loaded(other), given].map((event) => ({ at: start, event })),
  ...journal
].map((entry, index) => ({ ...entry, sequence: index + 1 }))
const begun = 4

/** These events happen at once, directly before the event of this index. */
const inserted = (events: ReadonlyArray<Recorded>, index: number, ...extra: ReadonlyArray<BotEvent>) => [
  ...events.slice(0, index),
  ...extra.map((event) => ({ sequence: 0, at: (events[index - 1]?.at ?? start) + 1, event })),
  ...events.slice(index)
]

const surfaces = (events: ReadonlyArray<Recorded>) => {
  const [ledger, entries, overTime, trades] = [
    Ledger.make(),
    Entries.make(),
    MoneyOverTime.emptyBooks(),
    Trades.make(decimals)
  ]
  for (const entry of events) {
    Ledger.apply(ledger, entry.event)
    MoneyOverTime.see(overTime, entry)
    for (const fold of [entries, trades]) fold.see(entry)
  }
  const [bookings, trading] = [entries.result(), trades.result()]
  return { ledger, bookings, trading, places: MoneyOverTime.result(overTime).at(-1)?.places ?? [] }
}

const summed = (rows: ReadonlyArray<readonly [string, bigint]>): Readonly<Record<string, bigint>> => {
  const sums = new Map<string, bigint>()
  for (const [key, amount] of rows) sums.set(key, (sums.get(key) ?? 0n) + amount)
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n).sort())
}

const capitalInFlows = ({ trading }: ReturnType<typeof surfaces>) =>
  summed(trading.flows.map((flow) => [`${flow.strategy} ${flow.asset}`, flow.amount] as const))
const capitalInBooks = ({ bookings }: ReturnType<typeof surfaces>) =>
  summed(
    Entries.balancesOf(bookings).flatMap(({ account: { place, strategy: owner = "" }, asset, amount }) =>
      place === "capital" && owner !== "by hand" ? [[`${owner} ${asset}`, -amount] as const] : []
    )
  )
const moneyInBooks = ({ bookings }: ReturnType<typeof surfaces>) =>
  summed(
    Entries.balancesOf(bookings).flatMap(({ account: { kind }, asset, amount }) =>
      kind === "asset" ? [[asset, amount] as const] : []
    )
  )
const moneyIn = (rows: ReadonlyArray<Ledger.PlaceBalance>) =>
  summed(
    rows.flatMap(({ asset, place, amount }) => (place === "fees" || place === "lost" ? [] : [[asset, amount] as const]))
  )
const earnedIn = ({ trading }: ReturnType<typeof surfaces>) => {
  const mark = Profit.markBy(trading.lastPrices, decimals)
  return Profit.report(trading, { method: "average", mark, now: start }).map(
    ({ quote, figures: { flows: _, ...own } }) => [quote, own]
  )
}

/** All that the surfaces say of capital and money, which must be one thing. */
const agree = (events: ReadonlyArray<Recorded>, what: string) => {
  const all = surfaces(events)
  assert.deepStrictEqual(capitalInFlows(all), capitalInBooks(all), `${what}: flows.csv and profit against the books`)
  assert.deepStrictEqual(moneyInBooks(all), moneyIn(Ledger.totals(all.ledger)), `${what}: the books against money`)
  assert.deepStrictEqual(all.places, Ledger.totals(all.ledger), `${what}: money over time`)
  for (const { text, postings } of all.bookings) {
    assert.isAbove(postings.length, 1, text)
    assert.deepStrictEqual(summed(postings.map(({ asset, amount }) => [asset, amount] as const)), {}, text)
  }
  return all
}

/** Without its end, at any moment. */
const whole = agree(life, "whole")
const ends = [
  ["its file is removed", [removed]],
  ["a start does not load it", [started, loaded(other)]]
] as const

describe("a strategy that no longer runs", () => {
  it.each(ends)("returns what it has, in all books alike, at every time: %s", (_, end) => {
    for (let index = begun + 1; index <= life.length; index += 1) {
      const gone = agree(inserted(life, index, ...end), `before ${index}`)
      assert.deepStrictEqual(earnedIn(gone), earnedIn(whole), `before ${index}: what was earned stays`)
      const free = [...gone.ledger.balances.values()].filter(
        ({ entry }) => entry.owner === strategy && (entry.account === "wallet" || entry.account === "dust")
      )
      assert.deepStrictEqual(free, [], `before ${index}: nothing is free of it`)
      assert.strictEqual(Ledger.freeOf(gone.ledger, other, "USDC"), 7_000_000n)
    }
  })

  it.each(ends)("has all of it again when it is loaded again, without new capital: %s", (_, end) => {
    for (let index = begun + 1; index < life.length; index += 3) {
      const gone = inserted(life, index, ...end)
      for (let until = index + end.length; until <= gone.length; until += 5) {
        const again = agree(inserted(gone, until, loaded(strategy)), `${index} to ${until}`)
        assert.deepStrictEqual(again.ledger.balances, whole.ledger.balances)
        assert.deepStrictEqual(capitalInFlows(again), capitalInFlows(whole))
        assert.deepStrictEqual(earnedIn(again), earnedIn(whole))
        const isNew = ({ isReturn }: { readonly isReturn?: true }) => isReturn !== true
        assert.deepStrictEqual(again.trading.flows.filter(isNew).length, whole.trading.flows.length)
      }
    }
  })

  it("moves nothing if a start loads it again", () => {
    const all = agree(inserted(life, 30, started, loaded(strategy), loaded(other)), "restarted")
    assert.deepStrictEqual(all.bookings, whole.bookings)
    assert.deepStrictEqual(all.trading.flows, whole.trading.flows)
  })

  it("returns what it has left, not its former budget, and the table of money says so", () => {
    const gone = agree(inserted(life, life.length, removed), "at the end")
    assert.deepStrictEqual(
      gone.trading.flows.filter(({ isReturn }) => isReturn === true).map(({ asset, amount }) => `${asset} ${amount}`),
      ["USDC -1445999970", "BTC -600040"]
    )
    assert.deepStrictEqual(
      Ledger.givenBack(gone.ledger).map(({ asset, amount }) => `${asset} ${amount}`),
      ["USDC 1445999970", "BTC 600040"]
    )
    const assets = new Map(
      ["BTC", "USDC"].map((symbol) => [symbol, { symbol, id: symbol, decimals: decimals(symbol) }])
    )
    const [total, words] = Money.table(gone.ledger, assets).slice(-2)
    assert.match(total ?? "", /^total after fees +0 +7$/)
    assert.strictEqual(
      words,
      "Not counted: 0.0060004 BTC, 1445.99997 USDC that grid returned to the account; it is not running"
    )
    assert.isFalse(Ledger.places.some((place) => Ledger.isGivenBack(place)))
  })
})
