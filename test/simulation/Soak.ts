/**
 * A long calm life: one bot with fifty slots on a sandbox whose prices move, for as many virtual days as wanted. Whatever grows with
 * time and not with what is open is a leak: of the bot's memory, timers, ready tasks, file descriptors, or of its journal per event.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Context, Effect, Layer } from "effect"
import { Clock as ClockReference } from "effect/Clock"
import { HttpClient } from "effect/http"
import { dayMillis, hourMillis } from "../../src/domain/Durations.ts"
import { marketsByName } from "../../src/Layers.ts"
import { Domain, World } from "../../src/rehearsal/world/World.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { assets, parse } from "../world/bot/botWorld.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"

const startedAt = Date.parse("2026-01-01T00:00:00Z")
const strategy = `name: soak
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 }, maxOpenOrders: 60 }
grid: { lower: 40000, upper: 90000, levels: 51, spacing: geometric, size: { base: 0.002 } }
`

/** What there is of everything at one moment, garbage collected before. */
export interface Sample {
  readonly day: number
  readonly events: number
  readonly fills: number
  readonly placements: number
  readonly slots: number
  readonly timers: number
  readonly tasks: number
  readonly descriptors: number
  readonly resources: number
  readonly journalBytes: number
  readonly heapBytes: number
  /** That the venue was asked so far; processor time so far. */
  readonly requests: number
  readonly cpuSeconds: number
}

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const heapBytes = (): number => {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

const descriptors = (): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return 0
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** `seen` is told of each sample. Answers them all, and how much heap the bot alone held at the end. */
export const run = (
  { days, samples, seed = 1 }: { readonly days: number; readonly samples: number; readonly seed?: number },
  seen: (sample: Sample) => void = () => undefined
) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "limitbot-soak-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    const journalFile = join(folder, "journal.sqlite")
    const world = new World(startedAt)
    const servers = new Domain(world, seed)
    const server = yield* Layer.build(SandboxServer.layerMemory({ seed, settings: { stepMillis: 30_000 } })).pipe(
      Effect.provideService(ClockReference, servers.clock)
    )
    const service = Context.get(server, HttpClient.HttpClient)
    // The service answers in a process of its own, as in life.
    let requests = 0
    const network = HttpClient.make((request) =>
      Effect.callback<Effect.Success<ReturnType<typeof service.execute>>, never>((resume) => {
        requests += 1
        servers.fork(Effect.orDie(service.execute(request))).addObserver((exit) => resume(exit))
      })
    )
    const bot = SimulatedBot.start(
      {
        world,
        connection: Context.get(server, SandboxServer.SandboxConnection),
        network,
        journalFile,
        markets: marketsByName({ assets, ticks: new Map() }),
        strategies: () => [parse(strategy)],
        withdraw: () => undefined,
        pace: { pollMinMillis: 120_000, pollMaxMillis: 1_200_000 }
      },
      seed,
      "killed"
    )
    const taken: Array<Sample> = []
    const endsAt = startedAt + days * dayMillis
    for (let index = 0; index <= samples; index += 1) {
      // The first hour builds everything up.
      const until = startedAt + hourMillis + ((endsAt - startedAt - hourMillis) * index) / samples
      world.drive(() => world.now >= until || bot.exit() !== undefined)
      const inside = bot.inside()
      if (bot.exit() !== undefined || inside === undefined) {
        return yield* Effect.die(new Error(`the bot ended by itself: ${bot.exit()}`))
      }
      const { state } = inside
      const sample = {
        day: (world.now - startedAt) / dayMillis,
        events: state.sequence,
        fills: state.fills,
        placements: state.placements.size,
        slots: state.slots.size,
        ...world.waiting,
        descriptors: descriptors(),
        resources: process.getActiveResourcesInfo().length,
        journalBytes: sizeOf(journalFile) + sizeOf(`${journalFile}-wal`),
        heapBytes: heapBytes(),
        requests,
        cpuSeconds: Math.round(process.cpuUsage().user / 1e6)
      }
      taken.push(sample)
      seen(sample)
    }
    bot.kill()
    return taken
  }).pipe(Effect.scoped)

/** What grew although nothing more is open: one sentence each. */
export const growth = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [early, late] = [samples.slice(0, third), samples.slice(-third)]
  const most = (part: ReadonlyArray<Sample>, of: keyof Sample) => Math.max(...part.map((sample) => sample[of]))
  const flat = (["timers", "tasks", "descriptors", "resources", "slots", "placements"] as const).flatMap((of) => {
    const [before, after] = [most(early, of), most(late, of)]
    return after > before * 1.5 + 8 ? [`${of} grew from ${before} to ${after}`] : []
  })
  const [begin, end] = [samples[0], samples.at(-1)]
  if (begin === undefined || end === undefined) return flat
  const events = end.events - begin.events
  const perEvent = events === 0 ? 0 : (end.journalBytes - begin.journalBytes) / events
  const heapPerEvent = events === 0 ? 0 : (end.heapBytes - begin.heapBytes - warmUpBytes) / events
  return [
    ...flat,
    ...(perEvent > mostJournalBytes ? [`the journal grew by ${Math.round(perEvent)} bytes an event`] : []),
    ...(heapPerEvent > mostHeapBytes ? [`the heap grew by ${Math.round(heapPerEvent)} bytes an event`] : [])
  ]
}

/** An event with its indexes; the write-ahead log comes and goes. */
const mostJournalBytes = 2_500
/** Compiled code and caches that fill once. */
const warmUpBytes = 30_000_000
/** The sandbox in the same process keeps every order for ever, about 3 kB of it an event of the bot's. */
const mostHeapBytes = 4_000
