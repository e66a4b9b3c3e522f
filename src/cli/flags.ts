/** Flags that several commands share, and the readers of their values. */

import { Duration, Schema, SchemaGetter } from "effect"
import { Argument, Flag } from "effect/cli"
import { unitMillis } from "../domain/Durations.ts"
import * as FileName from "./FileName.ts"

/** False unless it is given. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const optional =
  (description: string) =>
  <A>(flag: Flag.Flag<A>) =>
    flag.pipe(Flag.withDescription(description), Flag.optional)

/** A range stands where its flag does, so that no command runs with a figure that means nothing. */
const range = (least: number, most: number | undefined) =>
  most === undefined ? Schema.isGreaterThanOrEqualTo(least) : Schema.isBetween({ minimum: least, maximum: most })

export const integerIn = (name: string, least: number, most?: number) =>
  Flag.Int(name).pipe(Flag.withSchema(Schema.Int.check(range(least, most))))
export const figureIn = (name: string, least: number, most?: number) =>
  Flag.Finite(name).pipe(Flag.withSchema(Schema.Finite.check(range(least, most))))

export const text = (name: string, description: string) => optional(description)(Flag.String(name))
export const file = (name: string, description: string) => optional(description)(FileName.flag(name))
export const count = (name: string, description: string, least = 1, most?: number) =>
  optional(description)(integerIn(name, least, most))
export const figure = (name: string, description: string, least = 0, most?: number) =>
  optional(description)(figureIn(name, least, most))
export const duration = (name: string, description: string) =>
  optional(description)(Flag.String(name).pipe(Flag.withSchema(DurationText)))
export const choice = <const A extends string>(name: string, choices: ReadonlyArray<A>, description: string) =>
  optional(description)(Flag.Literals(name, choices))

/** At least one file, by position. */
export const files = (description: string) =>
  FileName.argument("file").pipe(Argument.withDescription(description), Argument.variadic({ min: 1 }))

/** The help says what holds where nothing is given, from the value itself. */
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

export const config = FileName.flag("config").pipe(
  Flag.withAlias("c"),
  byDefault("The configuration file: venue, account, assets, journal", defaultConfig)
)

export const json = toggle("json", "Print machine-readable JSON instead of text")
export const csv = toggle("csv", "Print comma-separated values")

/** `30s`, `5m`, `6h`, `7d` as milliseconds. */
export const DurationText = Schema.String.check(
  Schema.isPattern(/^(?=.*[1-9])\d{1,6}(\.\d{1,3})?[smhd]$/, { message: "a duration such as 30s, 5m, 6h or 7d" })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => {
      const unit = text.endsWith("s") ? "s" : text.endsWith("m") ? "m" : text.endsWith("h") ? "h" : "d"
      return Math.round(Number(text.slice(0, -1)) * unitMillis[unit])
    }),
    encode: SchemaGetter.transform((millis: number) => `${Duration.toSeconds(millis)}s`)
  })
)

export const forDuration = duration("for", "Stop by itself after this long, for example 30s, 5m, 6h, 7d")

export const report = file("report", "Write a report to this HTML file")
