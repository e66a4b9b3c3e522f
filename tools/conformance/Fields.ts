/** Tables of fields as the interface has them: what each holds, and a check for every row. */
import { type Check, check } from "./Check.ts"
import { cannotShow, fail, isRecord } from "./Seen.ts"
import type { World } from "./World.ts"

type Json = unknown
/** What is wrong with a value, if anything. */
export type Rule = (value: Json) => string | undefined

const shown = (value: Json): string => JSON.stringify(value)?.slice(0, 120) ?? "nothing"
const rule =
  (what: string, isRight: (value: Json) => boolean): Rule =>
  (value) =>
    isRight(value) ? undefined : `expected ${what}, found ${shown(value)}`

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

export const text = rule("a string", (value) => typeof value === "string")
export const filled = rule("a string that is not empty", (value) => typeof value === "string" && value !== "")
export const number = rule("a number", (value) => typeof value === "number" && Number.isFinite(value))
export const flag = rule("a boolean", (value) => typeof value === "boolean")
export const amount = rule(
  "a decimal string of smallest units",
  (value) => typeof value === "string" && /^(0|[1-9]\d*)$/.test(value)
)
export const decimal = rule("a decimal string", (value) => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value))
export const time = rule("an ISO 8601 date-time", (value) => typeof value === "string" && dateTime.test(value))
export const timeWithMillis = rule(
  "an ISO 8601 date-time with milliseconds",
  (value) => typeof value === "string" && dateTime.test(value) && /\.\d{3}(Z|[+-])/.test(value)
)
export const oneOf = (...members: ReadonlyArray<string>): Rule =>
  rule(`one of ${members.join(", ")}`, (value) => typeof value === "string" && members.includes(value))
export const orNull =
  (other: Rule): Rule =>
  (value) =>
    value === null ? undefined : other(value)
/** A list that would be empty may be left out. */
export const orAbsent =
  (other: Rule): Rule =>
  (value) =>
    value === null || value === undefined ? undefined : other(value)
export const object = rule("an object", isRecord)
export const listOf =
  (item: Rule): Rule =>
  (value) =>
    Array.isArray(value)
      ? value.map(item).find((problem) => problem !== undefined)
      : `expected an array, found ${shown(value)}`
export const shaped =
  (fields: Readonly<Record<string, Rule>>): Rule =>
  (value) => {
    if (!isRecord(value)) return `expected an object, found ${shown(value)}`
    for (const [name, field] of Object.entries(fields)) {
      const problem = field(value[name])
      if (problem !== undefined) return `${name}: ${problem}`
    }
    return undefined
  }
export const fees = listOf(shaped({ recipient: text, fee: number }))

export const depositTypes = ["ORIGIN_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"]
export const recipientTypes = ["DESTINATION_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"]

/** `required`: absent fails. `sometimes`: absent is allowed, and then it cannot be shown. */
export type Row = readonly [name: string, presence: "required" | "sometimes", rule: Rule]

/** A check for every row of a table, over every record that was seen. */
export const rows = (
  id: string,
  what: string,
  table: ReadonlyArray<Row>,
  records: (world: World) => Promise<ReadonlyArray<Json>>
): ReadonlyArray<Check> =>
  table.map(([name, presence, field]) =>
    check(`${id}.${name}`, `${what}: \`${name}\` is as the table says (${presence})`, async (world) => {
      const found = await records(world)
      if (found.length === 0) return cannotShow("there is no record to look at")
      const values = found.filter(isRecord).filter((record) => name in record && record[name] !== undefined)
      if (found.some((record) => !isRecord(record))) return fail("a record is not an object")
      if (presence === "required" && values.length < found.length)
        return fail(`it is absent in ${found.length - values.length} of ${found.length}`)
      // Null is how some services write absence.
      const held = presence === "sometimes" ? values.filter((record) => record[name] !== null) : values
      if (held.length === 0) return cannotShow(`no record of ${found.length} has it`)
      for (const record of held) {
        const problem = field(record[name])
        if (problem !== undefined) return fail(problem)
      }
      return `${held.length} seen`
    })
  )
