/** The bot of a configuration: a command reads its files, and reaches its process if it runs. */
import { Effect, type FileSystem, Layer, type Path } from "effect"
import { callOf } from "../../control/api/ControlApi.ts"
import { age } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as KillFile from "../../process/KillFile.ts"
import type { Process } from "../../process/Process.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"
import { readingOf } from "../journal/JournalView.ts"

const standing = Effect.fnUntraced(function* (journal: string, now: number) {
  const holder = yield* Lease.holder(journal)
  const running = holder && `running as process ${holder.pid} for ${age(now - holder.since)}`
  return { running, pid: holder?.pid, killSwitch: yield* Effect.flatten(KillFile.watch(journal)) }
})

/** The module of a command is loaded only when it is called. */
const resolving = Effect.promise(() => import("../journal/Resolving.ts"))
const journalFile = Effect.promise(() => import("../journal/JournalFile.ts"))
const reconciling = Effect.promise(() => import("../reconcile/ReconcileAsked.ts"))
const looking = Effect.promise(() => import("../containment/Looking.ts"))

const make = (file: string) =>
  Effect.map(Effect.context<FileSystem.FileSystem | Path.Path | Process>(), (context) => {
    const here = Effect.provideContext(context)
    return ChosenBot.of({
      flag: `--config ${file}`,
      settings: here(ConfigFile.loadSettings(file)),
      reading: ({ journal }) => Layer.provide(readingOf(journal), Layer.succeedContext(context)),
      file: () => Effect.succeed(file),
      standing: (journal, now) => here(standing(journal, now)),
      command: Effect.fnUntraced(function* (name, target, why) {
        const { journal } = yield* ConfigFile.loadSettings(file)
        return (yield* RunningBot.ask(journal, callOf(name, target, why))).message
      }, here),
      resolve: (...asked) => here(Effect.flatMap(resolving, ({ carry }) => carry(...asked))),
      verified: (heads) => here(Effect.flatMap(journalFile, ({ verifiedFile }) => verifiedFile(file, heads))),
      compared: (isAccepted) => here(Effect.flatMap(reconciling, ({ compareHere }) => compareHere(file, isAccepted))),
      actors: Effect.fnUntraced(function* (state) {
        const { commanding, orders } = yield* (yield* looking).aroundFile(file, state)
        return { commanding, orders: here(orders) }
      }, here)
    })
  })

export const layer = (file: string) => Layer.effect(ChosenBot, make(file))
