/**
 * Orders that were reported as ended and live on: whatever their first lives booked counts no longer, on any surface. Every surface
 * adds up to the ledger, to the unit.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent, Of, Recorded } from "../../src/domain/BotEvent.ts"
import { dayMillis } from "../../src/domain/Durations.ts"
import * as Ledger from "../../src/domain/Ledger.ts"
import * as Seeded from "../../src/domain/Seeded.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import * as Entries from "../../src/ledger/Entries.ts"
import * as PlainText from "../../src/ledger/PlainText.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import type { TradingRecord } from "../../src/ledger/Trades.ts"
import * as Tables from "../../src/ledger/tables/Tables.ts"
import * as TaxServices from "../../src/ledger/tables/TaxServices.ts"
import { filledOrders, fillRows } from "../../src/views/Fills.ts"
import * as AccountBooks from "../../src/views/profit/AccountBooks.ts"
import * as RunningProfit from "../../src/views/profit/RunningProfit.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const start = 1_700_000_000_000
const forEver = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
const decimals = (symbol: string) => (symbol === "BTC" ? 8 : 6)
const assets = new Map(["BTC", "USDC"].map((symbol) => [symbol, { symbol, id: symbol, decimals: decimals(symbol) }]))

const sum = <A>(all: Iterable<A>, of: (each: A) => bigint): bigint =>
  [...all].reduce((total, each) => total + of(each), 0n)

const isOf =
  <T extends BotEvent["_tag"]>(tag: T) =>
  (event: BotEvent): event is Of<T> =>
    event._tag === tag

const takenBack = (life: ReadonlyArray<BotEvent>): ReadonlyArray<BotEvent> => {
  const [planned, deposit] = [life.find(isOf("Planned")), life.find(isOf("DepositSeen"))]
  if (planned === undefined || deposit === undefined) return []
  const { _tag: _, quantity: __, why: ___, ...terms } = planned
  const slices = Map.groupBy(life.filter(isOf("FillSeen")), ({ fillId }) => fillId)
  const fills = [...slices].map(([fillId, all]) => ({
    fillId,
    amountIn: sum(all, ({ amountIn }) => amountIn),
    amountOut: sum(all, ({ amountOut }) => amountOut)
  }))
  const booked = {
    deposited: deposit.total,
    estimatedWithdrawFee: 10n,
    estimatedRefundFee: 10n,
    ended: "FILLED",
    fills
  }
  const fees = { payoutFee: life.find(isOf("PaidOut"))?.fee ?? 0n, refundFee: life.find(isOf("Refunded"))?.fee ?? 0n }
  return [{ _tag: "TakenBack", ...terms, orderId: "o", ...booked, ...fees }]
}

/** The end of an order with smaller fills than before. */
const endAgain = (life: ReadonlyArray<BotEvent>, part: bigint): ReadonlyArray<BotEvent> => {
  const end = life.slice(life.findIndex((event) => event._tag === "FillSeen" || event._tag === "Closed"))
  const less = (amount: bigint) => (amount * part) / 100n
  return end.flatMap((event): ReadonlyArray<BotEvent> => {
    if (event._tag === "FillSeen") {
      const [amountIn, amountOut] = [less(event.amountIn), less(event.amountOut)]
      return [{ ...event, amountIn, amountOut }]
    }
    if (event._tag === "Closed" && event.status === "FILLED")
      return [{ ...event, unspent: event.unspent + 120_000_000n - less(120_000_000n) }]
    if (event._tag === "PayoutStarted") return [{ ...event, amount: less(event.amount) }]
    if (event._tag === "PaidOut") {
      const { _tag: _, amount: __, fee: ___, asset: ____, ...about } = event
      const back = 120_000_000n - less(120_000_000n)
      const refund: ReadonlyArray<BotEvent> =
        back === 0n ? [] : [{ _tag: "Refunded", ...about, asset: "USDC", amount: back - 7n, fee: 7n }]
      return [{ ...event, amount: less(200_000n) - event.fee }, ...refund]
    }
    return [event]
  })
}

/** A fill that is recorded when it is half, and again when it is whole. */
const grown = (event: BotEvent): ReadonlyArray<BotEvent> => {
  if (event._tag !== "FillSeen") return [event]
  const [amountIn, amountOut] = [event.amountIn / 2n, event.amountOut / 2n]
  const rest = { amountIn: event.amountIn - amountIn, amountOut: event.amountOut - amountOut }
  return [
    { ...event, amountIn, amountOut },
    { ...event, ...rest, filledAt: event.filledAt + 1 }
  ]
}

/** Every third order lives on after some of its events, and some of these twice. */
const history = (seed: number, orders: number): ReadonlyArray<Recorded> => {
  const draw = Seeded.seeded(seed)
  const late: Array<{ readonly due: number; readonly events: ReadonlyArray<BotEvent> }> = []
  const events = Array.from({ length: orders }, (_, index) => index + 1).flatMap((number) => {
    const life = orderOf(number).flatMap((event) => (draw() < 0.5 ? grown(event) : [event]))
    const due = late.filter((each) => each.due === number).flatMap((each) => each.events)
    const isPaid = life.some(isOf("DepositSeen"))
    if (!isPaid || draw() < 0.6) return [...due, ...life]
    const endsAt = life.findIndex((event) => event._tag === "FillSeen" || event._tag === "Closed")
    const until = endsAt + Math.floor(draw() * (life.length - endsAt + 1))
    const first = life.slice(0, until)
    const part = draw() < 0.5 ? 100n : BigInt(1 + Math.floor(draw() * 99))
    const second = [...takenBack(first), ...endAgain(life, part)]
    const again = draw() < 0.3 ? [...takenBack([...life.slice(0, endsAt), ...second]), ...endAgain(life, 100n)] : []
    const rest = [...second, ...again]
    if (draw() < 0.5) return [...due, ...first, ...rest]
    late.push({ due: number + 1 + Math.floor(draw() * 30), events: rest })
    return [...due, ...first]
  })
  return [...begin, ...events].map((event, index) => ({ sequence: index + 1, at: start + index * 60_000, event }))
}

const units = (text: string | null, asset: string): bigint => {
  const [whole = "0", part = ""] = (text ?? "0").split(".")
  return BigInt(whole + part.padEnd(decimals(asset), "0"))
}

/** Net amounts by which fills and fees changed each asset, as one surface says. */
type Sums = Readonly<Record<"btc" | "usdc" | "btcFees" | "usdcFees", bigint>>

const ofLedger = (entries: ReadonlyArray<Recorded>): Sums => {
  const ledger = Ledger.make()
  for (const { event } of entries) Ledger.apply(ledger, event)
  const of = (asset: string, account: string) =>
    sum(ledger.balances.values(), (each) =>
      each.entry.asset === asset && each.entry.account === account ? each.amount : 0n
    )
  return {
    btc: -of("BTC", "traded"),
    usdc: -of("USDC", "traded"),
    btcFees: of("BTC", "fees"),
    usdcFees: of("USDC", "fees")
  }
}

const ofEntries = (entries: ReadonlyArray<Recorded>): Sums => {
  const books = Entries.make()
  entries.forEach(books.see)
  const bookings = books.result()
  for (const { postings } of bookings)
    for (const [, all] of Map.groupBy(postings, ({ asset }) => asset))
      assert.strictEqual(
        sum(all, ({ amount }) => amount),
        0n
      )
  const balances = Entries.balancesOf(bookings)
  const of = (asset: string, place: string) =>
    sum(balances, (each) => (each.asset === asset && each.account.place === place ? each.amount : 0n))
  return {
    btc: -of("BTC", "traded"),
    usdc: -of("USDC", "traded"),
    btcFees: of("BTC", "fees"),
    usdcFees: of("USDC", "fees")
  }
}

const ofRows = (
  rows: ReadonlyArray<{
    readonly side: string
    readonly base: bigint
    readonly quote: bigint
    readonly btcFee: bigint
    readonly usdcFee: bigint
  }>
): Sums => ({
  btc: sum(rows, ({ base, side }) => (side === "BUY" ? base : -base)),
  usdc: sum(rows, ({ quote, side }) => (side === "BUY" ? -quote : quote)),
  btcFees: sum(rows, ({ btcFee }) => btcFee),
  usdcFees: sum(rows, ({ usdcFee }) => usdcFee)
})

const ofCsv = (trading: TradingRecord): Sums => {
  const tables = new Map(
    Tables.tablesOf(trading, { decimals, method: "fifo", span: forEver }).map((table) => [
      table.name,
      table.rows.map((row) => Object.fromEntries(table.titles.map((title, index) => [title, row[index] ?? ""])))
    ])
  )
  const fees = tables.get("fees") ?? []
  const of = (asset: string) => sum(fees, (row) => (row["asset"] === asset ? units(row["fee"] ?? "", asset) : 0n))
  const fills = (tables.get("fills") ?? []).map((row) => ({
    side: row["side"] ?? "",
    base: units(row["quantity"] ?? "", "BTC"),
    quote: units(row["value"] ?? "", "USDC"),
    btcFee: 0n,
    usdcFee: 0n
  }))
  return { ...ofRows(fills), btcFees: of("BTC"), usdcFees: of("USDC") }
}

const ofKoinly = (trading: TradingRecord): Sums => {
  const { rows } = TaxServices.tableOf("koinly", trading, { decimals, span: forEver })
  const of = (label: string, amountAt: number, assetAt: number, asset: string) =>
    sum(rows, (row) => (row[9] === label && row[assetAt] === asset ? units(row[amountAt] ?? "", asset) : 0n))
  const traded = (asset: string) => of("", 3, 4, asset) - of("", 1, 2, asset)
  return {
    btc: traded("BTC"),
    usdc: traded("USDC"),
    btcFees: of("cost", 1, 2, "BTC"),
    usdcFees: of("cost", 1, 2, "USDC")
  }
}

const booksOf = (entries: ReadonlyArray<Recorded>) => {
  const books = AccountBooks.make()
  AccountBooks.see(books, entries)
  return { all: AccountBooks.ofAccount(books, decimals), trading: AccountBooks.ofStrategies(books, decimals) }
}

describe("orders that are taken back", () => {
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

  it.each(seeds)("count once in the ledger, `fills`, the exports and `fees` (seed %i)", (seed) => {
    const entries = history(seed, 150)
    assert.isAbove(entries.filter(({ event }) => event._tag === "TakenBack").length, 20)
    const { all, trading } = booksOf(entries)
    const expected = ofLedger(entries)
    const feesOf = (asset: string) => sum(all.fees, (fee) => (fee.asset === asset ? fee.amount : 0n))
    const fees = { btcFees: feesOf("BTC"), usdcFees: feesOf("USDC") }
    assert.deepStrictEqual(ofEntries(entries), expected)
    assert.deepStrictEqual(ofCsv(all), expected)
    assert.deepStrictEqual(ofKoinly(all), expected)
    const payoutFees = sum(all.fees, ({ amount, kind }) => (kind === "payout" ? amount : 0n))
    const gridProfit = Profit.gridProfitByFill(trading)
    const orders = filledOrders(all.trades, all, gridProfit, assets)
    const ofOrders = orders.map(({ fee, paid, received, side }) => ({
      side,
      base: units(received, "BTC"),
      quote: units(paid, "USDC"),
      btcFee: units(fee, "BTC"),
      usdcFee: 0n
    }))
    assert.deepStrictEqual({ ...ofRows(ofOrders), ...fees }, expected)
    assert.strictEqual(ofRows(ofOrders).btcFees, payoutFees)
    const rows = fillRows(all.trades, all, gridProfit, assets)
    const ofFills = rows.map(({ paid, received, side }) => ({
      side,
      base: units(received, "BTC"),
      quote: units(paid, "USDC"),
      btcFee: 0n,
      usdcFee: 0n
    }))
    assert.deepStrictEqual({ ...ofRows(ofFills), ...fees }, expected)
    assert.include(PlainText.hledger({ bookings: [], trades: all.trades, decimals }), "; limitbot")
  })

  it.each(seeds)(
    "count once in `profit` and `status`, which agree with each other and with `fills` (seed %i)",
    (seed) => {
      const entries = history(seed, 150)
      const { trading } = booksOf(entries)
      const now = start + 30 * dayMillis
      const mark = Profit.markBy(trading.lastPrices, decimals)
      const report = Profit.report(trading, { method: "average", mark, now })
      for (const kept of [10, 500, Number.POSITIVE_INFINITY]) {
        let running = RunningProfit.make(kept)
        for (let index = 0; index < entries.length; index += 37)
          RunningProfit.see(running, entries.slice(index, index + 37))
        if (!running.isExact) {
          running = RunningProfit.make(Number.POSITIVE_INFINITY)
          RunningProfit.see(running, entries)
          assert.isTrue(running.isExact)
        }
        const live = Profit.grouped(RunningProfit.items(running, mark, now), undefined)
        assert.deepStrictEqual(live, report)
      }
      const [row] = report
      if (row === undefined) return assert.fail("no profit")
      const { btcFees, usdcFees, btc, usdc } = ofLedger(entries)
      const value = mark("BTC/USDC", "BTC", "USDC", btc - btcFees) ?? 0n
      assert.strictEqual(row.figures.total, usdc - usdcFees + value)
      const ofFills = sum(Profit.gridProfitByFill(trading).values(), (amount) => amount)
      assert.strictEqual(ofFills, row.figures.gridProfit)
    }
  )

  it.each(seeds)("count once in the position and the number of fills of the running bot (seed %i)", (seed) => {
    const entries = history(seed, 150)
    const state = BotState.make()
    for (const entry of entries) BotState.apply(state, entry)
    const { all } = booksOf(entries)
    assert.strictEqual(state.fills, all.trades.length)
    const position = state.strategies.get("grid")?.trading.get("BTC/USDC")?.position
    const { btc, btcFees, usdc, usdcFees } = ofLedger(entries)
    if (position === undefined) return assert.fail("no position")
    const { basis, dust } = position
    assert.strictEqual(basis.position + dust.base, btc - btcFees)
    assert.strictEqual(basis.realised - basis.cost - dust.cost, usdc - usdcFees)
  })
})
