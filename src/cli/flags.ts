/** Flags, arguments and help that several commands share. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag, Param, Primitive } from "effect/cli"
import { DurationText } from "../domain/Durations.ts"
import { wrongUsage } from "../process/WrongUsage.ts"

/** Shells complete it as a file. Unlike a path of the library, the text stays as written and is not made absolute. */
const asWritten: Primitive.Primitive<string> = Object.assign(Primitive.Path("file"), {
  parse: (value: string) => Effect.succeed(value)
})

const fileOf = <const Kind extends Param.ParamKind>(kind: Kind, name: string, about?: string) => {
  const description = Option.fromUndefinedOr(about)
  return Param.makeSingle({ kind, name, description, primitiveType: asWritten, typeName: "file" })
}
export const fileArgument = (name: string, description?: string): Argument.Argument<string> =>
  fileOf(Param.argumentKind, name, description)
export const fileFlag = (name: string, description?: string): Flag.Flag<string> =>
  fileOf(Param.flagKind, name, description)

export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))
export const optionalArgument = (name: string, description: string) =>
  argument(name, description).pipe(Argument.optional, Argument.map(Option.getOrUndefined))
export const optionalFileArgument = (name: string, description: string) =>
  fileArgument(name, description).pipe(Argument.optional, Argument.map(Option.getOrUndefined))
export const textFlag = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** An absent flag is `undefined`. */
export const optional =
  (description: string) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
    flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

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

export const pairs = (name: string, description: string) => optional(description)(Flag.KeyValuePair(name))
export const several = <A>(flag: Flag.Flag<A>, most: number) =>
  Flag.map(Flag.between(flag, 0, most), (all) => (all.length === 0 ? undefined : all))

export const files = (description: string) => fileArgument("file", description).pipe(Argument.variadic({ min: 1 }))

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
export const forDuration = duration("for", "Stop after this time, for example 30s, 5m, 6h, 7d")
export const report = file("report", "Write a report to this HTML file")

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false

/** Flags that have no effect in a case, and that case: `--runs` beside `--band rules`. */
type IdleFlags = readonly [given: Readonly<Record<string, unknown>>, isIdle: boolean, why: string]

const idleIn = (rows: ReadonlyArray<IdleFlags>): ReadonlyArray<string> =>
  rows.flatMap(([given, isIdle, why]) =>
    Object.keys(given).flatMap((name) => (isIdle && isGiven(given[name]) ? [`--${name} ${why}`] : []))
  )

export const refuseIdle = (rows: ReadonlyArray<IdleFlags>) =>
  Effect.forEach(idleIn(rows), (text) => wrongUsage(text), { discard: true })

/** For flags that earlier versions accepted without effect: a later version refuses them. */
export const warnOfIdle = (rows: ReadonlyArray<IdleFlags>) =>
  Effect.forEach(idleIn(rows), (text) => Console.error(`limitbot: ${text}; it has no effect`), { discard: true })

/** The help of a command: one sentence, and examples with their purposes. */
export const help =
  (description: string, examples: Readonly<Record<string, string>> = {}) =>
  <const Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(
      Command.withDescription(description),
      Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description })))
    )
