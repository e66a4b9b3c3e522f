/**
 * `limitbot init [FILE]`: asks a few questions and writes a commented strategy file, and a configuration if there is
 * none. The result passes `check`, and editors know its schema. An existing file is replaced only after a yes.
 */
import { Console, Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import type { Market } from "../../domain/Market.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Markets, market as marketReader } from "../../strategy/Markets.ts"
import { render, sourceText } from "../../strategy/Problem.ts"
import type { Answers, NextQuestion, Question } from "../../strategy/Setup.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import * as flags from "../flags.ts"
import * as ConfigFile from "./ConfigFile.ts"
import * as Init from "./InitText.ts"
import * as StrategyFiles from "./StrategyFiles.ts"
import { schemas } from "./schema.ts"

/** Each answer is valid, but together they make no strategy. */
export class AnswersUnfit extends Schema.TaggedError<AnswersUnfit>()("AnswersUnfit", { problems: Schema.String }) {
  override get message(): string {
    return `nothing was written, the answers make no strategy:\n${this.problems}`
  }
}

/** Without questions nobody can agree to replacing it. */
export class FileExists extends Schema.TaggedError<FileExists>()("FileExists", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} exists, nothing was written: name another file`
  }
}

/** The user ended the questions, or answered no. */
export class NothingWritten extends Schema.TaggedError<NothingWritten>()("NothingWritten", {}) {
  override get message(): string {
    return "nothing was written"
  }
}

/** An empty answer means the fallback; a wrong one is explained and asked again. */
const ask = (question: Question): Prompt.Prompt<string> => {
  const { text, fallback } = question
  const given = (answer: string) => (answer.trim() === "" ? (fallback ?? "") : answer.trim())
  return Prompt.String({
    message: fallback === undefined ? text : `${text} [${fallback}]`,
    validate: (answer) => {
      const mistake = Init.mistakeIn(question, given(answer))
      return mistake === undefined ? Effect.succeed(answer) : Effect.fail(mistake)
    }
  }).pipe(Prompt.map(given))
}

/** One prompt for all questions: across several prompts, piped answers would get lost. */
const askAll = (questions: ReadonlyArray<Question | NextQuestion>, known: Answers): Prompt.Prompt<Answers> => {
  const [first, ...rest] = questions
  if (first === undefined) return Prompt.succeed(known)
  const question = typeof first === "function" ? first((key) => known.get(key) ?? "") : first
  return Prompt.flatMap(ask(question), (answer) => askAll(rest, new Map(known).set(question.key, answer)))
}

interface Outcome {
  readonly answers: Answers
  readonly market: Market
  readonly markets: Markets
}

/** Reads a market that a question has already accepted. */
const marketOf = (markets: Markets, name: string): Market | undefined =>
  marketReader(markets)(
    { type: "scalar", text: name, isQuoted: false, start: 0, end: name.length },
    { source: sourceText("", name), problems: [] }
  )

const assetsOf = (answers: Answers): Markets["assets"] =>
  (answers.get("market") ?? "").split("/").map((symbol) => ({
    symbol,
    id: answers.get(`${symbol} id`) ?? "",
    decimals: Number(answers.get(`${symbol} decimals`))
  }))

const marketQuestions = (markets: Markets | undefined): ReadonlyArray<Question> =>
  markets === undefined
    ? Init.venueQuestions
    : [
        {
          key: "market",
          text: `Market, as BASE/QUOTE of ${markets.assets.map(({ symbol }) => symbol).join(", ")}`,
          read: marketReader(markets)
        }
      ]

/** Without markets there is no configuration yet. */
const interview = (known: Markets | undefined, exists: boolean, file: string): Prompt.Prompt<Outcome | undefined> => {
  const overwrite: Question = {
    key: "overwrite",
    text: `${file} exists. Replace it? yes or no`,
    fallback: "no",
    read: Read.oneOf("yes", "no")
  }
  return Prompt.flatMap(askAll(exists ? [overwrite] : [], new Map()), (first) => {
    if (first.get("overwrite") === "no") return Prompt.succeed(undefined)
    return Prompt.flatMap(askAll(marketQuestions(known), first), (second) =>
      Prompt.flatMap(
        askAll(known === undefined ? Init.assetQuestions(second.get("market") ?? "") : [], second),
        (third) => interviewAbout(known ?? { assets: assetsOf(third), ticks: new Map() }, third)
      )
    )
  })
}

const interviewAbout = (markets: Markets, known: Answers): Prompt.Prompt<Outcome | undefined> => {
  const market = marketOf(markets, known.get("market") ?? "")
  if (market === undefined) return Prompt.succeed(undefined)
  return Prompt.flatMap(askAll([Init.kindQuestion], known), (answers) => {
    const kind = Init.kindOf(answers)
    const name = `${market.base.symbol}-${kind.name}`.toLowerCase().replace(/[^a-z0-9-]/g, "-")
    return askAll([...kind.setup(market).steps, Init.nameQuestion(name)], answers).pipe(
      Prompt.map((all) => ({ answers: all, market, markets }))
    )
  })
}

type Described = keyof typeof schemas

/** The schema that a file's first line names for editors: the repository's, otherwise one beside the file. */
const schemaFor = Effect.fnUntraced(function* (file: string, name: Described) {
  const path = yield* Path.Path
  const fileSystem = yield* FileSystem.FileSystem
  const folder = path.dirname(path.resolve(file))
  const known = path.resolve("config", "schema", `${name}.schema.json`)
  const schema = (yield* fileSystem.exists(known)) ? known : path.join(folder, `${name}.schema.json`)
  return { schema, line: `# yaml-language-server: $schema=${path.relative(folder, schema)}\n` }
})

const writeSchema = Effect.fnUntraced(function* (schema: string, name: Described) {
  const fileSystem = yield* FileSystem.FileSystem
  if (yield* fileSystem.exists(schema)) return
  yield* fileSystem.writeFileString(schema, `${JSON.stringify(schemas[name](), undefined, 2)}\n`)
})

export const command = Command.make(
  "init",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The strategy file to write"),
      Argument.withDefault("strategy.yaml")
    ),
    config: flags.config,
    like: Flag.String("like").pipe(
      Flag.withDescription("Start from a strategy of the catalogue, without questions: rsi-oversold, safety-orders, …"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ file, config, like }) {
    const fileSystem = yield* FileSystem.FileSystem
    if (Option.isSome(like)) return yield* writeLike(file, like.value)
    const hasConfig = yield* fileSystem.exists(config)
    const known = hasConfig ? (yield* ConfigFile.loadSettings(config)).markets : undefined
    for (const line of Init.kindLines) yield* Console.log(line)
    const outcome = yield* Prompt.run(interview(known, yield* fileSystem.exists(file), file)).pipe(
      Effect.catchTag("QuitError", () => Effect.undefined)
    )
    if (outcome === undefined) return yield* new NothingWritten()
    const { answers, market, markets } = outcome
    const ofStrategy = yield* schemaFor(file, "strategy")
    const text = Init.strategyText(market, answers, ofStrategy.line)
    const parsed = StrategyFile.parse(text, file, markets)
    if (Result.isFailure(parsed)) {
      return yield* new AnswersUnfit({ problems: parsed.failure.map((problem) => render(problem, text)).join("\n") })
    }
    if (!hasConfig) {
      const ofConfig = yield* schemaFor(config, "config")
      yield* writeConfig(config, Init.configText(answers, markets.assets, ofConfig.line))
      yield* writeSchema(ofConfig.schema, "config")
    }
    yield* fileSystem.writeFileString(file, text)
    yield* writeSchema(ofStrategy.schema, "strategy")
    const budget = Init.budgetText(market, parsed.success.limits.budget)
    yield* Console.log(`Wrote ${file}: ${answers.get("name")} may use ${budget}.`)
    if (!hasConfig) {
      yield* Console.log(`Wrote ${config}. Set LIMITBOT_API_KEY and LIMITBOT_ACCOUNT_KEY before running.`)
    }
    yield* Console.log(`Next: limitbot plan ${file} --config ${config}`)
  })
).pipe(Command.withDescription("Ask a few questions and write a strategy file, and a configuration when there is none"))

/** A copy of a file of the catalogue; its owner changes the market and the budget in it. */
const writeLike = Effect.fnUntraced(function* (file: string, name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* StrategyFiles.catalogued(name)
  if (yield* fileSystem.exists(file)) return yield* new FileExists({ file })
  const { line, schema } = yield* schemaFor(file, "strategy")
  yield* fileSystem.writeFileString(file, `${line}${text.slice(text.indexOf("\n") + 1)}`)
  yield* writeSchema(schema, "strategy")
  yield* Console.log(`Wrote ${file}. Change its market, prices and budget to yours.`)
  yield* Console.log(`Next: limitbot check ${file}`)
})

const writeConfig = Effect.fnUntraced(function* (config: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fileSystem.makeDirectory(path.dirname(config), { recursive: true })
  yield* fileSystem.writeFileString(config, text)
  // A mistake in an answer (the address, say) is refused here, before it leaves a half-made configuration.
  yield* ConfigFile.loadSettings(config).pipe(Effect.tapError(() => fileSystem.remove(config, { force: true })))
})
