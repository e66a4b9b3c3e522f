/** Provides facts about the process and its machine. */
import { Context, Effect, FileSystem, Option } from "effect"

export class Process extends Context.Service<
  Process,
  { readonly pid: number; readonly execPath: string; readonly script: string }
>()("limitbot/app/process/Process") {}

/** Returns the name that Linux gives to each start of the machine. Other systems have none: a restart is unknown there. */
export const boot = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const name = yield* Effect.option(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"))
  return Option.getOrUndefined(Option.map(name, (text) => text.trim()))
})
