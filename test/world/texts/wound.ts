/** Text as nobody means it: real examples with some of their characters lost, doubled, swapped or replaced by nasty ones. */
import { randomFrom } from "../../../src/rehearsal/world/World.ts"

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

const nastyValues: ReadonlyArray<unknown> = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  1e300,
  "",
  " 5",
  "-5",
  "5.0",
  "0x10",
  "1e3",
  "٣",
  "9".repeat(400),
  "\u0000\u202e",
  "NaN",
  "__proto__",
  [],
  {},
  [[[[]]]],
  { length: 1 },
  { toString: null }
]

/** A value with one to four of its parts lost, doubled or replaced; the same number gives the same ones. */
export const woundedValue = (value: unknown, number: number): unknown => {
  const random = randomFrom(number * 2 + 1)
  random()
  const root = { value: structuredClone(value) }
  const wounds = 1 + Math.floor(random() * 4)
  for (let made = 0; made < wounds; made += 1) {
    let place: Record<string, unknown> = root
    let key = "value"
    // Deeper with each step, and sometimes not at all: then everything is replaced.
    for (;;) {
      const inner = place[key]
      const keys = typeof inner === "object" && inner !== null ? Object.keys(inner) : []
      if (keys.length === 0 || random() < 0.08) break
      place = inner as Record<string, unknown>
      key = keys[Math.floor(random() * keys.length)] ?? ""
    }
    const kind = random()
    if (kind < 0.2 && place !== root) Reflect.deleteProperty(place, key)
    else if (kind < 0.3) place[key] = [place[key], place[key]]
    else place[key] = nastyValues[Math.floor(random() * nastyValues.length)]
  }
  return root.value
}
