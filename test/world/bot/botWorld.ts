/**
 * A bot and a sandbox in one process under a virtual clock, over the real HTTP encoding, with a network that a test bends as it
 * likes: it may answer by itself, change an answer, fail, or never answer. Every request is noted with its time.
 */
import { Clock, Context, Effect, Fiber, Layer, Random, Redacted, Result, Scope, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import type { BotEvent, Reason } from "../../../src/domain/BotEvent.ts"
import type { Market } from "../../../src/domain/Market.ts"
import { present } from "../../../src/domain/Present.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { defaults, EngineSettings, type Expectations, type Settings } from "../../../src/engine/EngineSettings.ts"
import * as StartUp from "../../../src/engine/StartUp.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { broken, Journal } from "../../../src/journal/Journal.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { marketsByName } from "../../../src/Layers.ts"
import { OrderBook } from "../../../src/orderbook/OrderBook.ts"
import * as SandboxSigner from "../../../src/rehearsal/world/SandboxSigner.ts"
import { Domain, World } from "../../../src/rehearsal/world/World.ts"
import { saltFrom } from "../../../src/sandbox/SandboxApi.ts"
import { SandboxConnection, layerMemory as sandboxLayer } from "../../../src/sandbox/SandboxServer.ts"
import type { SandboxSettings } from "../../../src/sandbox/Settings.ts"
import { render } from "../../../src/strategy/Problem.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { layerSignedBy } from "../../../src/venue/library.ts"
import { defaultPatience, factsOf, ownAccount, type VenueAccount } from "../../../src/venue/VenueConfig.ts"

export const start = Date.parse("2026-01-01T00:00:00Z")

export const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
] as const

export const parse = (text: string) => {
  const read = StrategyFile.parse(text, "strategy.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  return read.success
}

/** Far from the price, so that its orders rest. */
export const ladder = (
  rungs: number,
  name = "ladder",
  market = "BTC/USDC",
  [from, to] = [40_000, 50_000]
) => `name: ${name}
market: ${market}
kind: ladder
limits: { budget: { quote: 6000 }, maxPriceDeviation: 90% }
ladder: { side: buy, from: ${from}, to: ${to}, rungs: ${rungs}, total: { quote: 3000 } }
`

type Request = HttpClientRequest.HttpClientRequest

/** What becomes of a request; `undefined` delivers it. */
export type Bend = (
  request: Request
) => "fails" | "hangs" | { readonly status: number; readonly body: unknown; readonly isDelivered?: true } | undefined

export interface Network {
  bend: Bend
  /** Changes what a delivered request is answered with. */
  reply: (request: Request, body: unknown) => unknown
  readonly sent: Array<{ readonly at: number; readonly method: string; readonly path: string }>
}

export const isCancel = ({ method, path }: Network["sent"][number]) => method === "POST" && path.endsWith("/cancel")

const never: Bend = () => undefined

const networkOver = (service: HttpClient.HttpClient, venueClock: Clock.Clock) => {
  const network: Network = { bend: never, reply: (_request, body) => body, sent: [] }
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      network.sent.push({ at, method: request.method, path: new URL(request.url).pathname })
      const bent = network.bend(request)
      if (bent === "hangs") return yield* Effect.never
      if (bent === "fails") {
        return yield* new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
      }
      const served = Effect.provideService(service.execute(request), Clock.Clock, venueClock)
      if (bent?.isDelivered === true) yield* served
      if (bent !== undefined) return answer(request, JSON.stringify(bent.body), bent.status)
      const response = yield* served
      const body = yield* response.text
      return answer(request, JSON.stringify(network.reply(request, JSON.parse(body))), response.status)
    })
  )
  return { network, client }
}

const answer = (request: Request, body: string, status: number) =>
  HttpServerResponse.toClientResponse(HttpServerResponse.text(body, { status, contentType: "application/json" }), {
    request
  })

export interface Run {
  readonly strategies: ReadonlyArray<string>
  /** What runs instead of a strategy as its file says. */
  readonly changed?: (strategy: Strategy) => Strategy
  readonly markets?: ReadonlyMap<string, Market>
  readonly pace?: Partial<Settings>
  /** Completes when the process is asked to stop. */
  readonly stops?: Effect.Effect<void>
  /** Another journal than that of the other processes: another bot on the same account. */
  readonly ownJournal?: true
  /** What an own journal has in it already: an old copy of another one. */
  readonly earlier?: ReadonlyArray<BotEvent>
  /** Of the run's own account at the verifier when left out. */
  readonly account?: VenueAccount
  /** With the partner's token, for the history. */
  readonly isPartner?: true
  /** The schedule that the answers to creates are held against. */
  readonly echoes?: Pick<Expectations, "echoedBasisPoints" | "echoOf">
  /** With the venue's key for quotes. */
  readonly isVerifying?: true
  /** With an RPC address of the ledger, which shows public money. */
  readonly hasLedger?: true
  /** Beside the venue: who pays, what is held. */
  readonly beside?: Layer.Layer<never, never, HttpClient.HttpClient>
}

type Lock = (events: ReadonlyArray<BotEvent>) => boolean
const unlocked: Lock = () => false

/** Everything that outlives a process: the venue, the network, the disk and the kill switch. */
export const makeWith = Effect.fnUntraced(function* (
  reserveOf: (sql: SqlClient.SqlClient) => Reserve.Reserve,
  settings?: Partial<SandboxSettings>
) {
  const scope = yield* Effect.scope
  const sandbox = yield* Layer.buildWithScope(sandboxLayer({ seed: 3, settings }), scope)
  const trueClock = yield* Clock.Clock
  let aheadMillis = 0
  const { network, client } = networkOver(Context.get(sandbox, HttpClient.HttpClient), trueClock)
  const connection = Context.get(sandbox, SandboxConnection)
  let isLocked = unlocked
  let isBroken = false
  /** Appends wait while somebody else holds the database locked. */
  const lockable = (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (events) =>
      Effect.suspend(() => {
        if (isBroken) return Effect.fail(broken("Cannot write the journal")("input/output error"))
        if (!isLocked(events)) return journal.append(events)
        const isFree = Effect.repeat(Effect.sleep(100), { while: () => isLocked(events) })
        return Effect.andThen(isFree, journal.append(events))
      })
  })
  const openJournal = Effect.gen(function* () {
    const database = yield* Layer.buildWithScope(Sqlite.layer({ filename: ":memory:" }), scope)
    const journal = Journal.layerWith(reserveOf(Context.get(database, SqlClient.SqlClient)))
    const layer = PriceStore.layer.pipe(Layer.provideMerge(journal), Layer.provide(Layer.succeedContext(database)))
    const context = yield* Layer.buildWithScope(layer, scope)
    return Context.add(context, Journal, lockable(Context.get(context, Journal)))
  })
  const shared = yield* openJournal
  const { signerId } = connection.account
  let withdraw: Reason | undefined

  const services = (
    {
      account = ownAccount(signerId, "INTENTS"),
      beside = Layer.empty,
      echoes,
      hasLedger,
      isPartner,
      isVerifying,
      pace = {}
    }: Run,
    journal: typeof shared
  ) =>
    layerSignedBy(
      {
        url: connection.url,
        ledger: "native",
        verifier: connection.verifier,
        apiKey: Redacted.make(connection.apiKey),
        account,
        patience: defaultPatience,
        ...present({
          partnerJwt: isPartner && Redacted.make(connection.partnerJwt),
          quoteKey: isVerifying && connection.quoteKey,
          facts: hasLedger && { ...factsOf(connection), saltFrom: saltFrom(connection.url) }
        })
      },
      SandboxSigner.layer(connection)
    ).pipe(
      (venue) => Layer.provideMerge(OrderBook.layer, venue),
      Layer.merge(beside),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      Layer.merge(Bookkeeper.layer.pipe(Layer.provideMerge(Layer.succeedContext(journal)))),
      Layer.merge(
        Layer.succeed(EngineSettings, {
          ...defaults,
          ...pace,
          account: {
            signerId,
            depositType: account.depositType,
            maxAppFeeBasisPoints: 100,
            ...echoes,
            ...present({ addresses: account.addresses, depositTypes: account.depositTypes })
          }
        })
      )
    )

  /** A process; it ends with the scope that `stop` closes. */
  const run = Effect.fnUntraced(function* (asked: Run) {
    const { strategies: texts, changed = (strategy) => strategy, markets, ownJournal, earlier = [] } = asked
    const strategies = texts.map(parse).map(changed)
    const process = yield* Scope.make()
    const journal = ownJournal === undefined ? shared : yield* openJournal
    yield* Context.get(journal, Journal).append(earlier)
    const context = yield* Layer.buildWithScope(services(asked, journal), process)
    const books = Context.get(context, Bookkeeper)
    let engine: Engine.Engine | undefined
    const running = Effect.gen(function* () {
      yield* Random.withSeed(`bot ${texts.join()} ${ownJournal}`)(
        StartUp.record(
          { pid: 1, boot: "one", version: "0", mode: "test", account: signerId, venue: connection.url },
          strategies
        )
      )
      const made = yield* Engine.make({
        strategies,
        markets: markets ?? marketsByName({ assets, ticks: new Map() }),
        withdraw: Effect.sync(() => withdraw)
      })
      engine = made
      yield* made.runUntil(asked.stops ?? Effect.never)
    })
    const fiber = yield* Effect.forkIn(
      Effect.scoped(Effect.provideContext(running, context)).pipe(
        Effect.provideService(
          Clock.Clock,
          shifted(trueClock, () => aheadMillis)
        )
      ),
      scope
    )
    const stop = Effect.andThen(Fiber.interrupt(fiber), Scope.close(process, yield* Effect.exit(Effect.void)))
    const events = Stream.runCollect(Context.get(context, Journal).events())
    /** Once it runs. */
    const inside = () => engine ?? raise("the bot has not started")
    return { state: books.state, events, fiber, stop, context, inside } as const
  })

  return {
    network,
    /** Asks the sandbox itself, past the network. */
    tell: (path: string, payload: unknown) =>
      Effect.provideService(
        HttpClientRequest.post(`${connection.url}${path}`).pipe(
          HttpClientRequest.bodyJsonUnsafe(payload),
          Context.get(sandbox, HttpClient.HttpClient).execute
        ),
        Clock.Clock,
        trueClock
      ),
    /** Somebody else with our key cancels an order. */
    cancel: (orderId: string) =>
      Effect.provideService(
        HttpClientRequest.post(`${connection.url}/v0/orders/${orderId}/cancel`).pipe(
          HttpClientRequest.setHeader("x-api-key", connection.apiKey),
          Context.get(sandbox, HttpClient.HttpClient).execute
        ),
        Clock.Clock,
        trueClock
      ),
    signerId,
    url: connection.url,
    run,
    /** Sets the bot's clock so much ahead of the venue's; what measures waiting is not moved. */
    setClockAhead: (millis: number) => {
      aheadMillis = millis
    },
    setWithdraw: (reason: Reason | undefined) => {
      withdraw = reason
    },
    /** A disk that takes nothing any more. */
    setJournalBroken: (yes: boolean) => {
      isBroken = yes
    },
    /** For everybody, or for those who write such events. */
    setJournalLocked: (locked: boolean | Lock) => {
      isLocked = typeof locked === "boolean" ? () => locked : locked
    }
  } as const
})

export const make = makeWith(() => Reserve.none)

/** Where payloads expire within a minute: long enough for several repetitions, and no minutes of nothing after them. */
export const makeExpiring = makeWith(() => Reserve.none, { intentMillis: [45_000, 60_000] })

export type Running = Effect.Success<ReturnType<Effect.Success<typeof make>["run"]>>

export const openOrders = ({ state }: Running) => unfinished(state).filter((placement) => placement.state === "open")

/** Waits in virtual time until something is so; fails after `atMostMillis`. */
export const until = Effect.fnUntraced(function* (isSo: () => boolean, atMostMillis: number, what: string) {
  const from = yield* Clock.currentTimeMillis
  while (!isSo()) {
    const now = yield* Clock.currentTimeMillis
    if (now - from > atMostMillis) return yield* Effect.die(new Error(`not within ${atMostMillis} ms: ${what}`))
    yield* Effect.sleep(50)
  }
  return (yield* Clock.currentTimeMillis) - from
})

/** A world in which a bot's orders rest, so many of them. */
export const resting = Effect.fnUntraced(function* (asked: Run, count: number) {
  const world = yield* make
  const process = yield* world.run(asked)
  yield* until(() => openOrders(process).length === count, 60_000, `${count} orders rest`)
  return { world, process }
})

export const shifted = (clock: Clock.Clock, ahead: () => number): Clock.Clock => ({
  ...clock,
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead(),
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + ahead())
})

const raise = (text: string): never => {
  throw new Error(text)
}

/** Runs a test in a world whose time goes on by itself, from one thing that happens to the next. */
export const inVirtualTime = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const world = new World(start)
    world.notesCallSites = process.env["LIMITBOT_STACKS"] !== undefined
    const fiber = new Domain(world, 1).fork(Effect.scoped(test))
    world.drive(() => fiber.pollUnsafe() !== undefined)
    return fiber.pollUnsafe() ?? Effect.die(new Error("The test waits for something outside of its world"))
  })
