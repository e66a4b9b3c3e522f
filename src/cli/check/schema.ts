/** `limitbot schema strategy|config`: the shape of a file as JSON Schema, with which editors complete and check it. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { help } from "../help.ts"

export const schemas = { strategy: StrategyFile.schema, config: ConfigFile.schema } as const

export const command = Command.make(
  "schema",
  {
    file: Argument.Literals("file", ["strategy", "config"]).pipe(
      Argument.withDescription("Which file: strategy or config")
    )
  },
  Effect.fn(function* ({ file }) {
    yield* Console.log(JSON.stringify(schemas[file](), undefined, 2))
  })
).pipe(
  help("Print the JSON Schema of a file, for editors", {
    "limitbot schema strategy > strategy.schema.json": "Then name it in the first line of a file"
  })
)
