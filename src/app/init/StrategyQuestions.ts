/** Asks for one strategy: its kind, the questions of that kind, a name that is not in use, and prices near the present one. */
import { Console, Effect, FileSystem, Option, Path } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, toTick } from "../../domain/Market.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as Layers from "../../Layers.ts"
import * as Read from "../../strategy/Fields.ts"
import { report } from "../../strategy/Problem.ts"
import type { AnswerOf, Answers, Question } from "../../strategy/Setup.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import type { FileInputs } from "./FileInputs.ts"
import * as InitText from "./InitText.ts"
import type * as Interview from "./Interview.ts"

type NamesInUse = ReadonlyMap<string, string>

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

const withPrice = (question: Question, { market, price }: FileInputs): Question => {
  if (question.around === undefined || price === undefined || question.fallback !== undefined) return question
  const near = Decimal.fromNumber(Decimal.toNumber(price) * question.around, priceDigits)
  const fallback = Decimal.format(toTick(market, "BUY", near))
  return InitText.mistakeIn(question, fallback) === undefined ? { ...question, fallback } : question
}

/** "<" returns to the previous question and forgets later answers. Returns `undefined` if there is no previous question. */
const askAll = Effect.fnUntraced(function* (interview: Interview.Interview, ground: FileInputs, used: NamesInUse) {
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

const nextQuestion = (
  answers: Answers,
  answer: AnswerOf,
  ground: FileInputs,
  used: NamesInUse
): Question | undefined => {
  if (!answers.has("kind")) return InitText.kindQuestion
  const { name, setup } = InitText.kindOf(answers)
  for (const step of [...setup(ground.market).steps, () => nameQuestion(ground.market, name, used)]) {
    const question = step(answer)
    if (question !== undefined && !answers.has(question.key)) return withPrice(question, ground)
  }
  return undefined
}

export const answersFrom = Effect.fnUntraced(function* <E, R>(
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
    if (interview.isPersonal("kind")) for (const line of InitText.kindLines) yield* Console.log(line)
    const answers = yield* askAll(interview, ground, yield* namesInUse(file, journal))
    if (answers !== undefined) return { answers, ground }
  }
})
