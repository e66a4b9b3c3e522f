/** The whole bot on a sandbox, over real HTTP with real signatures and a real journal. At the end both sides' books are compared. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Duration, Effect, FileSystem, Schedule, Schema } from "effect"
import { commandFailed } from "../../app/CommandFailed.ts"
import * as BotRun from "../../app/run/BotRun.ts"
import * as Display from "../../app/run/Display.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import { Terminal } from "../../process/Terminal.ts"
import { candlesSymbol, type SandboxOptions } from "../../sandbox/SandboxOptions.ts"
import * as SandboxServer from "../../sandbox/SandboxServer.ts"
import { defaultSettings } from "../../sandbox/Settings.ts"
import * as SandboxConfig from "../../sandbox/serving/SandboxConfig.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { version } from "../../version.ts"
import * as BooksComparison from "./BooksComparison.ts"

interface Asked extends Pick<SandboxOptions, "candles" | "seed" | "speed"> {
  readonly forMillis: number | undefined
  readonly json: boolean
}

export const run = Effect.fn("Demo.run")(function* ({ forMillis, json, ...sandbox }: Asked) {
  const { candles } = sandbox
  const symbol = candles === undefined ? "BTC" : candlesSymbol(defaultSettings("native"), candles)
  const server = SandboxServer.layer({ ...sandbox, port: 0, candlesSymbol: symbol, settings })
  yield* Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-demo-" })
    const configFile = `${folder}/config.yaml`
    yield* SandboxConfig.write(configFile, yield* SandboxServer.SandboxConnection)
    const config = yield* ConfigFile.load(configFile)
    const account = yield* Layers.accountOf(config)
    const { pid } = yield* Process
    const demo = { config, configFile, account, folder, symbol, json, forMillis }
    yield* trade(demo).pipe(Effect.provide(Layers.live(config, account, pid, pace)))
  }).pipe(Effect.provide(server))
}, Effect.scoped)

const pace: Layers.Pace = { pollMinMillis: 250, pollMaxMillis: 1_000 }

/** A demo ends within seconds, even if a payment that was not answered or not sent has to expire first. */
const settings = { intentMillis: [10_000, 20_000] } as const

interface Demo {
  readonly config: ConfigFile.BotConfig
  readonly configFile: string
  readonly account: VenueAccount
  readonly folder: string
  readonly symbol: string
  readonly json: boolean
  readonly forMillis: number | undefined
}

const dashboard = { host: "127.0.0.1", port: 0, mayMove: false, names: [], viewerToken: undefined, tls: undefined }

const trade = Effect.fnUntraced(function* (demo: Demo) {
  const { config, account, folder, json } = demo
  const markets = Layers.marketsByName(config.markets)
  const market = markets.get(`${demo.symbol}/USDC`)
  if (market === undefined) return yield* Effect.die(new Error(`The sandbox has no ${demo.symbol}`))
  const price = yield* firstPrice(market)
  const strategyFile = `${folder}/grid.yaml`
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem.writeFileString(strategyFile, gridText(market, price))
  const strategies = yield* StrategyFiles.load([strategyFile], config.markets)
  const options: BotRun.BotRunOptions = {
    run: { mode: "demo" },
    strategies,
    config: { ...config, dashboard },
    configFile: demo.configFile,
    account,
    reload: { files: [strategyFile], onRemoved: "drained" },
    title: `limitbot ${version}  demo on a sandbox at ${config.venue.url}  (Ctrl-C ends it)`,
    detail: `More in another terminal:  ./limitbot explain --config ${demo.configFile}`,
    warning: undefined,
    forMillis: demo.forMillis,
    cancelOnExit: true,
    json,
    isAttended: true,
    pictureMillis: Duration.toMillis("10 seconds"),
    killSwitch: yield* KillFile.watch(config.journal)
  }
  yield* BotRun.runBot(options)
  const { state } = yield* Bookkeeper
  const differences = yield* BooksComparison.differences(
    config.venue.url,
    account.signerId,
    state,
    config.markets.assets
  ).pipe(Effect.provide(NodeHttpClient.layerUndici))
  yield* Display.printEnd(options, { booksAgree: differences.length === 0 })
  // One of them has a fault, and a demo exists to show this.
  if (differences.length > 0)
    return yield* commandFailed(`The books of the bot and of the sandbox differ:\n${differences.join("\n")}`)
  const next = (yield* Terminal).isInteractive ? "\n\nNext, a strategy of your own: ./limitbot init my-grid.yaml" : ""
  if (!json) yield* Console.log(`The sandbox's own books agree to the unit.${next}`)
})

const cells = 40

const cellRatio = 1.002

const cellValue = 250

class NoPrice extends Schema.TaggedError<NoPrice>()("NoPrice", {}) {
  override get message(): string {
    return "The sandbox quotes no usable price: bid and ask contradict each other. Use a lower --speed."
  }
}

const firstPrice = (market: Market) =>
  Quotes.observe(market, { base: 0n, quote: BigInt(cellValue) * Decimal.powerOfTen(market.quote.decimals) }).pipe(
    Effect.flatMap((seen) => (seen === undefined ? new NoPrice() : Effect.succeed(seen.price))),
    Effect.retry({ while: ({ _tag }) => _tag === "NoPrice", schedule: Schedule.spaced("100 millis"), times: 50 })
  )

const gridText = (market: Market, price: TwoSidedPrice): string => {
  const now = Decimal.toNumber(mid(price))
  const level = (steps: number) => Decimal.format(Decimal.fromNumber(now * cellRatio ** steps, 7))
  const units = (amount: number) => Decimal.format(Decimal.fromNumber(amount, 5))
  const size = cellValue / now
  return `# Written by the demo: a grid around the present price.
name: demo-grid
market: ${market.name}
kind: grid
limits:
  budget: { base: ${units(size * (cells / 2 + 1))}, quote: ${units(cellValue * (cells / 2 + 1))} }
grid:
  lower: ${level(-cells / 2)}
  upper: ${level(cells / 2)}
  levels: ${cells + 1}
  spacing: geometric
  size: { base: ${units(size)} }
`
}
