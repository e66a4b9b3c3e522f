/** The first quotes of a start are odd: a bot whose orders rest must live, because nobody else looks after them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import {
  type Bend,
  inVirtualTime,
  isCancel,
  ladder,
  make,
  type Network,
  openOrders,
  resting,
  until
} from "../world/bot/botWorld.ts"

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

const otherDecimals: Network["reply"] = ({ url }, body) =>
  url.endsWith("/v0/quote") && isObject(body) && isObject(body["quote"])
    ? { ...body, quote: { ...body["quote"], amountOutFormatted: `1${body["quote"]["amountOutFormatted"]}` } }
    : body

const honest: Network["reply"] = (_request, body) => body

const quotes =
  (status: number, body: unknown): Bend =>
  ({ url }) =>
    url.endsWith("/v0/quote") ? { status, body } : undefined

const isBtc = ({ body, url }: Parameters<Bend>[0]): boolean =>
  url.endsWith("/v0/quote") && body._tag === "Uint8Array" && new TextDecoder().decode(body.body).includes("nep141:btc")

interface Odd {
  readonly bend?: Bend
  readonly reply?: Network["reply"]
}

const odd: ReadonlyArray<readonly [string, Odd]> = [
  ["show other decimals than the configured ones", { reply: otherDecimals }],
  ["are refused for their credential", { bend: quotes(401, { message: "unauthorized" }) }],
  ["are not quotes", { bend: quotes(200, { quote: "none" }) }],
  ["are refused", { bend: quotes(400, { message: "No liquidity available" }) }]
]

describe("a bot with open orders", () => {
  for (const [what, { bend = () => undefined, reply = honest }] of odd) {
    it.effect(`keeps its orders under control although its first quotes ${what}`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { world, process } = yield* resting(
            { strategies: [ladder(3), ladder(2, "sol", "SOL/USDC", [80, 100])] },
            5
          )
          yield* process.stop
          const attacked: Bend = (request) => (isBtc(request) ? bend(request) : undefined)
          world.network.bend = attacked
          world.network.reply = (request, body) => (isBtc(request) ? reply(request, body) : body)
          const bot = yield* world.run({ strategies: [ladder(3), ladder(2, "sol", "SOL/USDC", [80, 100])] })
          yield* Effect.sleep(20_000)
          assert.isUndefined(bot.fiber.pollUnsafe(), "the bot runs on")
          assert.strictEqual(openOrders(bot).length, 5)
          const told = (yield* bot.events).map(({ event }) => event._tag)
          if (!what.endsWith("are refused") && !what.endsWith("no quotes"))
            assert.isTrue(told.includes("PriceDoubted") || told.includes("VenueDown"), "somebody is told")
          world.setWithdraw({ code: "kill-switch", text: "test" })
          yield* until(() => unfinished(bot.state).length === 0, 60_000, "it withdraws them")
          assert.isAtLeast(world.network.sent.filter(isCancel).length, 5)
        })
      )
    )
  }
})

describe("a bot without orders", () => {
  it.effect("starts after one quote with other decimals, and refuses to start after two", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isTold = false
        world.network.reply = (request, body) => {
          if (isTold || !request.url.endsWith("/v0/quote")) return body
          isTold = true
          return otherDecimals(request, body)
        }
        const bot = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => openOrders(bot).length === 2, 60_000, "it begins")
        yield* bot.stop

        const other = yield* make
        other.network.reply = otherDecimals
        const refused = yield* other.run({ strategies: [ladder(2)] })
        yield* until(() => refused.fiber.pollUnsafe() !== undefined, 5_000, "it ends")
      })
    )
  )
})
