/** Lines that only one of two texts has: `-` for the first text, `+` for the second. */
import { diff } from "node:util"
import { printable } from "../../../domain/Text.ts"

export interface ChangedLine {
  readonly sign: "-" | "+"
  readonly line: number
  readonly text: string
}

/** The memory of `diff` grows with the square of the changed lines, so later lines are not compared. */
const maxLines = 2000

export const changedLines = (before: string, after: string): ReadonlyArray<ChangedLine> => {
  const linesOf = (text: string) => text.split(/\r?\n/, maxLines)
  let [oldLine, newLine] = [0, 0]
  return diff(linesOf(before), linesOf(after)).flatMap(([step, text]): ReadonlyArray<ChangedLine> => {
    if (step >= 0) oldLine++
    if (step <= 0) newLine++
    if (step === 0) return []
    return [step > 0 ? { sign: "-", line: oldLine, text } : { sign: "+", line: newLine, text }]
  })
}

export const lines = (changes: ReadonlyArray<ChangedLine>): ReadonlyArray<string> =>
  changes.map(({ line, sign, text }) => `${sign} ${`${line}`.padStart(3)}  ${printable(text)}`)
