/** Rebalancing of several assets: what it asks for, and what comes of it when prices and fills go their ways. */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { type Amount, toDecimal } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount, quoteAmount } from "../../../src/domain/Market.ts"
import { armedLeg, type Decision, holds, type Memory } from "../../../src/strategy/Decision.ts"
import { budgets, marketsOf, type Strategy } from "../../../src/strategy/Strategy.ts"
import { type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import { between, decideAt, integerBetween, pick, price, random, strategyOf, viewAt } from "../support.ts"

const file = (rebalance: string, budget = "{ BTC: 1, ETH: 20, SOL: 300, USDC: 60000 }") => `name: test
market: [BTC/USDC, ETH/USDC, SOL/USDC]
kind: rebalance
limits: { budget: ${budget} }
rebalance: ${rebalance}
`
const quarters = "{ targets: { BTC: 25%, ETH: 25%, SOL: 25%, USDC: 25% }, band: 3%, requote: 0.5% }"

const at = (eth: string, sol: string) =>
  new Map([
    ["ETH/USDC", price(eth)],
    ["SOL/USDC", price(sol)]
  ])

const said = ({ desired }: Decision) =>
  desired.map(({ slot, market, legs: [leg] }) => `${slot} ${market?.name ?? "first"} ${Decimal.format(leg.price)}`)

/** Fills orders that the prices reach, whole and at their limit, and asks again when the decision says so. */
class Play {
  readonly strategy: Strategy
  memory: Memory
  decision: Decision | undefined
  decisions = 0
  fills = 0
  readonly slots = new Map<string, SlotProgress>()
  readonly held: Map<string, Amount>

  constructor(strategy: Strategy) {
    this.strategy = strategy
    this.memory = strategy.initialMemory
    this.held = new Map(budgets(strategy).map(({ asset, amount }) => [asset.symbol, amount]))
  }

  of(symbol: string): Amount {
    return this.held.get(symbol) ?? 0n
  }

  /** Prices of the markets in their order. */
  move(prices: ReadonlyArray<Decimal.Decimal>): void {
    let hasFilled = this.fillReached(prices)
    const [first = Decimal.zero, ...others] = prices
    const elsewhere = new Map((this.strategy.others ?? []).map(({ name }, index) => [name, others[index] ?? first]))
    const view = viewAt(this.strategy, first, this.slots, 0, elsewhere)
    if (this.decision !== undefined && holds(this.decision.until, view, hasFilled)) return
    do {
      this.decision = decideAt(this.strategy, first, this.memory, this.slots, 0, elsewhere)
      this.memory = this.decision.memory
      this.decisions += 1
      this.checkAffordable(this.decision)
      hasFilled = this.fillReached(prices)
    } while (hasFilled)
  }

  /** The share of each asset beside the quote. */
  shares(prices: ReadonlyArray<Decimal.Decimal>): ReadonlyArray<number> {
    const worth = marketsOf(this.strategy).map((market, index) =>
      Number(quoteAmount(market, this.of(market.base.symbol), prices[index] ?? Decimal.zero, "down"))
    )
    const total = worth.reduce((sum, each) => sum + each, Number(this.of("USDC")))
    return worth.map((each) => each / total)
  }

  private checkAffordable({ desired }: Decision): void {
    let purchases = 0n
    for (const slot of desired) {
      const market = slot.market ?? this.strategy.market
      const { side, price, quantity } = slot.legs[0]
      assert.isTrue(quantity > 0n && Decimal.isPositive(price))
      if (side === "BUY") purchases += inputAmount(market, side, quantity, price)
      else assert.isTrue(quantity <= this.of(market.base.symbol), `sells ${quantity} of ${market.base.symbol}`)
    }
    assert.isTrue(purchases <= this.of("USDC"), `purchases for ${purchases} of ${this.of("USDC")}`)
  }

  private fillReached(prices: ReadonlyArray<Decimal.Decimal>): boolean {
    let hasFilled = false
    for (const slot of this.decision?.desired ?? []) {
      const progress = this.slots.get(slot.slot) ?? untouchedSlot
      const order = armedLeg(slot, progress)
      const market = slot.market ?? this.strategy.market
      const index = marketsOf(this.strategy).findIndex(({ name }) => name === market.name)
      const now = prices[index] ?? Decimal.zero
      if (order === undefined || progress !== (this.slots.get(slot.slot) ?? progress)) continue
      const isReached =
        order.side === "BUY" ? Decimal.compare(now, order.price) <= 0 : Decimal.compare(now, order.price) >= 0
      // One fill per decision: the others are decided anew.
      if (!isReached || hasFilled) continue
      hasFilled = true
      this.fills += 1
      const quote = quoteAmount(market, order.quantity, order.price, "up")
      const sign = order.side === "BUY" ? 1n : -1n
      this.held.set(market.base.symbol, this.of(market.base.symbol) + sign * order.quantity)
      this.held.set("USDC", this.of("USDC") - sign * quote)
      const received = order.side === "BUY" ? order.quantity : quote
      this.slots.set(slot.slot, {
        ...progress,
        ...(order.side === "BUY"
          ? { bought: progress.bought + order.quantity, paid: progress.paid + quote }
          : { sold: progress.sold + order.quantity, proceeds: progress.proceeds + quote }),
        completedLegs: progress.completedLegs + 1,
        filledInLeg: 0n,
        receivedByLastLeg: received
      })
    }
    return hasFilled
  }
}

describe("a rebalance of several assets", () => {
  it("places one order on each side of each asset, priced by the value of everything else", () => {
    const decision = decideAt(strategyOf(file(quarters)), price("60000"), null, new Map(), 0, at("3000", "200"))
    // Everything else is worth 180,000: 60,000 of BTC are a quarter, and 28 % of all at 70,000.
    assert.deepStrictEqual(said(decision), [
      "buy-BTC first 50769.23",
      "sell-BTC first 70000",
      "buy-ETH ETH/USDC 2538.4615",
      "sell-ETH ETH/USDC 3500",
      "buy-SOL SOL/USDC 169.23076",
      "sell-SOL SOL/USDC 233.33334"
    ])
    const sale = decision.desired[1]?.legs[0]
    assert.closeTo(Number(sale?.quantity) / 1e8, 1 - (250_000 * 0.25) / 70_000, 1e-7)
    assert.deepStrictEqual(
      decision.until.elsewhere?.map(({ market }) => market),
      ["ETH/USDC", "SOL/USDC"]
    )
  })

  it("follows the other prices once they have moved by requote", () => {
    const strategy = strategyOf(file(quarters))
    const first = decideAt(strategy, price("60000"), null, new Map(), 0, at("3000", "200"))
    const quiet = decideAt(strategy, price("60290"), first.memory, new Map(), 0, at("2986", "200.9"))
    assert.deepStrictEqual(quiet.desired, first.desired)
    const moved = decideAt(strategy, price("60000"), first.memory, new Map(), 0, at("3300", "200"))
    assert.deepStrictEqual(said(moved).slice(0, 4), [
      "buy-BTC first 52461.53",
      "sell-BTC first 72333.34",
      "buy-ETH ETH/USDC 2538.4615",
      "sell-ETH ETH/USDC 3500"
    ])
  })

  it("trades what is beyond its band at the present price, and starts from the quote alone", () => {
    const strategy = strategyOf(file(quarters, "{ USDC: 240000 }"))
    const decision = decideAt(strategy, price("60000"), null, new Map(), 0, at("3000", "200"))
    assert.deepStrictEqual(said(decision), ["buy-BTC first 60000", "buy-ETH ETH/USDC 3000", "buy-SOL SOL/USDC 200"])
    assert.include(decision.desired[0]?.why.text, "now: BTC is below 22% of the value, the target is 25%")
    const play = new Play(strategy)
    const prices = ["60000", "3000", "200"].map(price)
    play.move(prices)
    for (const share of play.shares(prices)) assert.closeTo(share, 0.25, 1e-4)
  })

  it("decides the same anywhere inside the bounds of all markets", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const next = random(seed)
      const targets = [1, 2, 3].map(() => integerBetween(next, 12, 30))
      const section = `{ targets: { BTC: ${targets[0]}%, ETH: ${targets[1]}%, SOL: ${targets[2]}% }, band: ${integerBetween(next, 2, 9)}%, requote: ${pick(next, ["10bps", "1.5%"])} }`
      checkBounds(strategyOf(file(section)), { low: 40_000, high: 80_000, seed, steps: 8 })
    }
  })

  it("keeps every share near its band for any prices, and spends only what it has", () => {
    let fills = 0
    for (let seed = 1; seed <= 10; seed++) {
      const next = random(seed)
      const play = new Play(strategyOf(file(quarters)))
      let [btc, eth, sol] = [60_000, 3_000, 200]
      for (let step = 0; step < 300; step++) {
        const prices = [btc, eth, sol].map((value) => Decimal.fromNumber(value, 10))
        play.move(prices)
        for (const amount of play.held.values()) assert.isTrue(amount >= 0n, `seed ${seed}, step ${step}`)
        for (const share of play.shares(prices)) assert.closeTo(share, 0.25, 0.05, `seed ${seed}, step ${step}`)
        const moved = () => 1 + between(next, -0.03, 0.03)
        btc *= moved()
        eth *= moved()
        sol *= moved()
      }
      fills += play.fills
    }
    assert.isAbove(fills, 100)
  })

  const [btcFile, ethFile] = ["btc", "eth"].map((name) =>
    resolve(import.meta.dirname, `../../../../shared/data/coinbase-${name}usd-1m-lean.csv.gz`)
  )
  it.skipIf(!existsSync(btcFile ?? ""))("keeps shares and moves few orders on real candles of two assets", () => {
    const closesOf = (path = ""): ReadonlyMap<string, string> => {
      const rows = gunzipSync(readFileSync(path)).toString().trim().split("\n").slice(1)
      return new Map(rows.map((row) => row.split(",")).map(([time = "", , , , close = ""]) => [time, close]))
    }
    const [btc, eth] = [closesOf(btcFile), closesOf(ethFile)]
    const times = [...btc.keys()].filter((time) => eth.has(time) && Number(time) < 1_510_000_000_000)
    const strategy = strategyOf(`name: test
market: [BTC/USDC, ETH/USDC]
kind: rebalance
limits: { budget: { BTC: 1, ETH: 13, USDC: 4600 } }
rebalance: { targets: { BTC: 33%, ETH: 33% }, band: 1% }
`)
    const play = new Play(strategy)
    for (const time of times) {
      const prices = [btc.get(time) ?? "", eth.get(time) ?? ""].map(price)
      play.move(prices)
      for (const share of play.shares(prices)) assert.closeTo(share, 0.33, 0.015, time)
    }
    assert.isAbove(times.length, 2_000)
    assert.isAbove(play.fills, 5)
    assert.isBelow(play.decisions, times.length / 5)
    const left = Decimal.toNumber(toDecimal(play.of("USDC"), 6))
    process.stdout.write(
      `${times.length} minutes, ${play.fills} fills, ${play.decisions} decisions, ${left} USDC left\n`
    )
  })
})

describe("a rebalance by the clock", () => {
  const weekly = strategyOf(`name: test
market: BTC/USDC
kind: rebalance
limits: { budget: { base: 1, quote: 1500 } }
rebalance: { target: 50%, band: 2%, every: 7d, reserve: 500, reach: 1% }
`)
  const [monday, hour] = [Date.UTC(2026, 0, 5), 3_600_000]
  const orders = ({ desired }: Decision) =>
    desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.quantity} at ${Decimal.format(leg.price)}`)

  it("trades back to the target once a week, near the current price, and keeps the reserve", () => {
    const begun = decideAt(weekly, price("2000"), null, new Map(), monday + 5 * hour)
    // 1 BTC is worth 2000, the free quote 1000: half of 3000 is 0.75 BTC.
    assert.deepStrictEqual(orders(begun), ["sell 25000000 at 1980"])
    assert.deepStrictEqual(begun.until, { onFill: false, time: monday + 168 * hour })
    const part = { ...untouchedSlot, filledInLeg: 5_000_000n, sold: 5_000_000n, proceeds: 99_000_000n }
    const later = decideAt(weekly, price("3000"), begun.memory, new Map([["sell", part]]), monday + 100 * hour)
    assert.deepStrictEqual(orders(later), orders(begun))
    const done = { ...untouchedSlot, completedLegs: 1, sold: 25_000_000n, proceeds: 495_000_000n }
    const next = decideAt(weekly, price("1990"), later.memory, new Map([["sell", done]]), monday + 168 * hour)
    assert.deepStrictEqual([orders(next), next.absent.map(({ slot }) => slot)], [[], ["buy", "sell"]])
    assert.deepStrictEqual(next.absent[0]?.why.code, "rebalance-waits")
    const fallen = decideAt(weekly, price("1000"), next.memory, new Map([["sell", done]]), monday + 336 * hour)
    assert.deepStrictEqual(orders(fallen), ["buy 37250000 at 1010"])
  })

  it("trades in a period that begins before the payout of the previous order", () => {
    const begun = decideAt(weekly, price("2000"), null, new Map(), monday + 5 * hour)
    const [sell] = begun.desired
    const { side, price: at } = sell?.legs[0] ?? assert.fail()
    const filled = { ...untouchedSlot, filledInLeg: 25_000_000n, sold: 25_000_000n, proceeds: 495_000_000n }
    const pending = new Map([["sell", { ...filled, live: { side, price: at, quantity: 0n } }]])
    const next = decideAt(weekly, price("3000"), begun.memory, pending, monday + 168 * hour)
    const wanted = next.desired.find(({ slot }) => slot === "sell") ?? assert.fail()
    const paid = { ...filled, completedLegs: 1, filledInLeg: 0n }
    assert.isDefined(armedLeg(wanted, paid))
  })

  it.each([1, 2, 3])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    checkBounds(weekly, { low: 900, high: 1100, seed })
    checkBounds(strategyOf(file("{ targets: { BTC: 25%, ETH: 25%, SOL: 25% }, band: 3%, every: 1d }")), {
      low: 900,
      high: 1100,
      seed
    })
  })
})

describe("a rebalance of one asset", () => {
  const half = strategyOf(`name: test
market: BTC/USDC
kind: rebalance
limits: { budget: { base: 1, quote: 60000 } }
rebalance: { target: 50%, band: 10% }
`)

  it("continues if an order is moved without a decision in between and then fills in part", () => {
    const at = price("40000")
    const first = decideAt(half, at, null)
    const [buy] = first.desired
    assert.strictEqual(buy?.legs[0].quantity, 25_000_000n)
    const filledBy = (base: Amount, open: Amount): SlotProgress => ({
      ...untouchedSlot,
      filledInLeg: base,
      bought: base,
      paid: base * 400n,
      live: { side: "BUY", price: at, quantity: open }
    })
    const part = filledBy(20_000_000n, 5_000_000n)
    const second = decideAt(half, at, first.memory, new Map([["buy", part]]))
    const moved = second.desired.find(({ slot }) => slot === "buy") ?? assert.fail()
    // The order of the second decision has taken the place of the first one's: more has filled than that one had.
    const open = moved.legs[0].quantity - 30_000_000n
    const now = filledBy(30_000_000n, open)
    assert.isAbove(Number(open), 0)
    const third = decideAt(half, at, second.memory, new Map([["buy", now]]))
    const wanted = third.desired.find(({ slot }) => slot === "buy") ?? assert.fail()
    assert.isDefined(armedLeg(wanted, now), "nothing rests below any more")
    // When the leg has filled whole, its payout is pending, and the next one is wanted.
    const whole = filledBy(30_000_000n, 0n)
    const next = decideAt(half, at, third.memory, new Map([["buy", whole]]))
    const anew = next.desired.find(({ slot }) => slot === "buy") ?? assert.fail()
    assert.strictEqual(wanted.legs[0].quantity - anew.legs[0].quantity, 30_000_000n)
  })

  const ofEther = (budget: string, shares = "target: 50%, band: 5%") =>
    strategyOf(`name: test
market: ETH/USDC
kind: rebalance
limits: { budget: ${budget} }
rebalance: { ${shares} }
`)
  const tooMuch = ofEther("{ base: 1, quote: 2500 }")

  it.each([
    {
      budget: "{ base: 1, quote: 2500 }",
      orders: ["buy first 2045.4545", "sell first 4000"],
      why: "sells 0.1875 ETH at 4000, now: ETH is above 55% of the value, the target is 50%"
    },
    {
      budget: "{ base: 0.1, quote: 2000 }",
      orders: ["buy first 4000", "sell first 24444.445"],
      why: "buys 0.2 ETH at 4000, now: ETH is below 45% of the value, the target is 50%"
    }
  ])("trades at the present price beyond its band, and then has its target: $budget", (expected) => {
    const strategy = ofEther(expected.budget)
    const decision = decideAt(strategy, price("4000"))
    assert.deepStrictEqual(said(decision), expected.orders)
    assert.include(
      decision.desired.map(({ why }) => why.text),
      expected.why
    )
    const play = new Play(strategy)
    play.move([price("4000")])
    assert.strictEqual(play.fills, 1)
    assert.closeTo(play.shares([price("4000")])[0] ?? 0, 0.5, 1e-6)
  })

  it("follows a price beyond the band in steps of half a percent", () => {
    const first = decideAt(tooMuch, price("4000"))
    assert.deepStrictEqual(first.until, { onFill: true, priceBelow: price("3980"), priceAbove: price("4020") })
    for (const near of ["3980.01", "4019.99"])
      assert.deepStrictEqual(decideAt(tooMuch, price(near), first.memory).desired, first.desired)
    for (const far of ["3980", "4020"])
      assert.strictEqual(said(decideAt(tooMuch, price(far), first.memory))[1], `sell first ${far}`)
  })

  it("keeps its orders at the edges of the band until the price is half a percent beyond one", () => {
    const inside = decideAt(tooMuch, price("2500"))
    assert.deepStrictEqual(said(inside), ["buy first 2045.4545", "sell first 3055.5556"])
    const { priceAbove, priceBelow } = inside.until
    assert.deepStrictEqual([priceBelow, priceAbove], [price("2035.2272275"), price("3070.833378")])
    for (const passed of ["2035.23", "2045.45", "3055.56", "3070.83"])
      assert.deepStrictEqual(decideAt(tooMuch, price(passed), inside.memory).desired, inside.desired)
    assert.strictEqual(said(decideAt(tooMuch, price("3071"), inside.memory))[1], "sell first 3071")
    assert.strictEqual(said(decideAt(tooMuch, price("2035"), inside.memory))[0], "buy first 2035")
    const first = decideAt(tooMuch, price("3060"))
    assert.strictEqual(said(first)[1], "sell first 3060", "at the start no order is open at the edge")
  })

  it("returns to the edges once the followed price is inside the band, and does not swing between both", () => {
    const followed = decideAt(tooMuch, price("3071"), {})
    const near = decideAt(tooMuch, price("3056"), followed.memory)
    assert.deepStrictEqual(near.desired, followed.desired)
    const edge = decideAt(tooMuch, price("3055.6"), followed.memory)
    assert.strictEqual(said(edge)[1], "sell first 3055.5556")
    assert.deepStrictEqual(decideAt(tooMuch, price("3070"), edge.memory).desired, edge.desired)
  })

  it("buys at the present price if a restart leaves it with quote alone", () => {
    const means = { base: 0n, quote: 2_500_000_000n, position: 0n }
    const decision = tooMuch.decide({ ...viewAt(tooMuch, price("4000")), means }, null)
    assert.deepStrictEqual(said(decision), ["buy first 4000"])
    assert.strictEqual(decision.desired[0]?.legs[0].quantity, 312_500_000_000_000_000n)
  })

  it("has the same orders at every price inside its band: each restores the target at its edge", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const next = random(seed)
      const [target, band] = [integerBetween(next, 20, 80), integerBetween(next, 1, 15)]
      const [base, quote] = [integerBetween(next, 1, 9), integerBetween(next, 1_000, 90_000)]
      const strategy = ofEther(`{ base: ${base}, quote: ${quote} }`, `target: ${target}%, band: ${band}%`)
      const edges = [target - band, target + band].map((share) => (quote * share) / (base * (100 - share)))
      const [low = 0, high = 0] = edges
      const inside = () => Decimal.fromNumber(between(next, low * 1.00001, high * 0.99999), 10)
      const first = decideAt(strategy, inside())
      for (const [index, edge] of edges.entries()) {
        const { price: at, quantity } = first.desired[index]?.legs[0] ?? assert.fail()
        assert.closeTo(Decimal.toNumber(at) / edge, 1, 1e-6)
        const goal = ((quote + base * edge) * target) / 100 / edge
        assert.closeTo(Decimal.toNumber(toDecimal(quantity, 18)), Math.abs(base - goal), 1e-5)
      }
      let { memory } = first
      for (let step = 0; step < 8; step++) {
        const again = decideAt(strategy, inside(), memory)
        assert.deepStrictEqual(again, first, `seed ${seed}`)
        memory = again.memory
      }
    }
  })

  it("decides the same anywhere inside its bounds", () => {
    for (let seed = 1; seed <= 25; seed++) {
      checkBounds(tooMuch, { low: 1_000, high: 8_000, seed, steps: 12 })
      for (const edge of [2_045, 3_056]) checkBounds(tooMuch, { low: edge * 0.98, high: edge * 1.02, seed, steps: 12 })
    }
  })
})
