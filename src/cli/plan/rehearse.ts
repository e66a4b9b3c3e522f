/**
 * `limitbot rehearse FILE…`: before any money is at risk, the user's own files go through days of outages, lost
 * requests and crashes on a sandbox in virtual time. The report says what happened: fills, the worst drawdown, the
 * longest wait for the answer to a payment, and what would have woken somebody up.
 */
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Asset } from "../../domain/Amount.ts"
import { hourMillis } from "../../domain/Durations.ts"
import { percent } from "../../domain/Text.ts"
import * as Rehearsal from "../../rehearsal/Rehearsal.ts"
import type { TroubleLevel } from "../../rehearsal/Trouble.ts"
import { counted } from "../../report/text/Words.ts"
import { defaultSettings, type SandboxAsset } from "../../sandbox/core/Settings.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { budgets, type Strategy } from "../../strategy/Strategy.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as StrategyFiles from "../files/StrategyFiles.ts"
import * as flags from "../flags.ts"
import * as Modes from "../Modes.ts"
import * as Progress from "../Progress.ts"
import * as sandboxFlags from "../run/sandboxFlags.ts"

/** The rehearsal showed a defect of the program: do not trust it with money. */
export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The rehearsal failed, which should never be:\n${this.problems.join("\n")}\nPlease report it with the seed.`
  }
}

const levelNames = ["none", "low", "medium", "high"] as const satisfies ReadonlyArray<TroubleLevel>
const Days = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 365 }))

export const command = Command.make(
  "rehearse",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("Strategy files (YAML)"),
      Argument.variadic({ min: 1 })
    ),
    config: flags.config,
    candles: sandboxFlags.candles,
    price: Flag.Finite("price").pipe(
      Flag.withDescription("Price of the first market at which generated prices begin; default: the sandbox's own"),
      Flag.optional
    ),
    days: Flag.Finite("days").pipe(
      Flag.withSchema(Days),
      Flag.withDescription("Virtual days; one takes about a minute"),
      Flag.withDefault(1)
    ),
    bad: Flag.Literals("bad", levelNames).pipe(
      Flag.withDescription("How bad the network, the service and the machine are: none, low, medium or high"),
      Flag.withDefault("medium")
    ),
    seed: sandboxFlags.seed,
    json: flags.json
  },
  Effect.fn(function* ({ bad, candles, config, days, files, json, price, seed }) {
    const { ledger, markets: configured } = yield* settingsOf(config, files)
    const read = yield* StrategyFiles.load(files, configured)
    const first = read[0]
    if (first === undefined) return
    const assets = assetsOf(configured.assets, read, Option.getOrUndefined(price))
    const progress = yield* Progress.make("rehearse")
    const fileSystem = yield* FileSystem.FileSystem
    const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-rehearsal-" })
    const outcome = yield* Rehearsal.run({
      strategies: read,
      markets: Modes.marketsByName(configured),
      ledger,
      assets,
      candles: Option.getOrUndefined(candles),
      candlesSymbol: first.market.base.symbol,
      seed,
      days,
      level: bad,
      journalFile: `${folder}/journal.sqlite`,
      progress: (share) => Effect.sync(() => progress.update(share, 1, `${(share * days).toFixed(1)} days`))
    })
    progress.wipe()
    const names = read.map(({ name }) => name)
    yield* json
      ? Console.log(JSON.stringify(jsonOf(outcome, { names, bad, days, seed })))
      : Console.log(textOf(outcome, { names, bad, days, seed }).join("\n"))
    const problems = problemsOf(outcome)
    if (problems.length > 0) return yield* new RehearsalFailed({ problems })
  }, Effect.scoped)
).pipe(
  Command.withDescription("Put strategy files through days of outages and crashes on a sandbox, before any money"),
  Command.withExamples([
    { command: "limitbot rehearse strategies/grid.yaml --days 3", description: "Three days of a bad week" },
    {
      command: "limitbot rehearse grid.yaml --candles prices.csv --bad high",
      description: "On real prices, at its worst"
    }
  ])
)

/** The configured assets; without a configuration, the sandbox's assets and any others that the files name. */
const settingsOf = Effect.fnUntraced(function* (config: string, files: ReadonlyArray<string>) {
  const fileSystem = yield* FileSystem.FileSystem
  const isConfigured = config !== flags.defaultConfig || (yield* fileSystem.exists(config))
  if (isConfigured) {
    const { markets, venue } = yield* ConfigFile.loadSettings(config)
    return { ledger: venue.ledger, markets }
  }
  const known = defaultSettings("native").assets
  const named = yield* StrategyFiles.marketsNamedIn(files)
  const others = named.assets
    .filter(({ symbol }) => !known.some((asset) => asset.symbol === symbol))
    .map(({ symbol }) => ({ symbol, id: `nep141:${symbol.toLowerCase()}.rehearsal.native`, decimals: 8 }))
  const markets: Markets = { assets: [...known, ...others], ticks: new Map() }
  return { ledger: "native" as const, markets }
})

/** An unknown asset counts as a coin if it is traded, and as a dollar if it is paid with. */
const assetsOf = (
  assets: ReadonlyArray<Asset>,
  strategies: ReadonlyArray<Strategy>,
  price: number | undefined
): ReadonlyArray<SandboxAsset> => {
  const known = defaultSettings("native").assets
  const quotes = new Set(strategies.map(({ market }) => market.quote.symbol))
  const first = strategies[0]?.market
  const dollars = (symbol: string) =>
    known.find((asset) => asset.symbol === symbol)?.priceUsd ?? (quotes.has(symbol) ? 1 : 100)
  return assets.map(({ decimals, id, symbol }) => {
    const like = known.find((asset) => asset.symbol === symbol)
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

interface Asked {
  readonly names: ReadonlyArray<string>
  readonly bad: TroubleLevel
  readonly days: number
  readonly seed: number
}

const problemsOf = ({ differences, ended, isAtRest, stillOpen }: Rehearsal.RehearsalOutcome): ReadonlyArray<string> => [
  ...(ended === undefined ? [] : [`the bot ended by itself: ${ended}`]),
  ...(isAtRest ? [] : [`${counted(stillOpen, "order")} could not be withdrawn after the trouble was over`]),
  ...differences
]

const happenedIn = ({ accidents, events, fills, requests }: Rehearsal.RehearsalOutcome) => {
  const of = (tag: string) => events.get(tag) ?? 0
  const asked = [...requests.values()].reduce((sum, times) => sum + times, 0)
  return {
    planned: of("Planned"),
    funded: of("FundingSigned"),
    fills,
    cancels: of("CancelRequested"),
    settled: of("Settled"),
    givenUp: of("Abandoned") + of("FundingDead"),
    requests: asked,
    disturbedRequests: asked - (requests.get("delivered") ?? 0),
    outagesNoticed: of("VenueDown"),
    crashes: accidents.get("crash") ?? 0,
    suspensions: accidents.get("suspension") ?? 0
  }
}

const jsonOf = (outcome: Rehearsal.RehearsalOutcome, { bad, days, names, seed }: Asked) => ({
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

const textOf = (outcome: Rehearsal.RehearsalOutcome, { bad, days, names, seed }: Asked): ReadonlyArray<string> => {
  const { alerts, longestUnansweredMillis, virtualMillis, realMillis, worstDrawdown, worth } = outcome
  const happened = happenedIn(outcome)
  const faster = Math.round(virtualMillis / Math.max(1, realMillis))
  return [
    `Rehearsed ${names.join(", ")}: ${days} virtual days of ${bad} trouble in ${span(realMillis)} (${faster} times real time), seed ${seed}`,
    "",
    `orders      ${happened.planned} planned, ${happened.funded} funded, ${happened.givenUp} given up, ${counted(happened.fills, "fill")}, ${counted(happened.cancels, "cancel")}, ${happened.settled} settled`,
    `trouble     ${happened.disturbedRequests} of ${happened.requests} requests, ${counted(happened.outagesNoticed, "outage")}, ${counted(happened.crashes, "restart")}, ${counted(happened.suspensions, "suspension")}`,
    `worth       ${usd(worth.first)} at the beginning, ${usd(worth.last)} at the end`,
    `drawdown    ${usd(worstDrawdown.usd)} at worst (${percent(worstDrawdown.ratio)}), ${span(worstDrawdown.afterMillis)} after the beginning`,
    `in doubt    ${span(longestUnansweredMillis)} at longest without an answer to a payment`,
    ...(alerts.length === 0
      ? ["alerts      none"]
      : alerts.map(
          ({ count, event, first, firstAfterMillis }) =>
            `alert       ${event}, ${counted(count, "time")}, first after ${span(firstAfterMillis)}: ${first}`
        )),
    `books       ${outcome.isAtRest && outcome.differences.length === 0 ? "agree to the unit, after everything was withdrawn" : "DO NOT AGREE"}`
  ]
}
