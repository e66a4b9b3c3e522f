/** Flags that several commands share. */
import { Effect, Option, Schema } from "effect"
import { Argument, Flag, Param, Primitive } from "effect/cli"
import { DurationText } from "../domain/Durations.ts"

/** Shells complete it as a file. Unlike a path of the library, the text stays as written and is not made absolute. */
const asWritten: Primitive.Primitive<string> = Object.assign(Primitive.Path("file"), {
  parse: (value: string) => Effect.succeed(value)
})

export const fileArgument = (name: string): Argument.Argument<string> =>
  Param.makeSingle({ name, kind: Param.argumentKind, primitiveType: asWritten, typeName: "file" })

export const fileFlag = (name: string): Flag.Flag<string> =>
  Param.makeSingle({ name, kind: Param.flagKind, primitiveType: asWritten, typeName: "file" })

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const optional =
  (description: string) =>
  <A>(flag: Flag.Flag<A>) =>
    flag.pipe(Flag.withDescription(description), Flag.optional)

const range = (minimum: number, maximum?: number) =>
  maximum === undefined ? Schema.isGreaterThanOrEqualTo(minimum) : Schema.isBetween({ minimum, maximum })
export const integerIn = (name: string, least: number, most?: number) =>
  Flag.Int(name).pipe(Flag.withSchema(Schema.Int.check(range(least, most))))
export const figureIn = (name: string, least: number, most?: number) =>
  Flag.Finite(name).pipe(Flag.withSchema(Schema.Finite.check(range(least, most))))

export const text = (name: string, description: string) => optional(description)(Flag.String(name))
export const file = (name: string, description: string) => optional(description)(fileFlag(name))
export const count = (name: string, description: string, least = 1, most?: number) =>
  optional(description)(integerIn(name, least, most))
export const figure = (name: string, description: string, least = 0, most?: number) =>
  optional(description)(figureIn(name, least, most))
export const duration = (name: string, description: string) =>
  optional(description)(Flag.String(name).pipe(Flag.withSchema(DurationText)))
export const choice = <const A extends string>(name: string, choices: ReadonlyArray<A>, description: string) =>
  optional(description)(Flag.Literals(name, choices))

export const orMissing = <A>(flag: Flag.Flag<Option.Option<A>>) => Flag.map(flag, Option.getOrUndefined)
export const textOrMissing = (name: string, description: string) => orMissing(text(name, description))
export const several = <A>(flag: Flag.Flag<A>, most: number) =>
  Flag.map(Flag.between(flag, 0, most), (all) => (all.length === 0 ? undefined : all))

export const files = (description: string) =>
  fileArgument("file").pipe(Argument.withDescription(description), Argument.variadic({ min: 1 }))

export const byDefault =
  <const B>(description: string, value: B, written = `${value}`) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A | B> =>
    flag.pipe(Flag.withDescription(`${description} (default: ${written})`), Flag.withDefault(value))

export const choiceOr = <const A extends string>(
  name: string,
  choices: ReadonlyArray<A>,
  description: string,
  usual: NoInfer<A>
) => byDefault<A>(description, usual)(Flag.Literals(name, choices))

export const defaultConfig = "config/limitbot.yaml"

export const config = fileFlag("config").pipe(
  Flag.withAlias("c"),
  byDefault("The configuration file: venue, account, assets, journal", defaultConfig)
)

export const json = toggle("json", "Print machine-readable JSON instead of text")
export const csv = toggle("csv", "Print comma-separated values")
export const forDuration = duration("for", "Stop by itself after this long, for example 30s, 5m, 6h, 7d")
export const report = file("report", "Write a report to this HTML file")
