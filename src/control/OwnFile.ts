/** A file beside the journal that only its owner can read: type, mode and content come from one open handle. */
import { Effect, FileSystem, Option, Schema } from "effect"

const othersMayAccess = 0o077
const maxBytes = 200_000

/** The message follows the file's name in a sentence. */
export class NotOwn extends Schema.TaggedError<NotOwn>()("NotOwn", { message: Schema.String }) {}

export const readOwnFile = Effect.fn("OwnFile.read")(
  function* (file: string) {
    const fileSystem = yield* FileSystem.FileSystem
    const handle = yield* fileSystem.open(file, { noFollow: true })
    const { type, mode } = yield* handle.stat
    if (type !== "File") return yield* new NotOwn({ message: "is not a plain file" })
    if ((mode & othersMayAccess) !== 0)
      return yield* new NotOwn({ message: "can be read by others (it must have mode 0600)" })
    return Option.some(new TextDecoder().decode(Option.getOrUndefined(yield* handle.readAlloc(maxBytes))))
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", ({ message, reason }) =>
    reason._tag === "NotFound" ? Effect.succeedNone : new NotOwn({ message: `cannot be used: ${message}` })
  )
)
