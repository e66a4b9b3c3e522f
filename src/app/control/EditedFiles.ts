/** Edits the strategy files of a running bot: only files that it runs, and never over a change made meanwhile. */
import { createHash } from "node:crypto"
import { Effect, FileSystem } from "effect"
import { refuse } from "../../control/api/ControlApi.ts"
import type { FileText } from "../../control/api/Files.ts"
import type { BotServices } from "../../control/Bot.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"

export interface EditedOptions {
  readonly config: Pick<BotConfig, "markets">
  readonly files: () => ReadonlyArray<string>
  readonly running: () => ReadonlyArray<Strategy>
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

export const make = Effect.fn("EditedFiles.make")(function* ({ config: { markets }, files, running }: EditedOptions) {
  const fileSystem = yield* FileSystem.FileSystem
  const withFiles = Effect.provideService(FileSystem.FileSystem, fileSystem)

  const requireListed = (file: string) =>
    files().includes(file) ? Effect.void : Effect.fail(refuse(`${file} is not a strategy file of this bot`))

  /** Refuses new code: it would run in the bot's process, and a token only allows its holder to change keys. */
  const bringsNoCode = Effect.fnUntraced(function* ({ file, text }: FileText) {
    const { isHere, path } = StrategyFile.codeIn(text)
    if (!isHere && path === undefined) return
    const present = yield* fileSystem.readFileString(file).pipe(Effect.orElseSucceed(() => ""))
    if (isHere || path !== StrategyFile.codeIn(present).path)
      return yield* refuse(`${file}: code can only be changed on the bot's machine`)
  })

  const mayRun = (edited: FileText) => Effect.andThen(requireListed(edited.file), bringsNoCode(edited))

  /** Returns the mistakes that texts have or bring into other files, and all strategies; one with a mistake as it runs. */
  const readWith = Effect.fnUntraced(function* (texts: ReadonlyArray<FileText>) {
    yield* Effect.forEach(texts, mayRun, { discard: true })
    const readAll = StrategyFiles.readAll(files(), markets)
    const { rendered, strategies } = yield* StrategyFiles.laidOver(texts)(readAll)
    const isReadable = ({ file }: FileText) => strategies.some((each) => each.file === file)
    const areReadable = texts.length > 0 && texts.every(isReadable)
    const before = areReadable && rendered.length > 0 ? (yield* readAll).rendered : []
    const mistakes = rendered.filter((text) => !before.includes(text))
    const versionOf = (file: string) => [...strategies, ...running()].find((each) => each.file === file) ?? []
    return { mistakes, strategies: files().flatMap(versionOf) }
  }, withFiles)

  const check: BotServices["check"] = (texts) => Effect.map(readWith(texts), ({ mistakes }) => mistakes)

  const sound = Effect.fnUntraced(function* (texts: ReadonlyArray<FileText>) {
    const { mistakes, strategies } = yield* readWith(texts)
    return mistakes.length > 0 ? yield* refuse(mistakes.join("\n")) : strategies
  })

  const view = Effect.fnUntraced(function* (file: string) {
    const text = yield* fileSystem.readFileString(file).pipe(Effect.orElseSucceed(() => ""))
    const { strategies, rendered } = yield* withFiles(StrategyFiles.readAll([file], markets))
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

  const apply: BotServices["apply"] = Effect.fnUntraced(function* ({ file, text }, hash) {
    yield* sound([{ file, text }])
    const present = yield* Effect.mapError(fileSystem.readFileString(file), refuse)
    if (hashOf(present) !== hash) return yield* refuse(`${file} has changed since: load it again, then edit`)
    // A link stays a link.
    yield* Effect.flatMap(fileSystem.realPath(file), (real) => WholeFile.writeAtomically(real, text)).pipe(
      withFiles,
      Effect.mapError(refuse)
    )
  })

  return {
    all: Effect.suspend(() => Effect.forEach(files(), view)),
    apply,
    check,
    known: requireListed,
    mayRun,
    sound
  } as const
})
