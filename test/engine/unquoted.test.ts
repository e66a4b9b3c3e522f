/** A market that the venue quotes no more, while it answers all else: an asset id with a mistake, a token that was delisted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultTerms } from "../../src/engine/tracking/Overdue.ts"
import { describe as lineOf } from "../../src/report/text/EventLine.ts"
import { problemsOf } from "../../src/views/Problems.ts"
import { type Bend, inVirtualTime, ladder, make, openOrders, resting, until } from "../world/bot/botWorld.ts"

const solana = "nep141:sol.omft.native"
const isOf = (id: string) => (request: Parameters<Bend>[0]) =>
  request.url.endsWith("/v0/quote") && textOf(request).includes(id)
const textOf = ({ body }: Parameters<Bend>[0]): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
const refusal = { status: 400, body: { message: "tokenIn is not valid" } }

const two = [ladder(2), ladder(2, "other", "SOL/USDC", [90, 95])]
const half = 30_000

describe("a market without quotes", () => {
  for (const [what, answer, words] of [
    ["refused by the venue", refusal, /tokenIn is not valid/],
    ["answered by errors", { status: 500, body: {} }, /500/],
    ["never answered", "hangs", /./]
  ] as const) {
    it.effect(`is an alarm within half a minute if its quotes are ${what}, and trades again with the first quote`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { process, world } = yield* resting({ strategies: two }, 4)
          world.network.bend = (request) => (isOf(solana)(request) ? answer : undefined)
          yield* until(() => process.state.doubts.size > 0, half, "it is told")
          assert.deepStrictEqual([...process.state.doubts.keys()], ["SOL/USDC"])
          const [problem] = problemsOf(process.state, new Map(), { now: 0, pulse: undefined, stuckAfter: defaultTerms })
          assert.deepInclude(problem, { severity: "alarm", kind: "no-price", subject: "SOL/USDC" })
          assert.match(problem?.text ?? "", words)
          const told = (yield* process.events).flatMap(({ event }) =>
            event._tag === "PriceDoubted" ? [lineOf(event, new Map())] : []
          )
          assert.lengthOf(told, 1)
          assert.deepInclude(told[0], { weight: "alarm" })
          assert.match(told[0]?.text ?? "", /NO PRICE of SOL\/USDC/)
          assert.strictEqual(openOrders(process).length, 4, "its orders stay")
          world.network.bend = () => undefined
          yield* until(() => process.state.doubts.size === 0, half, "it is over")
        })
      )
    )
  }

  it.effect("is an alarm if it is the only market, without an earlier price", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.bend = (request) => (isOf(solana)(request) ? refusal : undefined)
        const process = yield* world.run({ strategies: two.slice(1) })
        yield* until(() => process.state.doubts.size > 0, half, "it is told")
        assert.match(process.state.doubts.get("SOL/USDC")?.reason ?? "", /tokenIn is not valid/)
        assert.isUndefined(process.state.venueDownSince, "the venue answers")
      })
    )
  )

  it.effect("is not an alarm after one refused quote", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: two }, 4)
        let refusals = 1
        world.network.bend = (request) => (isOf(solana)(request) && refusals-- > 0 ? refusal : undefined)
        yield* Effect.sleep(half)
        assert.isAtMost(refusals, 0)
        const told = (yield* process.events).filter(({ event }) => event._tag === "PriceDoubted")
        assert.lengthOf(told, 0)
      })
    )
  )
})
