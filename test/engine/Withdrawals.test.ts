/** Under the kill switch every order that the journal knows gets its cancel within a second, whatever else fails. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { marketsByName } from "../../src/Layers.ts"
import { isLong } from "../long.ts"
import {
  type Bend,
  inVirtualTime,
  isCancel,
  ladder,
  type Network,
  openOrders,
  type Run,
  resting,
  until
} from "../world/bot/botWorld.ts"

const killed = { code: "kill-switch", text: "test" }

const isQuote = (url: string) => url.endsWith("/v0/quote")
const isList = (url: string, method: string) =>
  method === "GET" && url.includes("/v0/orders") && !/orders\/[^?]/.test(url)
const isGet = (url: string, method: string) => method === "GET" && /orders\/[^?]/.test(url)

interface Trouble {
  readonly bend?: Bend
  readonly reply?: Network["reply"]
  /** What the next process is started with; left out when the same one goes on. */
  readonly restart?: Run
}

const files = { strategies: [ladder(4), ladder(2, "other", "SOL/USDC", [50, 60])] }

/** Orders rest, the trouble begins, the switch is on. */
const killUnder = ({ bend, reply, restart }: Trouble) =>
  Effect.gen(function* () {
    const { world, process: first } = yield* resting(files, 6)
    const own = new Set(openOrders(first).flatMap(({ order }) => order?.id ?? []))
    if (bend !== undefined) world.network.bend = bend
    if (reply !== undefined) world.network.reply = reply
    const process = restart === undefined ? first : yield* Effect.andThen(first.stop, world.run(restart))
    // Long enough that the bot is idle, or as idle as the trouble lets it be.
    yield* Effect.sleep(20_000)
    world.network.sent.length = 0
    world.setWithdraw(killed)
    const cancelled = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path.split("/").at(-2)))
    const waited = yield* until(
      () => [...own].every((id) => cancelled().has(id)),
      5_000,
      "a cancel for each of six orders"
    )
    assert.isBelow(waited, 1_000)
    assert.isUndefined(process.fiber.pollUnsafe(), "the bot runs on")
    // Once the trouble is over, all the money comes back.
    world.network.bend = () => undefined
    world.network.reply = (_request, body) => body
    yield* until(() => unfinished(process.state).length === 0, 120_000, "everything is settled")
  })

const isOrder = (each: unknown): each is { attributes: Record<string, unknown> } =>
  typeof each === "object" && each !== null && "attributes" in each

/** Changes one element of each list. */
const oddList =
  (change: (order: unknown) => unknown): Network["reply"] =>
  (request, body) => {
    if (!isList(request.url, request.method)) return body
    const { data, ...rest } = body as { data: ReadonlyArray<unknown> }
    return { ...rest, data: data.map((each, index) => (index === 1 ? change(each) : each)) }
  }

const troubles: ReadonlyArray<readonly [string, Trouble]> = [
  ["nothing fails", {}],
  [
    "quotes are refused: no liquidity",
    {
      bend: ({ url }) => (isQuote(url) ? { status: 400, body: { message: "No liquidity" } } : undefined)
    }
  ],
  ["quotes fail", { bend: ({ url }) => (isQuote(url) ? { status: 503, body: {} } : undefined) }],
  ["quotes never answer", { bend: ({ url }) => (isQuote(url) ? "hangs" : undefined) }],
  ["the list never answers", { bend: ({ url, method }) => (isList(url, method) ? "hangs" : undefined) }],
  ["the list fails", { bend: ({ url, method }) => (isList(url, method) ? "fails" : undefined) }],
  ["every read of one order fails", { bend: ({ url, method }) => (isGet(url, method) ? "fails" : undefined) }],
  [
    "the venue refuses reads as too many, and refuses the cancels",
    {
      bend: ({ url, method }) => {
        if (url.endsWith("/cancel")) return { status: 409, body: {} }
        return method === "GET" || isQuote(url) ? { status: 429, body: {} } : undefined
      }
    }
  ],
  ["one listed order is null", { reply: oddList(() => null) }],
  [
    "one listed order has numeric amounts",
    {
      reply: oddList((order) =>
        isOrder(order) ? { ...order, attributes: { ...order.attributes, depositedAmount: 5, quantity: 7 } } : order
      )
    }
  ],
  ["the restart has fewer files", { restart: { strategies: [ladder(4)] } }],
  [
    "a market is removed from the configuration",
    {
      restart: {
        strategies: [ladder(4)],
        markets: new Map([
          ...marketsByName({
            assets: [
              { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
              { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
            ],
            ticks: new Map()
          })
        ])
      }
    }
  ]
]

describe("the kill switch", () => {
  it.effect.each(troubles)("cancels everything within a second when %s", ([, trouble]) =>
    inVirtualTime(killUnder(trouble))
  )

  it.effect("cancels while another process locks the journal, and continues once it is free", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting(files, 6)
        yield* Effect.sleep(20_000)
        world.setJournalLocked(true)
        world.network.sent.length = 0
        world.setWithdraw(killed)
        const paths = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path)).size
        assert.isBelow(yield* until(() => paths() === 6, 5_000, "six cancels"), 1_000)
        yield* Effect.sleep(10_000)
        assert.isUndefined(process.state.killed, "nothing could be recorded")
        world.setJournalLocked(false)
        yield* until(() => unfinished(process.state).length === 0, 60_000, "everything is settled")
        assert.strictEqual(process.state.killed, killed.text)
      })
    )
  )

  it.effect.skipIf(!isLong)("repeats cancels that the venue refuses for a minute as soon as it accepts them", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world } = yield* resting(files, 6)
        const { network } = world
        network.bend = ({ url }) => (url.endsWith("/cancel") ? { status: 503, body: {} } : undefined)
        world.setWithdraw(killed)
        yield* Effect.sleep(70_000)
        network.bend = () => undefined
        network.sent.length = 0
        const paths = () => new Set(network.sent.filter(isCancel).map(({ path }) => path)).size
        assert.isBelow(yield* until(() => paths() === 6, 60_000, "six cancels"), 6_000)
      })
    )
  )

  it.effect("shows the end of a cancelled order within seconds in a calm bot", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting(files, 6)
        for (const calmMillis of [20_000, 23_000, 26_000]) {
          yield* Effect.sleep(calmMillis)
          world.setWithdraw(killed)
          yield* until(() => openOrders(process).length === 0, 4_500, "all ends are noted")
          world.setWithdraw(undefined)
          yield* until(() => openOrders(process).length === 6, 60_000, "six orders rest again")
        }
      })
    )
  )

  it.effect("reports a cancel as done if an earlier lost cancel has ended the order", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(2)] }, 2)
        const { network } = world
        network.reply = (request, body) => (request.url.endsWith("/cancel") ? { odd: "answer" } : body)
        network.bend = ({ method, url }) => (isList(url, method) ? { status: 503, body: {} } : undefined)
        world.setWithdraw(killed)
        yield* until(() => network.sent.filter(isCancel).length >= 4, 60_000, "each is cancelled twice")
        yield* Effect.sleep(2_000)
        const told = (yield* process.events).map(({ event }) => event._tag)
        assert.notInclude(told, "CancelRefused")
        network.bend = () => undefined
        yield* until(() => unfinished(process.state).length === 0, 60_000, "everything is settled")
      })
    )
  )

  it.effect.skipIf(!isLong)("does not let cancels without an answer delay the others", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world } = yield* resting({ strategies: [ladder(52)] }, 52)
        const stuck = new Set<string>()
        world.network.bend = ({ url }) => {
          if (!url.endsWith("/cancel")) return undefined
          if (stuck.size < 50) stuck.add(url)
          return stuck.has(url) ? "hangs" : undefined
        }
        world.setWithdraw(killed)
        const paths = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path)).size
        assert.isBelow(yield* until(() => paths() === 50, 5_000, "fifty cancels"), 1_000)
        assert.isBelow(yield* until(() => paths() === 52, 22_000, "the others"), 1_000)
      })
    )
  )
})
