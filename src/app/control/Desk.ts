/**
 * The desk of a running bot: its strategy files, and the answers of `plan`, `explain` and `reconcile`. Those run as
 * separate processes of this same program: they fold whole journals and wait for the venue, and the bot must not wait
 * with them.
 */
import { createHash } from "node:crypto"
import { Effect, FileSystem, Path, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { FileText } from "../../control/api/Files.ts"
import { type Desk, DeskRefused } from "../../control/Bot.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as WholeFile from "../../files/WholeFile.ts"
import type { Markets } from "../../strategy/Markets.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { Process } from "../process/Process.ts"

const patienceMillis = 120_000
const mostOutput = 20_000_000
const curvePoints = 500

export interface DeskOptions {
  readonly configFile: string
  readonly journal: string
  readonly files: ReadonlyArray<string>
  readonly markets: Markets
  readonly running: () => ReadonlyArray<Strategy>
  /** A dry run's journal is not the configuration's, so there is nothing in it to explain or reconcile. */
  readonly isDry: boolean
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const refuse = (error: { readonly message: string }) => new DeskRefused({ message: error.message })

const Json = Schema.fromJsonString(Schema.Json)

export const make = Effect.fn("Desk.make")(function* ({
  configFile,
  journal,
  files,
  markets,
  running,
  isDry
}: DeskOptions) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { execPath, script } = yield* Process

  /** The JSON that one of our own commands prints, whatever its exit code. */
  const ask = Effect.fnUntraced(
    function* (args: ReadonlyArray<string>) {
      const child = yield* spawner.spawn(
        ChildProcess.make(execPath, [script, ...args, "--config", configFile, "--json"])
      )
      const read = (stream: typeof child.stdout) =>
        stream.pipe(
          Stream.decodeText(),
          Stream.runFold(
            () => "",
            (text, part) => (text.length > mostOutput ? text : text + part)
          )
        )
      const [stdout, stderr] = yield* Effect.all([read(child.stdout), read(child.stderr)], { concurrency: 2 })
      yield* child.exitCode
      if (stdout.trim() === "") return yield* new DeskRefused({ message: stderr.replace(/^limitbot: /, "").trim() })
      return yield* Schema.decodeEffect(Json)(stdout.trim())
    },
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: patienceMillis,
      orElse: () => Effect.fail(new DeskRefused({ message: "It takes longer than two minutes; run it in a terminal" }))
    }),
    Effect.catchTags({
      PlatformError: (error) => Effect.fail(refuse(error)),
      SchemaError: () => Effect.fail(new DeskRefused({ message: "The command printed something that is not JSON" }))
    })
  )

  const notDry = (what: string) =>
    isDry ? Effect.fail(new DeskRefused({ message: `A dry run has nothing to ${what}` })) : Effect.void

  const known = (file: string) =>
    files.includes(file)
      ? Effect.void
      : Effect.fail(new DeskRefused({ message: `${file} is not a strategy file of this bot` }))

  /** The files with some texts replaced, as if they were saved. */
  const readWith = Effect.fnUntraced(function* (texts: ReadonlyArray<FileText>) {
    const edited = new Map(texts.map(({ file, text }) => [file, text]))
    const overlaid: FileSystem.FileSystem = {
      ...fileSystem,
      readFileString: (file, encoding) => {
        const text = edited.get(file)
        return text === undefined ? fileSystem.readFileString(file, encoding) : Effect.succeed(text)
      }
    }
    return yield* StrategyFiles.readAll(files, markets).pipe(Effect.provideService(FileSystem.FileSystem, overlaid))
  })

  const check: Desk["check"] = Effect.fnUntraced(function* (texts) {
    yield* Effect.forEach(texts, ({ file }) => known(file), { discard: true })
    return (yield* readWith(texts)).rendered
  })

  const view = Effect.fnUntraced(function* (file: string) {
    const text = yield* fileSystem.readFileString(file).pipe(Effect.orElseSucceed(() => ""))
    const { strategies, rendered } = yield* StrategyFiles.readAll([file], markets).pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem)
    )
    const strategy = running().find((each) => each.file === file)
    return {
      file,
      strategy: strategies[0]?.name ?? strategy?.name ?? null,
      text,
      hash: hashOf(text),
      isRunning: strategy?.hash !== undefined && strategy.hash === strategies[0]?.hash,
      problems: rendered
    }
  })

  const apply: Desk["apply"] = Effect.fnUntraced(function* ({ file, text }, hash) {
    const problems = yield* check([{ file, text }])
    if (problems.length > 0) return yield* new DeskRefused({ message: problems.join("\n") })
    const present = yield* Effect.mapError(fileSystem.readFileString(file), refuse)
    if (hashOf(present) !== hash) {
      return yield* new DeskRefused({ message: `${file} was changed meanwhile: load it again, then edit` })
    }
    yield* WholeFile.write(file, text).pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem),
      Effect.mapError(refuse)
    )
  })

  const plan: Desk["plan"] = Effect.fnUntraced(function* (texts) {
    yield* Effect.forEach(texts, ({ file }) => known(file), { discard: true })
    const folder = yield* Effect.mapError(fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-plan-" }), refuse)
    const edited = new Map(texts.map(({ file, text }) => [file, text]))
    const names = yield* Effect.forEach(files, (file, index) => {
      const text = edited.get(file)
      if (text === undefined) return Effect.succeed(file)
      const copy = path.join(folder, `${index}-${path.basename(file)}`)
      return Effect.as(Effect.mapError(fileSystem.writeFileString(copy, text), refuse), copy)
    })
    return yield* ask(["plan", ...names, "--journal", journal])
  }, Effect.scoped)

  const backtest: Desk["backtest"] = Effect.fnUntraced(function* (file) {
    yield* known(file)
    return yield* ask(["backtest", file, "--data", `journal:${journal}`, "--curve", String(curvePoints)])
  })

  const explain: Desk["explain"] = Effect.fnUntraced(function* (slot, at) {
    yield* notDry("explain")
    // It must not be read as a flag.
    if (slot !== undefined && !/^[A-Za-z0-9]/.test(slot)) {
      return yield* new DeskRefused({ message: `There is no slot ${slot}` })
    }
    const moment = at === undefined ? [] : [`--at=${at}`]
    return yield* ask(["explain", ...moment, ...(slot === undefined ? [] : [slot])])
  })

  const desk: Desk = {
    files: Effect.forEach(files, view),
    check,
    apply,
    plan,
    backtest,
    explain,
    reconcile: Effect.andThen(notDry("reconcile"), ask(["reconcile"]))
  }
  return desk
})
