/** The commands around backtests in this process, from words on the command line to what is printed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import * as backtest from "../../src/cli/backtest/backtest.ts"
import * as data from "../../src/cli/data/data.ts"
import * as search from "../../src/cli/search/search.ts"
import { Process } from "../../src/process/Process.ts"
import * as Stop from "../../src/process/Stop.ts"
import { Terminal } from "../../src/process/Terminal.ts"

const root = Command.make("limitbot").pipe(Command.withSubcommands([backtest.command, data.command, search.command]))
const runCommand = Command.runWith(root, { version: "test" })

const services = Layer.mergeAll(
  NodeServices.layer,
  Layer.sync(Stop.Stop, () => Stop.make().service),
  Layer.succeed(Process, { pid: process.pid, execPath: process.execPath, script: "" }),
  Terminal.layer({ write: () => true }, undefined)
)

type ChangeFiles = (files: FileSystem.FileSystem) => FileSystem.FileSystem

const outputOf = (words: ReadonlyArray<string>, change: ChangeFiles, typed = "") =>
  Effect.gen(function* () {
    const files = change(yield* FileSystem.FileSystem)
    const printed: Array<string> = []
    const console = yield* Console.Console
    const log = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
    const stdin = Stream.make(new TextEncoder().encode(typed))
    yield* runCommand(words).pipe(
      Effect.provideService(Console.Console, { ...console, log }),
      Effect.provideService(FileSystem.FileSystem, files),
      Effect.provideService(Stdio.Stdio, { ...(yield* Stdio.Stdio), stdin })
    )
    return printed.join("\n")
  }).pipe(Effect.provide(services))

const asTheyAre: ChangeFiles = (files) => files

/** Runs the words, on files as `change` makes them, and returns what went to standard output. */
export const limitbotOn = (change: ChangeFiles, ...words: ReadonlyArray<string>) => outputOf(words, change)

/** The same, with this text on standard input. */
export const limitbotReading = (typed: string, ...words: ReadonlyArray<string>) => outputOf(words, asTheyAre, typed)

export const limitbot = (...words: ReadonlyArray<string>) => outputOf(words, asTheyAre)
