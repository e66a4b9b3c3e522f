/**
 * Names of files on the command line. Shells complete them as files. They stay as they were written, because messages,
 * reasons and the journal name files in the user's own words; the library's own path parameters make them absolute.
 */
import { Effect } from "effect"
import { type Argument, type Flag, Param, Primitive } from "effect/cli"

const asWritten: Primitive.Primitive<string> = Object.assign(Primitive.Path("file"), {
  parse: (value: string) => Effect.succeed(value)
})

export const argument = (name: string): Argument.Argument<string> =>
  Param.makeSingle({ name, kind: Param.argumentKind, primitiveType: asWritten, typeName: "file" })

export const flag = (name: string): Flag.Flag<string> =>
  Param.makeSingle({ name, kind: Param.flagKind, primitiveType: asWritten, typeName: "file" })
