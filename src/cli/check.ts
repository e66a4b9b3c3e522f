/** `limitbot check FILE…`: every mistake of the strategy files, with its place, before anything runs. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import * as ConfigFile from "./ConfigFile.ts"
import * as flags from "./flags.ts"
import * as StrategyFiles from "./StrategyFiles.ts"

/** Problems were found and have been printed. */
export class ChecksFailed extends Schema.TaggedError<ChecksFailed>()("ChecksFailed", { count: Schema.Int }) {
  override get message(): string {
    return `${this.count} ${this.count === 1 ? "problem" : "problems"} found`
  }
  /** With `--json` the problems are the whole output. */
  override readonly [Runtime.errorReported] = false
}

export const command = Command.make(
  "check",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("Strategy files (YAML)"),
      Argument.variadic({ min: 1 })
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ files, config, json }) {
    const { strategies, problems, rendered } = yield* readAgainst(config, files)
    if (json) {
      const shown = problems.map(({ file, line, column, message, hint }) => ({
        file,
        line,
        column,
        message,
        hint: hint ?? null
      }))
      yield* Console.log(JSON.stringify({ ok: problems.length === 0, problems: shown }))
    } else {
      for (const text of rendered) yield* Console.error(`${text}\n`)
      for (const { file, name, kind, market } of strategies) {
        yield* Console.log(`${file}: ok: ${name}, ${kind} on ${market.name}`)
      }
    }
    if (problems.length > 0) return yield* new ChecksFailed({ count: problems.length })
  })
).pipe(
  Command.withDescription("Check strategy files: every mistake with file, line and column"),
  Command.withExamples([
    { command: "limitbot check strategies/*.yaml --config config/example.yaml", description: "Check all strategies" }
  ])
)

/** A broken configuration is reported like a broken strategy: with its own problems. */
const readAgainst = Effect.fnUntraced(function* (config: string, files: ReadonlyArray<string>) {
  return yield* ConfigFile.loadSettings(config).pipe(
    Effect.flatMap(({ markets }) => StrategyFiles.readAll(files, markets)),
    Effect.catchTag("ConfigInvalid", ({ problems, rendered }) =>
      Effect.succeed<StrategyFiles.ReadFiles>({ strategies: [], problems, rendered: [rendered] })
    )
  )
})
