/** A test or a script controls the market and the clock of a sandbox over its own HTTP interface. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { hourMillis } from "../../src/domain/Durations.ts"
import { apply, type Command, replay } from "../../src/sandbox/core/Commands.ts"
import { createAndFund, isSettled, price, read, send, until, venueBooks } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"
import { fingerprint, freshState, play as playCommands, settingsOf } from "./core/scenario.ts"

const still = { speed: 0, settings: { partialFillShare: 0 } }
const mid = (market: string) =>
  Effect.map(
    send("GET", "/sandbox/market"),
    ({ body }) => (body as { markets: Record<string, { mid: number }> }).markets[market]?.mid
  )
const isOpen = ({ fillStatus }: { readonly fillStatus: string }) => fillStatus === "OPEN"

describe("a controlled sandbox", () => {
  it.effect("keeps prices still at speed 0 until they are set", () =>
    play(
      Effect.gen(function* () {
        yield* Effect.sleep("1 hour")
        assert.deepStrictEqual([yield* mid("BTC/USDC"), yield* mid("SOL/USDT")], [60_000, 150])
        const { status } = yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 61_000.5, "wNEAR/USDT": 4 } })
        assert.strictEqual(status, 200)
        yield* Effect.sleep("1 hour")
        assert.deepStrictEqual(
          [yield* mid("BTC/USDC"), yield* mid("wNEAR/USDC"), yield* mid("SOL/USDT")],
          [61_000.5, 4, 150]
        )
      }),
      still
    )
  )

  it.effect("keeps a price still that is set while the market moves", () =>
    play(
      Effect.gen(function* () {
        yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 50_000 } })
        const before = yield* mid("ETH/USDC")
        yield* Effect.sleep("1 hour")
        assert.strictEqual(yield* mid("BTC/USDC"), 50_000)
        assert.notStrictEqual(yield* mid("ETH/USDC"), before)
      }),
      { speed: 60 }
    )
  )

  it.effect("fills an order at its limit when a price reaches it, and no other order", () =>
    play(
      Effect.gen(function* () {
        const near = yield* createAndFund({ price: price("60500") })
        const far = yield* createAndFund({ price: price("61500") })
        yield* until(near.id, isOpen)
        yield* until(far.id, isOpen)
        yield* Effect.sleep("1 hour")
        assert.isTrue(isOpen(yield* read(near.id)))
        yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 61_000 } })
        const settled = yield* until(near.id, isSettled)
        assert.deepStrictEqual(
          settled.fills.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
          [[1_000_000n, 605_000_000n]]
        )
        assert.isTrue(isOpen(yield* read(far.id)))
      }),
      still
    )
  )

  it.effect("fills an order that a price reaches, even if the next command sets the price back", () =>
    play(
      Effect.gen(function* () {
        const { id } = yield* createAndFund({ price: price("60500") })
        yield* until(id, isOpen)
        yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 61_000 } })
        yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 60_000 } })
        assert.strictEqual((yield* read(id)).fillStatus, "FILLED")
      }),
      still
    )
  )

  it.effect("fills an order in slices completely while the price that reaches it stays", () =>
    play(
      Effect.gen(function* () {
        const { id } = yield* createAndFund({ price: price("60500") })
        yield* until(id, isOpen)
        yield* send("POST", "/sandbox/prices", { prices: { "BTC/USDC": 61_000 } })
        assert.strictEqual((yield* read(id)).fillStatus, "PARTIALLY_FILLED")
        const { fills, fillStatus } = yield* until(id, isSettled)
        assert.strictEqual(fillStatus, "FILLED")
        assert.isAbove(fills.length, 1)
      }),
      { speed: 0, settings: { partialFillShare: 1 } }
    )
  )

  it.effect("fills the oldest matching order, in part or whole, and at most what is left", () =>
    play(
      Effect.gen(function* () {
        const first = yield* createAndFund({ price: price("61000") })
        const second = yield* createAndFund({ price: price("61000.0") })
        for (const { id } of [first, second]) yield* until(id, isOpen)
        const wanted = { market: "BTC/USDC", side: "SELL", price: "61000.00" }
        const part = yield* send("POST", "/sandbox/fill", { ...wanted, quantity: "0.004" })
        assert.deepStrictEqual(part.body, { orderId: first.id, executed: "400000" })
        assert.strictEqual((yield* read(first.id)).fillStatus, "PARTIALLY_FILLED")
        const more = yield* send("POST", "/sandbox/fill", { ...wanted, quantity: "0.00600001" })
        assert.deepStrictEqual([more.status, more.body], [400, { message: "quantity: 0.006 BTC of the order is left" }])
        const whole = yield* send("POST", "/sandbox/fill", wanted)
        assert.deepStrictEqual(whole.body, { orderId: first.id, executed: "1000000" })
        assert.deepStrictEqual(
          (yield* until(first.id, isSettled)).fills.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
          [
            [400_000n, 244_000_000n],
            [600_000n, 366_000_000n]
          ]
        )
        assert.isTrue(isOpen(yield* read(second.id)))
        const named = yield* send("POST", "/sandbox/fill", { orderId: second.id })
        assert.deepStrictEqual(named.body, { orderId: second.id, executed: "1000000" })
        const none = yield* send("POST", "/sandbox/fill", {})
        assert.deepStrictEqual([none.status, none.body], [404, { message: "no open order matches" }])
        assert.deepStrictEqual((yield* venueBooks).imbalances, [])
      }),
      still
    )
  )

  it.effect("ends an order at its deadline when time is advanced, and stays ahead of the clock", () =>
    play(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const created = yield* createAndFund({ price: price("61000"), deadline: now + hourMillis })
        yield* until(created.id, isOpen)
        yield* send("POST", "/sandbox/advance", { millis: hourMillis })
        assert.strictEqual((yield* read(created.id)).fillStatus, "EXPIRED")
        const at = (yield* venueBooks).at
        assert.strictEqual(at, (yield* Clock.currentTimeMillis) + hourMillis)
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* venueBooks).at, at + 1_000)
      }),
      still
    )
  )

  it.effect.each([
    ["/sandbox/prices", { prices: { "BTC/DOGE": 1 } }, /there is no market BTC\/DOGE/],
    ["/sandbox/prices", { prices: { "BTC/BTC": 1 } }, /there is no market BTC\/BTC/],
    ["/sandbox/prices", { prices: { "BTC/USDC": 0 } }, /prices/],
    ["/sandbox/advance", { millis: 0 }, /millis/],
    ["/sandbox/fill", { side: "buy" }, /side/]
  ] as const)("refuses at %s the body %j and changes nothing", ([path, body, message]) =>
    play(
      Effect.gen(function* () {
        const answer = yield* send("POST", path, body)
        assert.strictEqual(answer.status, 400)
        assert.match(JSON.stringify(answer.body), message)
        assert.strictEqual(yield* mid("BTC/USDC"), 60_000)
      }),
      still
    )
  )

  it("reaches the same state from its log", () => {
    const { state, log } = playCommands(settingsOf(9), 40)
    const commands: ReadonlyArray<Command> = [
      { tag: "SetPrices", payload: { prices: { "BTC/USDC": 58_000 } } },
      { tag: "FillOrder", payload: {} },
      { tag: "AdvanceTime", payload: { millis: 60_000 } }
    ]
    for (const command of commands) {
      const at = state.now
      if (Result.isSuccess(apply(state, command, at))) log.push({ ...command, at })
    }
    const again = freshState(settingsOf(9))
    for (const command of log) replay(again, command)
    assert.strictEqual(fingerprint(again), fingerprint(state))
    assert.strictEqual(again.aheadMillis, state.aheadMillis)
  })
})
