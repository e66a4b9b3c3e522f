/** The journal as bookings: each adds up to nothing, all together are what the ledger says, and a year begins with its openings. */
import { assert, describe, it } from "@effect/vitest"
import { dayMillis } from "../../src/domain/Durations.ts"
import * as Ledger from "../../src/domain/Ledger.ts"
import * as Entries from "../../src/ledger/Entries.ts"
import * as MoneyOverTime from "../../src/ledger/MoneyOverTime.ts"
import { journal, start } from "./account.ts"

const booked = () => {
  const fold = Entries.make()
  journal.forEach(fold.see)
  return fold.result()
}

const balances = (some: ReadonlyArray<Entries.Booking>) =>
  Entries.balancesOf(some)
    .map(
      ({ account: { kind, place, strategy }, asset, amount }) =>
        `${kind} ${place} ${strategy ?? "-"} ${asset} ${amount}`
    )
    .sort()

describe("bookings", () => {
  it("add up to zero in every asset", () => {
    const bookings = booked()
    for (const { text, postings } of bookings)
      for (const [asset, of] of Map.groupBy(postings, (posting) => posting.asset))
        assert.strictEqual(
          of.reduce((sum, { amount }) => sum + amount, 0n),
          0n,
          `${text} ${asset}`
        )
  })

  it("say what happens to which order", () => {
    const bookings = booked()
    const saidAt = (minute: number) => bookings.find(({ at }) => at === start + minute * 60_000)?.text
    assert.strictEqual(saidAt(1), "budget allotted grid")
    assert.strictEqual(saidAt(12), "deposit seen grid/cell-p1 p1")
    assert.strictEqual(saidAt(23), "paid out grid/cell-p1 p1")
    assert.strictEqual(saidAt(10), undefined, "a plan moves nothing")
    assert.strictEqual(saidAt(1_471), undefined, "the same budget again moves nothing")
    assert.isTrue(
      bookings.every(({ postings }) => postings.length > 1 && postings.every(({ amount }) => amount !== 0n))
    )
  })

  it("give every account the ledger's balance, with single orders in one account", () => {
    const bookings = booked()
    assert.deepStrictEqual(
      balances(bookings),
      [
        "asset wallet grid BTC 600040",
        "asset wallet grid USDC 1445999970",
        "equity capital by hand BTC 199990",
        "equity capital by hand USDC -120000000",
        "equity capital grid BTC -500050",
        "equity capital grid USDC -1500000000",
        "equity traded by hand BTC -200000",
        "equity traded by hand USDC 120000000",
        "equity traded grid BTC -100000",
        "equity traded grid USDC 54000000",
        "expense fees by hand BTC 10",
        "expense fees grid BTC 10",
        "expense fees grid USDC 30"
      ].sort()
    )
  })

  it("name what does not add up as unexplained", () => {
    const lost = Entries.make()
    const about = { strategy: "grid", slot: "a", placement: "p" }
    for (const [index, event] of [
      { _tag: "DepositSeen", ...about, asset: "USDC", total: 1n, fresh: 1n } as const,
      { _tag: "Settled", ...about } as const
    ].entries())
      lost.see({ sequence: index, at: index, event })
    assert.deepStrictEqual(balances(lost.result()), ["asset unexplained - USDC 1", "asset wallet grid USDC -1"])
  })

  it("of a year begin with the opening balance, at its first instant, and end before the next year", () => {
    const bookings = booked()
    const [from, to] = [start + 20 * 60_000, start + 1_454 * 60_000]
    const year = Entries.within(bookings, { from, to })
    const [opening] = year
    assert.deepStrictEqual([opening?.at, opening?.text], [from, "opening balances"])
    assert.deepStrictEqual(opening?.postings, Entries.balancesOf(bookings.filter(({ at }) => at < from)))
    assert.deepStrictEqual(
      year.slice(1),
      bookings.filter(({ at }) => at >= from && at < to)
    )
    assert.strictEqual(year[1]?.at, from)
    assert.isTrue(bookings.some(({ at }) => at === to))
    assert.deepStrictEqual(balances([...year, ...bookings.filter(({ at }) => at >= to)]), balances(bookings))
    assert.deepStrictEqual(Entries.within(bookings, { from: start, to: from })[0], bookings[0], "nothing was before")
  })
})

describe("the money by place at the end of each day", () => {
  const days = (entries: typeof journal) => {
    const books = MoneyOverTime.emptyBooks()
    for (const entry of entries) MoneyOverTime.see(books, entry)
    return MoneyOverTime.result(books)
  }

  it("is the ledger's after the last event of that day that moved money", () => {
    const ledger = Ledger.make()
    const first = journal.filter(({ at }) => at < start + dayMillis)
    for (const { event } of first) Ledger.apply(ledger, event)
    const [one, two, ...more] = days(journal)
    assert.deepStrictEqual(one, { at: start + 37 * 60_000, places: Ledger.totals(ledger) })
    for (const { event } of journal.slice(first.length)) Ledger.apply(ledger, event)
    assert.deepStrictEqual(two, { at: start + 1_472 * 60_000, places: Ledger.totals(ledger) })
    assert.deepStrictEqual(more, [])
  })

  it("is kept for the newest 400 days, in the order of time, whatever the order of the records", () => {
    const allotted = Array.from({ length: 401 }, (_, day) => ({
      sequence: day + 1,
      at: start + day * dayMillis,
      event: { _tag: "BudgetAllotted", strategy: "s", asset: "USDC", amount: BigInt(day + 1) } as const
    }))
    const kept = days(allotted)
    assert.deepStrictEqual([kept.length, kept[0]?.at], [400, start + dayMillis])
    assert.lengthOf(days(allotted.slice(1)), 400)
    const mixed = days([...allotted.slice(200), ...allotted.slice(0, 200)]).map(({ at }) => at)
    assert.deepStrictEqual(
      mixed,
      mixed.toSorted((a, b) => a - b)
    )
  })
})
