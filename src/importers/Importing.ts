/** Translates a file of another bot into a strategy file. A result that `limitbot check` would reject is an error. */
import { Effect, FileSystem, Path, Result } from "effect"
import { parse } from "yaml"
import * as Decimal from "../domain/Decimal.ts"
import { isRecord, messageOf, printable } from "../domain/Text.ts"
import * as PlainFiles from "../files/PlainFiles.ts"
import * as StrategyFiles from "../files/StrategyFiles.ts"
import * as StrategyFile from "../strategy/StrategyFile.ts"
import { type ForeignSettings, type NotImported, refused, settingsOf } from "./ForeignSettings.ts"
import { freqtrade } from "./freqtrade.ts"
import { hummingbot } from "./hummingbot.ts"
import { passivbot } from "./passivbot.ts"
import { namesIn, type Translated, textOf } from "./Translated.ts"
import { threeCommas } from "./threeCommas.ts"

type Translate = (
  settings: ForeignSettings,
  budget: Decimal.Decimal | undefined,
  market: Translated["market"]
) => Effect.Effect<Translated, NotImported>

export const bots = ["hummingbot", "passivbot", "freqtrade", "3commas"] as const
export type OtherBot = (typeof bots)[number]

const translators: Readonly<Record<OtherBot, Translate>> = { hummingbot, passivbot, freqtrade, "3commas": threeCommas }

export interface ImportAsked {
  readonly bot: OtherBot
  readonly file: string
  /** `BTC/USDC`, if the market differs from the one in the file. */
  readonly market: string | undefined
  /** Amount of the quote asset, if the file does not set it or it should differ. */
  readonly budget: Decimal.Decimal | undefined
}

const mostBytes = 1_000_000

/** Removes comments from JSON as freqtrade and others accept it. Text in quotes stays. */
const withoutRemarks = (text: string): string =>
  /^\s*(\{|\/[/*])/.test(text)
    ? text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? "")
    : text

const recordIn = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    Effect.gen(function* () {
      const { size } = yield* fileSystem.stat(file)
      return size > mostBytes ? undefined : yield* fileSystem.readFileString(file)
    }),
    (failed) => refused(`${file} cannot be read: ${PlainFiles.phraseOf(failed) ?? failed.message}`)
  )
  if (text === undefined) return yield* refused(`${file} has more than ${mostBytes} bytes`)
  const content = yield* Effect.try({
    try: (): unknown => parse(withoutRemarks(text)),
    // The reader's own message may contain a credential.
    catch: (thrown) =>
      refused(`${file} is neither YAML nor JSON${/ at line \d+, column \d+/.exec(messageOf(thrown))?.[0] ?? ""}`)
  })
  if (isRecord(content)) return content
  return yield* refused(`${file} has no settings: a configuration is a list of names and values`)
})

const nameOf = (file: string): string => {
  const name = file
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
  return name === "" ? "imported" : name
}

export const strategyText = Effect.fn("Importing.strategyText")(function* ({ bot, budget, file, market }: ImportAsked) {
  const path = yield* Path.Path
  const settings = settingsOf(yield* recordIn(file))
  const translated = yield* Effect.mapError(translators[bot](settings, budget, namesIn(market, "/")), ({ message }) =>
    refused(`${file}: ${message}`)
  )
  const name = market ?? translated.market?.join("/")
  if (name === undefined)
    return yield* refused(`${file} names no market, or none of this service: add --market BTC/USDC`)
  const own = translated.budget.quote
  if (budget !== undefined && own !== undefined && !Decimal.equals(own, budget))
    return yield* refused(
      `${file} sets its own quote budget, ${Decimal.format(own)}: omit --budget ${Decimal.format(budget)}, and edit the budget of the strategy instead`
    )
  const whole = { ...translated.budget, ...(budget === undefined ? {} : { quote: budget }) }
  if (whole.quote === undefined) return yield* refused(`${file} has no quote budget: add --budget 1000`)
  const { base, name: fileName } = path.parse(file)
  const text = textOf(translated, { bot, file: printable(base), market: name, name: nameOf(fileName), budget: whole })
  const strategyResult = StrategyFile.parse(text, file, StrategyFiles.marketsOf(name.split("/")))
  if (Result.isSuccess(strategyResult)) return text
  const [problem] = strategyResult.failure
  return yield* refused(`${file} makes no strategy here: ${problem?.message ?? "it is empty"}`)
})
