/**
 * Opens only plain files. Opening a named pipe would wait for its other end in a thread that nothing can interrupt, and a device may never
 * end; meanwhile the program would handle no signal. Folders are made one by one.
 */
import { Effect, FileSystem, Layer, Path, PlatformError, Predicate } from "effect"

const module = "PlainFiles"

const kinds: Readonly<Record<FileSystem.File.Type, string>> = {
  File: "plain file",
  Directory: "folder",
  SymbolicLink: "symbolic link",
  BlockDevice: "device",
  CharacterDevice: "device",
  FIFO: "named pipe",
  Socket: "socket",
  Unknown: "special file"
}

export const layer = Layer.effect(
  FileSystem.FileSystem,
  Effect.gen(function* () {
    const [files, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
    const refuseOthers = Effect.fnUntraced(function* (method: string, path: string) {
      const fileInfo = yield* Effect.option(files.stat(path))
      if (fileInfo._tag === "None" || fileInfo.value.type === "File") return
      const description = `it is a ${kinds[fileInfo.value.type]}, not a plain file`
      return yield* PlatformError.systemError({
        _tag: "BadResource",
        module,
        method,
        description,
        pathOrDescriptor: path
      })
    })
    /** Node's recursive mkdir retries without end in a folder that accepts none, such as /proc. */
    const makeDirectory: FileSystem.FileSystem["makeDirectory"] = (folder, { recursive = false, ...options } = {}) => {
      if (!recursive) return files.makeDirectory(folder, options)
      const above = path.dirname(folder)
      return Effect.gen(function* () {
        if (yield* files.exists(folder)) return
        if (above !== folder) yield* makeDirectory(above, { ...options, recursive })
        yield* files.makeDirectory(folder, options).pipe(
          Effect.catchIf(
            ({ reason }) => reason._tag === "AlreadyExists",
            () => Effect.void
          )
        )
      })
    }
    return FileSystem.make({
      ...files,
      makeDirectory,
      open: (path, options) => Effect.andThen(refuseOthers("open", path), files.open(path, options)),
      readFile: (path) => Effect.andThen(refuseOthers("readFile", path), files.readFile(path))
    })
  })
)

const phrases: Partial<Record<PlatformError.SystemErrorTag, string>> = {
  AlreadyExists: "it exists already",
  BadResource: "it is a folder where a file is needed, or a file where a folder is",
  NotFound: "no such file or folder",
  PermissionDenied: "no permission"
}

/** Returns the fault of a file as a phrase that follows its name and a colon; `undefined` for other failures. */
export const phraseOf = ({ reason }: PlatformError.PlatformError): string | undefined => {
  if (reason._tag === "BadArgument") return undefined
  if (Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "ELOOP") return "it is a symbolic link"
  return reason.module === module ? reason.description : phrases[reason._tag]
}
