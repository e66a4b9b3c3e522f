/**
 * What a slot earned is what it bought and sold itself; what the inventory did stands apart, and both less the fees are the
 * total, to the smallest unit.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Seeded from "../../src/domain/Seeded.ts"
import { methods } from "../../src/ledger/Lots.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Rounds from "../../src/ledger/Rounds.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import { slotEarned } from "../../src/views/profit/LiveProfit.ts"
import { price } from "../strategy/support.ts"
import { decimals } from "./account.ts"

const start = 1_700_000_000_000

interface Order {
  readonly strategy: string
  readonly slot: string
  readonly side: "BUY" | "SELL"
  readonly base: bigint
  readonly quote: bigint
  readonly fee?: bigint
  /** The leg goes on with another order. */
  readonly isPart?: boolean
}

const eventsOf = ({ strategy, slot, side, base, quote, fee = 0n, isPart = false }: Order, index: number) => {
  const of = { strategy, slot, placement: `p${index}` }
  const [inputAsset, amountIn, outputAsset, amountOut] =
    side === "BUY" ? (["USDC", quote, "BTC", base] as const) : (["BTC", base, "USDC", quote] as const)
  const at = start + index * 60_000
  const terms = { inputAsset, inputAmount: amountIn, outputAsset, outputAmount: amountOut, price: price("60000") }
  const events: ReadonlyArray<BotEvent> = [
    {
      _tag: "Planned",
      ...of,
      ...terms,
      market: "BTC/USDC",
      side,
      quantity: base,
      deadline: at + 1,
      why: { code: "cell", text: "" }
    },
    {
      _tag: "FillSeen",
      ...of,
      fillId: "f",
      side,
      price: price("60000"),
      inputAsset,
      amountIn,
      outputAsset,
      amountOut,
      filledAt: at
    },
    { _tag: "Closed", ...of, status: isPart ? "CANCELED" : "FILLED", inputAsset, unspent: 0n },
    { _tag: "PaidOut", ...of, asset: outputAsset, amount: amountOut - fee, fee, txHashes: [] }
  ]
  return events
}

const loaded = (strategy: string, kind: string): BotEvent => ({
  _tag: "StrategyLoaded",
  strategy,
  file: "a.yaml",
  kind,
  market: "BTC/USDC",
  hash: "a"
})

const tradingOf = (kinds: Readonly<Record<string, string>>, orders: ReadonlyArray<Order>): Trades.TradingRecord => {
  const fold = Trades.make(decimals)
  const events = [...Object.entries(kinds).map(([name, kind]) => loaded(name, kind)), ...orders.flatMap(eventsOf)]
  for (const [index, event] of events.entries()) fold.see({ sequence: index + 1, at: start + index, event })
  return fold.result()
}

const markAt = (at: string): Profit.Mark =>
  Profit.markBy(new Map([["BTC/USDC", { price: price(at), at: 0 }]]), decimals)
const rowsBy = (trading: Trades.TradingRecord, mark: Profit.Mark, by?: Profit.Grouping) =>
  Profit.report(trading, { method: "average", mark, now: start, ...(by === undefined ? {} : { by }) })

describe("the grid profit of a slot", () => {
  const size = 418_290n
  const [bought, sold] = [243_304_780n, 243_791_417n]
  const cell = (side: "BUY" | "SELL", quote: bigint) => ({ strategy: "grid", slot: "cell-07", side, base: size, quote })
  const seed = { strategy: "grid", slot: "cell-30", side: "SELL", base: 3n * size, quote: 720_000_000n } as const

  it("is positive after a cell buys at 58,166.53 and sells at 58,282.87, whatever other cells have sold", () => {
    const rounds = [1, 2, 3].flatMap(() => [cell("BUY", bought), cell("SELL", sold)])
    const trading = tradingOf({ grid: "grid" }, [seed, ...rounds])
    const rows = new Map(rowsBy(trading, markAt("58000"), "slot").map(({ group, figures }) => [group, figures]))
    const own = rows.get("grid/cell-07")
    assert.strictEqual(own?.gridProfit, 1_459_911n)
    assert.strictEqual(own?.inventory, 0n)
    assert.strictEqual(own?.rounds, 3)
    assert.strictEqual(own?.total, 1_459_911n)
    assert.strictEqual(rows.get("grid/cell-30")?.gridProfit, 0n)
    assert.strictEqual(rows.get("grid/cell-30")?.rounds, 0)
    assert.strictEqual(rows.get("grid/cell-30")?.inventory, 720_000_000n - 727_824_600n)
    // By average cost over the strategy the same sales close the other cell's, which were made dearer or cheaper.
    assert.isTrue((own?.realised ?? 0n) < 0n)
  })

  it("counts quote by which a fill grew without base", () => {
    const grown = { base: 0n, isPart: true }
    const trading = tradingOf({ grid: "grid" }, [
      cell("BUY", bought - 3n),
      { ...cell("BUY", 3n), ...grown },
      cell("SELL", sold - 5n),
      { ...cell("SELL", 5n), ...grown }
    ])
    const [row] = rowsBy(trading, markAt("58000"))
    assert.strictEqual(row?.figures.gridProfit, sold - bought)
    assert.strictEqual(row?.figures.realised, sold - bought)
    assert.strictEqual(row?.figures.total, sold - bought)
  })

  it("counts a leg that ends over several orders once, and an open leg not at all", () => {
    const half = { ...cell("BUY", bought / 2n), base: size / 2n }
    const trading = tradingOf({ grid: "grid" }, [
      { ...half, isPart: true },
      half,
      cell("SELL", sold),
      cell("BUY", bought)
    ])
    const [row] = rowsBy(trading, markAt("58000"))
    assert.strictEqual(row?.figures.rounds, 1)
    assert.strictEqual(row?.figures.gridProfit, sold - bought)
  })

  it("ends a round with a leg that is closed because too little remains for an order", () => {
    const fold = Trades.make(decimals)
    const closed: BotEvent = {
      _tag: "LegClosed",
      strategy: "grid",
      slot: "cell-07",
      side: "SELL",
      asset: "BTC",
      rest: 1n,
      reason: "too little"
    }
    const sale = eventsOf({ ...cell("SELL", sold), base: size - 1n, isPart: true }, 1)
    const events = [closed, loaded("grid", "grid"), ...eventsOf(cell("BUY", bought), 0), ...sale, closed]
    for (const [index, event] of events.entries()) fold.see({ sequence: index + 1, at: start + index, event })
    assert.strictEqual(fold.result().rounds.length, 1)
  })

  it("keeps what a leg leaves unsold at its cost until the dust slot sells it, and opens no short position", () => {
    const fold = Trades.make(decimals)
    const closed = { _tag: "LegClosed", strategy: "grid", slot: "cell-07", side: "SELL", asset: "BTC" } as const
    const sale = { strategy: "grid", slot: "cell-07", side: "SELL", base: 900n, quote: 1_080n, isPart: true } as const
    const events = [
      [loaded("grid", "grid"), ...eventsOf({ ...sale, side: "BUY", base: 1_000n, quote: 1_000n, isPart: false }, 0)],
      [...eventsOf(sale, 1), { ...closed, rest: 100n, reason: "too little" }],
      eventsOf({ ...sale, side: "BUY", base: 1_000n, quote: 3_000n, isPart: false }, 2),
      eventsOf({ ...sale, slot: "dust:BTC", base: 100n, quote: 150n }, 3)
    ].flatMap((ofOrder, index) => ofOrder.map((event) => ({ at: start + index * 60_000, event })))
    for (const [index, entry] of events.entries()) fold.see({ sequence: index + 1, ...entry })
    const trading = fold.result()
    const rows = new Map(rowsBy(trading, markAt("300"), "slot").map(({ group, figures }) => [group, figures]))
    assert.deepStrictEqual(
      [...rows].map(([group, { gridProfit, inventory }]) => [group, gridProfit, inventory]),
      [
        ["grid/cell-07", 1_080n - 900n, 0n],
        ["grid/dust:BTC", 150n - 100n, 0n]
      ]
    )
    const earned = [...Profit.gridProfitByFill(trading).values()]
    assert.deepStrictEqual(earned, [180n, 50n])
  })

  it("counts what one slot buys and sells in any kind of strategy, and nothing across slots", () => {
    const roundsOf = (...orders: ReadonlyArray<ReturnType<typeof cell>>) =>
      tradingOf(
        { own: "./own.ts" },
        orders.map((order) => ({ ...order, strategy: "own" }))
      ).rounds.length
    const [buy, sell] = [cell("BUY", bought), cell("SELL", sold)]
    assert.strictEqual(roundsOf(buy, sell, buy, sell, buy), 2)
    assert.strictEqual(roundsOf(sell, buy), 1)
    assert.strictEqual(roundsOf(buy, buy, sell, buy), 1)
    assert.strictEqual(roundsOf({ ...buy, slot: "in" }, { ...sell, slot: "out" }), 0)
  })

  it("is zero for a cell that has only bought, even if a fee in base took a part of it", () => {
    const only = tradingOf({ grid: "grid" }, [{ ...cell("BUY", bought), fee: 35n }])
    const [row] = rowsBy(only, markAt("58000"), "slot")
    if (row === undefined) return assert.fail("no row")
    const { fees, gridProfit, inventory, total } = row.figures
    assert.strictEqual(gridProfit, 0n)
    assert.strictEqual(slotEarned(row), undefined)
    // What is held less what was paid, and nothing twice.
    assert.strictEqual(total, (58_000n * (size - 35n)) / 100n - bought)
    assert.strictEqual(inventory - fees, total)
    const round = tradingOf({ grid: "grid" }, [
      { ...cell("BUY", bought), fee: 35n },
      { ...cell("SELL", sold), base: size - 35n }
    ])
    const [closed] = rowsBy(round, markAt("58000"), "slot")
    assert.deepInclude(closed?.figures, { inventory: 0n, total: sold - bought, rounds: 1 })
  })

  it("of an exit in another slot is its proceeds over the cost of the first purchases", () => {
    const order = (slot: string, side: "BUY" | "SELL", quote: bigint) => ({
      strategy: "deal",
      slot,
      side,
      base: 100_000n,
      quote
    })
    const trading = tradingOf({ deal: "deals" }, [
      order("base", "BUY", 60_000_000n),
      order("safety-01", "BUY", 58_000_000n),
      order("exit", "SELL", 61_000_000n)
    ])
    const [row] = rowsBy(trading, markAt("60000"))
    assert.strictEqual(row?.figures.gridProfit, 1_000_000n)
    assert.strictEqual(row?.figures.inventory, 2_000_000n)
    const slots = rowsBy(trading, markAt("60000"), "slot").map(({ group, figures }) => [
      group,
      figures.gridProfit,
      figures.inventory
    ])
    assert.deepStrictEqual(slots, [
      ["deal/base", 0n, 0n],
      ["deal/exit", 1_000_000n, 0n],
      ["deal/safety-01", 0n, 2_000_000n]
    ])
  })

  it("of the sale at a grid's end is its proceeds over the cost of all cells, which are then empty", () => {
    const order = (slot: string, side: "BUY" | "SELL", quote: bigint, base = 100_000n) => ({
      strategy: "grid",
      slot,
      side,
      base,
      quote
    })
    const figures = (mark: string, ...orders: ReadonlyArray<Order>) =>
      rowsBy(tradingOf({ grid: "grid" }, orders), markAt(mark), "slot").map(({ group, figures: own }) => [
        group,
        own.gridProfit,
        own.inventory
      ])
    const purchases = [order("cell-01", "BUY", 60_000_000n), order("cell-02", "BUY", 58_000_000n)]
    const exit = order("exit", "SELL", 110_000_000n, 200_000n)
    for (const mark of ["50000", "100000"])
      assert.deepStrictEqual(figures(mark, ...purchases, exit), [
        ["grid/cell-01", 0n, 0n],
        ["grid/cell-02", 0n, 0n],
        ["grid/exit", -8_000_000n, 0n]
      ])

    const round = [order("cell-01", "BUY", 49_000_000n), order("cell-01", "SELL", 49_500_000n)]
    assert.deepStrictEqual(figures("50000", ...purchases, exit, ...round)[0], ["grid/cell-01", 500_000n, 0n])

    const run = [order("cell-01-run-2", "BUY", 60_000_000n), order("exit-run-2", "SELL", 61_000_000n)]
    assert.deepStrictEqual(figures("50000", ...run).at(-1), ["grid/exit-run-2", 1_000_000n, 0n])
    // Start inventory that a cell has sold is no purchase of the end, also if the venue takes the end back.
    const reversal = order("exit", "BUY", 110_000_000n, 200_000n)
    const startSale = order("cell-03", "SELL", 61_000_000n)
    assert.deepStrictEqual(figures("50000", startSale, ...purchases, exit, reversal, exit), [
      ["grid/cell-01", 0n, 0n],
      ["grid/cell-02", 0n, 0n],
      ["grid/cell-03", 0n, 11_000_000n],
      ["grid/exit", -8_000_000n, 0n]
    ])
  })

  it("of a rule that sells its own purchase is its own; another rule's sale closes what is left of any", () => {
    const order = (slot: string, side: "BUY" | "SELL", base: bigint, quote: bigint) => ({
      strategy: "rules",
      slot,
      side,
      base,
      quote
    })
    const trading = tradingOf({ rules: "rules" }, [
      order("dear", "BUY", 100_000n, 65_000_000n),
      order("dip", "BUY", 100_000n, 55_000_000n),
      order("dip", "SELL", 100_000n, 57_000_000n),
      order("stop", "SELL", 150_000n, 84_000_000n)
    ])
    const slots = rowsBy(trading, markAt("56000"), "slot").map(({ group, figures }) => [
      group,
      figures.gridProfit,
      figures.inventory
    ])
    assert.deepStrictEqual(slots, [
      ["rules/dear", 0n, 0n],
      ["rules/dip", 2_000_000n, 0n],
      ["rules/stop", -9_000_000n, 0n]
    ])
  })

  it("is the sum over its fills, after fees in base as well", () => {
    const order = { strategy: "grid", slot: "cell-07" } as const
    const [fee, held] = [1_000_000n, 99_000_000n]
    const fold = Trades.make(decimals)
    const events = [
      [loaded("grid", "grid")],
      eventsOf({ ...order, side: "BUY", base: held + fee, quote: 30_000_000_000n, fee }, 1),
      eventsOf({ ...order, side: "SELL", base: held, quote: 29_997_000_000n }, 2),
      eventsOf({ ...order, side: "BUY", base: held + fee, quote: 60_000_000_000n, fee }, 3),
      eventsOf({ ...order, side: "SELL", base: held, quote: 59_994_000_000n }, 4)
    ].flatMap((ofOrder, index) => ofOrder.map((event) => ({ at: start + index * 60_000, event })))
    for (const [index, entry] of events.entries()) fold.see({ sequence: index + 1, ...entry })
    const trading = fold.result()
    const earnedBy = Profit.gridProfitByFill(trading)
    assert.deepStrictEqual(
      trading.trades.map((trade) => earnedBy.get(Profit.fillKey(trade))),
      [undefined, 297_000_000n, undefined, 594_000_000n]
    )
    assert.strictEqual(rowsBy(trading, markAt("60000"), "slot")[0]?.figures.gridProfit, 891_000_000n)
  })

  it("counts the quote of a fill without base, which opens and closes nothing", () => {
    const books = Rounds.emptyBooks()
    const [trade] = tradingOf({ grid: "grid" }, [cell("BUY", bought)]).trades
    if (trade === undefined) return assert.fail("no trade")
    assert.deepStrictEqual(Rounds.take(books, { ...trade, baseAmount: 0n }), { earned: -bought, closed: 0n })
    assert.strictEqual(books.open.size, 0)
  })

  it("has no inventory without a price", () => {
    const trading = tradingOf({ grid: "grid" }, [cell("BUY", bought)])
    assert.strictEqual(rowsBy(trading, () => undefined)[0]?.figures.inventory, 0n)
  })
})

/** Base of an order is given up by somebody's word, or comes after all. */
const wordOn = (
  _tag: "WrittenOff" | "Found",
  { slot, strategy }: Pick<Order, "slot" | "strategy">,
  of: string,
  amount: bigint
) => ({ _tag, strategy, slot, placement: of, market: "BTC/USDC", asset: "BTC", amount }) as const

const figuresOf = (kind: string, events: ReadonlyArray<BotEvent>, method: (typeof methods)[number] = "average") => {
  const fold = Trades.make(decimals)
  for (const [index, event] of [loaded("grid", kind), ...events].entries())
    fold.see({ sequence: index + 1, at: start + index * 60_000, event })
  const [row] = Profit.report(fold.result(), { method, mark: markAt("60000"), now: start })
  return row?.figures
}

describe("money given up as lost that arrives after all", () => {
  const order = { strategy: "grid", slot: "cell-01", base: 200_000n } as const
  const bought = eventsOf({ ...order, side: "BUY", quote: 118_000_000n }, 0)

  it("is not a loss of the slot, and its inventory keeps its cost", () => {
    const [lost, found] = [wordOn("WrittenOff", order, "p0", 200_000n), wordOn("Found", order, "p0", 200_000n)]
    for (const method of methods) {
      const gone = figuresOf("grid", [...bought, lost], method)
      assert.deepInclude(gone, { gridProfit: -118_000_000n, inventory: 0n, realised: -118_000_000n, unrealised: 0n })
      const back = figuresOf("grid", [...bought, lost, found], method)
      assert.deepInclude(back, { gridProfit: 0n, inventory: 2_000_000n, realised: 0n, unrealised: 2_000_000n })
      const sold = eventsOf({ ...order, side: "SELL", quote: 122_000_000n }, 4)
      assert.strictEqual(figuresOf("grid", [...bought, lost, found, ...sold], method)?.gridProfit, 4_000_000n)
    }
  })

  it("leaves no trace in the figures of any journal, for any holding", () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const draw = Seeded.seeded(seed)
      const between = (low: number, high: number) => BigInt(Math.floor(low + draw() * (high - low)))
      const orders = Array.from({ length: 12 }, (_, index) => {
        const base = between(1, 900_000)
        const side = draw() < 0.6 ? "BUY" : "SELL"
        const slot = `cell-0${between(1, 3)}`
        return eventsOf({ strategy: "grid", slot, side, base, quote: (base * between(500, 700)) / 1_000n }, index)
      })
      const amount = between(1, 900_000)
      const at = Number(between(1, 12))
      const of = { strategy: "grid", slot: `cell-0${between(1, 3)}` }
      const words = [wordOn("WrittenOff", of, "p99", amount), wordOn("Found", of, "p99", amount)]
      const kind = draw() < 0.5 ? "grid" : "deals"
      const known = orders.slice(0, at).flat()
      assert.deepStrictEqual(figuresOf(kind, [...known, ...words]), figuresOf(kind, known), `seed ${seed} ${kind}`)
      // Trades in between change whose profit it is, and never the total.
      const [one, other] = words
      if (one === undefined || other === undefined) return assert.fail("no words")
      const mixed = figuresOf(kind, [...known, one, ...orders.slice(at).flat(), other])
      assert.strictEqual(mixed?.total, figuresOf(kind, orders.flat())?.total, `seed ${seed} ${kind}`)
    }
  })

  it("is undone in dollars as well", () => {
    const lost = { ...wordOn("WrittenOff", order, "p0", 50_000_000n), asset: "USDC" }
    const gone = figuresOf("grid", [...bought, lost])
    assert.strictEqual(gone?.gridProfit, -50_000_000n)
    assert.deepStrictEqual(figuresOf("grid", [...bought, lost, { ...lost, _tag: "Found" }]), figuresOf("grid", bought))
  })
})

describe("the figures of random journals", () => {
  const kinds = { one: "grid", two: "deals", three: "ladder", four: "marketMaking" }

  it("add up: grid profit and inventory less fees equal realised and unrealised less fees", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const draw = Seeded.seeded(seed)
      const between = (low: number, high: number) => BigInt(Math.floor(low + draw() * (high - low)))
      const names = Object.keys(kinds)
      const orders = Array.from({ length: 80 }, (): Order => {
        const base = between(1, 900_000)
        return {
          strategy: names[Math.floor(draw() * names.length)] ?? "one",
          slot: `cell-${between(1, 6)}`,
          side: draw() < 0.5 ? "BUY" : "SELL",
          base,
          quote: (base * between(500_000, 700_000)) / 1_000n + between(0, 3),
          fee: draw() < 0.5 ? 0n : 1n,
          isPart: draw() < 0.2
        }
      })
      const trading = tradingOf(kinds, orders)
      const mark = markAt(`${between(50_000, 70_000)}.${between(1, 9_999_999)}`)
      const sum = (rows: ReadonlyArray<Profit.Row>, of: "gridProfit" | "inventory" | "fees" | "total") =>
        rows.reduce((total, { figures }) => total + figures[of], 0n)
      const slots = rowsBy(trading, mark, "slot")
      const byFill = [...Profit.gridProfitByFill(trading).values()].reduce((total, earned) => total + earned, 0n)
      assert.strictEqual(byFill, sum(slots, "gridProfit"), `seed ${seed}`)
      for (const method of methods) {
        const [whole] = Profit.report(trading, { method, mark, now: start })
        if (whole === undefined) return assert.fail("no figures")
        const { realised, unrealised, fees, total } = whole.figures
        assert.strictEqual(sum(slots, "gridProfit") + sum(slots, "inventory") - fees, total, `seed ${seed}`)
        assert.strictEqual(realised + unrealised - fees, total, `seed ${seed} ${method}`)
      }
      for (const by of Profit.groupings) {
        const rows = rowsBy(trading, mark, by)
        assert.strictEqual(sum(rows, "total"), sum(slots, "total"), `seed ${seed} ${by}`)
      }
    }
  })
})
