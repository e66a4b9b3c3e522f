/** Keeping the history: nothing missed and nothing twice, however often it is interrupted and whoever else asks. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option, Redacted, Ref } from "effect"
import { HttpClient } from "effect/http"
import * as SharedRateLimiter from "../../../src/app/swap/SharedRateLimiter.ts"
import * as HistorySync from "../../../src/engine/reconciliation/HistorySync.ts"
import { HistoryStore } from "../../../src/journal/HistoryStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import { Signer } from "../../../src/signing/Signer.ts"
import { History } from "../../../src/venue/History.ts"
import { Session } from "../../../src/venue/http/Session.ts"
import { VenueClient } from "../../../src/venue/http/VenueClient.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../../../src/venue/VenueConfig.ts"
import { Unauthorized, VenueError } from "../../../src/venue/VenueError.ts"
import { transactionStatuses } from "../../../src/venue/wire/WireHistory.ts"
import { account, btc, send } from "../../world/service/clients.ts"
import { play } from "../../world/service/play.ts"
import * as playedSwaps from "../../world/service/playedSwaps.ts"

const quote = Effect.fnUntraced(function* (changes: object = {}) {
  const asked = { ...playedSwaps.fromOtherChain, recipient: yield* account, deadline: playedSwaps.iso(86_400_000) }
  return (yield* playedSwaps.quote({ ...asked, ...changes })).quote
})

const pay = ({ depositAddress, depositMemo }: { depositAddress: string; depositMemo?: string }, amount = "1000000") =>
  send("POST", "/sandbox/deposit", { depositAddress, memo: depositMemo, asset: btc, amount, sender: "bc1q" })

interface Asked {
  readonly at: number
  readonly status: number
}

const throttledIn = (asked: Ref.Ref<ReadonlyArray<Asked>>) =>
  Effect.map(Ref.get(asked), (all) => all.filter(({ status }) => status === 429).length)

/** A client of its own, as another process has it; its requests are noted. */
const clientOf = (asked: Ref.Ref<ReadonlyArray<Asked>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url, apiKey, partnerJwt, ledger, verifier, account } = yield* SandboxConnection
      const config = Layer.succeed(VenueConfig, {
        url,
        apiKey: Redacted.make(apiKey),
        partnerJwt: Redacted.make(partnerJwt),
        ledger,
        verifier,
        account: ownAccount(account.signerId, "INTENTS"),
        patience: defaultPatience
      })
      const counted = HttpClient.tap(yield* HttpClient.HttpClient, ({ status }) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => Ref.update(asked, (all) => [...all, { at, status }]))
      )
      return Session.layer.pipe(
        Layer.provideMerge(VenueClient.layer),
        Layer.provideMerge(Layer.orDie(Signer.layer(Redacted.make(account.key)))),
        Layer.provideMerge(config),
        Layer.provideMerge(Layer.succeed(HttpClient.HttpClient, counted))
      )
    })
  )

/** Fresh, or it would share what the sandbox of the test was built with. */
const alone = (asked: Ref.Ref<ReadonlyArray<Asked>>) => Layer.fresh(History.layer.pipe(Layer.provide(clientOf(asked))))

const database = (filename = ":memory:") => HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename })))

const addresses = Effect.map(
  HistoryStore.use((store) => store.all),
  (rows) => rows.map(({ depositAddress, depositMemo, status }) => `${depositAddress} ${depositMemo ?? ""} ${status}`)
)

describe("the sync of the history", () => {
  it.effect("continues after an interruption, and checks again what can still change", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make<ReadonlyArray<Asked>>([])
        const made = yield* Effect.forEach(Array.from({ length: 23 }), (_, index) =>
          quote(index % 5 === 0 ? { depositMode: "MEMO" } : {})
        )
        for (const one of made.slice(0, 6)) yield* pay(one)
        const history = yield* Effect.provide(History, alone(asked))
        for (let interrupted = 1; interrupted <= 4; interrupted += 1) {
          let pages = 0
          const broken = Layer.succeed(History, {
            ...history,
            transactions: (query) => {
              pages += 1
              return pages > 1
                ? Effect.fail(new VenueError({ reason: new Unauthorized({ operation: "test", text: "cut off" }) }))
                : history.transactions(query)
            }
          })
          yield* Effect.ignore(Effect.provide(HistorySync.sync(undefined, 5), broken))
          if (interrupted === 2) yield* quote()
        }
        const whole = Layer.succeed(History, history)
        yield* Effect.provide(HistorySync.sync(undefined, 5), whole)
        assert.strictEqual(new Set(yield* addresses).size, 24)
        assert.strictEqual((yield* addresses).filter((row) => row.endsWith("SUCCESS")).length, 6)

        const late = made[15]
        assert.isDefined(late)
        if (late !== undefined) yield* pay(late)
        yield* Effect.sleep("10 seconds")
        const again = yield* Effect.provide(HistorySync.sync(undefined, 5), whole)
        assert.isAbove(again.pages, 1, "pending rows are read again")
        const rows = yield* addresses
        assert.strictEqual(rows.length, 24)
        assert.strictEqual(rows.filter((row) => row.endsWith("SUCCESS")).length, 7)
        assert.strictEqual(yield* throttledIn(asked), 0)
      }).pipe(Effect.provide(database()))
    )
  )

  it.effect("obeys a 429 in two processes without a common rate limiter, and both get everything", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make<ReadonlyArray<Asked>>([])
        const made = yield* Effect.forEach(Array.from({ length: 300 }), () => quote())
        /** Cut off in the middle, and again, before it may go on to the end. */
        const run = (pageSize: number, ...livesSeconds: ReadonlyArray<number>) =>
          Effect.gen(function* () {
            const sync = HistorySync.sync(undefined, pageSize)
            for (const seconds of livesSeconds) {
              assert.isTrue(Option.isNone(yield* Effect.timeoutOption(sync, `${seconds} seconds`)))
            }
            yield* sync
            return yield* addresses
          }).pipe(Effect.provide(Layer.mergeAll(alone(asked), database())))
        const both = yield* Effect.all([run(20, 37, 61, 14), run(25)], { concurrency: 2 })
        for (const rows of both) {
          assert.strictEqual(rows.length, made.length)
          assert.strictEqual(new Set(rows).size, made.length)
        }
        const times = yield* Ref.get(asked)
        const inOneMinute = times.map(
          ({ at }) => times.filter((other) => other.at >= at && other.at < at + 60_000).length
        )
        const refused = times.filter(({ status }) => status === 429).length
        process.stdout.write(
          `two processes: ${times.length} requests, ${refused} refused, at most ${Math.max(...inOneMinute)} in a minute\n`
        )
        assert.isAtMost(Math.max(...inOneMinute), 16, "twelve are allowed, some find that out")
        assert.isAtMost(refused, times.length / 4, "nobody hammers")
      })
    )
  )

  it.effect("ends with an error if a cursor leads in a circle of two pages", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make<ReadonlyArray<Asked>>([])
        yield* quote()
        yield* quote()
        const history = Context.get(yield* Layer.build(alone(asked)), History)
        const both = yield* history.transactions({ statuses: transactionStatuses.join(",") })
        let pages = 0
        const circling = Layer.succeed(History, {
          ...history,
          transactions: () => {
            pages += 1
            return pages > 20
              ? Effect.die(new Error("it goes on and on"))
              : Effect.succeed([both[pages % 2] ?? assert.fail()])
          }
        })
        const read = yield* HistorySync.sync(undefined, 1).pipe(Effect.provide(Layer.mergeAll(circling, database())))
        assert.deepStrictEqual(read, { pages: 3, rows: 3 })
      }).pipe(Effect.scoped)
    )
  )

  it.effect("shares the rate limit between processes on one journal, so that no 429 occurs", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make<ReadonlyArray<Asked>>([])
        yield* Effect.forEach(Array.from({ length: 9 }), () => quote())
        const shared = yield* Layer.build(database())
        const process = Layer.fresh(History.layerSharing).pipe(
          Layer.provide(Layer.fresh(SharedRateLimiter.layer)),
          Layer.provide(Layer.fresh(clientOf(asked)))
        )
        yield* Effect.all(
          [process, process].map((layer) =>
            History.use((history) =>
              Effect.forEach([1, 2, 3], () => history.transactions({ numberOfTransactions: 2 }), { discard: true })
            ).pipe(Effect.provide(layer))
          ),
          { concurrency: 2 }
        ).pipe(Effect.provideContext(shared))
        assert.strictEqual(yield* throttledIn(asked), 0)
      }).pipe(Effect.scoped)
    )
  )
})
