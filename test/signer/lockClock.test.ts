/** A policy that a signer first sees while the machine's clock is wrong: its lock is as long as it says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { dayMillis } from "../../src/domain/Durations.ts"
import * as PolicyFile from "../../src/signer/files/PolicyFile.ts"
import * as CountedTime from "../../src/signer/remote/CountedTime.ts"
import type { RecordEntry } from "../../src/signer/remote/Record.ts"
import * as Ruled from "../../src/signer/serving/Ruled.ts"

const text = (version: number) => `version: ${version}
account: me
lock: 1d
assets:
  USDC: { id: usdc, decimals: 2, maxTransfer: ${version}, maxPerDay: 10 }
`
const rulingOf = (version: number) => ({
  file: "policy.yaml",
  text: text(version),
  signed: Result.getOrThrow(PolicyFile.parse(text(version), "policy.yaml"))
})

describe("the lock of a policy", () => {
  it.effect("does not end early if the clock is set back before a start and corrected at the next one", () =>
    Effect.gen(function* () {
      const now = 40 * dayMillis
      const entries: Array<RecordEntry> = []
      const record = { entries, append: (entry: RecordEntry) => Effect.sync(() => void entries.push(entry)) }
      const startAt = Effect.fnUntraced(function* (wall: number, version: number) {
        yield* TestClock.setTime(wall)
        const ruling = rulingOf(version)
        yield* Ruled.begin(ruling, record, "me")
        const policies = yield* Ruled.of(ruling, record)
        return policies(yield* yield* CountedTime.make(entries)).map(({ caps }) => caps.get("usdc")?.maxTransfer)
      })
      assert.deepStrictEqual(yield* startAt(now, 1), [100n])
      assert.deepStrictEqual(yield* startAt(now - 2 * dayMillis, 2), [100n, 200n])
      assert.deepStrictEqual(yield* startAt(now + 1_000, 2), [100n, 200n])
      assert.deepStrictEqual(yield* startAt(now + dayMillis, 2), [200n])
    })
  )
})
