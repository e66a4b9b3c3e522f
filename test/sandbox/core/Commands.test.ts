/** The fold as a whole: balanced books, replay, and independence of when anybody looks. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { fillStatusTransitions, isTerminal } from "../../../src/domain/Order.ts"
import { apply, type Command, replay } from "../../../src/sandbox/core/Commands.ts"
import { advance } from "../../../src/sandbox/core/Control.ts"
import * as Books from "../../../src/sandbox/core/money/Books.ts"
import * as Seeded from "../../../src/sandbox/Seeded.ts"
import { fingerprint, freshState, play, settingsOf, startedAt } from "./scenario.ts"

const seeds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const steps = 200

describe("commands to the sandbox", () => {
  it.prop(
    "leave the books balanced, after any of them",
    [seeds],
    ([seed]) => {
      const { log } = play(settingsOf(seed), steps)
      const state = freshState(settingsOf(seed))
      for (const command of log) {
        replay(state, command)
        assert.deepStrictEqual(Books.imbalances(state.books), [], `seed ${seed}`)
      }
      advance(state, state.now + 600_000)
      assert.deepStrictEqual(Books.imbalances(state.books), [], `seed ${seed}`)
    },
    { arbitrary: { runs: 10 } }
  )

  it("give the identical state from an unchanged log", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { state, log } = play(settingsOf(seed), steps)
      const again = freshState(settingsOf(seed))
      for (const command of log) assert.isTrue(Result.isSuccess(replay(again, command)), `seed ${seed}`)
      advance(again, state.now)
      assert.strictEqual(fingerprint(again), fingerprint(state), `seed ${seed}`)
    }
  })

  it("give the same state with any number of reads in between", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { state, log } = play(settingsOf(seed), steps)
      const watched = freshState(settingsOf(seed))
      for (const [index, command] of log.entries()) {
        while (watched.now < command.at) {
          const pause = 1 + Math.floor(Seeded.fraction(seed, "look", index, watched.now) * 700)
          advance(watched, Math.min(command.at, watched.now + pause))
        }
        replay(watched, command)
      }
      advance(watched, state.now)
      assert.strictEqual(fingerprint(watched), fingerprint(state), `seed ${seed}`)
    }
  })

  it("change statuses only as the domain allows, and every live order ends", () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 10; seed++) {
      const { log } = play(settingsOf(seed), steps)
      const state = freshState(settingsOf(seed))
      const last = new Map<string, string>()
      const look = () => {
        for (const { id, status } of state.orders.values()) {
          const before = last.get(id) ?? "AWAITING_DEPOSIT"
          if (before !== status) {
            seen.add(`${before} ${status}`)
            assert.isTrue(reachable(before, status), `seed ${seed}: ${before} to ${status}`)
          }
          last.set(id, status)
        }
      }
      for (const command of log) {
        advance(state, command.at)
        look()
        replay(state, command)
        look()
      }
      advance(state, state.now + 600_000)
      look()
      for (const order of state.orders.values()) assert.isTrue(isTerminal(order.status), `seed ${seed}`)
    }
    for (const transition of [
      "PENDING_CANCEL FILLED",
      "PENDING_CANCEL CANCELED",
      "OPEN EXPIRED",
      "OPEN PARTIALLY_FILLED"
    ]) {
      assert.isTrue(seen.has(transition), `${transition} was never seen`)
    }
  })

  it("pay out no more than an order's input, nor less than its limit", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { state } = play(settingsOf(seed), steps)
      advance(state, state.now + 600_000)
      for (const order of state.orders.values()) {
        const spent = order.fills.reduce((sum, fill) => sum + fill.amountIn, 0n)
        const received = order.fills.reduce((sum, fill) => sum + fill.amountOut, 0n)
        assert.isTrue(spent <= order.deposited && order.deposited <= order.inputAmount, `seed ${seed} ${order.id}`)
        // Exact in the order's favour: received / spent >= output / input.
        assert.isTrue(received * order.inputAmount >= order.outputAmount * spent, `seed ${seed} ${order.id}`)
        if (order.status === "FILLED") assert.isTrue(received >= order.outputAmount)
      }
      const left = Books.byOrder(state.books)
      for (const entries of left.values()) assert.deepStrictEqual([...new Set(entries.map((e) => e.place))], ["failed"])
    }
  })

  it("change nothing if they are refused", () => {
    const { state } = play(settingsOf(3), steps)
    const before = fingerprint(state)
    const order = [...state.orders.values()][0]
    const isRefused = (command: Command): boolean => Result.isFailure(apply(state, command, state.now))
    const transfer = { receiver: order?.depositAddress ?? "", asset: order?.market.base.id ?? "", amount: "1" }
    const intent = { signerId: "poor.test", nonce: "n", intentHash: "h", transfers: [transfer] }
    const refused = [
      isRefused({ tag: "CancelOrder", payload: { owner: "nobody", orderId: order?.id ?? "" } }),
      isRefused({ tag: "SubmitDeposit", payload: { depositAddress: "unknown", txHash: "1" } }),
      isRefused({ tag: "ExecuteIntent", payload: intent })
    ]
    assert.deepStrictEqual(refused, [true, true, true])
    assert.strictEqual(fingerprint(state), before)
    assert.isAbove(state.now, startedAt)
  })
})

/** In one or more legal steps: between two looks a status may have passed through others. */
const reachable = (from: string, to: string): boolean =>
  (fillStatusTransitions[from] ?? []).some((next) => next === to || reachable(next, to))
