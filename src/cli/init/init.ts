/**
 * `limitbot init [FILE]`: asks a few questions and writes a commented strategy file; without a configuration also that,
 * with a key. It asks the venue for its tokens and the present price, offers prices near it, and avoids names that are
 * in use. Flags can answer every question. The result passes `check`. Nothing is written before all answers are there,
 * and an existing file is replaced only after a yes.
 */
import { Console, Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Shielding from "../../app/init/Shielding.ts"
import * as VenueLook from "../../app/init/VenueLook.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, type Price, toTick } from "../../domain/Market.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Markets, market as marketReader } from "../../strategy/Markets.ts"
import { render, report, sourceText } from "../../strategy/Problem.ts"
import type { AnswerOf, Answers, Question } from "../../strategy/Setup.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { isPartner, usualOf } from "../../venue/profile/Charges.ts"
import type { VenueFacts } from "../../venue/profile/Facts.ts"
import {
  defaultProfile,
  factsOf,
  ledgerOf,
  type ProfileName,
  profileNames,
  verifierOf
} from "../../venue/profile/Profiles.ts"
import { schemas } from "../check/schema.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import * as CodeFiles from "./CodeFiles.ts"
import * as Init from "./InitText.ts"
import * as Interview from "./Interview.ts"
import * as NewConfig from "./NewConfig.ts"

/** Each answer is valid, but together they make no strategy. */
export class AnswersUnfit extends Schema.TaggedError<AnswersUnfit>()("AnswersUnfit", { problems: Schema.String }) {
  override get message(): string {
    return `nothing was written, the answers make no strategy:\n${this.problems}`
  }
}

/** The user ended the questions, or answered no. */
export class NothingWritten extends Schema.TaggedError<NothingWritten>()("NothingWritten", {}) {
  override get message(): string {
    return "nothing was written"
  }
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

/** The configuration that there is, or the one that the answers make. */
interface FileInputs {
  readonly markets: Markets
  readonly market: Market
  readonly price: Price | undefined
  readonly journal: string | undefined
  /** The share of a fill that the venue takes; schedules that share app fees take theirs of inputs, beyond the limit. */
  readonly fee: number
  /** Writes what belongs beside the strategy, and says what that was. */
  readonly write: (schema: string) => ReturnType<typeof NewConfig.write>
}

/** Reads a market that a question has already accepted. */
const marketOf = (markets: Markets, name: string): Effect.Effect<Market, NothingWritten> =>
  Effect.suspend(() => {
    const found = marketReader(markets)(
      { type: "scalar", text: name, isQuoted: false, start: 0, end: name.length },
      { source: sourceText("", name), problems: [] }
    )
    return found === undefined ? new NothingWritten() : Effect.succeed(found)
  })

/** With a configuration: its markets, and the price as its account sees it. */
const configured = Effect.fnUntraced(function* ({ ask }: Interview.Interview, config: string) {
  const { journal, markets, account, venue } = yield* ConfigFile.loadSettings(config)
  const symbols = markets.assets.map(({ symbol }) => symbol)
  const name = yield* ask({
    key: "market",
    text: `Market, as BASE/QUOTE of ${symbols.join(", ")}`,
    ...NewConfig.usualMarket(symbols),
    read: marketReader(markets)
  })
  const market = yield* marketOf(markets, name)
  const secrets = yield* Effect.option(ConfigFile.load(config))
  const signerId = yield* Option.match(secrets, {
    onNone: () => Effect.succeed(account.signerId ?? "nobody"),
    onSome: (loaded) => Layers.signerOf(loaded.account)
  })
  const apiKey = Option.getOrUndefined(secrets)?.venue.apiKey
  const price = yield* VenueLook.price({ url: venue.url, ledger: venue.ledger, signerId, apiKey }, market)
  const fee = feeOf(venue.facts, venue.hasPartner)
  return { markets, market, price, journal, fee, write: () => Effect.succeed([]) } satisfies FileInputs
})

/** Without one: the venue is asked what it trades. */
const unconfigured = Effect.fnUntraced(function* (
  interview: Interview.Interview,
  config: string,
  profile: ProfileName | undefined
) {
  const venue = yield* NewConfig.askVenue(interview)
  const { sandbox, tokens, url } = venue
  yield* Console.log(NewConfig.tokenLine(tokens))
  const { markets, name } = yield* NewConfig.askMarket(interview, venue)
  const market = yield* marketOf(markets, name)
  const account = sandbox === undefined ? yield* NewConfig.askAccount(interview, config) : undefined
  const spared = sandbox === undefined ? [] : interview.spare("key", "apiKey")
  if (spared.length > 0)
    yield* Console.log(
      `The sandbox has an account with money and an API key of its own, so ${spared.join(" and ")} is not used.`
    )
  const asker = {
    url,
    ledger: sandbox?.ledger ?? ledgerOf(profile ?? defaultProfile),
    signerId: sandbox?.account.signerId ?? account?.signerId ?? "nobody",
    apiKey: account?.apiKey.value
  } as const
  const price = yield* VenueLook.price(asker, market)
  const write: FileInputs["write"] = (schema) =>
    NewConfig.write(config, { venue, account, assets: markets.assets, profile }, schema)
  const fee = feeOf(factsOf(profile ?? defaultProfile, verifierOf(asker.ledger)), false)
  return { markets, market, price, journal: undefined, fee, write } satisfies FileInputs
})

const feeOf = (facts: VenueFacts, hasPartnerJwt: boolean): number =>
  facts.fees.appFees === "added" ? usualOf(facts.fees, isPartner(facts, hasPartnerJwt)) / 10_000 : 0

type NamesInUse = ReadonlyMap<string, string>

/** Names of strategies in the same folder and in the journal, with the place where each is used. */
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
    const name = StrategyFile.nameIn(text, other)?.value
    if (name === undefined) continue
    // The file that is replaced gives its name to the new one.
    if (other === path.basename(file)) used.delete(name)
    else used.set(name, path.join(folder, other))
  }
  return used
})

/** The first name that is free: `btc-grid`, then `btc-grid-2`. */
const freeName = (wanted: string, used: NamesInUse): string => {
  if (!used.has(wanted)) return wanted
  for (let number = 2; ; number++) if (!used.has(`${wanted}-${number}`)) return `${wanted}-${number}`
}

const nameQuestion = (market: Market, kind: string, used: NamesInUse): Question => {
  const usual = `${market.base.symbol}-${kind}`.toLowerCase().replace(/[^a-z0-9-]/g, "-")
  const read: Read.Reader<string> = (node, to) => {
    const name = Read.name(node, to)
    const owner = name === undefined ? undefined : used.get(name)
    if (name === undefined || owner === undefined) return name
    return report(to, node, `the name "${name}" is in use by ${owner}`, `for example "${freeName(name, used)}"`)
  }
  return { key: "name", text: "Name of the strategy", fallback: freeName(usual, used), read }
}

/** Few digits: these are prices to start from. */
const priceDigits = 4

/** A question about a price offers one near the present price, if it would be accepted. */
const withPrice = (question: Question, { market, price }: FileInputs): Question => {
  if (question.around === undefined || price === undefined || question.fallback !== undefined) return question
  const near = Decimal.fromNumber(Decimal.toNumber(price) * question.around, priceDigits)
  const fallback = Decimal.format(toTick(market, "BUY", near))
  return Init.mistakeIn(question, fallback) === undefined ? { ...question, fallback } : question
}

/**
 * All answers, the kind first. "<" goes back to the question before, and forgets its answer and those after it; `undefined`
 * when nothing was asked before.
 */
const askAll = Effect.fnUntraced(function* (interview: Interview.Interview, ground: FileInputs, used: NamesInUse) {
  const answers = new Map<string, string>()
  const answer = (key: string): string => answers.get(key) ?? interview.given(key) ?? ""
  while (true) {
    const question = nextQuestion(answers, answer, ground, used)
    if (question === undefined) return answers
    const { earns } = Init.kindOf(answers).setup(ground.market)
    if (question.key === "name" && earns !== undefined) yield* Console.log(earns(answer, ground.fee))
    const said = yield* interview.askOrGoBack(question)
    if (said !== undefined) answers.set(question.key, said)
    else {
      const keys = [...answers.keys()]
      const before = keys.findLastIndex(interview.isPersonal)
      if (before === -1) return undefined
      for (const key of keys.slice(before)) answers.delete(key)
    }
  }
})

const nextQuestion = (
  answers: Answers,
  answer: AnswerOf,
  ground: FileInputs,
  used: NamesInUse
): Question | undefined => {
  if (!answers.has("kind")) return Init.kindQuestion
  const { name, setup } = Init.kindOf(answers)
  for (const step of [...setup(ground.market).steps, () => nameQuestion(ground.market, name, used)]) {
    const question = step(answer)
    if (question !== undefined && !answers.has(question.key)) return withPrice(question, ground)
  }
  return undefined
}

/** Whoever goes back from the first question about the strategy chooses the market again. */
const answersFrom = Effect.fnUntraced(function* <E, R>(
  interview: Interview.Interview,
  file: string,
  asked: Effect.Effect<FileInputs, E, R>
) {
  while (true) {
    const ground = yield* asked
    const { journal, market, price } = ground
    yield* Console.log(
      price === undefined
        ? `The venue gives no price of ${market.name} now.`
        : `${market.name} is at ${Decimal.short(price)} now.`
    )
    if (interview.isPersonal("kind")) for (const line of Init.kindLines) yield* Console.log(line)
    const answers = yield* askAll(interview, ground, yield* namesInUse(file, journal))
    if (answers !== undefined) return { answers, ground }
  }
})

const make = Effect.fnUntraced(function* (
  interview: Interview.Interview,
  file: string,
  config: string,
  profile: ProfileName | undefined
) {
  const { ask, isPersonal, unused } = interview
  const fileSystem = yield* FileSystem.FileSystem
  if ((yield* fileSystem.exists(file)) && (yield* ask(overwriteQuestion(file))) === "no") {
    return yield* isPersonal("overwrite") ? new NothingWritten() : new CodeFiles.FileExists({ file })
  }
  const hasConfig = yield* fileSystem.exists(config)
  const { answers, ground } = yield* answersFrom(
    interview,
    file,
    hasConfig ? configured(interview, config) : unconfigured(interview, config, profile)
  )
  const { market, markets } = ground
  const kind = Init.kindOf(answers)
  const [needless] = unused()
  if (needless !== undefined) {
    const asked = [...answers.keys()].filter((key) => !["kind", "name"].includes(key)).join(", ")
    return yield* new WrongUsage({
      message: `nothing asks for "${needless}", nothing was written; ${kind.name} asks for ${asked}`
    })
  }
  const { line, schema } = yield* schemaFor(file, "strategy")
  const text = Init.strategyText(market, kind, answers, line)
  const parsed = StrategyFile.parse(text, file, markets)
  if (Result.isFailure(parsed)) {
    return yield* new AnswersUnfit({ problems: parsed.failure.map((problem) => render(problem, text)).join("\n") })
  }
  if (!hasConfig) {
    const own = yield* schemaFor(config, "config")
    for (const said of yield* ground.write(own.line)) yield* Console.log(said)
    yield* writeSchema(own.schema, "config")
  }
  const path = yield* Path.Path
  yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
  yield* fileSystem.writeFileString(file, text)
  yield* writeSchema(schema, "strategy")
  const budget = Init.budgetText(market, parsed.success.limits.budget)
  yield* Console.log(`Wrote ${file}: ${answers.get("name")} may use ${budget}.`)
  const named = config === flags.defaultConfig ? "" : ` --config ${config}`
  for (const line of yield* Shielding.advice(config, market, parsed.success.limits.budget)) {
    yield* Console.log(`${line}${named}`)
  }
  yield* Console.log(`Next: limitbot plan ${file}${named}`)
})

const overwriteQuestion = (file: string): Question => ({
  key: "overwrite",
  text: `${file} exists. Replace it? yes or no`,
  fallback: "no",
  read: Read.oneOf("yes", "no")
})

export const command = Command.make(
  "init",
  {
    file: FileName.argument("file").pipe(
      Argument.withDescription("The strategy file to write"),
      Argument.withDefault("strategy.yaml")
    ),
    config: flags.config,
    like: flags.text(
      "like",
      "Start from a strategy of the catalogue, without questions: rsi-oversold, safety-orders, …"
    ),
    profile: Flag.Literals("profile", profileNames).pipe(
      Flag.withDescription("Which deployment of the service the venue is, for a new configuration"),
      Flag.optional
    ),
    venue: flags.text("venue", "Address of the venue, or sandbox: for the configuration, if there is none"),
    keyFile: flags.text("key-file", "The account's key: new, or a file of mode 0600"),
    apiKeyFile: flags.text("api-key-file", "The venue's API key: env, or a file of mode 0600"),
    market: flags.text("market", "Market, as BASE/QUOTE"),
    kind: flags.text("kind", "Kind of strategy; code: one of your own in TypeScript, without questions"),
    name: flags.text("name", "Name of the strategy"),
    set: Flag.KeyValuePair("set").pipe(
      Flag.withDescription("Answer another question: --set lower=50000 --set upper=70000"),
      Flag.optional
    ),
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Ask nothing: take what a question offers where no flag answers it"),
      Flag.withDefault(false)
    ),
    overwrite: flags.toggle("overwrite", "Replace FILE if it exists")
  },
  Effect.fn(function* ({ file, config, like, set, yes, overwrite, ...own }) {
    if (Option.isSome(like)) return yield* writeLike(file, like.value, overwrite)
    if (Option.contains(own.kind, "code"))
      return yield* CodeFiles.write(file, Option.getOrUndefined(own.market), overwrite)
    const given = new Map([
      ...Object.entries(Option.getOrElse(set, () => ({}))),
      ...Object.entries({
        venue: own.venue,
        key: own.keyFile,
        apiKey: own.apiKeyFile,
        market: own.market,
        kind: own.kind,
        name: own.name,
        overwrite: overwrite ? Option.some("yes") : Option.none()
      }).flatMap(([key, value]) => (Option.isSome(value) ? [[key, value.value] as const] : []))
    ])
    const interview = yield* Interview.make(given, yes)
    yield* make(interview, file, config, Option.getOrUndefined(own.profile)).pipe(
      Effect.catchTag("QuitError", () => new NothingWritten())
    )
  })
).pipe(
  Command.withDescription("Ask a few questions and write a strategy file, and a configuration when there is none"),
  Command.withExamples([
    { command: "limitbot init", description: "Asks everything" },
    {
      command: "limitbot init grid.yaml --venue sandbox --market BTC/USDC --kind grid --set size=100 --yes",
      description: "Asks nothing"
    }
  ])
)

/** A copy of a file of the catalogue; its owner changes the market and the budget in it. */
const writeLike = Effect.fnUntraced(function* (file: string, name: string, overwrite: boolean) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* StrategyFiles.catalogued(name)
  if (!overwrite && (yield* fileSystem.exists(file))) return yield* new CodeFiles.FileExists({ file })
  const { line, schema } = yield* schemaFor(file, "strategy")
  yield* fileSystem.writeFileString(file, `${line}${text.slice(text.indexOf("\n") + 1)}`)
  yield* writeSchema(schema, "strategy")
  yield* Console.log(`Wrote ${file}. Change its market, prices and budget to yours.`)
  yield* Console.log(`Next: limitbot check ${file}`)
})
