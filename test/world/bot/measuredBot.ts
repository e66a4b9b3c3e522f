/**
 * The whole bot against the whole sandbox in one process and in virtual time, with what one wants to count: requests, synced
 * commits of the journal, and the processor's time of the bot alone. The sandbox works in a domain of its own, so what it
 * takes is left out. Requests are answered after five virtual milliseconds.
 */
import { Cause, Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient, type HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Engine from "../../../src/engine/Engine.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import * as StartUp from "../../../src/engine/StartUp.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { OrderBook } from "../../../src/orderbook/OrderBook.ts"
import { Domain, World } from "../../../src/rehearsal/world/World.ts"
import * as SandboxServer from "../../../src/sandbox/SandboxServer.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { layer as clientLayer } from "../../../src/venue/library.ts"
import { defaultPatience, ownAccount } from "../../../src/venue/VenueConfig.ts"
import { markets, parse } from "./market.ts"

/** Far below the market, so that nothing fills: ladders of a thousand rungs at most. */
export const resting = (orders: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(orders / 1000) }, (_, index) => {
    const rungs = Math.min(1000, orders - index * 1000)
    return `name: ladder-${index}
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 10000 }, maxOpenOrders: ${rungs} }
ladder: { side: buy, from: 45000, to: 30000, rungs: ${rungs}, total: { quote: 9000 } }
`
  })

type Request = HttpClientRequest.HttpClientRequest
type Response = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** What somebody wants to see: each request as it leaves, and when its answer is there. */
export interface Watch {
  readonly sent?: (request: Request) => void
  readonly answered?: (request: Request) => void
}

export interface Spent {
  /** Of the bot alone, in milliseconds; 0 unless the run is timed. */
  readonly processor: number
  readonly requests: number
  /** Appends to the journal, each on disk when it returns. */
  readonly commits: number
  /** Orders that came to their end with all their money. */
  readonly settled: number
  /** How often strategies were asked. */
  readonly decisions: number
  /** Virtual. */
  readonly seconds: number
}

const processorMicros = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** So often in virtual time is looked whether to stop: looking at ten thousand orders takes long. */
const lookMillis = 50

/** Counts what the tasks of one domain take of the processor. */
const clocked = (world: World, domain: Domain): (() => number) => {
  let [spent, begun] = [0, 0]
  let isIn = false
  const schedule = world.schedule.bind(world)
  world.schedule = (task) => {
    if (task.domain !== domain) return schedule(task)
    return schedule({
      domain,
      run: () => {
        begun = processorMicros()
        isIn = true
        task.run()
        spent += processorMicros() - begun
        isIn = false
      }
    })
  }
  return () => (spent + (isIn ? processorMicros() - begun : 0)) / 1000
}

/** Runs in a domain of its own and is waited for from another one. */
const within = (domain: Domain, execute: Response): Response =>
  Effect.callback((resume) => {
    domain.fork(execute).addObserver((exit) => resume(exit))
  })

export interface Asked {
  readonly watch?: Watch
  /** A file, for what syncing takes of the processor. */
  readonly journal?: string
  /** Measures processor time. Reading that clock around each task takes a tenth of the whole run. */
  readonly isTimed?: boolean
}

export const make = async (
  texts: ReadonlyArray<string>,
  { watch = {}, journal: filename = ":memory:", isTimed = false }: Asked = {}
) => {
  const world = new World(Date.UTC(2026, 0, 1))
  const [venue, process] = [new Domain(world, 0), new Domain(world, 1)]
  const processor = isTimed ? clocked(world, process) : () => 0
  const scope = await Effect.runPromise(Scope.make())
  const sandbox = await Effect.runPromise(
    Layer.buildWithScope(SandboxServer.layerMemory({ seed: 1, speed: 1 }), scope).pipe(
      Effect.provideService(Clock, venue.clock)
    )
  )
  const service = Context.get(sandbox, HttpClient.HttpClient)
  const connection = Context.get(sandbox, SandboxServer.SandboxConnection)
  const { key, signerId } = connection.account
  let [requests, commits, settled] = [0, 0, 0]
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      requests += 1
      watch.sent?.(request)
      yield* Effect.sleep(5)
      const response = yield* within(venue, service.execute(request))
      watch.answered?.(request)
      return response
    })
  )
  const counting = Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({
      ...journal,
      append: (events) => {
        if (events.length > 0) commits += 1
        settled += events.filter(({ _tag }) => _tag === "Settled").length
        return journal.append(events)
      }
    }))
  ).pipe(Layer.provide(Journal.layer))
  const account = { signerId, depositType: "INTENTS", maxAppFeeBasisPoints: 100 } as const
  const config = {
    url: connection.url,
    ledger: "native",
    verifier: connection.verifier,
    apiKey: Redacted.make(connection.apiKey),
    account: ownAccount(signerId, "INTENTS"),
    patience: defaultPatience
  } as const
  const services = OrderBook.layer.pipe(
    Layer.provideMerge(clientLayer(config, Redacted.make(key))),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.merge(
      Bookkeeper.layer.pipe(
        Layer.provideMerge(Layer.provideMerge(PriceStore.layer, counting)),
        Layer.provide(Sqlite.layer({ filename }))
      )
    ),
    Layer.merge(Layer.succeed(EngineSettings, { ...defaults, account }))
  )
  let decisions = 0
  const counted = (strategy: Strategy): Strategy => ({
    ...strategy,
    decide: (view, memory) => {
      decisions += 1
      return strategy.decide(view, memory)
    }
  })
  const strategies = texts.map(parse).map(counted)
  let books: Bookkeeper["Service"] | undefined
  const bot = Effect.gen(function* () {
    books = yield* Bookkeeper
    yield* StartUp.record({ pid: 1, version: "0", mode: "bench", account: signerId, venue: connection.url }, strategies)
    const engine = yield* Engine.make({ strategies, markets, withdraw: Effect.undefined })
    yield* engine.runUntil(Effect.never)
  }).pipe(Effect.provide(services), Effect.scoped)
  let mistake: string | undefined
  process.fork(bot).addObserver((exit) => {
    mistake = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "the bot ended"
  })

  /** Goes on until `done`, asked now and then, and says what that took. */
  const drive = (done: () => boolean): Spent => {
    const before = { requests, commits, settled, decisions }
    const [spent, from] = [processor(), world.now]
    let look = world.now
    world.drive(() => {
      if (mistake !== undefined) return true
      if (world.now < look) return false
      look = world.now + lookMillis
      return done()
    })
    if (mistake !== undefined) throw new Error(mistake)
    const seconds = (world.now - from) / 1000
    return {
      processor: processor() - spent,
      requests: requests - before.requests,
      commits: commits - before.commits,
      settled: settled - before.settled,
      decisions: decisions - before.decisions,
      seconds
    }
  }
  const placements = () => [...(books?.state.placements.values() ?? [])]
  return {
    drive,
    /** For so many virtual milliseconds. */
    wait: (millis: number): Spent => {
      const until = world.now + millis
      return drive(() => world.now >= until)
    },
    /** How many placements are so far. */
    count: (state: string): number => placements().filter((placement) => placement.state === state).length,
    processor,
    end: () => Effect.runPromise(Scope.close(scope, Exit.void))
  } as const
}

export type BotWorld = Awaited<ReturnType<typeof make>>

/** Follows the price closely, beside whatever rests. */
export const quotes = `name: quotes
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.05, quote: 2000 } }
market-making: { levels: 1, spread: 1%, size: 0.01, requote: 0.02% }
`

/** Buys just below the market, sells above what was bought: each order is placed, paid, filled and paid out. */
const grid = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.15, quote: 9000 } }
grid: { lower: 59500, upper: 60500, levels: 41, size: { base: 0.003 } }
`

/** Of one order from its plan to its end, over these minutes of a tight grid. */
export const lifeOf = async (
  minutes: number
): Promise<{
  readonly lives: number
  readonly commits: number
  readonly requests: number
}> => {
  const world = await make([grid])
  // The first orders are placed: from now on each that ends makes room for the next.
  world.wait(60_000)
  const { commits, requests, settled: lives } = world.wait(minutes * 60_000)
  await world.end()
  return { lives, commits: commits / lives, requests: requests / lives }
}
