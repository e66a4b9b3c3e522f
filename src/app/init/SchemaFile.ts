/** Provides JSON Schemas of the files that people write. `init` names them in new files and prints them with `--schema`. */
import { Effect, FileSystem, Path } from "effect"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"

const schemas = { strategy: StrategyFile.schema, config: ConfigFile.schema } as const
type Described = keyof typeof schemas

export const textOf = (name: Described): string => JSON.stringify(schemas[name](), undefined, 2)

/** Returns the schema that a file's first line names: the repository's, otherwise one beside the file, which `write` makes. */
export const schemaFor = Effect.fnUntraced(function* (file: string, name: Described) {
  const path = yield* Path.Path
  const fileSystem = yield* FileSystem.FileSystem
  const folder = path.dirname(path.resolve(file))
  const repositorySchema = path.resolve("config", "schema", `${name}.schema.json`)
  const schema = (yield* fileSystem.exists(repositorySchema))
    ? repositorySchema
    : path.join(folder, `${name}.schema.json`)
  const write = Effect.gen(function* () {
    if (!(yield* fileSystem.exists(schema))) yield* fileSystem.writeFileString(schema, `${textOf(name)}\n`)
  })
  return { line: `# yaml-language-server: $schema=${path.relative(folder, schema)}\n`, write }
})
