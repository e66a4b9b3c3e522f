/** Defines the result of a command: data for programs, lines for people, cells for spreadsheets. Each form is made on demand. */
import { Console, Effect, Schema } from "effect"
import * as Runtime from "effect/Runtime"
import { type WrongUsage, wrongUsage } from "./WrongUsage.ts"

/** The fault is already printed, as text or as JSON. The program prints nothing more and ends with code 1. */
export class PrintedFailure extends Schema.TaggedError<PrintedFailure>()("PrintedFailure", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

export interface CommandAnswer<E extends Error = Error> {
  readonly data: () => unknown
  readonly lines: () => ReadonlyArray<string>
  readonly csv?: () => string
  readonly exit?: E | undefined
}

interface Form {
  readonly json: boolean
  readonly csv?: boolean
}

export const print = <E extends Error, F, R>(
  found: Effect.Effect<CommandAnswer<E>, F, R>,
  { csv = false, json }: Form
): Effect.Effect<void, E | F | WrongUsage, R> =>
  Effect.gen(function* () {
    if (csv && json) return yield* wrongUsage("--csv and --json exclude each other")
    const answer = yield* found
    const lines = json ? [JSON.stringify(answer.data())] : csv ? [answer.csv?.().trimEnd() ?? ""] : answer.lines()
    if (lines.length > 0) yield* Console.log(lines.join("\n"))
    if (answer.exit !== undefined) return yield* Effect.fail(answer.exit)
  })

export const printAnswerOf =
  <I, E extends Error, F, R>(find: (input: I) => Effect.Effect<CommandAnswer<E>, F, R>) =>
  (input: I & Form) =>
    print(find(input), input)

interface List<Row> {
  readonly json: (rows: ReadonlyArray<Row>) => unknown
  readonly csv: (rows: ReadonlyArray<Row>) => string
  readonly lines: (rows: ReadonlyArray<Row>) => ReadonlyArray<string>
}

export const ofList = <Row>(
  list: List<Row>,
  rows: ReadonlyArray<Row>,
  empty: string
): CommandAnswer & { csv: () => string } => ({
  data: () => list.json(rows),
  csv: () => list.csv(rows),
  lines: () => (rows.length === 0 ? [empty] : list.lines(rows))
})
