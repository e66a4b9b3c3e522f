/** Facts about the process and its machine that commands may read. */
import { Context, Effect, FileSystem, Option } from "effect"

export class Process extends Context.Service<
  Process,
  { readonly pid: number; readonly execPath: string; readonly script: string }
>()("limitbot/app/process/Process") {}

/** Linux names each start of the machine. On other systems a restart since the last run is unknown. */
export const boot = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const name = yield* Effect.option(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"))
  return Option.getOrUndefined(Option.map(name, (text) => text.trim()))
})
