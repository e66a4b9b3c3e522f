/**
 * An account of a fleet takes the commands of a single bot, with `--account`. The commands go to its owner, are in its journal, and hold
 * for its next owner.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Journal } from "../../src/journal/Journal.ts"
import { Journals, layerOf, readingOf } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import * as PostgresServer from "../postgres.ts"
import { control, type Program } from "../world/processes/program.ts"
import { type Ground, haveOrders, make } from "./ground.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("an account of a fleet: this machine has no Postgres server", () => undefined)

let ground: Ground
let runner: Program
beforeAll(async () => {
  if (server === undefined) return
  ground = await make(server, 2, { speed: 0 })
  await control(ground.sandbox, "prices", { "BTC/USDC": 60_020 })
})

interface Shown {
  readonly contained: boolean
  readonly lists: ReadonlyArray<{
    readonly name: string
    readonly found: ReadonlyArray<{ readonly id: string; readonly text: string }> | null
  }>
}

const of = (...args: ReadonlyArray<string>) => ground.limitbot(...args, "--account", "account-0")
const jsonOf = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await of(...args, "--json")
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}
const inDatabase = <A, E>(effect: Effect.Effect<A, E, Journals>) =>
  Effect.runPromise(
    effect.pipe(Effect.provide(Layer.provide(Journals.layer, Postgres.layer(server?.url ?? Redacted.make("")))))
  )

describe.skipIf(server === undefined)("an account of a fleet", () => {
  it("is shown by the commands of a single bot", async () => {
    await ground.limitbot("fleet", "--apply", "accounts", "--yes")
    runner = ground.runner()
    await ground.until("all have orders", haveOrders)
    const { stdout } = await of("status")
    assert.match(stdout, /fleet:account-0/)
    assert.match(stdout, /running on \S+/)
    const { openOrders } = await jsonOf("status")
    const orders = await jsonOf("orders")
    assert.strictEqual(orders.length, openOrders)
    const slots = await jsonOf("explain", "grid")
    assert.isAtLeast(slots.length, 4)
    const [{ slot }] = orders
    assert.deepStrictEqual((await jsonOf("explain", slot)).length, 1)
    assert.strictEqual((await of("explain", "grid/none")).code, 1)
    assert.isAtLeast((await jsonOf("money")).places.length, 2)
    assert.match((await of("events", "--search", "order")).stdout, /grid/)
    for (const command of ["fills", "profit", "orders --stuck"]) await jsonOf(...command.split(" "))
  })

  it("refuses a wrong name, an unsupported option, and a write by a reader", async () => {
    assert.match((await ground.limitbot("status", "--account", "nobody")).stderr, /No account nobody in this fleet/)
    assert.strictEqual((await of("status", "--watch")).code, 2)
    assert.strictEqual((await of("events", "--follow")).code, 2)
    assert.strictEqual((await of("status", "--config", "other.yaml")).code, 2)
    const written = Effect.flatMap(Journal, ({ append }) => append([{ _tag: "BotStopped", reason: "a reader" }]))
    const refused = await inDatabase(Effect.flip(Effect.provide(written, readingOf("account-0"))))
    assert.match(refused.message, /another process has taken over/)
    assert.isTrue(haveOrders(await ground.accounts()))
  })

  it("has a journal that verify checks, whole and up to its recorded end", async () => {
    const before = await jsonOf("journal", "verify")
    assert.match(before.head, /^[0-9a-f]{64}$/)
    assert.isAtLeast(before.events, 5)
    assert.match(
      (await of("journal", "verify", "--head", before.head)).stdout,
      /fleet:account-0: \d+ events, none changed/
    )
    const other = await of("journal", "verify", "--head", "0".repeat(63).concat("1"))
    assert.strictEqual(other.code, 1)
    assert.match(other.stderr, /no event has the hash 0+1/)
  })

  it("has evidence of its orders from its journal, and the evidence names each unread part", async () => {
    const [{ orderId: order }] = await jsonOf("orders")
    const out = join(ground.folder, "evidence.json")
    const { code, stderr, stdout } = await of("orders", order, "--out", out)
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /Not asked: .*limitbot reconcile --account account-0/)
    const dossier = JSON.parse(readFileSync(out, "utf8"))
    assert.strictEqual(dossier.orders[0].order, order)
    assert.strictEqual(dossier.account, ground.keys.get("account-0")?.signerId)
    const proof = await of("orders", order, "--proof", join(ground.folder, "proof.json"))
    assert.strictEqual(proof.code, 2)
    assert.match(proof.stderr, /the accounts of a fleet have none yet/)
    assert.match((await of("orders", "p-none", "--out", out)).stderr, /limitbot orders --account account-0/)
  })

  it("pauses a strategy by a command to its owner, and the pause outlives the owner", async () => {
    const paused = await of("pause", "grid", "--why", "to look")
    assert.match(paused.stdout, /grid paused: no new orders/)
    assert.match((await of("pause", "other")).stderr, /No strategy is named other/)
    runner.signal("SIGTERM")
    await runner.ended
    runner = ground.runner()
    const { stdout } = await of("pause", "--cancel", "--yes")
    assert.match(stdout, /All strategies paused; \d+ orders? being cancelled/)
    const events = (await of("events", "--json", "--search", "Commanded")).stdout.trim().split("\n")
    assert.strictEqual(events.length, 2)
    const problems = (await jsonOf("status")).problems.map(({ kind }: { readonly kind: string }) => kind)
    assert.include(problems, "paused")
    assert.match((await of("resume")).stdout, /1 account will trade within seconds/)
    await ground.until("it has orders again", haveOrders)
  })

  it("resumes as a whole what is paused as a whole", async () => {
    await ground.limitbot("pause", "--account", "account-0")
    await ground.until("it is paused", (all) => all.some(({ problems }) => problems.includes("paused")))
    assert.match((await of("resume", "grid")).stderr, /whole account is paused: limitbot resume --account account-0/)
    await ground.limitbot("resume", "--account", "account-0")
    await ground.until("it runs", (all) => all.every(({ problems }) => !problems.includes("paused")))
  })

  it("obeys a pause although its bot has lost the journal and records nothing else", async () => {
    const stopped = Effect.flatMap(Journal, ({ append }) => append([{ _tag: "BotStopped", reason: "another claim" }]))
    await inDatabase(Effect.provide(stopped, layerOf("account-0")))
    await ground.limitbot("pause", "--account", "account-0")
    await ground.until("it is paused", (all) =>
      all.some(({ account, problems }) => account === "account-0" && problems.includes("paused: "))
    )
    await ground.limitbot("resume", "--account", "account-0")
    await ground.until("it runs", (all) => all.every(({ problems }) => !problems.includes("paused: ")))
  })

  it("is contained once it is killed, its owner obeys, and nothing is left in journal or venue", async () => {
    const look = async (): Promise<{ readonly code: number | null; readonly shown: Shown }> => {
      const { code, stdout } = await ground.limitbot("check", "--containment", "--account", "account-1", "--json")
      return { code, shown: JSON.parse(stdout) }
    }
    const foundIn = ({ lists }: Shown) => new Map(lists.map(({ found, name }) => [name, found]))
    const before = await look()
    assert.strictEqual(before.code, 1)
    const found = foundIn(before.shown)
    assert.match(found.get("Can place and pay again")?.[0]?.text ?? "", /^off: \S+ creates and pays$/)
    assert.isAbove(found.get("Open orders")?.length ?? 0, 0)
    assert.isAbove(found.get("Orders that the venue lists")?.length ?? 0, 0)
    assert.deepStrictEqual(found.get("Commands not applied yet"), [])
    await ground.limitbot("kill", "a token was stolen", "--account", "account-1")
    const end = Date.now() + 300_000
    let after = await look()
    while (after.code !== 0 && Date.now() < end) after = await look()
    assert.deepStrictEqual(
      after.shown.lists.map(({ found, name }) => [name, found?.length]),
      after.shown.lists.map(({ name }) => [name, 0])
    )
    assert.isTrue(after.shown.contained)

    // With nobody to do it, a word waits, and the venue is not asked: that proves nothing.
    runner.signal("SIGTERM")
    await runner.ended
    await ground.limitbot("kill", "--off", "--account", "account-1")
    const off = foundIn((await look()).shown)
    assert.deepStrictEqual(off.get("Commands not applied yet"), [], "no strategy is resumed")
    await ground.limitbot("resume", "--account", "account-1")
    const alone = foundIn((await look()).shown)
    assert.match(
      alone.get("Can place and pay again")?.[0]?.text ?? "",
      /^off: a runner that takes it creates and pays$/
    )
    assert.match(alone.get("Commands not applied yet")?.[0]?.text ?? "", /resume/)
    assert.isNull(alone.get("Orders that the venue lists"))
    runner = ground.runner()
    await ground.until("it has orders again", haveOrders)
  })

  it("is compared with the venue by its owner, and accepts the operator's answer", async () => {
    const compared = await of("reconcile")
    assert.match(compared.stdout, /Compared with the journal: orders/, compared.stderr)
    assert.match(compared.stdout, / 0 contradict\./)
    assert.match((await of("resolve")).stdout, /Nothing is in doubt/)
    assert.match((await of("resolve", "pl-none", "--paid")).stderr, /pl-none/)
    runner.signal("SIGTERM")
    await runner.ended
    const seen = { _tag: "WitnessDisagreed", size: 1, head: "00", text: "a witness saw another journal" } as const
    await inDatabase(
      Effect.provide(
        Effect.flatMap(Journal, ({ append }) => append([seen])),
        layerOf("account-0")
      )
    )
    assert.match((await of("resolve")).stdout, /resolve witness --forget/)
    runner = ground.runner()
    assert.match((await of("resolve", "witness", "--forget")).stdout, /by the running bot/)
    assert.match((await of("resolve")).stdout, /Nothing is in doubt/)
    runner.signal("SIGTERM")
    await runner.ended
  })

  it("fails verification if the end of its journal is missing, even if the rest is a whole chain", async () => {
    // An owner that goes on would write after what is missing.
    runner.signal("SIGTERM")
    await runner.ended
    const verified = () => ground.limitbot("journal", "verify", "--account", "account-1")
    assert.match((await verified()).stdout, /fleet:account-1: \d+ events, none changed/)
    // Whoever owns the database can do what it refuses to everybody else.
    await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE journal DISABLE TRIGGER journal_is_append_only`
        yield* sql`
          DELETE FROM journal WHERE account = 'account-1'
          AND sequence = (SELECT max(sequence) FROM journal WHERE account = 'account-1')`
        yield* sql`ALTER TABLE journal ENABLE TRIGGER journal_is_append_only`
      }).pipe(Effect.provide(Postgres.layer(server?.url ?? Redacted.make(""))))
    )
    const cut = await verified()
    assert.strictEqual(cut.code, 1)
    assert.match(cut.stderr, /the end is missing/)
  })
})
