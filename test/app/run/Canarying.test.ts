/** The running bot's own look at the service: what it records, what stands, and that nothing of it stops the bot. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Canarying from "../../../src/app/run/Canarying.ts"
import { type Drift, incidentFeed } from "../../../src/domain/Drift.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { Canary, type ServiceLook } from "../../../src/venue/canary/Canary.ts"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import { Venue } from "../../../src/venue/Venue.ts"

const gone: Drift = { what: "field `price` of orders", was: "text", is: "absent", closesFunding: true }
const fresh: Drift = { what: "field `x` of orders", was: "absent", is: "text", closesFunding: false }
const whole = (drift: ReadonlyArray<Drift>): ServiceLook => ({
  drift,
  checked: ["orders"],
  unchecked: [],
  isWhole: true
})
const partly = (drift: ReadonlyArray<Drift>): ServiceLook => ({ ...whole(drift), isWhole: false })

/** One look a minute; what was recorded before, and what each look finds. */
const watch = Effect.fnUntraced(function* (
  looks: ReadonlyArray<ServiceLook | "fails">,
  { before = [], isConfigured = true }: { readonly before?: ReadonlyArray<Drift>; readonly isConfigured?: boolean } = {}
) {
  const books = yield* Bookkeeper
  yield* books.record({ _tag: "ServiceCompared", drift: before })
  let count = 0
  const look = Effect.suspend(() => {
    const next = looks[count]
    count += 1
    return next === "fails" || next === undefined ? Effect.die(new Error("the canary is ill")) : Effect.succeed(next)
  })
  const config = {
    canary: isConfigured ? { everyMillis: 60_000 } : undefined,
    markets: { assets: [], ticks: new Map() },
    venue: { facts: factsOf("document", "intents.native"), minOrderUsd: undefined }
  }
  const canary = Layer.succeed(Canary, { look: () => look, order: () => Effect.succeed([]) })
  const witnesses = Layer.merge(canary, Layer.mock(Venue)({ tokens: Effect.succeed([]) }))
  yield* Effect.forkScoped(Canarying.forever({ config, witnesses }))
  yield* TestClock.adjust(looks.length * 60_000 - 1)
  const events = yield* Journal.use((journal) => Stream.runCollect(journal.events()))
  const recorded = events.flatMap(({ event }) =>
    event._tag === "ServiceCompared" ? [event.drift.map(({ what }) => what)] : []
  )
  return { recorded: recorded.slice(1), looks: count }
})

const memory = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" }))
)
const watched = (...asked: Parameters<typeof watch>) => Effect.provide(watch(...asked), memory)

describe("the bot's canary", () => {
  it.effect("records each difference once, and its end", () =>
    Effect.gen(function* () {
      const { recorded } = yield* watched([whole([]), whole([fresh]), whole([fresh]), whole([gone, fresh]), whole([])])
      assert.deepStrictEqual(recorded, [[fresh.what], [gone.what, fresh.what], []])
    })
  )

  it.effect("keeps earlier differences if some answers are missing", () =>
    Effect.gen(function* () {
      const { recorded } = yield* watched([partly([]), partly([fresh]), whole([fresh])], { before: [gone] })
      assert.deepStrictEqual(recorded, [[fresh.what, gone.what], [fresh.what]])
    })
  )

  it.effect("continues after its own failure, which is not an event", () =>
    Effect.gen(function* () {
      const { looks, recorded } = yield* watched(["fails", whole([fresh])])
      assert.strictEqual(looks, 2)
      assert.deepStrictEqual(recorded, [[fresh.what]])
    })
  )

  it.effect("runs without configuration only while a difference of an earlier run is open", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* watched([whole([])], { isConfigured: false })).looks, 0)
      const feed = { what: incidentFeed, was: "quiet", is: "naming an incident", closesFunding: false }
      assert.strictEqual((yield* watched([whole([])], { isConfigured: false, before: [feed] })).looks, 0)
      const { looks, recorded } = yield* watched([whole([])], { isConfigured: false, before: [gone] })
      assert.strictEqual(looks, 1)
      assert.deepStrictEqual(recorded, [[]])
    })
  )
})
