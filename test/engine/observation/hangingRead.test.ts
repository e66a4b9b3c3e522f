/** The list's report of an order is recorded at once, also while the read of another order hangs. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { inVirtualTime, ladder, openOrders, resting, until } from "../../world/bot/botWorld.ts"

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly attributes: Record<string, unknown> }>
}

const isList = (body: unknown): body is Listed =>
  typeof body === "object" && body !== null && "data" in body && Array.isArray(body.data)

describe("a read that hangs", () => {
  it.effect("does not delay the events of other orders", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(2)], pace: { pollMaxMillis: 1_000 } }, 2)
        const [hidden, doubled] = openOrders(process).map(({ order }) => order?.id)
        world.network.reply = ({ url }, body) => {
          if (!url.includes("/v0/orders") || !isList(body)) return body
          const data = body.data
            .filter(({ id }) => id !== hidden)
            .map((each) => {
              const deposited = String(BigInt(String(each.attributes["depositedAmount"])) * 2n)
              return each.id === doubled
                ? { ...each, attributes: { ...each.attributes, depositedAmount: deposited } }
                : each
            })
          return { ...body, data }
        }
        world.network.bend = ({ method, url }) => (method === "GET" && url.endsWith(`${hidden}`) ? "hangs" : undefined)
        const from = yield* Clock.currentTimeMillis
        const frozen = () => [...process.state.slots.values()].some((slot) => slot.frozen !== undefined)
        yield* until(frozen, 60_000, "the contradiction is told")
        assert.isAtMost((yield* Clock.currentTimeMillis) - from, 5_000)
      })
    )
  )
})
