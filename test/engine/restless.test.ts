/** A venue whose words change from look to look: it is told, and the journal does not grow with every look. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { isLong } from "../long.ts"
import { inVirtualTime, ladder, resting, until } from "../world/bot/botWorld.ts"

describe("a status that changes at every poll", () => {
  it.effect.skipIf(!isLong)("is recorded a limited number of times, and is then a contradiction", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(2)], pace: { pollMaxMillis: 1_000 } }, 2)
        let answers = 0
        world.network.reply = (_request, body) =>
          JSON.parse(JSON.stringify(body).replace(/"fillStatus":"[A-Z_]+"/g, () => `"fillStatus":"WORD_${answers++}"`))
        yield* Effect.sleep(250_000)
        const told = (yield* process.events).map(({ event }) => event._tag)
        assert.isAtMost(told.filter((tag) => tag === "StatusSeen").length, 210)
        assert.strictEqual(told.filter((tag) => tag === "Contradiction").length, 2)
        world.network.reply = (_request, body) => body
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 60_000, "all the money is back")
      })
    )
  )
})
