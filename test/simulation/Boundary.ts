/**
 * A short life of one bot in which exactly one operation goes wrong (or two): the n-th record of its journal, or its n-th
 * request. What must hold is what always must: nothing is funded twice, and at the end both books agree to the unit.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient } from "effect/http"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import * as Head from "../../src/journal/Head.ts"
import { type Journal, JournalError } from "../../src/journal/Journal.ts"
import * as BookCheck from "../../src/rehearsal/world/BookCheck.ts"
import * as BotProcess from "../../src/rehearsal/world/BotProcess.ts"
import * as Network from "../../src/rehearsal/world/Network.ts"
import { calm } from "../../src/rehearsal/world/Trouble.ts"
import { Domain, World } from "../../src/rehearsal/world/World.ts"
import { noFaults } from "../../src/sandbox/http/Faults.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { budgets } from "../../src/strategy/Strategy.ts"
import { markets, parse } from "../world/bot/market.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"
import * as Oracle from "./Oracle.ts"
import { Violation } from "./oracle/Judge.ts"

/**
 * What can befall a record. A torn one was cut off in the middle of its last page by the crash; a lost one had been promised,
 * what it announced was done, and the crash came before the next record.
 */
export const recordFaults = ["crash before", "crash after", "torn", "refused", "lost"] as const
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

/**
 * `tail`: the crash comes when this record should be written, and takes as many of those before it, all promised, with it. `copy`:
 * the process is killed there, and somebody puts the journal back as it was so many records before; `folder`: with its head.
 */
export type Fault =
  | { readonly on: "integrity" | "copy" | "folder"; readonly number: number; readonly what: number }
  | { readonly on: "record"; readonly number: number; readonly what: (typeof recordFaults)[number] }
  | { readonly on: "request"; readonly number: number; readonly what: (typeof requestFaults)[number] }

/** How the venue behaves: when deposits show, and how many orders a create makes. */
export const policies = {
  prompt: { recognitionMillis: [50, 400] },
  slow: { recognitionMillis: [60_000, 120_000], visibilityMillis: 40_000 },
  /** Nothing can come to rest: what is judged is only that no money is lost. */
  never: { recognitionMillis: [864_000_000, 864_000_000], visibilityMillis: 40_000 },
  doubling: { recognitionMillis: [50, 400], duplicateCreate: 1, listLagMillis: 1_500 }
} as const satisfies Record<string, VenuePolicy>
export type Policy = keyof typeof policies

interface VenuePolicy {
  readonly recognitionMillis: readonly [number, number]
  /** After which a payment is sent again: where deposits are slow, each repetition is the same boundary once more. */
  readonly visibilityMillis?: number
  readonly duplicateCreate?: number
  readonly listLagMillis?: number
}

const start = Date.UTC(2026, 0, 1)
const lifeMillis = 45_000
/** Time for what a lost record announced, and as much of the journal as a disk loses at most. */
export const goesOnMillis = 60

/** `ladder`: two orders, the first of which fills and sells again. `order`: the first one alone. */
export const scenarios = {
  ladder: `limits: { budget: { quote: 700 } }
ladder: { side: buy, from: 60100, to: 59000, rungs: 2, total: { base: 0.01 }, takeProfit: 0.3% }
`,
  order: `limits: { budget: { quote: 350 } }
ladder: { side: buy, from: 60100, to: 60100, rungs: 1, total: { base: 0.005 } }
`
} as const
export type Scenario = keyof typeof scenarios

export interface Life {
  readonly scenario: Scenario
  readonly policy: Policy
}

/** How many records and requests the life had, and which requests write; throws where an invariant falls. */
export const live = async (life: Life, faults: ReadonlyArray<Fault>) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-boundary-"))
  const scope = await Effect.runPromise(Scope.make())
  try {
    return await play(life, faults, folder, scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

const play = async ({ policy, scenario }: Life, faults: ReadonlyArray<Fault>, folder: string, scope: Scope.Scope) => {
  const { recognitionMillis, visibilityMillis = 10_000, ...venueFaults }: VenuePolicy = policies[policy]
  const strategy = () => parse(`name: ladder\nmarket: BTC/USDC\nkind: ladder\n${scenarios[scenario]}`)
  const world = new World(start)
  const servers = new Domain(world, 1)
  const layer = SandboxServer.layerMemory({
    seed: 1,
    speed: 60,
    faults: { ...noFaults, ...venueFaults },
    settings: { recognitionMillis, partialFillShare: 0 }
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
    places: () => () => true,
    secrets: [connection.account.key, connection.apiKey],
    isUnfit: () => false,
    isLiedAbout: () => false
  })
  const counts = { records: 0, requests: 0, writes: [] as Array<number>, recordedAt: [] as Array<number> }
  /** Rows before each record. */
  const rowsBefore: Array<number> = []
  let crashAt = Number.POSITIVE_INFINITY
  let disk: "clean" | "torn" | "lost" | "copy" | "folder" = "clean"
  /** What is on disk, or was promised to be. */
  const written: Array<BotEvent> = []
  let durable = 0
  const faultAt = (on: Fault["on"], number: number) =>
    faults.find((fault) => fault.on === on && fault.number === number)

  const network = Network.make({
    world,
    seed: 1,
    service: Context.get(server, HttpClient.HttpClient),
    servers,
    trouble: () => ({ ...calm, lateMillis: 25_000 }),
    seen: (departure) => {
      if (departure.method === "POST" && departure.path !== "/v0/quote") counts.writes.push(counts.requests)
      oracle.departed("one", departure)
    },
    fate: () => {
      counts.requests += 1
      const fault = faultAt("request", counts.requests)
      if (fault?.on !== "request") return "delivered"
      if (fault.what !== "crash in flight") return fault.what
      crashAt = world.now + 21
      return "delivered"
    }
  })

  const diskOf = (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (events) =>
      Effect.suspend(() => {
        if (events.length === 0) return journal.append(events)
        counts.records += 1
        counts.recordedAt.push(world.now)
        rowsBefore.push(written.length)
        if (disk !== "clean" && disk !== "torn") {
          crashAt = world.now
          return Effect.never
        }
        const before =
          faultAt("integrity", counts.records) ?? faultAt("copy", counts.records) ?? faultAt("folder", counts.records)
        if (before !== undefined && before.on !== "record" && before.on !== "request") {
          durable = rowsBefore.at(-1 - before.what) ?? 0
          disk = before.on === "integrity" ? "lost" : before.on
          crashAt = world.now
          return Effect.never
        }
        const fault = faultAt("record", counts.records)
        if (fault?.what === "refused")
          return Effect.fail(new JournalError({ message: "Cannot write the journal: disk full", cause: "full" }))
        if (fault?.what === "crash before") {
          crashAt = world.now
          return Effect.never
        }
        if (fault?.what === "torn") {
          crashAt = world.now
          disk = "torn"
          return Effect.andThen(journal.append(events), Effect.never)
        }
        return Effect.tap(journal.append(events), (recorded) => {
          for (const { event } of recorded) {
            oracle.recorded("one", event)
            written.push(event)
          }
          if (fault?.what === "lost") {
            durable = written.length - recorded.length
            disk = "lost"
            crashAt = world.now + goesOnMillis
          }
          if (fault?.what !== "crash after") return Effect.succeed(recorded)
          crashAt = world.now
          return Effect.never
        })
      })
  })

  const journalFile = join(folder, "journal.sqlite")
  let isLeaving = false
  let boots = 1
  const begin = (until: "idle" | "killed") =>
    SimulatedBot.start(
      {
        world,
        connection,
        network,
        journalFile,
        markets,
        strategies: () => [strategy()],
        withdraw: () => (isLeaving ? { code: "leaving", text: "the life ends" } : undefined),
        // Most looks find nothing new; fewer of them leave the same boundaries.
        pace: { pollMinMillis: isLeaving ? visibilityMillis : 3_000, visibilityMillis },
        boot: String(boots),
        disk: diskOf
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
  /** Nothing is left of the journal: no bot begins on that, until somebody puts it back. */
  let isRefused = false
  const restart = (until: "idle" | "killed") => {
    const torn = disk === "torn" ? tornCopy(journalFile) : undefined
    // Only a machine that went down forgets what it had written.
    if (disk === "torn" || disk === "lost") boots += 1
    bot.kill()
    torn?.()
    if (disk !== "clean" && disk !== "torn") {
      const newest = loseAfter(journalFile, durable)
      oracle.lost("one", written.splice(durable))
      if (disk === "folder") Effect.runSync(Head.beside(journalFile).keep(newest))
    }
    disk = "clean"
    crashAt = Number.POSITIVE_INFINITY
    world.now += 1_000
    try {
      bot = begin(until)
    } catch (error) {
      if (!isEmpty(journalFile)) throw error
      isRefused = true
    }
  }
  const ends = start + lifeMillis
  while (world.now < ends && !isRefused) {
    driveTo(ends)
    if (world.now < ends) restart("killed")
  }
  if (isRefused) return counts
  isLeaving = true
  restart("idle")
  const isSettling = policy !== "never"
  const rest = world.now + (isSettling ? 40 : 3) * 60_000
  while (world.now < rest) {
    driveTo(rest)
    const exit = bot.exit()
    if (exit !== undefined && Exit.isSuccess(exit)) break
    if (world.now < rest) restart("idle")
  }
  const exit = bot.exit()
  bot.kill()
  if (!isSettling) return counts
  if (exit === undefined) throw new Violation("I20", "it did not come to rest")
  const told = BotProcess.withJournal({ world, journalFile }, replay)
  // What an old copy has forgotten of orders that are over, nobody can book: it is told, and nothing is paid any more.
  if (told.integrity.forgotten.size > 0) return counts
  const differences = BookCheck.differences(state, signerId, [told])
  if (differences.length > 0) throw new Violation("I10", differences.join("; "))
  return counts
}

/** A disk that lost what it had promised, or an old copy: only the first rows are left. Gives the newest of them. */
const loseAfter = (journalFile: string, rows: number): Head.Kept => {
  const database = new DatabaseSync(journalFile)
  const [trigger] = database.prepare("SELECT sql FROM sqlite_master WHERE name = 'journal_is_append_only_delete'").all()
  database.exec("DROP TRIGGER journal_is_append_only_delete")
  database.exec(`DELETE FROM journal WHERE sequence > ${rows}`)
  database.exec(String(trigger?.["sql"]))
  const [newest] = database.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1").all()
  database.close()
  return { sequence: Number(newest?.["sequence"]), hash: String(newest?.["hash"]) }
}

const isEmpty = (journalFile: string): boolean => {
  const database = new DatabaseSync(journalFile, { readOnly: true })
  const row = database.prepare("SELECT count(*) AS rows FROM journal").get()
  database.close()
  return row?.["rows"] === 0
}

/** The files as the crash leaves them, with the newest page of the log cut in two; returns what puts them back. */
const tornCopy = (journalFile: string): (() => void) => {
  const log = `${journalFile}-wal`
  const [main, pages] = [readFileSync(journalFile), readFileSync(log)]
  return () => {
    rmSync(`${journalFile}-shm`, { force: true })
    writeFileSync(journalFile, main)
    writeFileSync(log, pages.subarray(0, Math.max(0, pages.length - 1_000)))
  }
}
