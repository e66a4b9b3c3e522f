/** The setting of a rehearsal: the configured assets, or the sandbox's and those that the files name. */
import { Effect, FileSystem } from "effect"
import type { Asset } from "../../domain/Amount.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { defaultSettings, type SandboxAsset } from "../../sandbox/Settings.ts"
import { budgets, type Strategy } from "../../strategy/Strategy.ts"

/**
 * Returns the user's configuration. If none was named and the usual one does not exist, returns the sandbox's assets and any others that
 * the files name.
 */
export const settingsOf = Effect.fnUntraced(function* (
  { config, usual }: { readonly config: string; readonly usual: string },
  files: ReadonlyArray<string>,
  folder: string
) {
  const fileSystem = yield* FileSystem.FileSystem
  const isConfigured = config !== usual || (yield* fileSystem.exists(config))
  if (isConfigured) return yield* ConfigFile.loadSettings(config)
  const defaultAssets = defaultSettings("native").assets
  const marketsInFiles = yield* StrategyFiles.marketsNamedIn(files)
  const others = marketsInFiles.assets
    .filter(({ symbol }) => !defaultAssets.some((asset) => asset.symbol === symbol))
    .map(({ symbol }) => ({ symbol, id: `nep141:${symbol.toLowerCase()}.rehearsal.native`, decimals: 8 }))
  const file = `${folder}/config.yaml`
  yield* fileSystem.writeFileString(file, configText([...defaultAssets, ...others]))
  return yield* ConfigFile.loadSettings(file)
})

const configText = (
  assets: ReadonlyArray<Asset>
): string => `venue: { url: https://venue.invalid, apiKey: { env: NONE } }
account: { key: { env: NONE } }
assets:
${assets.map(({ decimals, id, symbol }) => `  ${symbol}: { id: "${id}", decimals: ${decimals} }`).join("\n")}
`

/** An unknown asset counts as a coin if it is a base, and as a dollar if it is a quote. */
export const assetsOf = (
  assets: ReadonlyArray<Asset>,
  strategies: ReadonlyArray<Strategy>,
  price: number | undefined
): ReadonlyArray<SandboxAsset> => {
  const nativeAssets = defaultSettings("native").assets
  const quotes = new Set(strategies.map(({ market }) => market.quote.symbol))
  const first = strategies[0]?.market
  const dollars = (symbol: string) =>
    nativeAssets.find((asset) => asset.symbol === symbol)?.priceUsd ?? (quotes.has(symbol) ? 1 : 100)
  return assets.map(({ decimals, id, symbol }) => {
    const like = nativeAssets.find((asset) => asset.symbol === symbol)
    const isPriced = price !== undefined && symbol === first?.base.symbol
    const budget = strategies.flatMap(budgets).filter(({ asset }) => asset.symbol === symbol)
    const needed = budget.reduce((sum, { amount }) => sum + amount, 0n) / 10n ** BigInt(decimals)
    return {
      symbol,
      id,
      decimals,
      blockchain: like?.blockchain ?? "native",
      priceUsd: isPriced ? price * dollars(first.quote.symbol) : dollars(symbol),
      volatility: like?.volatility ?? (quotes.has(symbol) ? 0 : 0.8),
      fee: like === undefined ? "0" : rescaled(like.fee, like.decimals, decimals),
      initial: Math.max(like?.initial ?? 0, Number(needed) * 2 + 10)
    }
  })
}

const rescaled = (amount: string, from: number, to: number): string =>
  String((BigInt(amount) * 10n ** BigInt(to)) / 10n ** BigInt(from))
