/**
 * A search whose trials a program suggests (`search --suggest COMMAND`), such as a Bayesian optimiser in another language. Both speak JSON,
 * one object per line: we send the space, ask for trials and send their scores; the program answers each request with as many suggestions.
 * It may only suggest values of the space, so each trial can be run again. A repeated suggestion gets its known score at once.
 */
import { type Cause, Effect, Queue, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { commandFailed } from "../../app/CommandFailed.ts"
import * as Objective from "../backtest/search/Objective.ts"
import * as Sweep from "../backtest/search/Sweep.ts"
import * as SweepSpace from "../backtest/search/SweepSpace.ts"
import type { TrialResult } from "../backtest/search/TrialResult.ts"

const suggestFailed = (why: string) => commandFailed(`--suggest: ${why}`)

export interface SuggestPlan extends Sweep.SweepPlan {
  readonly space: ReadonlyArray<SweepSpace.Dimension>
  readonly objective: Objective.Objective
  readonly conditions: ReadonlyArray<Objective.Condition>
  readonly command: string
  /** Total number of trials, known ones included. */
  readonly count: number
  readonly seed: number
  readonly threads: number
}

const patienceMillis = 120_000
const leaveMillis = 5_000
const maxLineLength = 100_000

const Suggestion = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.Union([Schema.String, Schema.Finite]),
    values: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))
  })
)
const decode = Schema.decodeUnknownEffect(Suggestion)

const quoteLine = (line: string): string => JSON.stringify(line.length > 80 ? `${line.slice(0, 79)}…` : line)

const scoreOf = ({ objective, conditions }: SuggestPlan, result: TrialResult): number | null =>
  Objective.ranked([result], objective, conditions).length === 0 ? null : Objective.score(objective, result)

const trialOf = ({ space }: SuggestPlan, values: Readonly<Record<string, string | number>>) =>
  Effect.gen(function* () {
    const texts = space.map(({ path }) => `${values[path] ?? ""}`)
    for (const [index, { path, values: known }] of space.entries()) {
      const value = texts[index] ?? ""
      if (known.includes(value)) continue
      const why = value === "" ? `it suggests no value of ${path}` : `it suggests ${path} = ${value}`
      return yield* suggestFailed(
        `${why}; it must be one of ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : ""}`
      )
    }
    return SweepSpace.numberOf(space, texts)
  })

const started = Effect.fnUntraced(function* ({ command }: SuggestPlan) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const outgoing = yield* Queue.unbounded<string, Cause.Done>()
  const stdin = Stream.fromQueue(outgoing).pipe(
    Stream.map((line) => `${line}\n`),
    Stream.encodeText
  )
  const failed = ({ message }: { readonly message: string }) => suggestFailed(`${command}: ${message}`)
  const options = { shell: true, stdin, stderr: "inherit" } as const
  const child = yield* Effect.mapError(spawner.spawn(ChildProcess.make(command, options)), failed)
  const incoming = yield* Queue.unbounded<string | undefined>()
  const listening = child.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => Queue.offer(incoming, line)),
    Effect.ignore,
    Effect.andThen(Queue.offer(incoming, undefined))
  )
  yield* Effect.forkScoped(listening)
  const hear = Queue.take(incoming).pipe(
    Effect.timeoutOrElse({
      duration: patienceMillis,
      orElse: () => Effect.fail(suggestFailed(`${command} has not answered for two minutes`))
    }),
    Effect.flatMap((line) =>
      line === undefined
        ? Effect.fail(suggestFailed(`${command} ended before it had made all requested suggestions`))
        : Effect.succeed(line)
    )
  )
  const end = Queue.end(outgoing).pipe(Effect.andThen(child.exitCode), Effect.timeoutOption(leaveMillis), Effect.ignore)
  return { say: (message: object) => Queue.offer(outgoing, JSON.stringify(message)), hear, end } as const
})

export const run = Effect.fn("Suggest.run")(function* (
  plan: SuggestPlan,
  known: ReadonlyArray<TrialResult>,
  onResult: (result: TrialResult) => void
) {
  const { space, objective, count, seed, threads } = plan
  const { say, hear, end } = yield* started(plan)
  const results = new Map(known.map((result) => [result.trial, result]))
  yield* say({ space, objective, direction: "maximize", trials: count, seed })
  for (const result of known) {
    const score = scoreOf(plan, result)
    if (score !== null) yield* say({ known: { values: SweepSpace.settingsOf(space, result.values), score } })
  }
  for (let trialCount = known.length; trialCount < count; ) {
    const batch = Math.min(threads, count - trialCount)
    yield* say({ ask: batch })
    const suggested = yield* Effect.forEach(Array.from({ length: batch }), () =>
      Effect.gen(function* () {
        const line = yield* hear
        const wrong = () => suggestFailed(`${quoteLine(line)} is not a suggestion such as {"id": 1, "values": {…}}`)
        if (line.length > maxLineLength) return yield* wrong()
        const { id, values } = yield* Effect.mapError(decode(line), wrong)
        return { id, trial: yield* trialOf(plan, values) }
      })
    )
    const trials = [...new Set(suggested.map(({ trial }) => trial))].filter((trial) => !results.has(trial))
    yield* Sweep.run({ ...plan, trials }, (result) => {
      results.set(result.trial, result)
      onResult(result)
    })
    for (const { id, trial } of suggested) {
      const result = results.get(trial)
      if (result !== undefined) yield* say({ tell: id, score: scoreOf(plan, result) })
    }
    trialCount += batch
  }
  yield* end
  return [...results.values()].toSorted((a, b) => a.trial - b.trial)
}, Effect.scoped)
