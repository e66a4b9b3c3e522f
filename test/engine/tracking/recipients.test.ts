/** Whole bots at a venue that says, at some time, that the money of an order goes to somebody else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { chainAccount } from "../../../src/venue/VenueConfig.ts"
import {
  assets,
  inVirtualTime,
  ladder,
  make,
  openOrders,
  type Running,
  resting,
  until
} from "../../world/bot/botWorld.ts"

type World = Effect.Success<ReturnType<typeof resting>>["world"]

const Attributes = Schema.Struct({ attributes: Schema.Record(Schema.String, Schema.Unknown) })
const Answer = Schema.Struct({ data: Schema.Union([Attributes, Schema.Array(Attributes)]) })

/** From now on every report of an order says this. */
const lie = ({ network }: World, what: Readonly<Record<string, unknown>>) => {
  network.reply = ({ url }, body) => {
    if (!url.includes("/v0/orders") || !Schema.is(Answer)(body)) return body
    const told = (order: typeof Attributes.Type) => ({ ...order, attributes: { ...order.attributes, ...what } })
    return { ...body, data: "attributes" in body.data ? told(body.data) : body.data.map(told) }
  }
}

const alertsOf = (events: Iterable<Recorded>) =>
  [...events].flatMap(({ event }) => (event._tag === "Contradiction" ? [event] : []))

const oneRung = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])

const oneRests = resting({ strategies: [oneRung] }, 1)

/** The bot goes on with this journal instead. */
const withJournal = (world: World, earlier: ReadonlyArray<BotEvent>) =>
  world.run({ strategies: [oneRung], ownJournal: true, earlier })

const adopt = ({ context, state }: Running, placement: string) =>
  Bookkeeper.use((books) =>
    books.record(...Result.getOrThrow(Problems.resolve(state, { placement, word: "adopt", text: "it is ours" }, 0)))
  ).pipe(Effect.provideContext(context))

describe("an order whose money goes to a changed address", () => {
  it.effect("is reported, also if the first report to a new process is the false one", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process: first, world } = yield* oneRests
        yield* first.stop
        lie(world, { recipient: "thief.near" })
        const second = yield* world.run({ strategies: [oneRung] })
        yield* Effect.sleep(15_000)
        const [alert, ...others] = alertsOf(yield* second.events)
        assert.deepStrictEqual(others, [], "one anomaly, one alert")
        assert.strictEqual(alert?.kind, "changed-report")
        assert.strictEqual(alert?.what, `its recipient is thief.near instead of ${world.signerId}`)
      })
    )
  )

  for (const [name, shown] of [
    ["price", "1"],
    ["quantity", "123"],
    ["deadline", "2027-01-01T00:00:00.001Z"],
    ["depositMemo", "hello"],
    ["appFees", [{ recipient: "thief.near", fee: 99 }]]
  ] as const) {
    it.effect(`is reported if its ${name} changes after the payment`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { process, world } = yield* oneRests
          lie(world, { [name]: shown })
          yield* Effect.sleep(15_000)
          const [alert, ...others] = alertsOf(yield* process.events)
          assert.deepStrictEqual(others, [], "one anomaly, one alert")
          assert.strictEqual(alert?.kind, "changed-report")
          assert.match(
            alert?.what ?? "",
            /^its (price|quantity|deadline|deposit memo|app fees in basis points) is .* instead of /
          )
        })
      )
    )
  }

  it.effect("is reported, also if the journal has forgotten it and its slot takes it back", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process: first, world } = yield* oneRests
        yield* first.stop
        const known = [...(yield* first.events)].map(({ event }) => event)
        const before = known.slice(
          0,
          known.findIndex(({ _tag }) => _tag === "Planned")
        )
        lie(world, { recipient: "thief.near", refundTo: "thief.near" })
        world.network.sent.length = 0
        const second = yield* withJournal(world, [...before, { _tag: "JournalRestored", events: 3, head: "hash" }])
        yield* until(() => openOrders(second).length === 1, 60_000, "it is taken back")
        yield* Effect.sleep(15_000)
        const alerts = alertsOf(yield* second.events)
        assert.deepStrictEqual(
          alerts.map(({ what }) => what),
          [
            `its recipient is thief.near instead of ${world.signerId}, its refund account is thief.near instead of ${world.signerId}`
          ]
        )
        const [frozen] = second.state.slots.values()
        assert.isDefined(frozen?.frozen)
        // The operator had other addresses in the configuration by then, and says so: that is the end of it.
        yield* adopt(second, alerts[0]?.placement ?? "")
        yield* Effect.sleep(15_000)
        assert.lengthOf(alertsOf(yield* second.events), 1, "what the operator has accepted is told again")
        lie(world, { recipient: "another.near", refundTo: "thief.near" })
        yield* Effect.sleep(15_000)
        assert.lengthOf(alertsOf(yield* second.events), 2, "another recipient was never accepted")
        assert.isFalse(world.network.sent.some(({ path }) => path === "/v0/submit-intent"))
      })
    )
  )

  it.effect("is not reported if the operator has edited the addresses before the payment", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const paidTo = (address: string) => {
          const own = new Map(assets.map(({ id }) => [id, address]))
          return { strategies: [oneRung], account: chainAccount(world.signerId, { recipients: own, refundTo: own }) }
        }
        world.network.bend = ({ method, url }) =>
          method === "GET" && /\/v0\/orders\/[^/]+$/.test(url) ? "fails" : undefined
        const first = yield* world.run(paidTo("bc1qold"))
        yield* until(() => unfinished(first.state).some(({ state }) => state === "created"), 60_000, "one is made")
        yield* first.stop
        world.network.bend = () => undefined
        const second = yield* world.run(paidTo("bc1qnew"))
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(alertsOf(yield* second.events), [])
        assert.isTrue([...second.state.slots.values()].every(({ frozen }) => frozen === undefined))
        const [, now] = [...(yield* second.events)].flatMap(({ event }) => (event._tag === "CreateSent" ? [event] : []))
        assert.strictEqual(now?.path?.recipient, "bc1qnew", "the slot gets an order with the new ones")
      })
    )
  )
})
