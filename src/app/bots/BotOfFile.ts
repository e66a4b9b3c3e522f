/** The bot of a configuration: a command reads its files, and reaches its process if it runs. */
import { Effect, type FileSystem, Layer, type Path } from "effect"
import { callOf } from "../../control/api/OperatorCalls.ts"
import { age } from "../../domain/Words.ts"
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

const make = (file: string) =>
  Effect.map(Effect.context<FileSystem.FileSystem | Path.Path | Process>(), (context) => {
    const here = Effect.provideContext(context)
    /** Loads the module of a command only when it is called. */
    const by = <M, A, E, R>(module: () => Promise<M>, call: (loaded: M) => Effect.Effect<A, E, R>) =>
      here(Effect.flatMap(Effect.promise(module), call))
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
      resolve: (...asked) =>
        by(
          () => import("../journal/Resolving.ts"),
          ({ carry }) => carry(...asked)
        ),
      verified: (heads) =>
        by(
          () => import("../journal/JournalFile.ts"),
          ({ verifiedFile }) => verifiedFile(file, heads)
        ),
      compared: (isAccepted) =>
        by(
          () => import("../reconcile/ReconcileAsked.ts"),
          ({ compareHere }) => compareHere(file, isAccepted)
        ),
      actors: (state) =>
        by(
          () => import("../containment/Looking.ts"),
          ({ aroundFile }) => aroundFile(file, state)
        ).pipe(Effect.map(({ commanding, orders }) => ({ commanding, orders: here(orders) })))
    })
  })

export const layer = (file: string) => Layer.effect(ChosenBot, make(file))
