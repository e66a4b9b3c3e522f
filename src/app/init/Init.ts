/**
 * Asks a few questions and writes a commented strategy file, and a configuration with a key if there is none. The result passes `check`.
 * Nothing is written before all answers are there, and an existing file is replaced only after a yes.
 */
import { Console, Effect, FileSystem, Option, Path, Result } from "effect"
import { format, formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, toTick } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { present } from "../../domain/Present.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Read from "../../strategy/Fields.ts"
import { render, report } from "../../strategy/Problem.ts"
import type { AnswerOf, Answers, Question } from "../../strategy/Setup.ts"
import type { Budget } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import type { ProfileName } from "../../venue/profile/Profiles.ts"
import { Venue } from "../../venue/Venue.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as CodeFiles from "./CodeFiles.ts"
import * as FileInputs from "./FileInputs.ts"
import * as InitText from "./InitText.ts"
import * as Interview from "./Interview.ts"

/** JSON Schemas of the files that people write. `init` names them in new files and prints them with `--schema`. */
const schemas = { strategy: StrategyFile.schema, config: ConfigFile.schema } as const
type Described = keyof typeof schemas

export const schemaText = (name: Described): string => JSON.stringify(schemas[name](), undefined, 2)

/** Returns the schema that a file's first line names: the repository's, otherwise one beside the file, which `write` makes. */
const schemaFor = Effect.fnUntraced(function* (file: string, name: Described) {
  const path = yield* Path.Path
  const fileSystem = yield* FileSystem.FileSystem
  const folder = path.dirname(path.resolve(file))
  const repositorySchema = path.resolve("config", "schema", `${name}.schema.json`)
  const schema = (yield* fileSystem.exists(repositorySchema))
    ? repositorySchema
    : path.join(folder, `${name}.schema.json`)
  const write = Effect.gen(function* () {
    if (!(yield* fileSystem.exists(schema))) yield* fileSystem.writeFileString(schema, `${schemaText(name)}\n`)
  })
  return { line: `# yaml-language-server: $schema=${path.relative(folder, schema)}\n`, write }
})

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
  yield* Effect.catchTag(interviewed(interview, asked), "QuitError", FileInputs.nothingWritten)
})

const interviewed = Effect.fnUntraced(function* (
  interview: Interview.Interview,
  { config, file, profile, usual }: Asked
) {
  const { ask, isPersonal, unused } = interview
  const fileSystem = yield* FileSystem.FileSystem
  if ((yield* fileSystem.exists(file)) && (yield* ask(overwriteQuestion(file))) === "no") {
    return yield* isPersonal("overwrite") ? FileInputs.nothingWritten() : CodeFiles.fileExists(file)
  }
  const hasConfig = yield* fileSystem.exists(config)
  const { answers, ground } = yield* answersFrom(
    interview,
    file,
    hasConfig ? FileInputs.configured(interview, config) : FileInputs.unconfigured(interview, config, profile)
  )
  const { market, markets } = ground
  const kind = InitText.kindOf(answers)
  const [needless] = unused()
  if (needless !== undefined) {
    const questionKeys = [...answers.keys()].filter((key) => !["kind", "name"].includes(key)).join(", ")
    return yield* wrongUsage(
      `nothing asks for "${needless}", nothing was written; ${kind.name} asks for ${questionKeys}`
    )
  }
  const schema = yield* schemaFor(file, "strategy")
  const text = InitText.strategyText(market, kind, answers, schema.line)
  const parsed = StrategyFile.parse(text, file, markets)
  if (Result.isFailure(parsed)) {
    const problems = parsed.failure.map((problem) => render(problem, text)).join("\n")
    return yield* commandFailed(`nothing was written, the answers are not a valid strategy:\n${problems}`)
  }
  if (!hasConfig) {
    const own = yield* schemaFor(config, "config")
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
  if (!overwrite && (yield* fileSystem.exists(file))) return yield* CodeFiles.fileExists(file)
  const schema = yield* schemaFor(file, "strategy")
  yield* fileSystem.writeFileString(file, `${schema.line}${text.slice(text.indexOf("\n") + 1)}`)
  yield* schema.write
  yield* Console.log(`Wrote ${file}. Change its market, prices and budget to yours.`)
  yield* Console.log(`Next: limitbot check ${file}`)
})

type NamesInUse = ReadonlyMap<string, string>
type Ground = FileInputs.FileInputs

const namesInUse = Effect.fnUntraced(function* (file: string, journal: string | undefined) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const beside = yield* fileSystem.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
  const used = new Map<string, string>()
  if (journal !== undefined && (yield* fileSystem.exists(journal))) {
    const state = yield* Bookkeeper.replay.pipe(Effect.provide(Layers.readOnlyJournal(journal)), Effect.option)
    for (const name of Option.getOrUndefined(state)?.strategies.keys() ?? []) used.set(name, journal)
  }
  for (const other of beside.filter((name) => /\.ya?ml$/.test(name))) {
    const text = yield* fileSystem.readFileString(path.join(folder, other)).pipe(Effect.orElseSucceed(() => ""))
    const name = StrategyFile.readingOf(text, other, { assets: [], ticks: new Map() }).name?.value
    if (name === undefined) continue
    // The new file may use the name of the file that it replaces.
    if (other === path.basename(file)) used.delete(name)
    else used.set(name, path.join(folder, other))
  }
  return used
})

const freeName = (wanted: string, used: NamesInUse): string => {
  if (!used.has(wanted)) return wanted
  for (let number = 2; ; number++) if (!used.has(`${wanted}-${number}`)) return `${wanted}-${number}`
}

const nameQuestion = (market: Market, kind: string, used: NamesInUse): Question => {
  const usual = `${market.base.symbol}-${kind}`.toLowerCase().replace(/[^a-z0-9-]/g, "-")
  const readName: Read.Reader<string> = (node, to) => {
    const name = Read.name(node, to)
    const owner = name === undefined ? undefined : used.get(name)
    if (name === undefined || owner === undefined) return name
    return report(to, node, `the name "${name}" is in use by ${owner}`, `for example "${freeName(name, used)}"`)
  }
  return { key: "name", text: "Name of the strategy", fallback: freeName(usual, used), read: readName }
}

const priceDigits = 4

const withPrice = (question: Question, { market, price }: Ground): Question => {
  if (question.around === undefined || price === undefined || question.fallback !== undefined) return question
  const near = Decimal.fromNumber(Decimal.toNumber(price) * question.around, priceDigits)
  const fallback = Decimal.format(toTick(market, "BUY", near))
  return InitText.mistakeIn(question, fallback) === undefined ? { ...question, fallback } : question
}

/** "<" returns to the previous question and forgets later answers. Returns `undefined` if there is no previous question. */
const askAll = Effect.fnUntraced(function* (interview: Interview.Interview, ground: Ground, used: NamesInUse) {
  const answers = new Map<string, string>()
  const answer = (key: string): string => answers.get(key) ?? interview.given(key) ?? ""
  while (true) {
    const question = nextQuestion(answers, answer, ground, used)
    if (question === undefined) return answers
    const { earns } = InitText.kindOf(answers).setup(ground.market)
    if (question.key === "name" && earns !== undefined) yield* Console.log(earns(answer, ground.price))
    const reply = yield* interview.askOrGoBack(question)
    if (reply !== undefined) answers.set(question.key, reply)
    else {
      const keys = [...answers.keys()]
      const before = keys.findLastIndex(interview.isPersonal)
      if (before === -1) return undefined
      for (const key of keys.slice(before)) answers.delete(key)
    }
  }
})

const nextQuestion = (answers: Answers, answer: AnswerOf, ground: Ground, used: NamesInUse): Question | undefined => {
  if (!answers.has("kind")) return InitText.kindQuestion
  const { name, setup } = InitText.kindOf(answers)
  for (const step of [...setup(ground.market).steps, () => nameQuestion(ground.market, name, used)]) {
    const question = step(answer)
    if (question !== undefined && !answers.has(question.key)) return withPrice(question, ground)
  }
  return undefined
}

/** Asks for the kind, the questions of that kind, a name that is not in use, and prices near the present one. */
const answersFrom = Effect.fnUntraced(function* <E, R>(
  interview: Interview.Interview,
  file: string,
  asked: Effect.Effect<Ground, E, R>
) {
  while (true) {
    const ground = yield* asked
    const { journal, market, price } = ground
    yield* Console.log(
      price === undefined
        ? `The venue gives no price of ${market.name} now.`
        : `${market.name} is at ${Decimal.short(price)} now.`
    )
    if (interview.isPersonal("kind")) for (const line of InitText.kindLines) yield* Console.log(line)
    const answers = yield* askAll(interview, ground, yield* namesInUse(file, journal))
    if (answers !== undefined) return { answers, ground }
  }
})
