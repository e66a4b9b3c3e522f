/**
 * Where the code of a strategy file lies: beside it, or in a package that is installed beside it or further up, as Node looks for it.
 * What a package has is the one file that whoever imports the package gets.
 */
import { dirname, join, relative, resolve } from "node:path"
import { Effect, FileSystem, Option, Schema } from "effect"
import { packageName } from "../strategy/own/OwnKind.ts"

const Entry = Schema.Union([Schema.String, Schema.Struct({ default: Schema.String })])
const Manifest = Schema.fromJsonString(
  Schema.Struct({
    main: Schema.optionalKey(Schema.String),
    exports: Schema.optionalKey(Schema.Union([Entry, Schema.Struct({ ".": Entry })]))
  })
)
const decodeManifest = Schema.decodeUnknownOption(Manifest)

const entryOf = ({ exports, main = "index.js" }: typeof Manifest.Type): string => {
  const entry = exports !== undefined && typeof exports !== "string" && "." in exports ? exports["."] : exports
  return entry === undefined ? main : typeof entry === "string" ? entry : entry.default
}

const packageFolders = (from: string): ReadonlyArray<string> => {
  const above = dirname(from)
  return [join(from, "node_modules"), ...(above === from ? [] : packageFolders(above))]
}

/** `none` if nothing readable is found. */
export const textOf = Effect.fn("CodeFile.textOf")(function* (strategyFile: string, wanted: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const readText = (file: string) => Effect.option(fileSystem.readFileString(file))
  const folder = resolve(dirname(strategyFile))
  const name = packageName(wanted)
  if (name === undefined) return yield* readText(resolve(folder, wanted))
  for (const each of packageFolders(folder)) {
    const manifest = Option.flatMap(yield* readText(join(each, name, "package.json")), decodeManifest)
    if (Option.isNone(manifest)) continue
    const file = resolve(each, name, entryOf(manifest.value))
    return relative(join(each, name), file).startsWith("..") ? Option.none() : yield* readText(file)
  }
  return Option.none()
})
