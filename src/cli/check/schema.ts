/** `limitbot schema strategy|config`: the shape of a file as JSON Schema, with which editors complete and check it. */
import { Console } from "effect"
import { Argument, Command } from "effect/cli"
import * as SchemaFile from "../../app/init/SchemaFile.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "schema",
  {
    file: Argument.Literals("file", ["strategy", "config"]).pipe(
      Argument.withDescription("Which file: strategy or config")
    )
  },
  ({ file }) => Console.log(SchemaFile.textOf(file))
).pipe(
  help("Print the JSON Schema of a file, for editors", {
    "limitbot schema strategy > strategy.schema.json": "Then name it in the first line of a file"
  })
)
