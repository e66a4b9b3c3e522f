/** The settings of another bot. A key that is read counts as taken; `rest` lists all others that have an effect, even unknown ones. */
import { Effect, Schema } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { isRecord } from "../domain/Text.ts"

/** The file cannot be expressed as a strategy here. The message gives the reason and the remedy. */
export class NotImported extends Schema.TaggedError<NotImported>()("NotImported", { message: Schema.String }) {}
export const refused = (message: string) => new NotImported({ message })

export interface ForeignSettings {
  readonly number: (key: string) => Decimal.Decimal | undefined
  readonly text: (key: string) => string | undefined
  readonly flag: (key: string) => boolean
  readonly within: (key: string) => ForeignSettings | undefined
  /** Like `within`, but a zero counts as a setting. */
  readonly withinNumbers: (key: string) => ForeignSettings | undefined
  /** Returns the names of all figures above zero. Does not mark them as taken. */
  readonly positive: () => ReadonlyArray<string>
  readonly texts: (key: string) => ReadonlyArray<string>
  /** Marks keys (between spaces) as taken that have no effect here, with or without a value. */
  readonly pass: (keys: string) => void
  readonly passAll: () => void
  /** `key: value` of everything that was not taken. */
  readonly rest: () => ReadonlyArray<string>
}

const saysNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === "" ||
  value === "false" ||
  Number(value) === 0 ||
  (typeof value === "object" && Object.values(value).every(saysNothing))

/**
 * Configurations contain credentials, and people share the file that lists these settings. So unknown settings show only truth values,
 * figures and short words in small letters. Values below a name that may belong to a credential are never shown.
 */
const isPrivate =
  /key|secret|token|pass|pwd|auth|credential|cookie|session|private|mnemonic|seed|pin$|url|uri|dsn|hook|host|addr|mail|user|login|phone|chat|account/i

/** Names are shown too, so a name that may itself be a credential is refused. */
const isName = (key: string): boolean =>
  /^[\w. /:-]{1,40}$/.test(key) && !/(?=.*\d)(?=.*[A-Za-z])[A-Za-z\d]{16}/.test(key)
export const nameOf = (key: string): string => (isName(key) ? key : hidden)
const hidden = "(not shown)"
const isHarmless = (text: string): boolean => /^([-+]?\d{0,9}(\.\d{0,12})?|[a-z_]{1,20})$/.test(text)

const partOf = (key: string, value: unknown): unknown => {
  if (isPrivate.test(key)) return hidden
  if (Array.isArray(value)) return value.map((each) => partOf("", each))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [nameOf(name), partOf(name, each)]))
  const isShown = typeof value === "boolean" || value === null || isHarmless(String(value))
  return isShown ? value : hidden
}

const settingText = (key: string, value: unknown): string => {
  const part = partOf(key, value)
  return part === hidden ? hidden : (JSON.stringify(part) ?? "").slice(0, 60)
}

export const settingsOf = (
  record: Readonly<Record<string, unknown>>,
  path = "",
  isSilent: (value: unknown) => boolean = saysNothing
): ForeignSettings => {
  const usedKeys = new Set<string>()
  const inner = new Map<string, ForeignSettings>()
  const take = (key: string): unknown => {
    usedKeys.add(key)
    return record[key]
  }
  const number: ForeignSettings["number"] = (key) => {
    const value = take(key)
    return typeof value === "number"
      ? Decimal.fromNumber(value)
      : typeof value === "string"
        ? Decimal.parse(value)
        : undefined
  }
  const within = (key: string, isSilentInside?: typeof saysNothing): ForeignSettings | undefined => {
    const value = take(key)
    if (!isRecord(value)) return undefined
    const innerSettings = inner.get(key) ?? settingsOf(value, `${path}${key}.`, isSilentInside)
    inner.set(key, innerSettings)
    return innerSettings
  }
  return {
    number,
    text: (key) => {
      const value = take(key)
      return typeof value === "string" || typeof value === "number" ? String(value) : undefined
    },
    flag: (key) => take(key) === true || record[key] === "true",
    within: (key) => within(key),
    withinNumbers: (key) => within(key, (value) => value !== 0 && saysNothing(value)),
    positive: () => Object.keys(record).filter((key) => Number(record[key]) > 0),
    texts: (key) => {
      const value = take(key)
      const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
      return all.filter((each) => typeof each === "string")
    },
    pass: (keys) => {
      for (const key of keys.split(" ")) usedKeys.add(key)
    },
    passAll: () => {
      for (const key of Object.keys(record)) usedKeys.add(key)
    },
    rest: () => [
      ...Object.entries(record).flatMap(([key, value]) =>
        usedKeys.has(key) || isSilent(value) ? [] : [`${path}${nameOf(key)}: ${settingText(key, value)}`]
      ),
      ...[...inner.values()].flatMap((each) => each.rest())
    ]
  }
}

export const needed = (
  settings: ForeignSettings,
  key: string,
  why: string
): Effect.Effect<Decimal.Decimal, NotImported> => {
  const value = settings.number(key)
  if (value !== undefined && Decimal.isPositive(value)) return Effect.succeed(value)
  return Effect.fail(refused(`${key} is missing, or not above zero: ${why}`))
}

const mostCounted = 1_000

export const countIn = (settings: ForeignSettings, key: string): Effect.Effect<number | undefined, NotImported> => {
  const value = settings.number(key)
  if (value === undefined) return Effect.succeed(undefined)
  const count = Decimal.toNumber(value)
  if (Number.isInteger(count) && count >= 0 && count <= mostCounted) return Effect.succeed(count)
  const why = `${key} is ${Decimal.format(value)}: it has to be a whole number from 0 to ${mostCounted}`
  return Effect.fail(refused(why))
}
