/**
 * The whole bot against the whole sandbox with many resting orders, in virtual time: how long it takes to place them, and
 * what ten quiet minutes ask of the venue and of the processor (the sandbox's own work included).
 *
 *     npx node bench/restingOrders.ts 100 1000 10000
 */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted, Result, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient } from "effect/http"
import * as Engine from "../src/engine/Engine.ts"
import { defaults, EngineSettings } from "../src/engine/EngineSettings.ts"
import * as StartUp from "../src/engine/StartUp.ts"
import { Bookkeeper } from "../src/engine/state/Bookkeeper.ts"
import { Journal } from "../src/journal/Journal.ts"
import { PriceStore } from "../src/journal/PriceStore.ts"
import * as Sqlite from "../src/journal/Sqlite.ts"
import { marketsByName } from "../src/Layers.ts"
import { OrderBook } from "../src/orderbook/OrderBook.ts"
import { Domain, World } from "../src/rehearsal/World.ts"
import * as SandboxServer from "../src/sandbox/SandboxServer.ts"
import { render } from "../src/strategy/Problem.ts"
import * as StrategyFile from "../src/strategy/StrategyFile.ts"
import { layer as clientLayer } from "../src/venue/library.ts"
import { defaultPatience, ownAccount, type VenueConfig } from "../src/venue/VenueConfig.ts"

const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
] as const

const perStrategy = 1000

/** Far below the market, so that nothing fills. */
const ladder = (name: string, orders: number) => `name: ${name}
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 10000 }, maxOpenOrders: ${orders} }
ladder: { side: buy, from: 30000, to: 45000, rungs: ${orders}, total: { quote: 9000 } }
`

const strategyOf = (name: string, orders: number) => {
  const text = ladder(name, orders)
  const read = StrategyFile.parse(text, "ladder.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  return read.success
}

const measure = async (orders: number) => {
  const world = new World(Date.UTC(2026, 0, 1))
  const sandbox = await Effect.runPromise(
    Effect.flatMap(Scope.make(), (scope) =>
      Layer.buildWithScope(SandboxServer.layerMemory({ seed: 1, speed: 1 }), scope)
    ).pipe(Effect.provideService(Clock, new Domain(world, 0).clock))
  )
  const service = Context.get(sandbox, HttpClient.HttpClient)
  const connection = Context.get(sandbox, SandboxServer.SandboxConnection)
  const { signerId } = connection.account
  let requests = 0
  const client = HttpClient.make((request) => {
    requests += 1
    return Effect.andThen(Effect.sleep(5), service.execute(request))
  })
  const journal = join(tmpdir(), `limitbot-resting-${process.pid}-${orders}.sqlite`)
  const config: VenueConfig["Service"] = {
    url: connection.url,
    ledger: "native",
    verifier: connection.verifier,
    apiKey: Redacted.make(connection.apiKey),
    account: ownAccount(signerId, "INTENTS"),
    patience: defaultPatience
  }
  const services = OrderBook.layer.pipe(
    Layer.provideMerge(clientLayer(config, Redacted.make(connection.account.key))),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.merge(
      Bookkeeper.layer.pipe(
        Layer.provideMerge(Layer.provideMerge(PriceStore.layer, Journal.layer)),
        Layer.provide(Sqlite.layer({ filename: journal }))
      )
    ),
    Layer.merge(
      Layer.succeed(EngineSettings, {
        ...defaults,
        account: { signerId, depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
      })
    )
  )
  const strategies = Array.from({ length: Math.ceil(orders / perStrategy) }, (_, index) =>
    strategyOf(`ladder-${index}`, Math.min(perStrategy, orders - index * perStrategy))
  )
  let open = () => 0
  const bot = Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    open = () => [...state.placements.values()].filter((placement) => placement.state === "open").length
    const start = { pid: 1, version: "0", mode: "bench", account: signerId, venue: connection.url }
    yield* StartUp.record(start, strategies)
    const markets = marketsByName({ assets, ticks: new Map() })
    const engine = yield* Engine.make({ strategies, markets, withdraw: Effect.undefined })
    yield* engine.runUntil(Effect.never)
  }).pipe(Effect.provide(services), Effect.scoped)

  /** Drives the world until `done`, asked now and then, and says what that took. */
  const drive = (done: () => boolean) => {
    const [cpu, asked, from] = [process.cpuUsage(), requests, world.now]
    world.drive(() => world.steps % 50 === 0 && done())
    const { user, system } = process.cpuUsage(cpu)
    return { cpuMillis: (user + system) / 1000, requests: requests - asked, seconds: (world.now - from) / 1000 }
  }
  new Domain(world, 1).fork(bot)
  const placing = drive(() => open() >= orders)
  const settled = world.now + 60_000
  drive(() => world.now >= settled)
  const quiet = world.now + 600_000
  const resting = drive(() => world.now >= quiet)
  rmSync(journal, { force: true })
  const each = (value: number) => (value / orders).toFixed(1)
  process.stdout.write(
    `${orders} orders: placed with ${each(placing.requests)} requests and ${each(placing.cpuMillis)} ms each, in ` +
      `${placing.seconds.toFixed(0)} virtual s; then per minute ${(resting.requests / 10).toFixed(0)} requests and ` +
      `${(resting.cpuMillis / 10).toFixed(0)} ms (${(resting.cpuMillis / 6000).toFixed(2)} % of a core)\n`
  )
}

for (const orders of process.argv.slice(2)) await measure(Number(orders))
