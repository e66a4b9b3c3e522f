/** What commands may know about their process, and about the machine that it runs on. */
import { Context, Effect, FileSystem, Option } from "effect"

export class Process extends Context.Service<
  Process,
  {
    readonly pid: number
    /** Node, and the program that it was started with. */
    readonly execPath: string
    readonly script: string
  }
>()("limitbot/app/process/Process") {}

/** Linux names each start of the machine. Elsewhere nobody knows whether it went down since the last run. */
export const boot = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const name = yield* Effect.option(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"))
  return Option.getOrUndefined(Option.map(name, (text) => text.trim()))
})
