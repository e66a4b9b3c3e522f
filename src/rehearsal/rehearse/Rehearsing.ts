/** Rehearses the user's own files on a sandbox in virtual time, before any money is at risk. */
import { Cause, Effect, FileSystem, Option, Schema } from "effect"
import { PlanRefused } from "../../app/plan/PlanRefused.ts"
import type { Asset } from "../../domain/Amount.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import * as Progress from "../../process/Progress.ts"
import { defaultSettings, type SandboxAsset } from "../../sandbox/Settings.ts"
import { budgets, type Strategy } from "../../strategy/Strategy.ts"
import type { TroubleLevel } from "../world/Trouble.ts"
import * as RehearsalText from "./RehearsalText.ts"
import * as RehearsedBot from "./RehearsedBot.ts"

interface Asked {
  readonly allow: ReadonlyArray<FindingName>
  readonly bad: TroubleLevel
  readonly candles: Option.Option<string>
  readonly config: string
  readonly usual: string
  readonly days: number
  readonly files: ReadonlyArray<string>
  readonly price: Option.Option<number>
  readonly seed: number
}

export const rehearsed = Effect.fn("Rehearsing.rehearsed")(function* (asked: Asked) {
  const { usual, allow, bad, candles, config, days, files, price, seed } = asked
  const fileSystem = yield* FileSystem.FileSystem
  const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-rehearsal-" })
  const settings = yield* settingsOf({ config, usual }, files, folder)
  const strategies = yield* StrategyFiles.load(files, settings.markets, "rehearsal")
  const progress = yield* Progress.make("rehearse")
  const outcome = yield* RehearsedBot.rehearse({
    settings,
    strategies,
    allow,
    assets: assetsOf(settings.markets.assets, strategies, Option.getOrUndefined(price)),
    candles: Option.getOrUndefined(candles),
    candlesSymbol: strategies[0]?.market.base.symbol ?? "",
    seed,
    days,
    level: bad,
    folder,
    progress: (share) => Effect.sync(() => progress.update(share, 1, `${(share * days).toFixed(1)} days`))
  })
  progress.wipe()
  if (outcome.ended !== undefined) yield* refusalIn(outcome.ended)
  const names = strategies.map(({ name }) => name)
  const parameters = { names, bad, days, seed }
  const problems = RehearsalText.problemsOf(outcome)
  return {
    data: () => RehearsalText.json(outcome, parameters),
    lines: () => RehearsalText.lines(outcome, parameters),
    exit: problems.length === 0 ? undefined : new RehearsalFailed({ problems })
  }
}, Effect.scoped)

export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The rehearsal failed, which should never happen:\n${this.problems.join("\n")}\nPlease report it with the seed.`
  }
}

const refusalIn = (ended: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(ended))
  return error instanceof Layers.AddressesUnfit || error instanceof PlanRefused ? Effect.fail(error) : Effect.void
}

export const levelNames = ["none", "low", "medium", "high"] as const satisfies ReadonlyArray<TroubleLevel>

/** Without a named or usual configuration, returns one with the sandbox's assets and any others that the files name. */
const settingsOf = Effect.fnUntraced(function* (
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
