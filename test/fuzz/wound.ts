/** Text as nobody means it: real examples with some of their characters lost, doubled, swapped or replaced by nasty ones. */
import { randomFrom } from "../../src/rehearsal/World.ts"

const nasty = [
  "\u0000",
  "\ud800",
  "\u202e",
  "\ufeff",
  "{{{{{{{{",
  "[[[[[[[[",
  "&a *a",
  "<<: *x",
  "!!js/function",
  "__proto__",
  "constructor",
  "1e400",
  "-0",
  "0x10",
  "9".repeat(400),
  "((((((((",
  '"',
  "\\u0000",
  "\r\n",
  "\t",
  ",,,,",
  "NaN",
  "Infinity",
  "2026-02-30T00:00:00Z",
  " 12 ",
  "%",
  "@",
  "#"
]

/** One to six wounds; the same number gives the same ones. */
export const wounded = (text: string, number: number): string => {
  const random = randomFrom(number * 2 + 1)
  random()
  const at = (length: number) => Math.floor(random() * (length + 1))
  let result = text
  const wounds = 1 + Math.floor(random() * 6)
  for (let made = 0; made < wounds; made += 1) {
    const from = at(result.length)
    const to = Math.min(result.length, from + Math.floor(random() ** 3 * 40))
    const part = result.slice(from, to)
    const kind = random()
    const inserted =
      kind < 0.25
        ? ""
        : kind < 0.45
          ? part + part
          : kind < 0.75
            ? (nasty[at(nasty.length - 1)] ?? "")
            : result.slice(at(result.length)).slice(0, 20)
    result = result.slice(0, from) + inserted + result.slice(to)
  }
  return result.slice(0, 20_000)
}
