/** The messages of a running bot in virtual time: what its daily message says, and problems that no event reports. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, PubSub, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { Target } from "../../../src/control/notify/channels.ts"
import type { Notice, Severity } from "../../../src/control/notify/Notice.ts"
import * as Notifications from "../../../src/control/notify/Notifications.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { dayMillis } from "../../../src/domain/Durations.ts"
import { operatorLimit } from "../../../src/domain/Text.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { chatBot } from "../../world/bot/chatBot.ts"
import { budget, sent } from "../../world/bot/doubtful.ts"
import { leftWithPosition } from "../../world/bot/troubles.ts"

const memory = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" })),
  Layer.provideMerge(NodeServices.layer)
)

const webhook = (least: Severity): Target => ({
  to: "webhook",
  rule: { least, kinds: new Set(), except: new Set() },
  url: Redacted.make("https://nobody.invalid"),
  secret: undefined,
  chat: undefined,
  commands: [],
  mailbox: undefined,
  command: undefined,
  push: undefined
})

/** Starts after these events of an earlier run. Its turns end all the time, except from `hang` to `turn`. */
const start = Effect.fnUntraced(function* (least: Severity, ...earlier: ReadonlyArray<BotEvent>) {
  const books = yield* Bookkeeper
  yield* books.record(...earlier)
  const clock = yield* Clock.Clock
  const notices: Array<Notice> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      assert.strictEqual(request.body._tag, "Uint8Array")
      const text = request.body._tag === "Uint8Array" ? Buffer.from(request.body.body).toString() : "{}"
      const body: { readonly notices: ReadonlyArray<Notice> } = JSON.parse(text)
      notices.push(...body.notices)
      return HttpClientResponse.fromWeb(request, new Response(null, { status: 200 }))
    })
  )
  let hungAt: number | undefined
  const turnedAt = () => hungAt ?? clock.currentTimeMillisUnsafe()
  const pulse = { turnedAt, pollMaxMillis: 1_000, leaving: () => undefined }
  const bot = { ...chatBot(pulse), name: "live anna", prices: new Map(), phones: undefined }
  const people = Layer.succeed(HttpClient.HttpClient, client)
  const changes = yield* PubSub.subscribe(books.changes)
  yield* Notifications.start({ notify: [webhook(least)], heartbeat: undefined, people }, bot, changes)
  return {
    record: books.record,
    hang: () => {
      hungAt = clock.currentTimeMillisUnsafe()
    },
    turn: () => {
      hungAt = undefined
    },
    notices,
    lines: () => notices.map(({ kind, severity, subject }) => `${severity} ${kind} ${subject}`)
  }
})

const cell = { strategy: "grid", slot: "cell-1", placement: "p1" }
const killSwitch: BotEvent = { _tag: "KillSwitch", on: true, reason: "fire drill" }
const payment = [budget, ...sent(1, "cell-1", 1_000_000_000_000)]

describe("the daily message", () => {
  it.effect("says that all is well, once a day", () =>
    Effect.gen(function* () {
      const { lines, notices } = yield* start("alarm")
      yield* TestClock.adjust("49 hours")
      assert.deepStrictEqual(lines(), ["good AllClear live anna", "good AllClear live anna"])
      assert.match(notices[0]?.text ?? "", /^all is well: 0 fills, 0 unsettled orders/)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is an alarm while an alarm stands, and names it with its command", () =>
    Effect.gen(function* () {
      const { lines, notices } = yield* start("alarm", killSwitch)
      yield* TestClock.adjust("25 hours")
      assert.deepStrictEqual(lines(), ["alarm NotWell live anna"])
      assert.match(notices[0]?.text ?? "", /fire drill.*\(limitbot kill --off\).*0 fills, 0 unsettled orders/)
    }).pipe(Effect.provide(memory))
  )

  it.effect("names what to check although there is no alarm", () =>
    Effect.gen(function* () {
      const paused = { limit: operatorLimit, action: "pause", reason: "holiday" } as const
      const { lines, notices } = yield* start("alarm", { _tag: "Paused", strategy: "ladder", ...paused })
      yield* TestClock.adjust("25 hours")
      assert.deepStrictEqual(lines(), ["good AllClear live anna"])
      assert.match(notices[0]?.text ?? "", /^no alarms: 0 fills.*; ladder: Paused .*\(limitbot resume\)$/)
    }).pipe(Effect.provide(memory))
  )

  it.effect("comes once although a timer fires a millisecond before midnight", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const millis = Effect.map(clock.currentTimeMillis, (now) => (now === dayMillis ? now - 1 : now))
      const early: Clock.Clock = { ...clock, currentTimeMillis: millis }
      const { lines } = yield* Effect.provideService(start("alarm"), Clock.Clock, early)
      yield* TestClock.adjust("25 hours")
      assert.deepStrictEqual(lines(), ["good AllClear live anna"])
    }).pipe(Effect.provide(memory))
  )
})

describe("a problem that no event reports", () => {
  it.effect("is reported once while it stands, and again when it comes back", () =>
    Effect.gen(function* () {
      const { hang, lines, notices, turn } = yield* start("alarm")
      hang()
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(lines(), ["alarm ProblemSeen bot"])
      assert.match(notices[0]?.text ?? "", /^No turn has ended for /)
      turn()
      yield* TestClock.adjust("2 minutes")
      hang()
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(lines(), ["alarm ProblemSeen bot", "alarm ProblemSeen bot"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("is a warning while money waits too long, and an alarm when it is overdue by an hour", () =>
    Effect.gen(function* () {
      const { lines, notices } = yield* start("warn", ...payment)
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(lines(), ["warn ProblemSeen grid/cell-1", "alarm ProblemSeen grid/cell-1"])
      assert.match(notices[0]?.text ?? "", /^100 USDC has waited .* for its deposit to show \(limitbot reconcile\)$/)
      assert.strictEqual(notices[1]?.text, "100 USDC has been overdue for more than an hour (limitbot resolve)")
    }).pipe(Effect.provide(memory))
  )

  it.effect("is a position that a removed strategy gets by a later fill", () =>
    Effect.gen(function* () {
      const isFill = ({ _tag }: BotEvent) => _tag === "FillSeen"
      const { lines, record } = yield* start("alarm", ...leftWithPosition.filter((event) => !isFill(event)))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(lines(), [])
      yield* record(...leftWithPosition.filter(isFill))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(lines(), ["alarm ProblemSeen renamed"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("is not a position or a missing order that an event has reported", () =>
    Effect.gen(function* () {
      const { lines, record } = yield* start("alarm", ...payment)
      const left = [{ strategy: "renamed", market: "BTC/USDC", base: 200_000n, cost: 100_000_000n }]
      yield* record(
        ...leftWithPosition.map((event): BotEvent => (event._tag === "StrategyRemoved" ? { ...event, left } : event)),
        { _tag: "DepositSeen", ...cell, asset: "USDC", total: 100_000_000n, fresh: 100_000_000n },
        { _tag: "OrderMissing", ...cell, orderId: "order-1", text: "not found" }
      )
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(lines(), ["alarm StrategyRemoved renamed", "alarm OrderMissing grid/cell-1"])
    }).pipe(Effect.provide(memory))
  )
})
