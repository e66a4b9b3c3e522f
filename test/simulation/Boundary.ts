/**
 * A short life of one bot in which exactly one operation goes wrong (or two): the n-th record of its journal, or its n-th
 * request. What must hold is what always must: nothing is funded twice, and at the end both books agree to the unit.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient } from "effect/http"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { type Journal, JournalError } from "../../src/journal/Journal.ts"
import * as BookCheck from "../../src/rehearsal/BookCheck.ts"
import * as BotProcess from "../../src/rehearsal/BotProcess.ts"
import * as Network from "../../src/rehearsal/Network.ts"
import { calm } from "../../src/rehearsal/Trouble.ts"
import { Domain, World } from "../../src/rehearsal/World.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { budgets } from "../../src/strategy/Strategy.ts"
import { markets, parse } from "./market.ts"
import * as Oracle from "./Oracle.ts"
import { Violation } from "./oracle/Judge.ts"

/** What can befall a record. The last one is a disk that promised more than it kept. */
export const recordFaults = ["crash before", "crash after", "refused", "lost"] as const
/** What can befall a request; a crash in flight comes when it was served and its answer not yet read. */
export const requestFaults = [
  "requestLost",
  "answerLost",
  "requestLate",
  "twice",
  "refused",
  "misreported",
  "crash in flight"
] as const

export type Fault =
  | { readonly on: "record"; readonly number: number; readonly what: (typeof recordFaults)[number] }
  | { readonly on: "request"; readonly number: number; readonly what: (typeof requestFaults)[number] }

export const policies = {
  prompt: [50, 400],
  slow: [60_000, 120_000]
} as const
export type Policy = keyof typeof policies

const start = Date.UTC(2026, 0, 1)
const lifeMillis = 45_000
const strategy = () =>
  parse(`name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 700 } }
ladder: { side: buy, from: 60100, to: 59000, rungs: 2, total: { base: 0.01 }, takeProfit: 0.3% }
`)

/** How many records and requests the life had; throws where an invariant falls. */
export const live = async (policy: Policy, faults: ReadonlyArray<Fault>) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-boundary-"))
  const scope = await Effect.runPromise(Scope.make())
  try {
    return await play(policy, faults, folder, scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

const play = async (policy: Policy, faults: ReadonlyArray<Fault>, folder: string, scope: Scope.Scope) => {
  const world = new World(start)
  const servers = new Domain(world, 1)
  const layer = SandboxServer.layerMemory({
    seed: 1,
    speed: 60,
    settings: { recognitionMillis: policies[policy] }
  })
  const server = await Effect.runPromise(
    Layer.buildWithScope(layer, scope).pipe(Effect.provideService(Clock, servers.clock))
  )
  const connection = Context.get(server, SandboxServer.SandboxConnection)
  const look = Context.get(server, Sandbox).read((state) => state)
  const state = Effect.runSync(look.pipe(Effect.provideService(Clock, servers.clock), Effect.orDie))
  const { signerId } = connection.account
  const budget = new Map(budgets(strategy()).map(({ amount, asset }) => [asset.id, amount]))
  const oracle = Oracle.make({
    state,
    account: signerId,
    budget,
    now: () => world.now,
    killWithinMillis: Number.POSITIVE_INFINITY,
    secrets: [connection.account.key, connection.apiKey],
    isUnfit: () => false,
    isLiedAbout: () => false
  })
  const counts = { records: 0, requests: 0 }
  let crashAt = Number.POSITIVE_INFINITY
  let losesRecord = false
  const faultAt = (on: Fault["on"], number: number) =>
    faults.find((fault) => fault.on === on && fault.number === number)

  const network = Network.make({
    world,
    seed: 1,
    service: Context.get(server, HttpClient.HttpClient),
    servers,
    trouble: () => ({ ...calm, lateMillis: 25_000 }),
    seen: (departure) => oracle.departed("one", departure),
    fate: () => {
      counts.requests += 1
      const fault = faultAt("request", counts.requests)
      if (fault?.on !== "request") return "delivered"
      if (fault.what !== "crash in flight") return fault.what
      crashAt = world.now + 21
      return "delivered"
    }
  })

  const disk = (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (events) =>
      Effect.suspend(() => {
        if (events.length === 0) return journal.append(events)
        counts.records += 1
        const fault = faultAt("record", counts.records)
        if (fault?.what === "refused")
          return Effect.fail(new JournalError({ message: "Cannot write the journal: disk full", cause: "full" }))
        if (fault?.what === "crash before") {
          crashAt = world.now
          return Effect.never
        }
        return Effect.tap(journal.append(events), () => {
          for (const event of events) oracle.recorded("one", event)
          if (fault === undefined) return Effect.void
          crashAt = world.now
          losesRecord = fault.what === "lost"
          return Effect.never
        })
      })
  })

  const journalFile = join(folder, "journal.sqlite")
  let isLeaving = false
  const begin = (until: "idle" | "killed") =>
    BotProcess.start(
      {
        world,
        connection,
        network,
        journalFile,
        markets,
        strategies: () => [strategy()],
        withdraw: () => (isLeaving ? { code: "leaving", text: "the life ends" } : undefined),
        disk
      },
      world.steps,
      until
    )

  let bot = begin("killed")
  const driveTo = (time: number) => {
    world.drive(() => {
      oracle.check(true)
      return world.now >= Math.min(time, crashAt) || bot.exit() !== undefined
    })
  }
  const restart = (until: "idle" | "killed") => {
    bot.kill()
    if (losesRecord) loseLast(journalFile)
    losesRecord = false
    crashAt = Number.POSITIVE_INFINITY
    world.now += 1_000
    bot = begin(until)
  }
  const ends = start + lifeMillis
  while (world.now < ends) {
    driveTo(ends)
    if (world.now < ends) restart("killed")
  }
  isLeaving = true
  restart("idle")
  const rest = world.now + 40 * 60_000
  while (world.now < rest) {
    driveTo(rest)
    const exit = bot.exit()
    if (exit !== undefined && Exit.isSuccess(exit)) break
    if (world.now < rest) restart("idle")
  }
  const exit = bot.exit()
  bot.kill()
  if (exit === undefined) throw new Violation("I20", "it did not come to rest")
  const told = BotProcess.withJournal({ world, journalFile }, replay)
  const differences = BookCheck.differences(state, signerId, [told])
  if (differences.length > 0) throw new Violation("I10", differences.join("; "))
  return counts
}

/** A disk that lost what it had promised: the newest row is gone. */
const loseLast = (journalFile: string): void => {
  const database = new DatabaseSync(journalFile)
  const [trigger] = database.prepare("SELECT sql FROM sqlite_master WHERE name = 'journal_is_append_only_delete'").all()
  database.exec("DROP TRIGGER journal_is_append_only_delete")
  database.exec("DELETE FROM journal WHERE sequence = (SELECT max(sequence) FROM journal)")
  database.exec(String(trigger?.["sql"]))
  database.close()
}
