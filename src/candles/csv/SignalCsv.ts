/** Reads past signals: `time,name,value` in each line, in any order. A running bot can read the same file while lines are added. */
import { type Signal, signalName } from "../../domain/Signal.ts"
import type { DataProblem } from "../DataProblem.ts"
import { parseField } from "./CsvField.ts"

export type NamedSignal = Signal & { readonly name: string }

export type SignalsRead = Readonly<ReturnType<typeof parseSignals>>

const heading = /^\s*time\s*,\s*name\s*,\s*value\s*$/i
const advice = "write time,name,value, such as 2024-01-31T12:00:00Z,trend,0.7"

export const parseSignals = (text: string, file: string) => {
  const values: Array<NamedSignal> = []
  const problems: Array<DataProblem> = []
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    if (written.trim() === "" || written.startsWith("#") || (values.length === 0 && heading.test(written))) continue
    const signal = signalIn(written)
    if ("at" in signal) values.push(signal)
    else problems.push({ severity: "error", file, line: index + 1, ...signal })
  }
  return { values, problems }
}

type Wrong = Pick<DataProblem, "advice" | "column" | "message">

const signalIn = (line: string): NamedSignal | Wrong => {
  const fields = line.split(",")
  const [time = "", name = "", value = ""] = fields
  if (fields.length !== 3) return { column: 1, message: `expected three fields, found ${fields.length}`, advice }
  if (value === "") return { column: line.length + 1, message: "the value is missing", advice }
  const at = parseField(time, "time")
  if (at._tag === "Failure") return { ...at.failure, column: 1 }
  if (!signalName.test(name.trim()))
    return { column: time.length + 2, message: `${JSON.stringify(name)} is not the name of a signal`, advice }
  const fieldResult = parseField(value, "price")
  if (fieldResult._tag === "Failure") {
    const message = fieldResult.failure.message.replace(/^price/, "value")
    return { ...fieldResult.failure, message, column: time.length + name.length + 3 }
  }
  return { name: name.trim(), value: fieldResult.success.value, at: Math.floor(at.success.value) }
}
