/** Rehearses the user's own files on a sandbox in virtual time, before any money is at risk. */
import { Cause, Effect, FileSystem, Option } from "effect"
import { commandFailed } from "../../app/CommandFailed.ts"
import { PlanRefused } from "../../app/plan/PlanRefused.ts"
import type { Asset } from "../../domain/Amount.ts"
import { hourMillis } from "../../domain/Durations.ts"
import { countText, percent } from "../../domain/Text.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import * as Progress from "../../process/Progress.ts"
import { defaultSettings, type SandboxAsset } from "../../sandbox/Settings.ts"
import { budgets, type Strategy } from "../../strategy/Strategy.ts"
import type { TroubleLevel } from "../world/Trouble.ts"
import * as RehearsedBot from "./RehearsedBot.ts"

interface Asked {
  readonly allow: ReadonlyArray<FindingName>
  readonly bad: TroubleLevel
  readonly candles: string | undefined
  readonly config: string
  readonly usual: string
  readonly days: number
  readonly files: ReadonlyArray<string>
  readonly price: number | undefined
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
    assets: assetsOf(settings.markets.assets, strategies, price),
    candles,
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
  const problems = problemsOf(outcome)
  return {
    data: () => jsonOf(outcome, parameters),
    lines: () => linesOf(outcome, parameters),
    exit: problems.length === 0 ? undefined : failed(problems)
  }
}, Effect.scoped)

const failed = (problems: ReadonlyArray<string>) =>
  commandFailed(
    `The rehearsal failed, which should never happen:\n${problems.join("\n")}\nPlease report it with the seed.`
  )

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

type RehearsalOutcome = Effect.Success<ReturnType<typeof RehearsedBot.rehearse>>

interface RehearsalParameters extends Pick<Asked, "bad" | "days" | "seed"> {
  readonly names: ReadonlyArray<string>
}

const problemsOf = ({ differences, ended, isAtRest, stillOpen }: RehearsalOutcome): ReadonlyArray<string> => [
  ...(ended === undefined ? [] : [`the bot ended by itself: ${Cause.pretty(ended)}`]),
  ...(isAtRest ? [] : [`${countText(stillOpen, "order")} could not be cancelled after the trouble`]),
  ...differences
]

const happenedIn = ({ accidents, events, fills, requests }: RehearsalOutcome) => {
  const of = (tag: string) => events.get(tag) ?? 0
  const requestCount = [...requests.values()].reduce((sum, times) => sum + times, 0)
  return {
    planned: of("Planned"),
    funded: of("FundingSigned") + of("PaymentAsked"),
    fills,
    cancels: of("CancelRequested"),
    settled: of("Settled"),
    givenUp: of("Abandoned") + of("FundingDead"),
    requests: requestCount,
    disturbedRequests: requestCount - (requests.get("delivered") ?? 0),
    outagesNoticed: of("VenueDown"),
    crashes: accidents.get("crash") ?? 0,
    suspensions: accidents.get("suspension") ?? 0
  }
}

const jsonOf = (outcome: RehearsalOutcome, { bad, days, names, seed }: RehearsalParameters) => ({
  event: "rehearsal",
  strategies: names,
  days,
  bad,
  seed,
  happened: happenedIn(outcome),
  worth: { firstUsd: outcome.worth.first, lastUsd: outcome.worth.last },
  worstDrawdown: outcome.worstDrawdown,
  longestInDoubtMillis: outcome.longestUnansweredMillis,
  alerts: outcome.alerts,
  messages: outcome.letters,
  booksAgree: outcome.isAtRest && outcome.differences.length === 0,
  problems: problemsOf(outcome),
  virtualMillis: outcome.virtualMillis,
  realMillis: outcome.realMillis
})

const usd = (amount: number): string => `${amount.toFixed(2)} USD`

const span = (millis: number): string => {
  if (millis < 120_000) return `${Math.round(millis / 1000)} s`
  if (millis < 7_200_000) return `${Math.round(millis / 60_000)} min`
  return `${(millis / hourMillis).toFixed(1)} h`
}

const messageLines = ({ letters: { failures, messages, signsOfLife } }: RehearsalOutcome): ReadonlyArray<string> =>
  messages + signsOfLife + failures === 0
    ? []
    : [
        `messages    ${messages} written and not sent; ${countText(signsOfLife, "sign")} of life, ${countText(failures, "time")} reported as failing`
      ]

const linesOf = (outcome: RehearsalOutcome, { bad, days, names, seed }: RehearsalParameters): ReadonlyArray<string> => {
  const { alerts, longestUnansweredMillis, virtualMillis, realMillis, worstDrawdown, worth } = outcome
  const happened = happenedIn(outcome)
  const faster = Math.round(virtualMillis / Math.max(1, realMillis))
  return [
    `Rehearsed ${names.join(", ")}: ${days} virtual days of ${bad} trouble in ${span(realMillis)} (${faster} times real time), seed ${seed}`,
    "",
    `orders      ${happened.planned} planned, ${happened.funded} funded, ${happened.givenUp} given up, ${countText(happened.fills, "fill")}, ${countText(happened.cancels, "cancel")}, ${happened.settled} settled`,
    `trouble     ${happened.disturbedRequests} of ${happened.requests} requests, ${countText(happened.outagesNoticed, "outage")}, ${countText(happened.crashes, "restart")}, ${countText(happened.suspensions, "suspension")}`,
    `equity      ${usd(worth.first)} at the start, ${usd(worth.last)} at the end`,
    `drawdown    ${usd(worstDrawdown.usd)} at worst (${percent(worstDrawdown.ratio)}), ${span(worstDrawdown.afterMillis)} after the start`,
    `in doubt    ${span(longestUnansweredMillis)} at longest without an answer to a payment`,
    ...(alerts.length === 0
      ? ["alerts      none"]
      : alerts.map(
          ({ count, event, first, firstAfterMillis }) =>
            `alert       ${event}, ${countText(count, "time")}, first after ${span(firstAfterMillis)}: ${first}`
        )),
    ...messageLines(outcome),
    `books       ${outcome.isAtRest && outcome.differences.length === 0 ? "agree to the unit, after all orders were cancelled" : "DO NOT AGREE"}`
  ]
}
