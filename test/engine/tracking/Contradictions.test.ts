/** Whatever a venue says that cannot be true is detected, named, and in the evidence; the sandbox says each of it on purpose. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { minuteMillis } from "../../../src/domain/Durations.ts"
import { defaultTerms, overdueIn } from "../../../src/engine/tracking/Overdue.ts"
import * as Evidence from "../../../src/ledger/Evidence.ts"
import { lies } from "../../../src/sandbox/core/State.ts"
import { inVirtualTime, make, until } from "../../world/bot/botWorld.ts"

/** Below the price, so that all of it is sold as soon as it is paid for. */
const marketable = `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.1 }, maxPriceDeviation: 90% }
ladder: { side: sell, from: 58000, to: 58000, rungs: 1, total: { base: 0.05 } }
`
/** Filled and paid by then. */
const doneMillis = 40_000

const judged = (path: string, said: Record<string, string>, kind: string) =>
  inVirtualTime(
    Effect.gen(function* () {
      const world = yield* make
      const bot = yield* world.run({ strategies: [marketable] })
      const placement = () => bot.state.placements.get("p1")
      yield* until(() => placement()?.order !== undefined, 60_000, "an order")
      const depositAddress = placement()?.order?.depositAddress
      assert.isBelow((yield* world.tell(path, { depositAddress, ...said })).status, 300)
      yield* Effect.sleep(doneMillis)
      const fold = Evidence.make("p1")
      for (const entry of yield* bot.events) fold.see(entry)
      const [found] = fold.result()
      const kinds = Evidence.findings(found?.moments ?? []).map((finding) => finding.kind)
      assert.include(kinds, kind)
      assert.deepStrictEqual(
        kinds.filter((each) => each === kind),
        [kind],
        "said once"
      )
      // Nothing new is placed in the slot, and whatever is not over is listed as soon as its term is past.
      assert.strictEqual(bot.state.placementCount, 1)
      const now = bot.state.runStartedAt + defaultTerms.payout + 20 * minuteMillis
      const overdue = overdueIn(bot.state, defaultTerms, now)
      const isOver = placement() === undefined || placement()?.state === "settled"
      assert.strictEqual(overdue.length, isOver ? 0 : 1, placement()?.state)
      yield* bot.stop
    })
  )

describe("the check of payouts and refunds", () => {
  for (const lie of lies) it.effect(`names ${lie}`, () => judged("/sandbox/lie", { lie }, lie))

  it.effect("names a failed payout", () => judged("/sandbox/outcome", { outcome: "FAILED_WITHDRAWAL" }, "failed-leg"))

  it.effect("names nothing if all is well, and nothing is overdue before its time", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [marketable] })
        yield* Effect.sleep(doneMillis)
        const fold = Evidence.make("p1")
        const events = yield* bot.events
        for (const entry of events) fold.see(entry)
        assert.isTrue(events.some(({ event }) => event._tag === "Settled"))
        assert.deepStrictEqual(Evidence.findings(fold.result()[0]?.moments ?? []), [])
        assert.deepStrictEqual(overdueIn(bot.state, defaultTerms, bot.state.runStartedAt + minuteMillis), [])
        yield* bot.stop
      })
    )
  )
})
