/** One to three random wounds to a JSON value: dropped, nulled, retyped or invented parts, or a damaged text. */
import { Effect, Random } from "effect"

const strange: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  "",
  " 12 ",
  "0x10",
  "-5",
  "1e400",
  "BRAND_NEW",
  "..",
  "\ud800",
  "2026-02-30T00:00:00Z",
  "9".repeat(500),
  [],
  [null],
  {},
  { status: {} },
  { __proto__: null }
]

const invent = Effect.map(Random.nextIntBetween(0, strange.length - 1), (index) => strange[index])

/** A copy of the value with one random place changed. */
const wound = (value: unknown): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const here = (yield* Random.next) < 0.15
    if (here || typeof value !== "object" || value === null) return yield* invent
    const entries: Array<[string, unknown]> = Object.entries(value)
    if (entries.length === 0) return yield* invent
    const index = yield* Random.nextIntBetween(0, entries.length - 1)
    const [key, inner] = entries[index] ?? ["", undefined]
    if ((yield* Random.next) < 0.2) entries.splice(index, 1)
    else entries[index] = [key, yield* wound(inner)]
    return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  })

export const mutate = (value: unknown): Effect.Effect<string> =>
  Effect.gen(function* () {
    const how = yield* Random.next
    if (how < 0.05) return "<html><body>502 Bad Gateway</body></html>"
    const wounds = yield* Random.nextIntBetween(1, 3)
    let damaged = value
    for (let count = 0; count < wounds; count += 1) damaged = yield* wound(damaged)
    const text = JSON.stringify(damaged) ?? ""
    return how < 0.15 ? text.slice(0, yield* Random.nextIntBetween(0, text.length)) : text
  })
