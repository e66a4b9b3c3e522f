/**
 * Asks a few questions and writes a commented strategy file, and a configuration with a key if there is none. The result passes `check`.
 * Nothing is written before all answers are there, and an existing file is replaced only after a yes.
 */
import { Console, Effect, FileSystem, Path, Result, Schema } from "effect"
import { format, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Read from "../../strategy/Fields.ts"
import { render } from "../../strategy/Problem.ts"
import type { Question } from "../../strategy/Setup.ts"
import type { Budget } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import type { ProfileName } from "../../venue/profile/Profiles.ts"
import { Venue } from "../../venue/Venue.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as CodeFiles from "./CodeFiles.ts"
import { FileExists } from "./CodeFiles.ts"
import * as FileInputs from "./FileInputs.ts"
import * as InitText from "./InitText.ts"
import * as Interview from "./Interview.ts"
import * as SchemaFile from "./SchemaFile.ts"
import * as StrategyQuestions from "./StrategyQuestions.ts"

/** Advises to move money if another account of the key pays and has too little. Does not wait for unreadable balances. */
const shieldingAdvice = Effect.fn("Init.shieldingAdvice")(function* (file: string, market: Market, budget: Budget) {
  const { account, venue } = yield* ConfigFile.loadSettings(file)
  if (!venue.facts.movesBetweenAccounts) return []
  const needed = [
    { asset: market.base, amount: budget.base },
    { asset: market.quote, amount: budget.quote }
  ].filter(({ amount, asset }) => amount > 0n && depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS")
  if (needed.length === 0) return []
  const balances = yield* Effect.option(VenueAccess.look(file, () => Venue.use((venue) => venue.balances)))
  return needed.flatMap(({ amount, asset }) => {
    const move = `limitbot swap ${format(amount, asset.decimals)} ${asset.symbol} --to confidential`
    if (balances._tag === "None") {
      return [`Orders are paid from the confidential account. If your ${asset.symbol} is in the public one: ${move}`]
    }
    const there = balances.value.found.reduce(
      (sum, each) => (each.tokenId === asset.id ? sum + each.available : sum),
      0n
    )
    if (there >= amount) return []
    const missing = format(amount - there, asset.decimals)
    return [
      `The confidential account, which pays for orders, has ${formatWithSymbol(there, asset)} of ${formatWithSymbol(amount, asset)}. Bring the rest there from the public one: limitbot swap ${missing} ${asset.symbol} --to confidential`
    ]
  })
})

export class AnswersUnfit extends Schema.TaggedError<AnswersUnfit>()("AnswersUnfit", { problems: Schema.String }) {
  override get message(): string {
    return `nothing was written, the answers are not a valid strategy:\n${this.problems}`
  }
}

interface Asked {
  readonly file: string
  readonly config: string
  readonly usual: string
  readonly like: string | undefined
  readonly profile: ProfileName | undefined
  readonly given: Readonly<Record<"market" | "kind", string | undefined>>
  readonly set: Readonly<Record<string, string>> | undefined
  readonly yes: boolean
  readonly overwrite: boolean
}

export const init = Effect.fn("Init.init")(function* (asked: Asked) {
  const { file, given, like, overwrite } = asked
  if (like !== undefined) return yield* writeLike(file, like, overwrite)
  if (given.kind === "code") return yield* CodeFiles.write(file, given.market, overwrite)
  const answers = { ...asked.set, ...present({ ...given, overwrite: overwrite ? "yes" : undefined }) }
  const interview = yield* Interview.make(new Map(Object.entries<string>(answers)), asked.yes)
  yield* Effect.catchTag(interviewed(interview, asked), "QuitError", () => new FileInputs.NothingWritten())
})

const interviewed = Effect.fnUntraced(function* (
  interview: Interview.Interview,
  { config, file, profile, usual }: Asked
) {
  const { ask, isPersonal, unused } = interview
  const fileSystem = yield* FileSystem.FileSystem
  if ((yield* fileSystem.exists(file)) && (yield* ask(overwriteQuestion(file))) === "no") {
    return yield* isPersonal("overwrite") ? new FileInputs.NothingWritten() : new FileExists({ file })
  }
  const hasConfig = yield* fileSystem.exists(config)
  const { answers, ground } = yield* StrategyQuestions.answersFrom(
    interview,
    file,
    hasConfig ? FileInputs.configured(interview, config) : FileInputs.unconfigured(interview, config, profile)
  )
  const { market, markets } = ground
  const kind = InitText.kindOf(answers)
  const [needless] = unused()
  if (needless !== undefined) {
    const questionKeys = [...answers.keys()].filter((key) => !["kind", "name"].includes(key)).join(", ")
    return yield* new WrongUsage({
      message: `nothing asks for "${needless}", nothing was written; ${kind.name} asks for ${questionKeys}`
    })
  }
  const schema = yield* SchemaFile.schemaFor(file, "strategy")
  const text = InitText.strategyText(market, kind, answers, schema.line)
  const parsed = StrategyFile.parse(text, file, markets)
  if (Result.isFailure(parsed)) {
    return yield* new AnswersUnfit({ problems: parsed.failure.map((problem) => render(problem, text)).join("\n") })
  }
  if (!hasConfig) {
    const own = yield* SchemaFile.schemaFor(config, "config")
    for (const note of yield* ground.write(own.line)) yield* Console.log(note)
    yield* own.write
  }
  const path = yield* Path.Path
  yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
  yield* fileSystem.writeFileString(file, text)
  yield* schema.write
  const budget = InitText.budgetText(market, parsed.success.limits.budget)
  yield* Console.log(`Wrote ${file}: ${answers.get("name")} may use ${budget}.`)
  const configFlag = config === usual ? "" : ` --config ${config}`
  for (const line of yield* shieldingAdvice(config, market, parsed.success.limits.budget)) {
    yield* Console.log(`${line}${configFlag}`)
  }
  yield* Console.log(`Next: limitbot plan ${file}${configFlag}`)
})

const overwriteQuestion = (file: string): Question => ({
  key: "overwrite",
  text: `${file} exists. Replace it? yes or no`,
  fallback: "no",
  read: Read.oneOf("yes", "no")
})

const writeLike = Effect.fnUntraced(function* (file: string, name: string, overwrite: boolean) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* StrategyFiles.catalogued(name)
  if (!overwrite && (yield* fileSystem.exists(file))) return yield* new FileExists({ file })
  const schema = yield* SchemaFile.schemaFor(file, "strategy")
  yield* fileSystem.writeFileString(file, `${schema.line}${text.slice(text.indexOf("\n") + 1)}`)
  yield* schema.write
  yield* Console.log(`Wrote ${file}. Change its market, prices and budget to yours.`)
  yield* Console.log(`Next: limitbot check ${file}`)
})
