/** The commands around backtests in this process, from words on the command line to what is printed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer } from "effect"
import { Command } from "effect/cli"
import * as backtest from "../../src/cli/backtest/backtest.ts"
import * as data from "../../src/cli/data/data.ts"
import * as search from "../../src/cli/search/search.ts"
import * as Stop from "../../src/process/Stop.ts"

const root = Command.make("limitbot").pipe(Command.withSubcommands([backtest.command, data.command, search.command]))
const runCommand = Command.runWith(root, { version: "test" })

/** Runs the words, on files as `change` makes them, and returns what went to standard output. */
export const limitbotOn = (
  change: (files: FileSystem.FileSystem) => FileSystem.FileSystem,
  ...words: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const files = change(yield* FileSystem.FileSystem)
    const printed: Array<string> = []
    const console = yield* Console.Console
    const log = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
    yield* runCommand(words).pipe(
      Effect.provideService(Console.Console, { ...console, log }),
      Effect.provideService(FileSystem.FileSystem, files)
    )
    return printed.join("\n")
  }).pipe(Effect.provide(Layer.merge(NodeServices.layer, Layer.succeed(Stop.Stop, Stop.make().service))))

export const limitbot = (...words: ReadonlyArray<string>) => limitbotOn((files) => files, ...words)
