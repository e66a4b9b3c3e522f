/** A request of one market that gets no answer holds back no order of another market. Nobody fills but the test. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import * as Reserve from "../../src/journal/Reserve.ts"
import {
  type Bend,
  inVirtualTime,
  ladder,
  makeWith,
  openOrders,
  parse,
  type Running,
  until
} from "../world/bot/botWorld.ts"

const still = makeWith(() => Reserve.none, {
  speed: 0,
  fillWhileCancellingShare: 0,
  solvers: { marginBasisPoints: [5000, 5000], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
})

const bracket = `name: long
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 1000 }, maxPriceDeviation: 90% }
bracket: { side: buy, size: { quote: 600 }, entry: 60000, takeProfit: 70000, stop: 58000, reach: 1% }
`

const other = (rungs: number) => ladder(rungs, "other", "SOL/USDC", [90, 95])

type Request = Parameters<Bend>[0]

const textOf = ({ body }: Request): string => (body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")

const namesOrderOf = (market: string, { state }: Pick<Running, "state">, request: Request): boolean =>
  [...state.placements.values()].some(
    (placement) =>
      placement.market === market &&
      placement.order !== undefined &&
      (request.url.includes(placement.order.id) || textOf(request).includes(placement.order.depositAddress))
  )

const unanswered: ReadonlyArray<readonly [string, (request: Request, process: Running) => boolean]> = [
  ["create", (request) => request.url.endsWith("/v0/orders") && textOf(request).includes("nep141:sol.omft.native")],
  ["read", (request, process) => request.method === "GET" && namesOrderOf("SOL/USDC", process, request)],
  [
    "payload",
    (request, process) => request.url.endsWith("/generate-intent") && namesOrderOf("SOL/USDC", process, request)
  ],
  [
    "payment",
    (request, process) => request.url.endsWith("/submit-intent") && namesOrderOf("SOL/USDC", process, request)
  ]
]

describe("a market whose requests are not answered", () => {
  for (const [what, isOfIt] of unanswered) {
    it.effect(`does not delay the stop of another market by its ${what}`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* still
          const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
          yield* to(61_000)
          const process = yield* world.run({ strategies: [bracket], pace: { pollMaxMillis: 2_000 } })
          yield* until(() => openOrders(process).length === 1, 60_000, "its entry rests")
          yield* world.tell("/sandbox/fill", {})
          yield* until(() => openOrders(process)[0]?.side === "SELL", 60_000, "its target rests")
          let requests = 0
          world.network.bend = (request) => {
            if (!isOfIt(request, process)) return undefined
            requests += 1
            return "hangs"
          }
          yield* process.inside().replace([parse(bracket), parse(other(6))], "left")
          yield* until(() => requests > 0, 30_000, "a request gets no answer")
          yield* to(57_000)
          const stopRests = () => openOrders(process).some(({ price }) => Decimal.toNumber(price) < 58_000)
          const waited = yield* until(() => stopRests(), 60_000, "its stop rests")
          assert.isAtMost(waited, 14_000)
          assert.isAbove(requests, 0)
          world.network.bend = () => undefined
          const rests = () =>
            unfinished(process.state).filter(({ market, state }) => market === "SOL/USDC" && state === "open")
          yield* until(() => rests().length === 6, 900_000, "the other orders rest once the venue answers")
        })
      )
    )
  }
})

describe("a bot that is asked to stop while a request has no answer", () => {
  it.effect("ends as asked, also if the venue then refuses its credential", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* still
        const stops = yield* Deferred.make<void>()
        let requests = 0
        let isRefusing = false
        const process = yield* world.run({ strategies: [other(2)], stops: Deferred.await(stops) })
        world.network.bend = (request) => {
          if (isRefusing) return { status: 401, body: { error: { code: "UNAUTHORIZED", message: "no such key" } } }
          if (request.method !== "GET" || !namesOrderOf("SOL/USDC", process, request)) return undefined
          requests += 1
          return "hangs"
        }
        yield* until(() => requests > 0, 60_000, "a request gets no answer")
        yield* until(() => process.inside().turnedAt() > 0, 60_000, "its turn goes on")
        isRefusing = true
        yield* Deferred.succeed(stops, undefined)
        yield* until(() => process.fiber.pollUnsafe() !== undefined, 300_000, "it ends")
        assert.strictEqual(process.fiber.pollUnsafe()?._tag, "Success")
      })
    )
  )
})

describe("an order that no list shows and whose read is not answered", () => {
  it.effect("does not delay the stop of another market", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* still
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(61_000)
        const process = yield* world.run({ strategies: [bracket, other(2)], pace: { pollMaxMillis: 2_000 } })
        yield* until(() => openOrders(process).length === 3, 60_000, "all rest")
        yield* world.tell("/sandbox/fill", { market: "BTC/USDC" })
        const sales = () => openOrders(process).filter(({ side }) => side === "SELL")
        yield* until(() => sales().length === 1, 60_000, "its target rests")
        const hidden = openOrders(process).find(({ market }) => market === "SOL/USDC")?.order?.id ?? ""
        world.network.reply = (request, body) =>
          request.url.includes("/v0/orders") &&
          typeof body === "object" &&
          body !== null &&
          "data" in body &&
          Array.isArray(body.data)
            ? { ...body, data: body.data.filter(({ id }) => id !== hidden) }
            : body
        let requests = 0
        world.network.bend = ({ method, url }) => {
          if (method !== "GET" || !url.endsWith(hidden)) return undefined
          requests += 1
          return "hangs"
        }
        yield* until(() => requests > 0, 120_000, "its read gets no answer")
        yield* to(57_000)
        const stopRests = () => sales().some(({ price }) => Decimal.toNumber(price) < 58_000)
        assert.isAtMost(yield* until(stopRests, 120_000, "its stop rests"), 14_000)
      })
    )
  )
})

describe("several markets whose quotes are not answered", () => {
  it.effect("do not delay the stop of another market", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* still
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(61_000)
        const markets = ["SOL/USDC", "SOL/BTC", "BTC/SOL", "USDC/SOL"]
        const silent = markets.map(
          (market, index) =>
            `name: a${index}\nmarket: ${market}\nkind: ladder\nlimits: { budget: { quote: 1000 }, maxPriceDeviation: 90% }\nladder: { side: buy, from: 0.00001, to: 0.00002, rungs: 2, total: { quote: 1 } }\n`
        )
        const process = yield* world.run({ strategies: [...silent, bracket], pace: { pollMaxMillis: 2_000 } })
        const own = () => openOrders(process).filter(({ strategy }) => strategy === "long")
        yield* until(() => own().length === 1, 60_000, "its entry rests")
        yield* world.tell("/sandbox/fill", { market: "BTC/USDC" })
        yield* until(() => own()[0]?.side === "SELL", 60_000, "its target rests")
        world.network.bend = (request) =>
          request.url.endsWith("/v0/quote") && textOf(request).includes("nep141:sol.omft.native") ? "hangs" : undefined
        yield* Effect.sleep("5 seconds")
        yield* to(57_000)
        const stopRests = () => own().some(({ price }) => Decimal.toNumber(price) < 58_000)
        assert.isAtMost(yield* until(stopRests, 120_000, "its stop rests"), 15_000)
      })
    )
  )
})
