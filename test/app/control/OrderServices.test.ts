/** Orders by hand: what is in their file after a command. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import * as OrderServices from "../../../src/app/control/OrderServices.ts"
import type { OrderRequest } from "../../../src/control/api/Order.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import * as ConfigFile from "../../../src/files/ConfigFile.ts"
import { endedByExit } from "../../../src/strategy/kinds/rules/rules.ts"
import type { PlanFacts } from "../../../src/views/Plan.ts"
import { nowhere, workspace } from "../../world/processes/program.ts"

const lists = {
  absent: [],
  changes: [],
  charged: [],
  findings: [],
  locked: [],
  readiness: [],
  renewals: [],
  warnings: []
}
const facts: PlanFacts = {
  ...{ ...lists, at: 0, journal: "", hasJournal: false, killed: undefined, strategies: [], isBalanceKnown: false },
  ...{ prices: new Map(), uncommitted: new Map(), fees: new Map() }
}

const strategy = "by-hand-btc-usdc"
const text = { file: "f", kind: "rules", hash: "1", text: "" }
const loaded: BotEvent = { _tag: "StrategyLoaded", strategy, market: "BTC/USDC", ...text }
/** Which targets of an order have ended; the others wait for their price. */
const decided = (order: string, ended: ReadonlyArray<number>, reason?: string) => {
  const price = Decimal.make(59_000n)
  const absent = [1, 2].map((target) => {
    const why = { code: ended.includes(target) ? "used-up" : "condition", text: reason ?? `about ${target}` }
    return { slot: `${order}-${target}`, why }
  })
  const about = { _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1 } as const
  return { ...about, desired: [], absent, reasons: [], until: { onFill: true }, memory: null } satisfies BotEvent
}

const served = Effect.fnUntraced(function* (
  state: BotState.BotState,
  leaving: () => string | undefined = () => undefined
) {
  const config = yield* ConfigFile.load(join(workspace(nowhere, {}), "config.yaml"))
  const services = yield* OrderServices.make({
    config,
    running: () => [],
    state: Effect.succeed(state),
    plan: () => Effect.succeed(facts),
    reload: () => Effect.succeed({ objection: "", note: "" }),
    leaving
  })
  const file = ByHand.fileOf(config.journal, { name: "BTC/USDC" })
  return { services, file, written: () => ByHand.ordersIn(existsSync(file) ? readFileSync(file, "utf8") : "") }
})

interface Placed {
  readonly slot: string
  readonly placement: string
  readonly side: "BUY" | "SELL"
  readonly at: bigint
  readonly base: bigint
}

/** An order that is open, and one that has ended with this part of its base. */
const openOrder = ({ at, base, placement, side, slot }: Placed): ReadonlyArray<BotEvent> => {
  const [quote, path] = [(at * base * 10n ** 6n) / 10n ** 8n, { orderId: placement, depositAddress: placement }]
  const about = { strategy, slot, placement }
  const [inputAsset, outputAsset] = side === "BUY" ? ["USDC", "BTC"] : ["BTC", "USDC"]
  const [inputAmount, outputAmount] = side === "BUY" ? [quote, base] : [base, quote]
  const terms = { market: "BTC/USDC", side, price: Decimal.make(at), quantity: base, deadline: 9_000_000 }
  const amounts = { inputAsset, inputAmount, outputAsset, outputAmount }
  return [
    { _tag: "Planned", ...about, ...terms, ...amounts, why: { code: "rule-fired", text: "" } },
    { _tag: "CreateSent", ...about, attempt: 1 },
    { _tag: "Bound", ...about, ...path, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n },
    {
      ...{ _tag: "FundingSigned", ...about, ...path, asset: inputAsset, amount: inputAmount },
      ...{ signed: Redacted.make(""), intentHash: "", validUntil: 2_000 }
    },
    { _tag: "DepositSeen", ...about, asset: inputAsset, total: inputAmount, fresh: inputAmount }
  ]
}
const boughtBy = (order: Placed, amountOut: bigint): ReadonlyArray<BotEvent> => {
  const { at, base, placement, slot } = order
  const about = { strategy, slot, placement }
  const [amountIn, unspent] = [(at * amountOut) / 100n, (at * (base - amountOut)) / 100n]
  const fill = { price: Decimal.make(at), fillId: "f", amountIn, amountOut, filledAt: 1_000, side: "BUY" } as const
  const refund = { _tag: "Refunded", ...about, asset: "USDC", amount: unspent, fee: 0n, txHashes: [] } as const
  return [
    ...openOrder(order),
    { _tag: "FillSeen", ...about, ...fill, inputAsset: "USDC", outputAsset: "BTC" },
    { _tag: "Closed", ...about, status: unspent === 0n ? "FILLED" : "CANCELED", inputAsset: "USDC", unspent },
    { _tag: "PayoutStarted", ...about, asset: "BTC", amount: amountOut },
    { _tag: "PaidOut", ...about, asset: "BTC", amount: amountOut, fee: 0n, txHashes: [] },
    ...(unspent === 0n ? [] : [refund]),
    { _tag: "Settled", ...about }
  ]
}

describe("the list of orders by hand", () => {
  const standingAfter = Effect.fnUntraced(function* (
    more: Partial<OrderRequest>,
    events: (slot: string) => ReadonlyArray<BotEvent>
  ) {
    const state = BotState.make()
    const { file, services } = yield* served(state)
    const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000", ...more } as const
    const { order } = yield* services.place(request, "a key of mine")
    const all: ReadonlyArray<BotEvent> = [
      { ...loaded, text: readFileSync(file, "utf8") },
      { _tag: "BudgetAllotted", strategy, asset: "USDC", amount: 1_000_000_000n },
      ...events(order)
    ]
    for (const event of all) BotState.apply(state, { sequence: state.sequence + 1, at: 1_000, event })
    const [standing] = yield* services.list
    return standing
  })
  const listAfter = (...given: Parameters<typeof standingAfter>) =>
    Effect.map(standingAfter(...given), (standing) => [standing?.filled, standing?.exit])
  const entry = { placement: "p1", side: "BUY", at: 59_000n, base: 1_000_000n } as const

  it.effect("shows all that an entry has bought, and its open exit apart", () =>
    Effect.gen(function* () {
      const exit = { placement: "p2", side: "SELL", at: 60_180n, base: 1_000_000n } as const
      const bought = (slot: string) => boughtBy({ ...entry, slot }, 1_000_000n)
      const exits = { takeProfit: "2%", stop: "4%" }
      assert.deepStrictEqual(yield* listAfter(exits, bought), ["100 %", "waits"])
      const rests = (slot: string) => [...bought(slot), ...openOrder({ ...exit, slot })]
      assert.deepStrictEqual(yield* listAfter(exits, rests), ["100 %", "open at 60180, 0 %"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("shows the part of an entry that has filled, also once its exit sells that part", () =>
    Effect.gen(function* () {
      const part = (slot: string): ReadonlyArray<BotEvent> => [
        ...boughtBy({ ...entry, slot }, 400_000n),
        {
          _tag: "LegClosed",
          strategy,
          slot,
          side: "BUY",
          asset: "BTC",
          rest: 0n,
          reason: "its planned amount has filled"
        }
      ]
      const exits = { takeProfit: "2%", stop: "4%" }
      assert.deepStrictEqual(yield* listAfter(exits, part), ["40 %", "waits"])
      const exit = { placement: "p2", side: "SELL", at: 60_180n, base: 400_000n } as const
      const rests = (slot: string) => [...part(slot), ...openOrder({ ...exit, slot })]
      assert.deepStrictEqual(yield* listAfter(exits, rests), ["40 %", "open at 60180, 0 %"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("says of an ended order whether all of its entry has filled", () =>
    Effect.gen(function* () {
      const usedUp = (slot: string) => {
        const absent = [{ slot, why: { code: "used-up", text: "has fired all its 1 time" } }]
        return { ...decided(slot, []), absent }
      }
      const ended = (amount: bigint) => (slot: string) => [
        ...boughtBy({ ...entry, slot }, amount),
        closed(slot),
        usedUp(slot)
      ]
      const closed = (slot: string): BotEvent => {
        const about = { strategy, slot, side: "BUY", asset: "BTC", rest: 0n } as const
        return { _tag: "LegClosed", ...about, reason: "its planned amount has filled" }
      }
      const part = yield* standingAfter({ stop: "4%" }, ended(100_000n))
      const rest = "the rest of its entry was cancelled, and its money is in the account"
      assert.deepInclude(part, { filled: "10 %", state: "filled in part", why: rest, hasEnded: true })
      const whole = yield* standingAfter({ stop: "4%" }, ended(1_000_000n))
      const why = "it is done, and its money is in the account"
      assert.deepInclude(whole, { filled: "100 %", state: "filled", why, hasEnded: true })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("counts what an order has filled before a change of its price", () =>
    Effect.gen(function* () {
      const moved = (slot: string) => [
        ...boughtBy({ ...entry, slot }, 400_000n),
        ...openOrder({ ...entry, slot, placement: "p2", at: 58_000n, base: 600_000n })
      ]
      assert.deepStrictEqual(yield* listAfter({}, moved), ["40 %", undefined])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("shows each target's exit", () =>
    Effect.gen(function* () {
      const bought = (slot: string) => boughtBy({ ...entry, slot: `${slot}-1`, base: 500_000n }, 500_000n)
      const exits = { takeProfit: "2%:50%,5%:50%", stop: "4%" }
      assert.deepStrictEqual(yield* listAfter(exits, bought), ["50 %", "target 1: waits"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("counts no target that has expired as filled", () =>
    Effect.gen(function* () {
      const expired = (slot: string) => [
        ...boughtBy({ ...entry, slot: `${slot}-1`, base: 500_000n }, 500_000n),
        decided(slot, [2])
      ]
      const exits = { takeProfit: "2%:50%,5%:50%", expire: "6h" }
      assert.deepStrictEqual(yield* listAfter(exits, expired), ["50 %", "target 1: waits"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("says of a stopped order what it has filled, also if another target stands first", () =>
    Effect.gen(function* () {
      const stopped = (slot: string): ReadonlyArray<BotEvent> => {
        const [first, second] = [decided(slot, [1, 2], "has fired all its 1 time"), decided(slot, [1, 2], endedByExit)]
        const absent = [first, second].flatMap((each, index) => each.absent.slice(index, index + 1))
        return [...boughtBy({ ...entry, slot: `${slot}-1`, base: 500_000n }, 500_000n), { ...second, absent }]
      }
      const standing = yield* standingAfter({ takeProfit: "2%:50%,5%:50%" }, stopped)
      assert.deepInclude(standing, { filled: "50 %", state: "stopped", why: `${endedByExit}; its money is back` })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("an order by hand with several targets", () => {
  const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000", stop: "57000" } as const
  const targets = { ...request, takeProfit: "2%:50%,5%:50%", breakevenAt: "2%" } as const
  const then = "then take-profit: 50% at +2%, 50% at +5%, stop: 57000, breakeven: +2%"

  it.effect("is one order with one line, also after a change and a repeated request", () =>
    Effect.gen(function* () {
      const { services, written } = yield* served(BotState.make())
      const { message, order, slot } = yield* services.place(targets, "a key of mine")
      assert.include(message, `BUY 0.01 BTC at 59000 USDC, ${then}`)
      assert.strictEqual(slot, `${strategy}/${order}-1`)
      const list = '[{ at: "entry * (1 + 2%)", part: 50% }, { at: "entry * (1 + 5%)", part: 50% }]'
      assert.include(written().get(order), `price: ${list}`)
      const again = yield* services.place({ ...targets, takeProfit: "2%:50%, 5%:50%" }, "a key of mine")
      assert.include(again.message, "was placed before")
      const other = yield* Effect.flip(services.place({ ...targets, takeProfit: "2%:40%,5%:60%" }, "a key of mine"))
      assert.include(other.message, "This key has placed another order")
      yield* services.change({ order, price: "58000" })
      assert.deepStrictEqual(yield* services.list, [
        {
          order,
          terms: `BUY 0.01 BTC at 58000 USDC, ${then}`,
          filled: "",
          state: "waits",
          why: "not planned yet",
          hasEnded: false
        }
      ])
      assert.include(written().get(order), `price: ${list}`)
      assert.include((yield* services.cancel(order)).message, `${order} is cancelled, and its exits with it`)
      assert.strictEqual(written().size, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("stands at the target that has not ended, and is over when all have", () =>
    Effect.gen(function* () {
      const state = BotState.make()
      const { services } = yield* served(state)
      const { order } = yield* services.place(targets, "a key of mine")
      const standingAfter = Effect.fnUntraced(function* (event: BotEvent) {
        BotState.apply(state, { sequence: state.sequence + 1, at: 1_000, event })
        const [standing] = yield* services.list
        return [standing?.state, standing?.why]
      })
      yield* standingAfter(loaded)
      assert.deepStrictEqual(yield* standingAfter(decided(order, [])), ["waits", "target 1: about 1"])
      assert.deepStrictEqual(yield* standingAfter(decided(order, [1])), ["waits", "target 2: about 2"])
      const stopped = ["stopped", `${endedByExit}; its money is back`]
      assert.deepStrictEqual(yield* standingAfter(decided(order, [1, 2], endedByExit)), stopped)
      assert.strictEqual((yield* standingAfter(decided(order, [1, 2])))[0], "expired")
      assert.include((yield* Effect.flip(services.cancel(order))).message, `${order} has ended`)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is refused with its mistake, and nothing is written", () =>
    Effect.gen(function* () {
      const { services, written } = yield* served(BotState.make())
      const refusalOf = (takeProfit: string) => Effect.flip(services.place({ ...request, takeProfit }, "a key of mine"))
      assert.include((yield* refusalOf("2%:50%,5%:40%")).message, "the parts of the targets add up to 90%, not to 100%")
      assert.include((yield* refusalOf(Array(11).fill("2%:9%").join(","))).message, "at most 10 targets")
      const { message } = yield* refusalOf("58000:50%,62000:50%")
      assert.strictEqual(message, "the exit must be above the entry price 59000")
      const unread = yield* Effect.flip(services.place({ ...request, when: "rsi < 30" }, "a key of mine"))
      assert.strictEqual(unread.message, "rsi needs arguments; rsi(series, length)")
      assert.strictEqual(written().size, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is planned with all of its terms in words, and no command that needs an order", () =>
    Effect.gen(function* () {
      const { services } = yield* served(BotState.make())
      const wanted = { ...request, stop: "5%", dry: true }
      const { message, order, terms } = yield* services.place(wanted, "a key of mine")
      assert.strictEqual(terms.at(-1), `${order}: BUY 0.01 BTC at 59000 USDC, then stop: -5%`)
      assert.strictEqual(message, "Nothing was written: only a plan")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("an order by hand", () => {
  it.effect("is not moved to a price at which its exits would be refused", () =>
    Effect.gen(function* () {
      const { services, written } = yield* served(BotState.make())
      const refusalOf = Effect.fnUntraced(function* (
        { key, ...exits }: Pick<OrderRequest, "breakevenAt" | "stop" | "takeProfit"> & { readonly key: string },
        side: OrderRequest["side"],
        to: string
      ) {
        const request = { side, market: "BTC/USDC", amount: "0.01", ...exits } as const
        const { order } = yield* services.place({ ...request, price: "59000" }, key)
        const rule = written().get(order)
        const placing = yield* Effect.flip(services.place({ ...request, price: to }, `${key} again`))
        const { message } = yield* Effect.flip(services.change({ order, price: to }))
        assert.strictEqual(written().get(order), rule)
        return [placing.message, message]
      })
      const [placing = "", message = ""] = yield* refusalOf(
        { key: "key of 1", stop: "50000", breakevenAt: "60000" },
        "buy",
        "60500"
      )
      assert.strictEqual(placing, "breakevenAt must be above the entry price 60500")
      assert.match(message, /^buy-[0-9a-f]{8} stays at its price: breakevenAt must be above the entry price 60500$/)
      const [, sale = ""] = yield* refusalOf({ key: "key of 2", stop: "65000", breakevenAt: "58000" }, "sell", "57000")
      assert.match(sale, /breakevenAt must be below the entry price 57000/)
      for (const exits of [{ stop: "58000" }, { takeProfit: "60000" }]) {
        const to = "stop" in exits ? "57000" : "60500"
        const key = `key of ${JSON.stringify(exits)}`
        const [placed = "", moved = ""] = yield* refusalOf({ key, ...exits }, "buy", to)
        for (const refusal of [placed, moved]) assert.match(refusal, /must be (?:above|below) the entry price/)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("has ended once it has expired or its strategy is closed", () =>
    Effect.gen(function* () {
      const state = BotState.make()
      const { services } = yield* served(state)
      const { order } = yield* services.place(
        { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000" },
        "a key of mine"
      )
      const price = Decimal.make(59_000n)
      const standingAfter = Effect.fnUntraced(function* (code: string) {
        const absent = [{ slot: order, why: { code, text: "" } }]
        const about = { _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1 } as const
        const event: BotEvent = { ...about, desired: [], absent, reasons: [], until: { onFill: true }, memory: null }
        BotState.apply(state, { sequence: state.sequence + 1, at: 1_000, event })
        const [standing] = yield* services.list
        return [standing?.state, standing?.hasEnded]
      })
      BotState.apply(state, { sequence: 1, at: 1_000, event: loaded })
      assert.deepStrictEqual(yield* standingAfter("condition"), ["waits", false])
      assert.deepStrictEqual(yield* standingAfter("used-up"), ["expired", true])
      assert.deepStrictEqual(yield* standingAfter("period-over"), ["closed", true])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is refused by a bot that stops, because no process would follow it", () =>
    Effect.gen(function* () {
      const { services, written } = yield* served(BotState.make(), () => "stopping")
      const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000" } as const
      const { message } = yield* Effect.flip(services.place(request, "a key of mine"))
      assert.include(message, "Not placed: the bot is stopping")
      assert.strictEqual(written().size, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("leaves its file after 10 later ones have ended, and its key places none again", () =>
    Effect.gen(function* () {
      const state = BotState.make()
      const { services, written } = yield* served(state)
      const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000" } as const
      for (let number = 1; number <= 12; number++) yield* services.place(request, `key number ${number}`)
      const ids = [...written().keys()]
      const [first = ""] = ids
      const absent = ids.map((slot) => ({ slot, why: { code: "used-up", text: "" } }))
      const price = Decimal.make(59_000n)
      const about = { _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1 } as const
      const ended: BotEvent = { ...about, desired: [], absent, reasons: [], until: { onFill: true }, memory: null }
      for (const event of [loaded, ended]) BotState.apply(state, { sequence: state.sequence + 1, at: 1_000, event })
      const { order } = yield* services.place(request, "the last key")
      assert.deepStrictEqual([...written().keys()], [...ids.slice(2), order])
      const again = yield* Effect.flip(services.place(request, "key number 1"))
      assert.include(again.message, "has ended. Nothing was placed; use another key")
      assert.include((yield* Effect.flip(services.cancel(first))).message, `${first} has ended: nothing of it is open`)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("leaves no line that the bot has refused, also if its caller disconnects meanwhile", () =>
    Effect.gen(function* () {
      const config = yield* ConfigFile.load(join(workspace(nowhere, {}), "config.yaml"))
      const [asked, answered] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<{ objection: string; note: string }>()
      ]
      const services = yield* OrderServices.make({
        config,
        running: () => [],
        state: Effect.sync(BotState.make),
        plan: () => Effect.succeed(facts),
        reload: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered)),
        leaving: () => undefined
      })
      const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000" } as const
      const placing = yield* Effect.forkChild(services.place(request, "a key of mine"))
      yield* Deferred.await(asked)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(placing))
      yield* Effect.yieldNow
      yield* Deferred.succeed(answered, { objection: "the market has moved", note: "" })
      yield* Fiber.join(leaving)
      assert.isFalse(existsSync(ByHand.fileOf(config.journal, { name: "BTC/USDC" })))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
