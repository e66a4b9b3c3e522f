/** The service's own word of incidents: new funding of what is concerned waits, everything else goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Incidents from "../../src/venue/Incidents.ts"
import { FundingHold } from "../../src/venue/Venue.ts"

const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 }
]
const now = Date.parse("2026-02-01T00:00:00Z")

const feeds: ReadonlyArray<readonly [what: string, feed: unknown, concerned: ReadonlyArray<string> | "all" | "none"]> =
  [
    ["nothing", [], "none"],
    ["no feed at all", "<html>", "none"],
    ["one asset", [{ title: "BTC withdrawals are delayed", status: "investigating" }], ["BTC"]],
    ["a chain by its name in the interface", { incidents: [{ name: "sol deposits halted" }] }, ["SOL"]],
    ["another chain", { posts: [{ title: "doge is paused" }] }, []],
    ["the whole service", { data: [{ title: "Degraded performance", status: "identified" }] }, "all"],
    [
      "what is resolved",
      [
        { title: "BTC", status: "Resolved" },
        { title: "SOL", resolvedAt: "2026-01-31T00:00:00Z" }
      ],
      "none"
    ],
    ["what ends later", [{ title: "BTC", ends_at: "2026-03-01T00:00:00Z" }], ["BTC"]],
    ["odd entries", [null, 5, { title: null, status: "investigating" }], "all"]
  ]

const holdWith = (page: () => string, asked: Array<string>) => {
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      asked.push(request.url)
      return HttpClientResponse.fromWeb(request, new Response(page()))
    })
  )
  return Incidents.layer("http://status.example/feed", assets).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
}

const [btc = "", usdc = "", sol = ""] = assets.map(({ id }) => id)

describe("incidents", () => {
  it.each(feeds)("of a feed with %s", (_, feed, concerned) => {
    const active = Incidents.activeIn(feed, assets, now)
    if (concerned === "none") return assert.lengthOf(active, 0)
    if (concerned === "all") return assert.isUndefined(active[0]?.symbols)
    assert.deepStrictEqual([...(active[0]?.symbols ?? ["all"])], [...concerned])
  })

  it.effect("hold what they concern, are read once a minute, and end", () =>
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

  it.effect("nothing is held where no feed is configured", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* (yield* FundingHold)([btc]))
    })
  )
})
