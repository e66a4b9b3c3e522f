/** Whole bots while the venue tells of an incident: what it concerns gets no new money, whoever would pay it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Wallet, type WalletPort } from "../../src/engine/funding/Wallet.ts"
import { defaultTerms } from "../../src/engine/tracking/Overdue.ts"
import * as Incidents from "../../src/venue/Incidents.ts"
import { chainAccount } from "../../src/venue/VenueConfig.ts"
import { problemsOf } from "../../src/views/Problems.ts"
import {
  assets,
  type Bend,
  inVirtualTime,
  ladder,
  make,
  openOrders,
  type Run,
  type Running,
  until
} from "../world/bot/botWorld.ts"

const feed = "http://status.example/feed"

describe("an incident", () => {
  it.effect("holds payments by a wallet on another chain, and ends", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let incidents: ReadonlyArray<object> = [{ title: "BTC deposits are delayed" }]
        world.network.bend = (request) => (request.url === feed ? { status: 200, body: incidents } : undefined)
        const paid: Array<string> = []
        const wallet: WalletPort = {
          kind: "command",
          pay: ({ asset, depositAddress }) =>
            Effect.sync(() => {
              paid.push(asset.symbol)
              return { txHash: `tx-${depositAddress}`, sender: "bc1qours" }
            })
        }
        const addresses = { recipients: toAddresses("theirs"), refundTo: toAddresses("ours") }
        const on: Partial<Run> = {
          pace: { pollMinMillis: 5_000, refusalMaxMillis: 60_000 },
          account: chainAccount(world.signerId, addresses),
          beside: Layer.merge(Layer.succeed(Wallet, wallet), Incidents.layer({ url: feed }, assets, new Set()))
        }
        const bot = yield* world.run({
          ...on,
          strategies: [ladder(2, "held"), ladder(2, "free", "SOL/USDC", [50, 60])]
        })
        yield* until(() => paid.length === 2, 60_000, "the market without an incident is paid")
        yield* Effect.sleep("3 minutes")
        assert.lengthOf(paid, 2, "nobody is asked to pay where there is an incident")
        const of = (name: string) => [...bot.state.placements.values()].filter(({ strategy }) => strategy === name)
        assert.isTrue(of("held").every(({ state }) => state === "abandoned"))
        assert.isBelow(of("held").length, 20, "each attempt waits longer than the one before")

        incidents = []
        yield* until(() => paid.length === 4, 300_000, "they are paid when the incident is over")
        incidents = [{ title: "All deposits are delayed" }]
        yield* Effect.sleep("2 minutes")
        assert.isTrue(
          of("free").some(({ state }) => state === "funding"),
          "what is funded stays"
        )
        assert.isFalse(world.network.sent.some(({ path }) => path.endsWith("/cancel")))
      })
    )
  )
})

describe("the feed of incidents", () => {
  it.effect("is a problem while it names an incident in our assets, and each incident is said once", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const of = (scopeType: string, scopeValue: string, publicDescription: string | null = null) => ({
          scopeType,
          scopeValue,
          publicDescription
        })
        let incidents: ReadonlyArray<object> = [
          of("token", "btc", "BTC is paused"),
          of("token", "doge", "DOGE is paused")
        ]
        world.network.bend = ({ url }) =>
          url === feed ? { status: 200, body: { status: "incidents", incidents } } : undefined
        const beside = Incidents.layer({ url: feed }, assets, new Set())
        const on: Run = { strategies: [ladder(2)], beside, pace: { pollMinMillis: 5_000 } }
        const waits =
          "warn incident-feed: The feed of incidents is naming an incident, so the bot holds new orders and payments there:"
        const bot = yield* world.run(on)
        yield* until(() => told(bot).length > 0, 60_000, "it is told")
        assert.deepStrictEqual(told(bot), [`${waits} BTC is paused (BTC)`])

        incidents = [...incidents, of("galaxy", "m31")]
        yield* until(() => told(bot).join().includes("m31"), 120_000, "another one is told")
        assert.deepStrictEqual(told(bot), [`${waits} BTC is paused (BTC); galaxy m31`])
        incidents = incidents.toReversed().concat(incidents)
        yield* Effect.sleep("3 minutes")
        incidents = [of("token", "doge", "DOGE is paused")]
        yield* until(() => told(bot).length === 0, 120_000, "they are over")
        const compared = (yield* bot.events).filter(({ event }) => event._tag === "ServiceCompared")
        assert.lengthOf(compared, 3, "the order of the feed, and a second entry, mean nothing")
        assert.isTrue(compared.every(({ event }) => "of" in event && event.of === "incidents"))
      })
    )
  )

  it.effect("is a problem while it refuses its token, and no longer once it accepts it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let reply: ReturnType<Bend> = { status: 401, body: { message: "invalid token" } }
        world.network.bend = ({ url }) => (url === feed ? reply : undefined)
        const token = Redacted.make("partner-token")
        const beside = Incidents.layer({ url: feed, token }, assets, new Set())
        const on: Run = { strategies: [ladder(2)], beside, pace: { pollMinMillis: 5_000 } }
        const refused = [
          "warn incident-feed: The feed of incidents is refused, so new incidents are not seen: it answered 401; check venue.incidents.token"
        ]
        const bot = yield* world.run(on)
        yield* until(() => told(bot).length > 0, 60_000, "it is told")
        assert.lengthOf(told(bot), 1)
        assert.include(told(bot)[0] ?? "", refused[0] ?? "")
        yield* until(() => openOrders(bot).length === 2, 60_000, "orders go on")

        reply = "fails"
        yield* Effect.sleep("3 minutes")
        assert.lengthOf(told(bot), 1, "a feed that cannot be reached says nothing about its token")
        yield* bot.stop
        const next = yield* world.run(on)
        yield* Effect.sleep("1 minute")
        assert.lengthOf(told(next), 1)
        reply = { status: 200, body: [] }
        yield* until(() => told(next).length === 0, 300_000, "it is accepted")
        const compared = (yield* next.events).filter(({ event }) => event._tag === "ServiceCompared")
        assert.lengthOf(compared, 2, "each is said once, also over a restart")
        yield* next.stop
      })
    )
  )

  it.effect("is told once while each of its refusals has another text", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let reads = 0
        world.network.bend = ({ url }) => {
          if (url !== feed) return undefined
          reads += 1
          return { status: 403, body: { message: `denied, request ${reads}` } }
        }
        const beside = Incidents.layer({ url: feed }, assets, new Set())
        const bot = yield* world.run({ strategies: [ladder(2)], beside, pace: { pollMinMillis: 5_000 } })
        yield* until(() => reads > 4, 600_000, "it is read again")
        assert.lengthOf(told(bot), 1)
        assert.include(told(bot)[0] ?? "", "it answered 403")
        assert.lengthOf(
          (yield* bot.events).filter(({ event }) => event._tag === "ServiceCompared"),
          1
        )
      })
    )
  )
})

/** The problems that every surface shows, in one line each. */
const told = ({ state }: Running) =>
  problemsOf(state, new Map(), { now: 0, pulse: undefined, stuckAfter: defaultTerms }).map(
    ({ kind, severity, text }) => `${severity} ${kind}: ${text}`
  )

const toAddresses = (name: string) => new Map(assets.map(({ id, symbol }) => [id, `${name}-${symbol.toLowerCase()}`]))
