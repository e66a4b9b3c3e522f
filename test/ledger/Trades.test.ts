/** What a journal says about trading: every fill, fee, flow of capital and order's life, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import { price } from "../strategy/support.ts"
import { decimals, journal, start } from "./account.ts"

const fold = (entries: ReadonlyArray<Recorded>, known: (symbol: string) => number | undefined = decimals) => {
  const trades = Trades.make(known)
  for (const entry of entries) trades.see(entry)
  return trades.result()
}

const minute = (count: number) => start + count * 60_000
const trading = fold(journal)
const about = (placement: string) => ({
  strategy: "grid",
  slot: `cell-${placement}`,
  placement,
  market: "BTC/USDC",
  base: "BTC",
  quote: "USDC"
})

describe("the trading record of a journal", () => {
  it("has fills in the order of their time, with base and quote the right way round", () => {
    assert.deepStrictEqual(trading.trades, [
      {
        ...about("p1"),
        at: minute(18),
        fillId: "f1",
        orderId: "order-p1",
        side: "BUY",
        baseAmount: 80_000n,
        quoteAmount: 48_000_000n,
        byTurns: true
      },
      {
        ...about("p1"),
        at: minute(19),
        fillId: "f2",
        orderId: "order-p1",
        side: "BUY",
        baseAmount: 120_000n,
        quoteAmount: 72_000_000n,
        byTurns: true
      },
      {
        ...about("p2"),
        at: minute(33),
        fillId: "f1",
        orderId: "order-p2",
        side: "SELL",
        baseAmount: 100_000n,
        quoteAmount: 66_000_000n,
        byTurns: true
      }
    ])
  })

  it("values a fee in base at the price of its order, rounded up, on either side", () => {
    assert.deepStrictEqual(trading.fees, [
      {
        ...about("p1"),
        at: minute(23),
        kind: "payout",
        asset: "BTC",
        amount: 7n,
        estimated: 30n,
        inQuote: 4_200n,
        estimatedInQuote: 18_000n,
        received: 199_993n,
        txHashes: ["tx-1", "tx-2"]
      },
      {
        ...about("p2"),
        at: minute(36),
        kind: "payout",
        asset: "USDC",
        amount: 10n,
        estimated: 35n,
        inQuote: 10n,
        estimatedInQuote: 35n,
        received: 65_999_990n,
        txHashes: ["tx-3"]
      },
      {
        ...about("p2"),
        at: minute(37),
        kind: "refund",
        asset: "BTC",
        amount: 3n,
        estimated: 25n,
        inQuote: 1_981n,
        estimatedInQuote: 16_501n,
        received: 199_997n,
        txHashes: ["tx-4"]
      },
      {
        ...about("p3"),
        at: minute(1_454),
        kind: "refund",
        asset: "USDC",
        amount: 20n,
        inQuote: 20n,
        received: 119_999_980n,
        txHashes: []
      }
    ])
  })

  it("has capital as the change of budgets, with coins valued at the next price, rounded down", () => {
    const flow = { strategy: "grid", market: "BTC/USDC" }
    assert.deepStrictEqual(trading.flows, [
      { ...flow, at: minute(1), asset: "USDC", amount: 1_000_000_000n },
      { ...flow, at: minute(2), asset: "BTC", amount: 1_000_050n, worth: 600_035_000n },
      { ...flow, at: minute(1_470), asset: "USDC", amount: 500_000_000n },
      { ...flow, at: minute(1_472), asset: "BTC", amount: -500_000n }
    ])
    const decided = journal.slice(0, 4)
    const later = decided.map((entry) => {
      const { at, event, sequence } = entry
      const dearer = event._tag === "Decided" ? { ...event, bid: price("90000"), ask: price("90000") } : event
      return { at, event: dearer, sequence: sequence + 4 }
    })
    assert.deepStrictEqual(fold([...decided, ...later]).flows, trading.flows.slice(0, 2), "valued once")
  })

  it("gives coins of unknown decimals no value", () => {
    for (const unknown of ["BTC", "USDC"]) {
      const { flows } = fold(journal, (symbol) => (symbol === unknown ? undefined : decimals(symbol)))
      assert.isFalse(flows.some((flow) => "worth" in flow))
    }
  })

  it("values coins by the market of their strategy, and by no other market of the same coin", () => {
    const loaded = (strategy: string, market: string) =>
      ({ _tag: "StrategyLoaded", strategy, file: "f", kind: "grid", market, hash: "a" }) as const
    const events = [
      loaded("one", "BTC/USDC"),
      loaded("two", "BTC/DAI"),
      { _tag: "BudgetAllotted", strategy: "one", asset: "BTC", amount: 100n } as const,
      { _tag: "BudgetAllotted", strategy: "two", asset: "BTC", amount: 200n } as const
    ]
    const decided = journal.flatMap(({ event }) => (event._tag === "Decided" ? [{ ...event, strategy: "one" }] : []))
    const { flows } = fold([...events, ...decided].map((event, index) => ({ sequence: index + 1, at: index, event })))
    assert.deepStrictEqual(
      flows.map(({ worth }) => worth),
      [60_000n, undefined]
    )
  })

  it("values the fee of an order for a single unit, or for none", () => {
    const feeOf = (base: bigint) =>
      fold(
        journal.map((entry) =>
          entry.event._tag === "Planned" && entry.event.side === "BUY"
            ? { ...entry, event: { ...entry.event, outputAmount: base } }
            : entry
        )
      ).fees[0]?.inQuote
    assert.strictEqual(feeOf(1n), 7n * 120_000_000n)
    assert.strictEqual(feeOf(0n), 0n)
  })

  it("counts an asset that only changes its account as not sold: the missing part is a fee", () => {
    const moved = journal.map((entry): Recorded => {
      const { event } = entry
      if (!("placement" in event) || event.placement !== "p1") return entry
      if (event._tag === "Planned") return { ...entry, event: { ...event, market: "USDC/USDC", outputAsset: "USDC" } }
      if (event._tag !== "FillSeen") return entry
      return { ...entry, event: { ...event, outputAsset: "USDC", amountOut: event.amountIn - 5n } }
    })
    const { fees, trades } = fold(moved)
    assert.isFalse(trades.some(({ placement }) => placement === "p1"))
    const paid = fees.filter(({ at, placement }) => placement === "p1" && (at === minute(18) || at === minute(19)))
    assert.deepStrictEqual(
      paid.map(({ amount, asset, inQuote, received }) => [amount, asset, inQuote, received]),
      [
        [5n, "USDC", 5n, 0n],
        [5n, "USDC", 5n, 0n]
      ]
    )
  })

  it("takes back a round if the order that ended it lives on, and none if its first leg's order does", () => {
    const legs = { ...about("p8"), price: price("60000"), fillId: "f", amountIn: 120_000_000n, amountOut: 200_000n }
    const leg = (placement: string, side: "BUY" | "SELL"): ReadonlyArray<BotEvent> => {
      const of = { ...legs, placement, side }
      const [inputAsset, outputAsset] = side === "BUY" ? ["USDC", "BTC"] : ["BTC", "USDC"]
      const [amountIn, amountOut] = side === "BUY" ? [of.amountIn, of.amountOut] : [of.amountOut, of.amountIn]
      const sizes = { inputAsset, inputAmount: amountIn, outputAsset, outputAmount: amountOut }
      const why = { code: "x", text: "x" }
      return [
        { _tag: "Planned", ...of, ...sizes, quantity: 200_000n, deadline: 1, why },
        { _tag: "FillSeen", ...of, inputAsset, outputAsset, amountIn, amountOut, filledAt: minute(1) },
        { _tag: "Closed", ...of, status: "FILLED", inputAsset, unspent: 0n }
      ]
    }
    const back = (placement: string, side: "BUY" | "SELL"): BotEvent => {
      const [inputAsset, outputAsset] = side === "BUY" ? ["USDC", "BTC"] : ["BTC", "USDC"]
      return {
        _tag: "TakenBack",
        ...legs,
        ...{ placement, side, inputAsset, outputAsset, orderId: "o", deadline: 1, ended: "FILLED" },
        ...{ deposited: 1n, inputAmount: 1n, outputAmount: 1n, payoutFee: 0n, refundFee: 0n },
        ...{ estimatedWithdrawFee: 0n, estimatedRefundFee: 0n, fills: [] }
      }
    }
    const loaded = { strategy: "grid", file: "grid.yaml", kind: "grid", market: "BTC/USDC", hash: "h" }
    const rounds = (...events: ReadonlyArray<BotEvent>) =>
      fold(
        [{ _tag: "StrategyLoaded", ...loaded } as const, ...events].map((event, sequence) => ({
          sequence,
          at: minute(sequence),
          event
        }))
      ).rounds.map(({ isTakenBack }) => isTakenBack === true)
    const [bought, sold] = [leg("p8", "BUY"), leg("p9", "SELL")]
    assert.deepStrictEqual(rounds(...bought), [])
    assert.deepStrictEqual(rounds(...bought, ...sold), [false])
    assert.deepStrictEqual(rounds(...bought, ...sold, back("p9", "SELL")), [false, true])
    assert.deepStrictEqual(rounds(...bought, ...sold, back("p9", "SELL"), ...sold.slice(2)), [false, true, false])
    assert.deepStrictEqual(rounds(...bought, back("p8", "BUY")), [])
  })

  it("has no market for the capital of a strategy that names none", () => {
    const allotted = journal.filter(({ event }) => event._tag !== "StrategyLoaded")
    const { flows, lastPrices } = fold(allotted)
    assert.isFalse(flows.some((flow) => "market" in flow || "worth" in flow))
    assert.deepStrictEqual([...lastPrices.keys()], ["ETH/USDC", "BTC/USDC"])
    assert.isFalse(fold(allotted.slice(0, 3)).lastPrices.has("BTC/USDC"), "a decision about an unknown market")
  })

  it("has the life of each order, and counts only orders moved for a better price as moved", () => {
    const life = { price: price("60000") }
    assert.deepStrictEqual(trading.orders, [
      {
        ...about("p1"),
        ...life,
        at: minute(10),
        side: "BUY",
        plannedAt: minute(10),
        restingAt: minute(12),
        firstFillAt: minute(18),
        closedAt: minute(22),
        status: "FILLED"
      },
      {
        ...about("p2"),
        echoedBasisPoints: 20.01,
        ...life,
        at: minute(30),
        side: "SELL",
        plannedAt: minute(30),
        wasRequoted: false,
        restingAt: minute(32),
        firstFillAt: minute(33),
        closedAt: minute(35),
        status: "CANCELED"
      },
      {
        ...about("p3"),
        ...life,
        at: minute(1_450),
        side: "BUY",
        plannedAt: minute(1_450),
        wasRequoted: true,
        restingAt: minute(1_451),
        closedAt: minute(1_453),
        status: "CANCELED"
      }
    ])
  })

  it("has the last price of the newest decision or fill, and of other markets that a decision used", () => {
    assert.deepStrictEqual(trading.lastPrices.get("BTC/USDC"), { price: price("66000"), at: minute(33) })
    assert.deepStrictEqual(trading.lastPrices.get("ETH/USDC"), { price: price("3001"), at: start + 140_000 })
    const decided = fold(journal.slice(0, 4)).lastPrices
    assert.deepStrictEqual(decided.get("BTC/USDC"), { price: price("60000.5"), at: start + 150_000 })
  })

  it("needs only the kinds of events that it names, each of them", () => {
    const named = new Set<string>(Trades.tags)
    const capital: BotEvent = { _tag: "CapitalMoved", asset: "USDC", amount: 5n, witness: "operator", name: "a gift" }
    const entries = [...journal, { sequence: journal.length + 1, at: minute(1_500), event: capital }]
    const complete = fold(entries)
    assert.deepStrictEqual(fold(entries.filter(({ event }) => named.has(event._tag))), complete)
    /** The way of money inside an order is nothing to trading, only to capital once a strategy has ended. */
    const inside = ["PayoutStarted", "Settled"]
    for (const tag of new Set(entries.map(({ event }) => event._tag).filter((each) => !inside.includes(each))))
      assert.notDeepEqual(fold(entries.filter(({ event }) => event._tag !== tag)), complete, `${tag} says nothing`)
  })
})

describe("the budget of a removed strategy", () => {
  const started: BotEvent = { _tag: "BotStarted", pid: 1, version: "1", mode: "live", account: "a", venue: "v" }
  const loaded = (strategy: string): BotEvent => ({
    _tag: "StrategyLoaded",
    strategy,
    file: "g.yaml",
    kind: "grid",
    market: "BTC/USDC",
    hash: strategy
  })
  const given = (strategy: string, amount: bigint): BotEvent => ({
    _tag: "BudgetAllotted",
    strategy,
    asset: "USDC",
    amount
  })
  const decided = journal.find(({ event }) => event._tag === "Decided")?.event
  /** By second. */
  const capitalOf = (...runs: ReadonlyArray<ReadonlyArray<BotEvent>>) => {
    const events = runs.flatMap((run, second) => run.map((event) => ({ at: start + second * 1_000, event })))
    const { flows } = fold(events.map((entry, index) => ({ sequence: index + 1, ...entry })))
    const sums = new Map<string, bigint>()
    for (const { amount, strategy } of flows) sums.set(strategy, (sums.get(strategy) ?? 0n) + amount)
    return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n))
  }
  const first = [started, loaded("g"), given("g", 500n)]
  const work = decided === undefined ? [] : [decided]

  it("no longer counts after a rename in the file", () => {
    const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "g", orders: "drained" }
    assert.deepStrictEqual(capitalOf(first, work, [loaded("h"), given("h", 500n), removed], work), { h: 500n })
    const again = [loaded("g"), given("g", 600n)]
    assert.deepStrictEqual(capitalOf(first, [removed], work, again, work), { g: 600n })
  })

  it("no longer counts after a rename between two runs, nor after the next one", () => {
    const second = [started, loaded("h"), given("h", 700n)]
    assert.deepStrictEqual(capitalOf(first, work, second, work), { h: 700n })
    assert.deepStrictEqual(capitalOf(first, work, second, work, [started, loaded("h")], work), { h: 700n })
    assert.deepStrictEqual(capitalOf(first, work, second, work, [started, loaded("g"), loaded("h")], work), {
      g: 500n,
      h: 700n
    })
  })
})
