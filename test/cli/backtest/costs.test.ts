/** What a backtest with a configuration says of costs, and how often it reads for that. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { limitbot, limitbotOn } from "../backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-costs-"))
const at = (name: string): string => join(folder, name)
const [config, journal, strategy, btc, eth] = [
  at("bot.yaml"),
  at("bot.sqlite"),
  at("thirds.yaml"),
  at("btc.csv"),
  at("eth.csv")
]
writeFileSync(
  config,
  `venue: { url: http://127.0.0.1:1, apiKey: { env: KEY } }
account: { key: { env: KEY } }
assets:
  BTC: { id: "nep141:btc.omft.near", decimals: 8 }
  ETH: { id: "nep141:eth.omft.near", decimals: 18 }
  USDC: { id: "nep141:usdc.near", decimals: 6 }
journal: bot.sqlite
`
)
writeFileSync(
  strategy,
  `name: thirds
market: [BTC/USDC, ETH/USDC]
kind: rebalance
limits: { budget: { BTC: 0.02, ETH: 0.4, USDC: 900 } }
rebalance: { targets: { BTC: 40%, ETH: 30% }, band: 1% }
`
)
for (const [file, price] of [
  [btc, 40_000],
  [eth, 2500]
] as const) {
  const lines = Array.from(
    { length: 50 },
    (_, minute) => `${1_700_000_040_000 + minute * 60_000},${`${price},`.repeat(4)}1`
  )
  writeFileSync(file, ["time,open,high,low,close,volume", ...lines].join("\n"))
}

/** A bot that trades one market looked often, and saw 50 basis points: twice the venue's fee, and ten of spread. */
const watched = Effect.gen(function* () {
  const { append } = yield* Journal
  const price = { bid: Decimal.parse("39900") ?? Decimal.one, ask: Decimal.parse("40100") ?? Decimal.one }
  yield* append([
    {
      _tag: "Planned",
      strategy: "quotes",
      slot: "a",
      placement: "p",
      market: "BTC/USDC",
      side: "BUY",
      price: Decimal.make(100n),
      quantity: 1_000_000n,
      inputAsset: "USDC",
      inputAmount: 100_000_000n,
      outputAsset: "BTC",
      outputAmount: 1_000_000n,
      deadline: 0,
      why: { code: "x", text: "x" }
    },
    {
      _tag: "Bound",
      strategy: "quotes",
      slot: "a",
      placement: "p",
      orderId: "o",
      depositAddress: "d",
      via: "reply",
      estimatedWithdrawFee: 3_000n,
      estimatedRefundFee: 20_000n
    },
    ...Array.from({ length: 40 }, () => ({
      _tag: "Decided" as const,
      strategy: "quotes",
      ...price,
      priceAt: 0,
      desired: [],
      absent: [],
      reasons: [],
      until: { onFill: true },
      memory: null
    }))
  ])
}).pipe(Effect.provide(Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: journal })))))

const data = ["--data", `BTC/USDC=${btc}`, "--data", `ETH/USDC=${eth}`, "--band", "rules"]

describe("costs of a backtest", () => {
  it.effect("name the spread and its source in the first lines", () =>
    Effect.gen(function* () {
      const assumed = yield* limitbot("backtest", strategy, ...data)
      assert.include(assumed.split("\n")[1], "; spread: 10 basis points (as the sandbox's solvers keep)")
      const given = yield* limitbot("backtest", strategy, ...data, "--spread-bps", "4")
      assert.include(given.split("\n")[1], "; spread: 4 basis points (--spread-bps)")
    })
  )

  it.effect("read the configuration and its journal once for all markets", () =>
    Effect.gen(function* () {
      yield* watched
      const reads: Array<string> = []
      const counted = (files: FileSystem.FileSystem) =>
        FileSystem.FileSystem.of({
          ...files,
          readFileString: (path, encoding) => {
            reads.push(path)
            return files.readFileString(path, encoding)
          },
          exists: (path) => {
            reads.push(path)
            return files.exists(path)
          }
        })
      const printed = yield* limitbotOn(counted, "backtest", strategy, ...data, "--config", config)
      assert.isAbove(reads.length, 0)
      const [ofConfig, ofJournal] = [config, journal].map((file) => reads.filter((path) => path === file).length)
      // Once for its markets, and once for costs.
      assert.strictEqual(ofConfig, 2)
      assert.isAtMost(ofJournal ?? 0, 2)
      const spread =
        "spread: 10 basis points (measured) in BTC/USDC, 10 basis points (as the sandbox's solvers keep) in ETH/USDC"
      assert.include(printed.split("\n")[1], spread)
    })
  )

  it.effect("of payouts and refunds are what the venue publishes for the account's orders, else its usual fees", () =>
    Effect.gen(function* () {
      const printed = yield* limitbot("backtest", strategy, ...data, "--config", config)
      const flat =
        "0.00003 BTC of a payout (published), 0.02 USDC of a refund (published), 0.000008 ETH and 0.02 USDC of a payout (the venue's), 0.0000003 BTC and 0.000008 ETH of a refund (the venue's); spread"
      assert.include(printed.split("\n")[1], flat)
      const feesOf = (words: ReadonlyArray<string>) =>
        Effect.map(limitbot("backtest", strategy, ...data, "--config", config, "--json", ...words), (text) =>
          Number(JSON.parse(text).sides.optimistic.feesQuote)
        )
      const nothing = ["--withdraw-fee", "0,0,0", "--refund-fee", "0,0,0"]
      assert.isAbove(yield* feesOf([]), yield* feesOf(nothing))
    })
  )
})
