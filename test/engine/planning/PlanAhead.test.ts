/** Plans of real strategy files against made-up circumstances: what they say, and that unsafe ones are named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { PlanFinding } from "../../../src/engine/planning/ahead/PlanFindings.ts"
import { goodThirds } from "../../strategy/wrongFiles.ts"
import { now, planOf, resting } from "./plans.ts"

const ladder = (name: string, side: "buy" | "sell", from: string, to: string, market = "BTC/USDC", rungs = 2) => `
name: ${name}
market: ${market}
kind: ladder
limits: { budget: { base: 1000, quote: 100000 }, maxPriceDeviation: 50% }
ladder: { side: ${side}, from: ${from}, to: ${to}, rungs: ${rungs}, total: { base: 0.1 } }
`

const said = (changes: Effect.Success<ReturnType<typeof planOf>>["changes"]) =>
  changes.map(
    ({ action, slot, side, price, reason }) => `${action} ${slot} ${side} ${Decimal.format(price)} ${reason.code}`
  )
const names = (findings: ReadonlyArray<PlanFinding>) =>
  findings.map(({ name, strategies }) => [name, ...strategies].join(" "))

const buyer = ladder("buyer", "buy", "58000", "57000")

describe("a plan", () => {
  it.effect("of a strategy that places more over time locks at most its budget", () =>
    Effect.gen(function* () {
      const dca = `
name: dca
market: BTC/USDC
kind: dca
limits: { budget: { quote: 2000 } }
dca: { every: 6h, size: { quote: 50 }, times: 40, reach: 0.1% }
`
      const { locked } = yield* planOf([dca])
      const [usdc] = locked
      assert.isTrue(usdc !== undefined && usdc.now > 0n && usdc.now <= 50_000_000n)
      assert.strictEqual(usdc?.worst, 2_000_000_000n)
    })
  )

  it.effect("of several markets names the market of each order, and what it locks of each asset", () =>
    Effect.gen(function* () {
      const { changes, findings, locked } = yield* planOf([goodThirds.replace("ETH: 0.4", "ETH: 0.01")], {
        mid: "60000"
      })
      assert.deepStrictEqual(
        changes.map(({ action, slot, market, input }) => `${action} ${slot} ${market} ${input.asset}`),
        [
          "create buy-BTC BTC/USDC USDC",
          "create buy-ETH ETH/USDC USDC",
          "create sell-BTC BTC/USDC BTC",
          "create sell-ETH ETH/USDC ETH"
        ]
      )
      assert.deepStrictEqual(
        locked.map(({ asset, now, budget }) => [asset, now > 0n, now <= budget]),
        [
          ["BTC", true, true],
          ["ETH", true, true],
          ["USDC", true, true]
        ]
      )
      assert.deepStrictEqual(findings, [])
    })
  )

  it.effect("of several markets needs the price of each", () =>
    Effect.gen(function* () {
      const { changes, findings } = yield* planOf([goodThirds], { without: ["ETH/USDC"] })
      assert.deepStrictEqual([changes, names(findings)], [[], ["no-price thirds"]])
    })
  )

  it.effect("of a first run creates what the strategy desires, and says what it locks", () =>
    Effect.gen(function* () {
      const { changes, findings, locked } = yield* planOf([buyer])
      assert.deepStrictEqual(said(changes), [
        "create rung-00 BUY 58000 ladder-rung",
        "create rung-01 BUY 57000 ladder-rung"
      ])
      assert.deepStrictEqual(locked[1], {
        strategy: "buyer",
        asset: "USDC",
        now: 5_750_000_000n,
        worst: 5_750_000_000n,
        budget: 100_000_000_000n
      })
      assert.deepStrictEqual(findings, [])
    })
  )

  it.effect("keeps unchanged orders, and cancels those that the file moves, at the price of the refund", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const same = yield* planOf([buyer], { history })
      assert.deepStrictEqual(said(same.changes), [
        "keep rung-00 BUY 58000 ladder-rung",
        "keep rung-01 BUY 57000 ladder-rung"
      ])
      const moved = yield* planOf([ladder("buyer", "buy", "58000", "55000")], { history })
      assert.deepStrictEqual(said(moved.changes), [
        "keep rung-00 BUY 58000 ladder-rung",
        "cancel rung-01 BUY 57000 requote"
      ])
      assert.deepStrictEqual(moved.changes[1]?.costs, [{ what: "refund fee", asset: "USDC", amount: 4_200n }])
      assert.strictEqual(Decimal.format(moved.changes[1]?.next?.price ?? Decimal.zero), "55000")
      assert.match(moved.changes[1]?.reason.text ?? "", /^Moving from 0\.05 BTC at 57000 to 0\.05 BTC at 55000/)
      assert.strictEqual(moved.changes[1]?.reason.source, "test.yaml:6")
    })
  )

  it.effect("says if a better price is not worth the fees", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      // Replacing costs 0.0042 USDC; the new price is worth 0.005 or 0.004 USDC.
      const { changes } = yield* planOf([buyer.replace("57000", "57000.1")], { history })
      assert.strictEqual(said(changes)[1], "cancel rung-01 BUY 57000 requote")
      const kept = yield* planOf([buyer.replace("57000", "57000.08")], { history })
      assert.strictEqual(said(kept.changes)[1], "keep rung-01 BUY 57000 within-tolerance")
    })
  )

  it.effect("names the limit that refuses the successor of an order", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const raised = buyer.replace("57000", "57500").replace("maxPriceDeviation: 50%", "maxPriceDeviation: 1%")
      const { changes } = yield* planOf([raised], { history, mid: "50000" })
      assert.include(said(changes), "keep rung-01 BUY 57000 price-deviation")
      assert.include(said(changes), "defer rung-01 BUY 57500 price-deviation")
      const kept = changes.find(({ action, slot }) => action === "keep" && slot === "rung-01")
      assert.match(kept?.reason.text ?? "", /^until the better price is allowed: BUY at 57500 is beyond 50500/)
    })
  )

  it.effect("leaves orders of other strategies alone, and cancels everything under the kill switch", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer, ladder("other", "sell", "62000", "63000")])
      const { changes } = yield* planOf([buyer], { history })
      assert.strictEqual(said(changes).at(-1), "keep rung-01 SELL 63000 not-loaded")
      const killed = yield* planOf([buyer], { history, killed: "enough" })
      assert.strictEqual(said(killed.changes)[0], "cancel rung-00 BUY 58000 kill-switch")
    })
  )

  it.effect("cancels the orders of an old name in the market of a new one", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const { changes } = yield* planOf([buyer.replace("name: buyer", "name: renamed")], { history })
      const cancels = said(changes).filter((change) => change.startsWith("cancel"))
      assert.deepStrictEqual(cancels, ["cancel rung-00 BUY 58000 removed", "cancel rung-01 BUY 57000 removed"])
    })
  )

  it.effect("defers orders that our limits deny, with the limit and its numbers", () =>
    Effect.gen(function* () {
      const tight = buyer.replace("maxPriceDeviation: 50%", "maxOpenOrders: 1")
      const { changes } = yield* planOf([tight])
      assert.deepStrictEqual(said(changes), [
        "create rung-00 BUY 58000 ladder-rung",
        "defer rung-01 BUY 57000 open-orders"
      ])
      assert.strictEqual(changes[1]?.limit, "open-orders")
      assert.match(changes[1]?.reason.source ?? "", /^test\.yaml:\d+$/)
    })
  )
})

describe("a plan is unsafe", () => {
  it.effect("if own orders would trade with each other, on one market or on its inverse", () =>
    Effect.gen(function* () {
      const sell = (from: string) => ladder("seller", "sell", from, "63000")
      const inverse = (from: string) =>
        ladder("inverse", "buy", from, "0.0000158", "USDC/BTC").replace("base: 0.1", "base: 1000")
      const crossings = (other: string) =>
        Effect.map(planOf([buyer, other]), ({ findings }) =>
          names(findings).filter((name) => name.startsWith("crossing"))
        )
      assert.deepStrictEqual(yield* crossings(sell("58000")), ["crossing buyer seller"])
      assert.deepStrictEqual(yield* crossings(sell("58000.01")), [])
      assert.deepStrictEqual(yield* crossings(inverse("0.0000173")), ["crossing buyer inverse"])
      assert.deepStrictEqual(yield* crossings(inverse("0.0000172")), [])
    })
  )

  it.effect("if an order of the slot has an unconfirmed end, but not if it is filled and awaits its payout", () =>
    Effect.gen(function* () {
      const orders = yield* resting([buyer])
      const ended = (status: string) =>
        orders.flatMap((event): ReadonlyArray<BotEvent> => {
          if (event._tag !== "DepositSeen") return []
          const { asset: inputAsset, placement, slot, strategy, total } = event
          const unspent = status === "FILLED" ? 0n : total
          return [{ _tag: "Closed", strategy, slot, placement, status, inputAsset, unspent }]
        })
      const seller = ladder("seller", "sell", "58000", "63000")
      const crossings = (history: ReadonlyArray<BotEvent>) =>
        Effect.map(planOf([buyer, seller], { history }), ({ findings }) =>
          names(findings).filter((name) => name.startsWith("crossing"))
        )
      assert.deepStrictEqual(yield* crossings(orders), ["crossing buyer seller"])
      assert.deepStrictEqual(yield* crossings([...orders, ...ended("FILLED")]), [])
      assert.deepStrictEqual(yield* crossings([...orders, ...ended("CANCELED")]), ["crossing buyer seller"])
    })
  )

  it.effect("not for the purchase with which a grid begins", () =>
    Effect.gen(function* () {
      const grid = `name: buyer\nmarket: BTC/USDC\nkind: grid\nlimits: { budget: { quote: 10000 } }
grid: { levels: [59000, 60000, 61000], size: { quote: 1000 }, buyBase: true }\n`
      const { findings, changes } = yield* planOf([grid])
      assert.deepStrictEqual(names(findings), [])
      assert.isTrue(changes.some(({ slot }) => slot === "start"))
    })
  )

  it.effect("if a level is beyond the market already", () =>
    Effect.gen(function* () {
      const { findings } = yield* planOf([ladder("seller", "sell", "58000", "63000")])
      assert.deepStrictEqual(names(findings), ["fills-at-once seller"])
      assert.include(
        findings[0]?.text,
        "1 order would fill at once, the market is past their price: rung-00 SELL at 58000"
      )
      assert.deepStrictEqual((yield* planOf([ladder("seller", "sell", "61000", "63000")])).findings, [])
    })
  )

  it.effect("if strategies together need more than the account has", () =>
    Effect.gen(function* () {
      const two = [buyer, ladder("second", "buy", "56000", "55000")]
      const enough = new Map([
        ["USDC", 200_000_000_000n],
        ["BTC", 200_000_000_000n]
      ])
      // Of the money of ended orders by hand, nothing is needed any more.
      const ended = `name: ended
market: BTC/USDC
kind: rules
limits: { budget: { quote: 90000 } }
rules: { orders: {} }
`
      const needs = new Map([["ended", new Map([["USDC", 0n]])]])
      assert.deepStrictEqual((yield* planOf([...two, ended], { balances: enough, needs })).findings, [])
      const some = new Map([["ended", new Map([["USDC", 5_000_000n]])]])
      const more = yield* planOf([...two, ended], { balances: enough, needs: some })
      assert.include(more.findings[0]?.text, "need 200005 USDC, the account has 200000 USDC")
      const { findings } = yield* planOf(two, { balances: new Map([...enough, ["USDC", 199_999_999_999n]]) })
      assert.deepStrictEqual(names(findings), ["over-commit buyer second"])
      assert.include(findings[0]?.text, "need 200000 USDC, the account has 199999.999999 USDC")
    })
  )

  it.effect("if all together may lock more than the configuration allows, for any balance", () =>
    Effect.gen(function* () {
      // 5750 and 5550 USDC, and the other's 5750 that rest already.
      const two = [buyer, ladder("second", "buy", "56000", "55000")]
      const exposure = (most: bigint) => new Map([["USDC", most * 1_000_000n]])
      assert.deepStrictEqual((yield* planOf(two, { exposure: exposure(11_300n) })).findings, [])
      const { findings } = yield* planOf(two, { exposure: exposure(11_299n) })
      assert.deepStrictEqual(names(findings), ["over-commit buyer second"])
      assert.include(findings[0]?.text, "may lock up to 11300 USDC together")
      const history = yield* resting([ladder("other", "buy", "58000", "57000", "SOL/USDC")])
      const more = yield* planOf(two, { history, exposure: exposure(17_049n) })
      assert.deepStrictEqual(names(more.findings), ["over-commit buyer second other"])
      assert.deepStrictEqual((yield* planOf(two, { history, exposure: exposure(17_050n) })).findings, [])
    })
  )

  it.effect("if a file cannot continue with what its slots have traded", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const [first] = history.filter((event) => event._tag === "Planned")
      assert.isDefined(first)
      if (first === undefined) return
      const { strategy, slot, placement, side, price, inputAsset, outputAsset, inputAmount, outputAmount } = first
      const of = { strategy, slot, placement, inputAsset, outputAsset, side, price }
      const fill = { fillId: "f", amountIn: inputAmount, amountOut: outputAmount, filledAt: now }
      const traded: ReadonlyArray<BotEvent> = [...history, { _tag: "FillSeen", ...of, ...fill }]
      const flipped = buyer.replace("side: buy", "side: sell").replace("58000, to: 57000", "61000, to: 62000")
      const elsewhere = buyer.replace("BTC/USDC", "SOL/USDC")
      const unfit = (text: string, events: ReadonlyArray<BotEvent>) =>
        Effect.map(planOf([text], { history: events }), ({ findings }) =>
          findings.filter(({ name }) => name === "unfit").map(({ text }) => text)
        )
      assert.deepStrictEqual(yield* unfit(buyer, traded), [])
      assert.deepStrictEqual(yield* unfit(buyer.replace("rungs: 2", "rungs: 5"), traded), [])
      assert.deepStrictEqual(yield* unfit(flipped, history), [])
      assert.deepStrictEqual(yield* unfit(flipped, traded), [
        "rung-00 has bought 0.05 BTC, and the file sells first now: to begin anew, give the file another name"
      ])
      assert.include((yield* unfit(elsewhere, traded))[0], "has traded on BTC/USDC")
    })
  )

  it.effect("if a file has a new name and the old name still holds a position in its market", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const [first] = history.filter((event) => event._tag === "Planned")
      assert.isDefined(first)
      if (first === undefined) return
      const { strategy, slot, placement, side, price, inputAsset, outputAsset, inputAmount, outputAmount } = first
      const of = { strategy, slot, placement, inputAsset, outputAsset, side, price }
      const fill = { fillId: "f", amountIn: inputAmount, amountOut: outputAmount, filledAt: now }
      const traded: ReadonlyArray<BotEvent> = [...history, { _tag: "FillSeen", ...of, ...fill }]
      const found = (text: string, events: ReadonlyArray<BotEvent>) =>
        Effect.map(planOf([text], { history: events }), ({ findings }) =>
          findings.filter(({ name }) => name === "left-position").map(({ text }) => text)
        )
      const renamed = buyer.replace("name: buyer", "name: renamed")
      assert.deepStrictEqual(yield* found(renamed, history), [])
      assert.deepStrictEqual(yield* found(buyer, traded), [])
      assert.deepStrictEqual(yield* found(renamed.replace("BTC/USDC", "SOL/USDC"), traded), [])
      assert.deepStrictEqual(yield* found(renamed, traded), [
        "buyer holds 0.05 BTC, bought at 58000 USDC on average, but no file has its name now: renamed would trade on BTC/USDC beside it. Name the file buyer again, or run: limitbot resume buyer"
      ])
      const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "buyer", orders: "left" }
      const taken: BotEvent = { _tag: "Resumed", strategy: "buyer", reason: "sold by hand" }
      assert.deepStrictEqual(yield* found(renamed, [...traded, removed, taken]), [])
    })
  )

  it.effect("if a rule that waits for its exit is removed from the file with its exit and stop", () =>
    Effect.gen(function* () {
      const rules = (name: string, then: string) => `name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  orders:
    ${name}:
      when: mid < 61000
      side: buy
      price: 59000
      size: { base: 0.05 }
      times: 1
      ${then}
`
      const exits = "then: { price: 62000 }"
      const history = yield* resting([rules("dip", exits)])
      const [first] = history.filter((event) => event._tag === "Planned")
      assert.isDefined(first)
      if (first === undefined) return
      const { strategy, slot, placement, side, price, inputAsset, outputAsset, inputAmount, outputAmount } = first
      const of = { strategy, slot, placement, inputAsset, outputAsset, side, price }
      const fill = { fillId: "f", amountIn: inputAmount, amountOut: outputAmount, filledAt: now }
      const about = { strategy, slot, placement }
      const ended: ReadonlyArray<BotEvent> = [
        { _tag: "FillSeen", ...of, ...fill },
        { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n },
        { _tag: "PaidOut", ...about, asset: outputAsset, amount: outputAmount, fee: 0n, txHashes: [] },
        { _tag: "Settled", ...about }
      ]
      /** As it is after the turn that follows its purchase. */
      const holding = Effect.fnUntraced(function* (text: string) {
        const bought = [...(yield* resting([text])), ...ended]
        return [...bought, ...(yield* planOf([text], { history: bought })).planned.events]
      })
      const unfit = (text: string, events: ReadonlyArray<BotEvent>) =>
        Effect.map(planOf([text], { history: events }), ({ findings }) =>
          findings.filter(({ name }) => name === "unfit").map(({ text }) => text)
        )
      const withExit = yield* holding(rules("dip", exits))
      assert.deepStrictEqual(yield* unfit(rules("dip", exits), withExit), [])
      assert.deepStrictEqual(yield* unfit(rules("dips", exits), history), [])
      assert.deepStrictEqual(yield* unfit(rules("dips", exits), withExit), [
        "dip waits to sell 0.05 BTC, but the file no longer has this slot: keep it until then, or its exit is lost"
      ])
      assert.deepStrictEqual(yield* unfit(rules("dips", ""), yield* holding(rules("dip", ""))), [])
      const closing = `${rules("dip", exits)}until: 2020-01-01T00:00:00Z\nonEnd: sell\n`
      const selling = [
        ...history,
        ...ended,
        ...(yield* planOf([closing], { history: [...history, ...ended] })).planned.events
      ]
      const sale = selling.find((event) => event._tag === "Planned" && event.slot === "exit")
      assert.isTrue(sale?._tag === "Planned" && sale.side === "SELL")
      if (sale?._tag !== "Planned") return
      const half = { amountIn: sale.inputAmount / 2n, amountOut: sale.outputAmount / 2n }
      const sold: BotEvent = { ...sale, _tag: "FillSeen", fillId: "half", ...half, filledAt: now }
      assert.deepStrictEqual(yield* unfit(rules("dip", exits), selling), [])
      assert.deepStrictEqual(yield* unfit(closing, [...selling, sold]), [])
      assert.deepStrictEqual(yield* unfit(rules("dip", exits), [...selling, sold]), [
        "its end has sold a part of the position: leave the end in the file until all is sold"
      ])
    })
  )

  it.effect("if a budget is reduced below what is in orders", () =>
    Effect.gen(function* () {
      const history = yield* resting([buyer])
      const smaller = (quote: string) => buyer.replace("quote: 100000", `quote: ${quote}`).replace("0.1 }", "0.05 }")
      assert.deepStrictEqual((yield* planOf([smaller("5750")], { history })).findings, [])
      const { findings } = yield* planOf([smaller("5749.99")], { history })
      assert.deepStrictEqual(names(findings), ["over-commit buyer"])
      assert.include(findings[0]?.text, "buyer has 5750 USDC in orders and refunds, but its budget is 5749.99 USDC now")
    })
  )

  it.effect("if orders are below the venue's minimum", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* planOf([buyer], { minOrderUsd: "2850" })).findings, [])
      const { findings } = yield* planOf([buyer], { minOrderUsd: "2850.01" })
      assert.deepStrictEqual(findings[0]?.slots, ["buyer/rung-01"])
    })
  )

  it.effect("if a cycle earns less than its payouts cost", () =>
    Effect.gen(function* () {
      // One cycle earns 0.05 BTC × 580 = 29 USDC (and 28.5); both payouts cost 20 + 0.00015 BTC, about 28.8.
      const cycling = buyer.replace("rungs: 2", "rungs: 2, takeProfit: 1%")
      const fees = (base: bigint) =>
        new Map([
          ["USDC", { withdraw: 20_000_000n }],
          ["BTC", { withdraw: base }]
        ])
      assert.deepStrictEqual((yield* planOf([cycling], { fees: fees(14_000n) })).findings, [])
      const { findings } = yield* planOf([cycling], { fees: fees(15_000n) })
      assert.deepStrictEqual(names(findings), ["fee-floor buyer"])
      assert.deepStrictEqual(findings[0]?.slots, ["buyer/rung-01"])
      assert.deepStrictEqual(names((yield* planOf([buyer], { fees: fees(5_000_000n) })).findings), ["fee-floor buyer"])
    })
  )

  it.effect("if a market has no price", () =>
    Effect.gen(function* () {
      const { findings, changes } = yield* planOf([buyer], { unpriced: ["buyer"] })
      assert.deepStrictEqual(names(findings), ["no-price buyer"])
      assert.deepStrictEqual(changes, [])
    })
  )
})
