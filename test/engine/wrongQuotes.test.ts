/**
 * Dry quotes that answer another question than the one that was asked, or do not bear the venue's signature: between the
 * bot and the honest sandbox somebody changes them. Such a quote is no price, and nothing is funded by it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inVirtualTime, make, type Network, openOrders, until } from "../world/bot/botWorld.ts"

/** Orders one percent from the price that it sees. */
const maker = `name: maker
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 }, maxPriceDeviation: 2% }
rules:
  orders:
    near: { when: "mid > 0", side: buy, price: mid * (1 - 1%), size: { quote: 500 } }
    far: { when: "mid > 0", side: buy, price: mid * (1 - 2%), size: { quote: 400 } }
`

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** Every dry quote is changed so; the answer as it came. */
const changing =
  (change: (answer: Json, quote: Json, echo: Json) => void): Network["reply"] =>
  ({ url }, body) => {
    if (!url.endsWith("/v0/quote") || !isObject(body)) return body
    const answer = structuredClone(body)
    const { quote, quoteRequest } = answer
    if (isObject(quote) && isObject(quoteRequest)) change(answer, quote, quoteRequest)
    return answer
  }

const answering = (values: Json) => changing((answer) => Object.assign(answer, values))
const quoting = (values: Json) => changing((_answer, quote) => Object.assign(quote, values))
const echoed = (values: Json) => changing((_answer, _quote, echo) => Object.assign(echo, values))

const better = changing((_answer, quote) => {
  quote["amountOut"] = String((BigInt(String(quote["amountOut"])) * 101n) / 100n)
  quote["amountOutFormatted"] = String(Number(quote["amountOutFormatted"]) * 1.01)
})

const unsigned: ReadonlyArray<readonly [string, Network["reply"]]> = [
  ["whose signature is missing", answering({ signature: undefined })],
  ["whose signature is another's", answering({ signature: `ed25519:${"1".repeat(64)}` })],
  ["that are better by a hundredth than the signed text", better]
]

const echoes: ReadonlyArray<readonly [string, Network["reply"]]> = [
  ["for another recipient", echoed({ recipient: "mallory" })],
  ["for another refund", echoed({ refundTo: "mallory" })],
  ["for another amount", echoed({ amount: "1" })],
  ["for another asset", echoed({ destinationAsset: "nep141:sol.omft.native" })],
  ["for a real swap", echoed({ dry: false })],
  ["for another kind of swap", echoed({ swapType: "EXACT_OUTPUT" })],
  ["for another tolerance", echoed({ slippageTolerance: 5000 })],
  ["for another time", echoed({ deadline: "2026-01-01T00:00:00.000Z" })],
  ["for another kind of deposit", echoed({ depositType: "ORIGIN_CHAIN" })],
  ["for another mode of deposit", echoed({ depositMode: "MEMO" })],
  ["of a smaller deposit", quoting({ amountIn: "1" })],
  ["without an echo", answering({ quoteRequest: {} })]
]

const refusing = (reply: Network["reply"], isVerifying: boolean) =>
  inVirtualTime(
    Effect.gen(function* () {
      const world = yield* make
      world.network.reply = reply
      const bot = yield* world.run({ strategies: [maker], ...(isVerifying ? { isVerifying } : {}) })
      yield* Effect.sleep(20_000)
      assert.strictEqual(bot.state.placements.size, 0, "nothing is planned on it")
      assert.isUndefined(bot.fiber.pollUnsafe(), "the bot runs on")
      world.network.reply = (_request, body) => body
      yield* until(() => openOrders(bot).length === 2, 30_000, "both orders rest once the quotes are the venue's own")
    })
  )

describe("quotes of a venue with a configured key", () => {
  for (const [what, reply] of unsigned) {
    it.effect(`${what} are not used as prices`, () => refusing(reply, true))
  }
})

describe("quotes of a venue without a configured key", () => {
  for (const [what, reply] of echoes) it.effect(`${what} are not used as prices`, () => refusing(reply, false))
})
