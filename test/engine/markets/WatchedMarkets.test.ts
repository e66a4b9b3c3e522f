/** A market that a strategy only looks at fails: what looks there waits and says why, everything else goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClientRequest } from "effect/http"
import { inVirtualTime, ladder, make, openOrders, until } from "../../world/bot/botWorld.ts"

const watching = `name: watching
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 }, maxPriceDeviation: 90% }
rules:
  orders:
    looks: { when: 'mid("SOL/USDC") > 1', side: buy, price: mid * (1 - 50%), size: { quote: 100 } }
    other: { when: mid > 1, side: buy, price: mid * (1 - 60%), size: { quote: 100 } }
`

const asksFor = ({ body }: HttpClientRequest.HttpClientRequest, asset: string): boolean =>
  body._tag === "Uint8Array" && new TextDecoder().decode(body.body).includes(asset)

const minute = 60_000

describe("a market that strategies only watch", () => {
  it.effect.each(["fails", "hangs"] as const)(
    "and that %s holds only the orders that use it, until it is back",
    (how) =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          const isQuoteOfSol = (request: HttpClientRequest.HttpClientRequest) =>
            request.url.includes("quote") && asksFor(request, "sol.omft")
          world.network.bend = (request) => (isQuoteOfSol(request) ? how : undefined)
          const bot = yield* world.run({ strategies: [watching, ladder(2)] })
          const slots = () =>
            openOrders(bot)
              .map(({ strategy, slot }) => `${strategy}/${slot}`)
              .sort()
          yield* until(() => slots().length === 3, 5 * minute, "the orders that do not look at SOL")
          assert.deepStrictEqual(slots(), ["ladder/rung-00", "ladder/rung-01", "watching/other"])
          const reasons = bot.state.strategies.get("watching")?.decision?.absent ?? []
          assert.match(reasons[0]?.why.text ?? "", /SOL\/USDC has no fresh price/)
          world.network.bend = () => undefined
          yield* until(() => slots().includes("watching/looks"), 5 * minute, "the order that looks at SOL")
          // What it looked at is gone again: its order rests, because no condition says otherwise.
          world.network.bend = (request) => (isQuoteOfSol(request) ? how : undefined)
          yield* Effect.sleep(3 * minute)
          assert.strictEqual(slots().length, 4)
        })
      )
  )
})
