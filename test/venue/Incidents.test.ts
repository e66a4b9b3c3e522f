/** The service's own word of incidents: new funding of what is concerned waits, everything else goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Incidents from "../../src/venue/Incidents.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { order } from "../sandbox/clients.ts"

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

const venueWith = (feed: () => unknown, asked: Array<string>) => {
  const page = HttpClient.make((request) =>
    Effect.sync(() => {
      asked.push(request.url)
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(feed())))
    })
  )
  const behind = Layer.mock(Venue)({
    createOrder: () => Effect.succeed({ value: {} as never }),
    generateIntent: () => Effect.succeed({ value: { standard: "nep413", payload: {} } }),
    submitIntent: ({ intentHash }) => Effect.succeed({ value: { intentHash } })
  })
  return Incidents.layer("http://status.example/feed", assets).pipe(
    Layer.provide([behind, Layer.succeed(HttpClient.HttpClient, page)])
  )
}

describe("incidents", () => {
  it.each(feeds)("of a feed with %s", (_, feed, concerned) => {
    const active = Incidents.activeIn(feed, assets, now)
    if (concerned === "none") return assert.lengthOf(active, 0)
    if (concerned === "all") return assert.isUndefined(active[0]?.symbols)
    assert.deepStrictEqual([...(active[0]?.symbols ?? ["all"])], [...concerned])
  })

  it.effect("hold what is new, let go on what was signed, and end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      let feed: unknown = [{ title: "BTC is paused" }]
      const asked: Array<string> = []
      yield* Effect.gen(function* () {
        const venue = yield* Venue
        const held = yield* Effect.flip(venue.createOrder(order()))
        assert.strictEqual(held.reason._tag, "RetryLater")
        assert.include(held.message, "BTC is paused")
        assert.strictEqual((yield* Effect.flip(venue.generateIntent("unknown"))).reason._tag, "RetryLater")
        const other = { baseAsset: "nep141:sol.omft.native", quoteAsset: "nep141:usdc.omft.native" }
        yield* Effect.exit(venue.createOrder(order(other)))
        yield* venue.submitIntent({ body: "{}", intentHash: "h", validUntil: now })
        assert.lengthOf(asked, 1, "the feed is read once a minute")
        feed = []
        yield* TestClock.adjust("61 seconds")
        yield* venue.generateIntent("unknown")
        assert.lengthOf(asked, 2)
      }).pipe(Effect.provide(venueWith(() => feed, asked)))
    })
  )
})
