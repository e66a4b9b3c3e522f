/**
 * The command log of a sandbox: one line with the settings and the start, then one line per accepted command. A line is on disk before its
 * answer is given, so a killed sandbox forgets no answered command. A line that was cut off by the kill has no line end and is dropped.
 */
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import { present } from "../domain/Present.ts"
import { LoggedCommand, type TimedCommand } from "./core/Commands.ts"
import type { SandboxSettings } from "./Settings.ts"

class StateFileError extends Schema.TaggedError<StateFileError>()("StateFileError", {
  file: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  problem: Schema.String
}) {
  override get message(): string {
    return `State file ${this.file}${this.line === undefined ? "" : `:${this.line}`}: ${this.problem}`
  }
}

export interface StateFile {
  readonly startedAt: number
  readonly commands: ReadonlyArray<TimedCommand>
  /** The command is on disk on return. */
  append(command: TimedCommand): Effect.Effect<void, StateFileError>
}

export const none: Effect.Effect<StateFile> = Effect.map(Clock.currentTimeMillis, (startedAt) => ({
  startedAt,
  commands: [],
  append: () => Effect.void
}))

const Header = Schema.Struct({
  limitbotSandbox: Schema.Literals([1]),
  startedAt: Schema.Int,
  settings: Schema.Record(Schema.String, Schema.Unknown)
})
const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(Header))
const decodeCommand = Schema.decodeUnknownOption(Schema.fromJsonString(LoggedCommand))

export const open = Effect.fn("StateFile.open")(function* (path: string, settings: SandboxSettings) {
  const fileSystem = yield* FileSystem.FileSystem
  const now = yield* Clock.currentTimeMillis
  const failed = (problem: string, line?: number) => new StateFileError({ file: path, problem, ...present({ line }) })
  const fromPlatform = Effect.mapError((error: { readonly message: string }) => failed(error.message))

  const isPresent = yield* fileSystem.exists(path).pipe(fromPlatform)
  const stored = isPresent ? yield* fileSystem.readFile(path).pipe(fromPlatform) : new Uint8Array()
  const whole = stored.subarray(0, stored.lastIndexOf(10) + 1)
  const file = yield* fileSystem.open(path, { flag: "a", mode: 0o600 }).pipe(fromPlatform)
  if (whole.length < stored.length) yield* fileSystem.truncate(path, whole.length).pipe(fromPlatform)

  const append = (line: unknown) =>
    file.writeAll(new TextEncoder().encode(`${JSON.stringify(line)}\n`)).pipe(Effect.andThen(file.sync), fromPlatform)

  const [first, ...lines] = new TextDecoder().decode(whole).split("\n").slice(0, -1)
  if (first === undefined) {
    yield* append({ limitbotSandbox: 1, startedAt: now, settings })
    return { startedAt: now, commands: [], append } satisfies StateFile
  }
  const header = Option.getOrUndefined(decodeHeader(first))
  if (header === undefined) return yield* failed("is not the state of a sandbox", 1)
  const changed = changedSetting(header.settings, settings)
  if (changed !== undefined) {
    return yield* failed(`was written with other settings (${changed}); start with the same ones or with another file`)
  }
  const commands: Array<TimedCommand> = []
  for (const [index, line] of lines.entries()) {
    const command = Option.getOrUndefined(decodeCommand(line))
    if (command === undefined) return yield* failed("is damaged: not a command", index + 2)
    commands.push(command)
  }
  return { startedAt: header.startedAt, commands, append } satisfies StateFile
})

const changedSetting = (written: Readonly<Record<string, unknown>>, settings: SandboxSettings): string | undefined => {
  const present: Record<string, unknown> = { ...settings }
  const key = [...new Set([...Object.keys(written), ...Object.keys(present)])].find(
    (name) => JSON.stringify(written[name]) !== JSON.stringify(present[name])
  )
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 60) ?? "nothing"
  return key === undefined ? undefined : `${key}: then ${show(written[key])}, now ${show(present[key])}`
}
