/**
 * Loads the strategy files of a start. An unusable file, or one that the last run rejected as an edit, does not stop a bot that ran its
 * strategies before: the bot continues with the text that ran last, from the journal. `StrategyWatch` reports the fault and loads the file
 * when it is fixed. A faulty file that never ran fails the start; under the kill switch it is skipped, because nothing is placed and
 * cancelling needs no file. A file removed while the bot ran is skipped if others remain.
 */
import { Effect, FileSystem, Result, Stream } from "effect"
import type { BotEvent } from "../../../domain/BotEvent.ts"
import * as StrategyFiles from "../../../files/StrategyFiles.ts"
import { Journal } from "../../../journal/Journal.ts"
import * as Layers from "../../../Layers.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import * as StrategyFile from "../../../strategy/StrategyFile.ts"

const eventsOfRuns = Effect.gen(function* () {
  const journal = yield* Journal
  const tags = ["BotStarted", "StrategyLoaded", "StrategyRemoved", "StrategiesRefused", "EditMended"] as const
  return (yield* Stream.runCollect(journal.events({ tags }))).map(({ event }) => event)
})

const lastRunIn = (events: ReadonlyArray<BotEvent>) => {
  const loaded = new Map<string, { readonly file: string; readonly text: string }>()
  const removed = new Set<string>()
  let isRejected = false
  for (const event of events) {
    if (event._tag === "StrategyLoaded") {
      const { file, strategy, text = loaded.get(strategy)?.text ?? "" } = event
      loaded.set(strategy, { file, text })
      removed.delete(file)
    }
    const removedStrategy = event._tag === "StrategyRemoved" ? loaded.get(event.strategy) : undefined
    if (removedStrategy !== undefined) removed.add(removedStrategy.file)
    if (event._tag === "StrategiesRefused") isRejected = true
    if (event._tag === "EditMended" || event._tag === "BotStarted") isRejected = false
  }
  return { ran: new Map([...loaded.values()].map(({ file, text }) => [file, text])), removed, isRejected }
}

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly markets: Markets
  readonly journal: string
  readonly goesOn: boolean
  readonly isKilled: boolean
}

export const load = Effect.fn("StartFiles.load")(function* ({ files: all, goesOn, isKilled, journal, markets }: Asked) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = (path: string) => Effect.orElseSucceed(fileSystem.exists(path), () => false)
  // On a full disk the journal may be unreadable here. The bot reads it when it opens it for writing, or names the fault.
  const earlierEvents = Effect.orElseSucceed(Effect.provide(eventsOfRuns, Layers.readOnlyJournal(journal)), () => [])
  const last = lastRunIn((yield* exists(journal)) ? yield* earlierEvents : [])
  const missing = yield* Effect.filter(all, (file) => Effect.map(exists(file), (isThere) => !isThere))
  const omittedFiles = missing.length === all.length ? [] : missing.filter((file) => last.removed.has(file))
  const files = all.filter((file) => !omittedFiles.includes(file))
  const notes = omittedFiles.map((file) => `${file}: was removed while the bot ran; it is skipped`)
  const strategyFiles = yield* StrategyFiles.readAll(files, markets)
  const isUsable = strategyFiles.problems.length === 0
  if (isUsable && !last.isRejected) return { strategies: strategyFiles.strategies, files, notes }

  const before = files.flatMap((file) => {
    const text = goesOn ? last.ran.get(file) : undefined
    const parsed = text === undefined ? undefined : StrategyFile.parse(text, file, markets)
    return parsed !== undefined && Result.isSuccess(parsed) ? [parsed.success] : []
  })
  const ranAll = before.length === files.length
  if (isUsable && (!ranAll || sameTexts(before, strategyFiles.strategies)))
    return { strategies: strategyFiles.strategies, files, notes }
  if (!ranAll && !isKilled) return yield* new StrategyFiles.StrategiesInvalid({ rendered: strategyFiles.rendered })
  const goingOn = "the edited files are invalid or were rejected: the last ones keep running"
  return { strategies: before, files, notes: [...notes, ...strategyFiles.rendered, goingOn] }
})

const sameTexts = (some: ReadonlyArray<Strategy>, others: ReadonlyArray<Strategy>): boolean =>
  some.every(({ file, hash }) => others.some((other) => other.file === file && other.hash === hash))
