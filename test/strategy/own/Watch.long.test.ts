import { assert, describe, it } from "@effect/vitest"
import * as Watch from "../../../src/strategy/own/Watch.ts"

/** Waits without the processor, as a process on a busy machine does. */
const sleep = (millis: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

describe("the watch over a decision", () => {
  it("repeats a decision that waited for the processor", () => {
    let asked = 0
    const answer = Watch.oneDecision(() => {
      asked += 1
      if (asked === 1) sleep(1_500)
      return "buy"
    })
    assert.deepStrictEqual([answer, asked], ["buy", 2])
  })

  it("ends a decision after a second of processor time", () => {
    assert.throws(() => {
      Watch.oneDecision(() => {
        for (;;) Math.hypot(1, 2)
      })
    }, "it takes longer than 1000 ms")
  })

  it("repeats a backtest whose stretch waited for the processor", () => {
    let runs = 0
    let answer = 0
    Watch.repeated(() => {
      runs += 1
      Watch.inStretches(() => {
        if (runs === 1) sleep(6_000)
        answer = Watch.oneDecision(() => 42)
        return false
      })
    })
    assert.deepStrictEqual([answer, runs], [42, 2])
  }, 30_000)
})
