/** Takes answers from flags, fallbacks or the terminal. All prompts share one input, so piped answers reach the right question. */
import { Console, Effect, Result, Scope, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { ask as askAtTerminal } from "../../process/Terminal.ts"
import type { Question } from "../../strategy/Setup.ts"
import { commandFailed } from "../CommandFailed.ts"
import { back, mistakeIn } from "./InitText.ts"

const ownFlags: ReadonlyMap<string, string> = new Map([
  ["venue", "--venue"],
  ["market", "--market"],
  ["kind", "--kind"],
  ["name", "--name"],
  ["key", "--key-file"],
  ["apiKey", "--api-key-file"],
  ["overwrite", "--overwrite"]
])

const flagOf = (key: string): string => ownFlags.get(key) ?? `--set ${key}=…`

const noAnswer = (key: string, problem: string) => commandFailed(`nothing was written, ${flagOf(key)}: ${problem}`)

export const make = Effect.fn("Interview.make")(function* (
  given: ReadonlyMap<string, string>,
  takesFallbacks: boolean
) {
  const scope = yield* Effect.scope
  const terminal = yield* Terminal.Terminal
  const readInput = yield* Effect.cached(Scope.provide(terminal.readInput, scope))
  const shared = Terminal.make({ ...terminal, readInput })
  const usedKeys = new Set<string>()

  const answerTo = Effect.fnUntraced(function* (question: Question, mayGoBack: boolean) {
    const { fallback, key, text } = question
    usedKeys.add(key)
    const presetAnswer = given.get(key) ?? (takesFallbacks ? fallback : undefined)
    if (presetAnswer !== undefined) {
      const problem = mistakeIn(question, presetAnswer)
      return problem === undefined ? presetAnswer : yield* noAnswer(key, problem)
    }
    if (takesFallbacks) return yield* noAnswer(key, `is needed: ${text}`)
    return yield* askAtTerminal(promptFor(question, mayGoBack)).pipe(Effect.provideService(Terminal.Terminal, shared))
  })
  const ask = (question: Question) => answerTo(question, false)
  const isPersonal = (key: string) => !(takesFallbacks || given.has(key))
  const settle = Effect.fnUntraced(function* <A, R>(
    question: Question,
    use: (answer: string) => Effect.Effect<A, { readonly message: string }, R>
  ) {
    while (true) {
      const used = yield* Effect.result(use(yield* ask(question)))
      if (Result.isSuccess(used)) return used.success
      const problem = used.failure.message
      if (!isPersonal(question.key)) return yield* noAnswer(question.key, problem)
      yield* Console.log(problem)
    }
  })
  return {
    ask,
    askOrGoBack: (question: Question) =>
      Effect.map(answerTo(question, true), (answer) => (answer === back ? undefined : answer)),
    given: (key: string) => given.get(key),
    /** Passes the answer to `use`. If `use` fails, the user reads why and answers again; a flag cannot. */
    settle,
    isPersonal,
    unused: () => [...given.keys()].filter((key) => !usedKeys.has(key)),
    /** Marks these keys as not needed. Returns the flags that give them anyway. */
    spare: (...keys: ReadonlyArray<string>) => {
      for (const key of keys) usedKeys.add(key)
      return keys.filter((key) => given.has(key)).map(flagOf)
    }
  }
})
export type Interview = Effect.Success<ReturnType<typeof make>>

const promptFor = (question: Question, mayGoBack: boolean): Prompt.Prompt<string> => {
  const { fallback, text } = question
  const answerOf = (answer: string) => (answer.trim() === "" ? (fallback ?? "") : answer.trim())
  return Prompt.String({
    message: fallback === undefined ? text : `${text} [${fallback}]`,
    validate: (answer) => {
      if (mayGoBack && answer.trim() === back) return Effect.succeed(answer)
      const mistake = mistakeIn(question, answerOf(answer))
      return mistake === undefined ? Effect.succeed(answer) : Effect.fail(mistake)
    }
  }).pipe(Prompt.map(answerOf))
}
