/**
 * The fence of a fleet's journals: one account has many claimants and one owner. The same rules hold in Postgres and in its twin; in
 * Postgres also while owners are frozen, cut off and back again at random.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Chain from "../../src/journal/Chain.ts"
import { isOfAnother, type Journal, type JournalError } from "../../src/journal/Journal.ts"
import { Journals } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import { firstOf } from "../long.ts"
import * as PostgresServer from "../postgres.ts"
import { MemoryJournals } from "../world/bot/MemoryJournals.ts"
import { Wire } from "./Wire.ts"

const stopped = (reason: string): BotEvent => ({ _tag: "BotStopped", reason })

interface Fleet {
  claim(account: string): Effect.Effect<Journal["Service"], JournalError>
  links(account: string): Chain.Links
}

interface Kind {
  readonly name: string
  /** A process that may claim accounts. */
  readonly runner: Effect.Effect<Fleet, unknown, Scope.Scope>
  /** Puts a copy back in which the account has only its first event and was never claimed. */
  putBack(account: string): Effect.Effect<unknown, unknown, Scope.Scope>
}

const server = await PostgresServer.startServer()
afterAll(() => server?.stop())
if (server === undefined) it.skip("the fence of Postgres: this machine has no Postgres server", () => undefined)

const twin = new MemoryJournals()

const runnerAt = (url: Redacted.Redacted) =>
  Effect.map(
    Layer.build(Layer.provideMerge(Journals.layer, Postgres.layer(url))),
    (context) => ({ journals: Context.get(context, Journals), sql: Context.get(context, SqlClient.SqlClient) }) as const
  )

/** Its journals alone. */
const journalsAt = (url: Redacted.Redacted) =>
  Effect.map(
    runnerAt(url),
    ({ journals: { claim, links } }): Fleet => ({
      links,
      claim: (account) => Effect.map(claim(account), ({ journal }) => journal)
    })
  )

const putBack = Effect.fnUntraced(function* (url: Redacted.Redacted, account: string) {
  const { sql } = yield* runnerAt(url)
  yield* sql`ALTER TABLE journal DISABLE TRIGGER journal_is_append_only`
  yield* sql`DELETE FROM journal WHERE account = ${account} AND sequence > 1`
  yield* sql`ALTER TABLE journal ENABLE TRIGGER journal_is_append_only`
  yield* sql`UPDATE accounts SET epoch = 0, newest = 1, head = (SELECT hash FROM journal WHERE account = ${account})
    WHERE name = ${account}`
})

const kinds: ReadonlyArray<Kind> = [
  {
    name: "in the twin of Postgres in memory",
    runner: Effect.succeed(twin),
    putBack: (account) => Effect.sync(() => twin.failOver(account, 2))
  },
  ...(server === undefined
    ? []
    : [
        {
          name: "in Postgres",
          runner: journalsAt(server.url),
          putBack: (account: string) => putBack(server.url, account)
        }
      ])
]

const refusal = <A>(effect: Effect.Effect<A, JournalError>) =>
  Effect.map(Effect.flip(effect), (error) => ({ isOfAnother: isOfAnother(error), message: error.message }))

describe.each(kinds)("an account of a fleet $name", ({ putBack, runner }) => {
  it.effect("has one owner: an earlier owner is refused, learns why, and has written nothing", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* runner, yield* runner]
      const stale = yield* first.claim("handed-over")
      yield* stale.append([stopped("a"), stopped("b")])
      const owner = yield* second.claim("handed-over")
      const told = yield* refusal(stale.append([stopped("stale")]))
      assert.isTrue(told.isOfAnother)
      assert.match(told.message, /another process has taken over the account handed-over/)
      const [added] = yield* owner.append([stopped("c")])
      assert.strictEqual(added?.sequence, 3)
      assert.isTrue((yield* refusal(stale.append([stopped("stale")]))).isOfAnother)
      assert.strictEqual((yield* Chain.verifyLinks(second.links("handed-over"))).events, 3)
    })
  )

  it.effect("can be claimed back, and other accounts are not affected", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* runner, yield* runner]
      const bystander = yield* first.claim("bystander")
      yield* (yield* first.claim("back")).append([stopped("a")])
      const lost = yield* second.claim("back")
      const again = yield* first.claim("back")
      assert.isTrue((yield* refusal(lost.append([stopped("stale")]))).isOfAnother)
      yield* again.append([stopped("b")])
      yield* bystander.append([stopped("x")])
      assert.strictEqual((yield* Chain.verifyLinks(first.links("back"))).events, 2)
      assert.strictEqual((yield* Chain.verifyLinks(first.links("bystander"))).events, 1)
    })
  )

  it.effect("rejects an owner from before a restored copy, even if claims and events have the same numbers again", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* runner, yield* runner]
      const stale = yield* first.claim("put-back")
      for (const name of ["a", "b", "c"]) yield* stale.append([stopped(name)])
      yield* putBack("put-back")
      const owner = yield* second.claim("put-back")
      assert.notStrictEqual(owner.disk.database, "")
      for (const name of ["x", "y"]) yield* owner.append([stopped(name)])
      assert.isTrue((yield* refusal(stale.append([stopped("stale")]))).isOfAnother)
      assert.strictEqual((yield* Chain.verifyLinks(second.links("put-back"))).events, 3)
    })
  )

  it.effect("shares one statement with other accounts and keeps its own chain", () =>
    Effect.gen(function* () {
      const fleet = yield* runner
      const names = Array.from({ length: 40 }, (_, index) => `many-${index}`)
      const journals = yield* Effect.forEach(names, (name) => fleet.claim(name))
      yield* Effect.forEach(
        journals,
        (journal) => Effect.forEach([1, 2, 3, 4, 5], (number) => journal.append([stopped(`${number}`)])),
        { concurrency: "unbounded" }
      )
      for (const name of names) assert.strictEqual((yield* Chain.verifyLinks(fleet.links(name))).events, 5)
    })
  )
})

const portOf = (url: Redacted.Redacted): number => Number(new URL(Redacted.value(url)).port)
const through = async (url: Redacted.Redacted, wire: Wire): Promise<Redacted.Redacted> =>
  Redacted.make(Redacted.value(url).replace(String(portOf(url)), String(await wire.port)))

/** Two owners by turns, each on a wire of its own that has accidents; what each was told of its appends. */
const quarrel = Effect.fnUntraced(function* (url: Redacted.Redacted, seed: number) {
  const random = randomFrom(seed)
  const account = `quarrel-${seed}`
  const wires = [new Wire(portOf(url)), new Wire(portOf(url))]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const wire of wires) wire.close()
    })
  )
  const runners = yield* Effect.forEach(wires, (wire) =>
    Effect.flatMap(
      Effect.promise(() => through(url, wire)),
      runnerAt
    )
  )
  const owned: Array<Journal["Service"] | undefined> = [undefined, undefined]
  const fibers: Array<Fiber.Fiber<void>> = []
  const acknowledged: Array<string> = []
  let refused = 0
  const append = (journal: Journal["Service"], name: string) =>
    Effect.match(journal.append([stopped(name), stopped(`${name}+`)]), {
      onSuccess: () => {
        acknowledged.push(name)
      },
      onFailure: (error) => {
        if (isOfAnother(error)) refused += 1
      }
    })
  const take = (index: number) =>
    Effect.match(runners[index]?.journals.claim(account) ?? Effect.die("no runner"), {
      onSuccess: ({ journal }) => {
        owned[index] = journal
      },
      onFailure: () => undefined
    })
  for (let step = 0; step < 120; step += 1) {
    const index = random() < 0.5 ? 0 : 1
    const wire = wires[index]
    const chance = random()
    if (chance < 0.07) fibers.push(yield* Effect.forkChild(take(index)))
    else if (chance < 0.14) wire?.freeze()
    else if (chance < 0.32) wire?.thaw()
    else if (chance < 0.36) wire?.cut()
    else {
      const journal = owned[index]
      if (journal !== undefined) fibers.push(yield* Effect.forkChild(append(journal, `${index}-${step}`)))
    }
    yield* Effect.sleep(Math.floor(random() * 6))
  }
  for (const wire of wires) wire.thaw()
  yield* Effect.forEach(fibers, Fiber.join, { discard: true })
  // Chance may have let no owner write, or none too late.
  yield* Effect.forEach([0, 1], take, { discard: true })
  for (const [index, journal] of owned.entries()) if (journal !== undefined) yield* append(journal, `${index}-last`)
  return { account, acknowledged, refused }
}, Effect.scoped)

describe.skipIf(server === undefined)("two owners of one account in Postgres", () => {
  it.live("find the same balances of the last comparison, which the earlier owner no longer writes", () =>
    Effect.gen(function* () {
      if (server === undefined) return
      const [first, second] = [yield* runnerAt(server.url), yield* runnerAt(server.url)]
      const { balances: stale } = yield* first.journals.claim("compared")
      assert.isUndefined(yield* stale.last)
      yield* stale.save({ USDC: "7 0 0" })
      yield* stale.save({ USDC: "8 0 0" })
      const { balances } = yield* second.journals.claim("compared")
      assert.deepStrictEqual(yield* balances.last, { USDC: "8 0 0" })
      assert.isTrue((yield* refusal(stale.save({ USDC: "9 0 0" }))).isOfAnother)
      assert.deepStrictEqual(yield* balances.last, { USDC: "8 0 0" })
      const { balances: of } = yield* second.journals.claim("another")
      assert.isUndefined(yield* of.last)
    })
  )

  it.live("own nothing after a restart of the server, which may lack another owner's writes and payments", () =>
    Effect.gen(function* () {
      if (server === undefined) return
      const { journals } = yield* runnerAt(server.url)
      const claim = Effect.map(journals.claim("restarted"), ({ journal }) => journal)
      const first = yield* claim
      const second = yield* claim
      assert.strictEqual(second.disk.database, first.disk.database)
      yield* second.append([stopped("a")])
      yield* Effect.promise(() => server.restart())
      assert.isTrue((yield* refusal(second.append([stopped("of before")]))).isOfAnother)
      const third = yield* claim
      assert.notStrictEqual(third.disk.database, first.disk.database)
      yield* third.append([stopped("b")])
    })
  )

  it.live.each(firstOf(3, [1, 2, 3, 4, 5, 6]))(
    "that freeze, disconnect and return at random leave one whole journal of valid owners (seed %s)",
    (seed) =>
      Effect.gen(function* () {
        if (server === undefined) return
        const { account, acknowledged, refused } = yield* quarrel(server.url, seed)
        const { journals, sql } = yield* runnerAt(server.url)
        yield* Chain.verifyLinks(journals.links(account))
        const rows = yield* sql<{ epoch: number; body: string }>`
          SELECT epoch, body FROM journal WHERE account = ${account} ORDER BY sequence`
        const epochs = rows.map(({ epoch }) => epoch)
        assert.deepStrictEqual(
          epochs,
          epochs.toSorted((a, b) => a - b),
          "an owner wrote after the next one"
        )
        const names = rows.map(({ body }) => String(JSON.parse(body).reason))
        assert.strictEqual(new Set(names).size, names.length, "something was written twice")
        for (const name of acknowledged) assert.includeMembers(names, [name, `${name}+`])
        assert.isAbove(acknowledged.length, 0)
        assert.isAbove(refused, 0)
      })
  )
})
