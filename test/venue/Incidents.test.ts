/** The service's own word of incidents: new funding of what is concerned waits, everything else goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Incidents from "../../src/venue/Incidents.ts"
import { FundingHold, Venue } from "../../src/venue/Venue.ts"

const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 }
]
const now = Date.parse("2026-02-01T00:00:00Z")

const feeds: ReadonlyArray<readonly [what: string, feed: unknown, concerned: ReadonlyArray<string> | "all" | "none"]> =
  [
    ["nothing", [], "none"],
    ["no feed", "<html>", "none"],
    ["one asset", [{ title: "BTC withdrawals are delayed", status: "investigating" }], ["BTC"]],
    ["a chain by its name in the interface", { incidents: [{ name: "sol deposits halted" }] }, ["SOL"]],
    ["another chain", { posts: [{ title: "doge is paused" }] }, []],
    ["the whole service", { data: [{ title: "Degraded performance", status: "identified" }] }, "all"],
    [
      "a resolved incident",
      [
        { title: "BTC", status: "Resolved" },
        { title: "SOL", resolvedAt: "2026-01-31T00:00:00Z" }
      ],
      "none"
    ],
    ["an end in the future", [{ title: "BTC", ends_at: "2026-03-01T00:00:00Z" }], ["BTC"]],
    ["incidents that are not a list", { status: "incidents", incidents: null }, "all"],
    ["odd entries", [null, 5, { title: null, status: "investigating" }], "all"]
  ]

/** Assets whose ids do not name their chain: two of the home ledger, and one that has only the number of its chain. */
const bnb = { symbol: "BNB", id: "nep245:v2_1.omni.hot.tg:56_1", decimals: 18 }
const placed = [
  ...assets,
  { symbol: "wNEAR", id: "nep141:wrap.native", decimals: 24 },
  { symbol: "USDT", id: "nep141:usdt.tether-token.native", decimals: 6 },
  bnb
]
const bsc = new Map([[bnb.id, "bsc"]])
const unlisted = new Map<string, string>()
const chain = (scopeValue: string) => ({ scopeType: "chain", scopeValue })
type Concerned = ReadonlyArray<string> | "all"
const onChains: ReadonlyArray<readonly [what: string, incident: object, chains: typeof bsc, concerned: Concerned]> = [
  ["the home ledger holds all assets", chain("NEAR"), bsc, "all"],
  ["another spelling of the home ledger holds all assets", chain("native"), bsc, "all"],
  ["a chain holds the listed assets of that chain", chain("bsc"), bsc, ["BNB"]],
  ["a chain leaves out the listed assets of other chains", chain("btc"), bsc, ["BTC"]],
  ["a chain holds an asset without a listed chain", chain("btc"), unlisted, ["BTC", "BNB"]],
  ["a text that names the home ledger holds all assets", { title: "NEAR RPC outage" }, bsc, "all"],
  ["a text that names an asset holds this asset", { title: "BTC payouts end in the near future" }, bsc, ["BTC"]],
  ["a text that names a chain holds the assets of that chain", { title: "bsc deposits halted" }, bsc, ["BNB"]]
]

const holdWith = (page: () => string, asked: Array<string>) => {
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      asked.push(request.url)
      return HttpClientResponse.fromWeb(request, new Response(page()))
    })
  )
  return Incidents.layer({ url: "http://status.example/feed" }, assets, new Set()).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
}

const [btc = "", usdc = "", sol = ""] = assets.map(({ id }) => id)

const scoped = (scopeType: string, scopeValue: string, direction?: string, more: object = {}) => ({
  status: "incidents",
  incidents: [{ scopeType, scopeValue, direction, publicDescription: `${scopeValue} is delayed`, ...more }]
})

const scopes: ReadonlyArray<readonly [feed: object, inputs: ReadonlyArray<string>, outputs: ReadonlyArray<string>]> = [
  [{ status: "operational" }, [], []],
  [scoped("chain", "btc"), ["BTC"], ["BTC"]],
  [scoped("chain", "btc", "deposit"), ["BTC"], []],
  [scoped("chain", "btc", "withdrawal"), [], ["BTC"]],
  [scoped("chain", "btc", "both", { status: "resolved" }), [], []],
  [scoped("chain", "btc", "both", { resolvedAt: "2026-01-31T00:00:00Z" }), [], []],
  [scoped("chain", "btc", "both", { endedAt: "2026-01-31T00:00:00Z" }), [], []],
  [scoped("chain", "btc", "both", { status: "investigating", resolvedAt: null }), ["BTC"], ["BTC"]],
  [scoped("chain", "btc", "both", { status: 5, ends_at: "2026-03-01T00:00:00Z" }), ["BTC"], ["BTC"]],
  [scoped("chain", "hood"), [], []],
  [scoped("bridge", "omft", "both"), ["BTC", "USDC", "SOL"], ["BTC", "USDC", "SOL"]],
  [scoped("token", "nep141:sol.omft.native"), ["SOL"], ["SOL"]],
  [scoped("token", "usdc", "inbound"), ["USDC"], []],
  [scoped("address", "stranger.near"), [], []],
  [scoped("address", "ours.near", "in"), ["BTC", "USDC", "SOL"], []],
  [scoped("solver", "everybody"), ["BTC", "USDC", "SOL"], ["BTC", "USDC", "SOL"]]
]

describe("the service's incident feed", () => {
  it.effect.each(scopes)("holds only what it names: %j", ([feed, inputs, outputs]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(JSON.stringify(feed))))
      )
      const layer = Incidents.layer({ url: "http://status.example/feed" }, assets, new Set(["ours.near"])).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
      )
      const held = yield* Effect.gen(function* () {
        const hold = yield* FundingHold
        const asInput = yield* Effect.filter(assets, ({ id }) =>
          Effect.map(hold([id, "other"]), (why) => why !== undefined)
        )
        const asOutput = yield* Effect.filter(assets, ({ id }) =>
          Effect.map(hold(["other", id]), (why) => why !== undefined)
        )
        return [asInput, asOutput].map((each) => each.map(({ symbol }) => symbol))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(held, [[...inputs], [...outputs]])
    })
  )

  it.effect("is read with its token, and a refused token is a warning", () =>
    Effect.gen(function* () {
      const sent: Array<string | undefined> = []
      const warned: Array<unknown> = []
      const client = HttpClient.make((request) =>
        Effect.sync(() => {
          sent.push(request.headers["authorization"])
          return HttpClientResponse.fromWeb(request, new Response(`{"message":"invalid token"}`, { status: 401 }))
        })
      )
      const feed = { url: "http://status.example/feed", token: Redacted.make("partner-token") }
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* (yield* FundingHold)([btc, usdc]))
      }).pipe(
        Effect.provide(Incidents.layer(feed, assets, new Set())),
        Effect.provide(Layer.succeed(HttpClient.HttpClient, client)),
        Effect.provide(Logger.layer([Logger.make(({ message }) => void warned.push(message))]))
      )
      assert.deepStrictEqual(sent, ["Bearer partner-token"])
      assert.match(String(warned), /Cannot read the incidents .*invalid token. Check venue\.incidents\.token/)
      assert.notInclude(String(warned), "partner-token")
    })
  )
})

describe("incidents", () => {
  it.each(feeds)("are read from a feed with %s", (_, feed, concerned) => {
    const active = Incidents.activeIn(feed, assets, now)
    if (concerned === "none") return assert.lengthOf(active, 0)
    if (concerned === "all") return assert.isUndefined(active[0]?.symbols)
    assert.deepStrictEqual([...(active[0]?.symbols ?? ["all"])], [...concerned])
  })

  it.each(onChains)("%s", (_, incident, chains, concerned) => {
    const [active] = Incidents.activeIn([incident], placed, now, new Set(), chains)
    assert.deepStrictEqual(
      placed.filter(({ symbol }) => active?.symbols?.has(symbol) ?? active !== undefined).map(({ symbol }) => symbol),
      concerned === "all" ? placed.map(({ symbol }) => symbol) : [...concerned]
    )
  })

  it.effect("find the chain of an asset in the venue's list of tokens", () =>
    Effect.gen(function* () {
      const page = JSON.stringify([chain("bsc")])
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(page)))
      )
      const venue = Layer.mock(Venue)({
        tokens: Effect.succeed([{ assetId: bnb.id, symbol: "BNB", decimals: 18, blockchain: "hood", priceUsd: 600 }])
      })
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* (yield* FundingHold)([bnb.id, btc]))
      }).pipe(
        Effect.provide(Layer.provide(Incidents.layer({ url: "http://status.example/feed" }, placed, new Set()), venue)),
        Effect.provide(Layer.succeed(HttpClient.HttpClient, client))
      )
    })
  )

  it.effect("hold the assets that they name, are read once a minute, and end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      let page = JSON.stringify([{ title: "BTC is paused" }])
      const asked: Array<string> = []
      yield* Effect.gen(function* () {
        const hold = yield* FundingHold
        const [held, other] = yield* Effect.all([hold([btc, usdc]), hold([sol, usdc])], { concurrency: 2 })
        assert.include(held ?? "", "BTC is paused")
        assert.isUndefined(other)
        assert.lengthOf(asked, 1, "whoever asks meanwhile waits for the same answer")
        page = "<html>"
        yield* TestClock.adjust("61 seconds")
        assert.isDefined(yield* hold([btc]), "a feed that cannot be read changes nothing")
        page = `[${"1,".repeat(3_000_000)}1]`
        yield* TestClock.adjust("61 seconds")
        assert.isDefined(yield* hold([btc]), "nor does one that never ends")
        page = "[]"
        yield* TestClock.adjust("61 seconds")
        assert.isUndefined(yield* hold([btc]))
        assert.lengthOf(asked, 4)
      }).pipe(Effect.provide(holdWith(() => page, asked)))
    })
  )

  it.effect("are read within a minute after the clock is set back by an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      let page = "[]"
      yield* Effect.gen(function* () {
        const hold = yield* FundingHold
        assert.isUndefined(yield* hold([btc]))
        page = JSON.stringify([{ title: "BTC is paused" }])
        yield* TestClock.setTime(now - 3_600_000)
        yield* TestClock.adjust("61 seconds")
        assert.include((yield* hold([btc])) ?? "", "BTC is paused")
      }).pipe(Effect.provide(holdWith(() => page, [])))
    })
  )

  it.effect("hold nothing without a configured feed", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* (yield* FundingHold)([btc]))
    })
  )
})
