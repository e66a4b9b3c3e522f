/** The setting of a demo: a folder with a configuration for its own sandbox, and a grid around the present price. */
import { Effect, FileSystem, Schedule, Schema } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import type * as SandboxServer from "../../sandbox/SandboxServer.ts"
import * as SandboxConfig from "../../sandbox/serving/SandboxConfig.ts"

const cells = 40

const cellRatio = 1.002

const cellValue = 250

export class NoPrice extends Schema.TaggedError<NoPrice>()("NoPrice", {}) {
  override get message(): string {
    return "The sandbox quotes no usable price: bid and ask contradict each other. Use a lower --speed."
  }
}

export const firstPrice = (market: Market) =>
  Quotes.observe(market, { base: 0n, quote: BigInt(cellValue) * Decimal.powerOfTen(market.quote.decimals) }).pipe(
    Effect.flatMap((seen) => (seen === undefined ? new NoPrice() : Effect.succeed(seen.price))),
    Effect.retry({ while: ({ _tag }) => _tag === "NoPrice", schedule: Schedule.spaced("100 millis"), times: 50 })
  )

export const prepare = Effect.fnUntraced(function* (connection: SandboxServer.ConnectionRecord) {
  const fileSystem = yield* FileSystem.FileSystem
  const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-demo-" })
  yield* SandboxConfig.write(`${folder}/config.yaml`, connection)
  return folder
})

export const gridText = (market: Market, price: TwoSidedPrice): string => {
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
