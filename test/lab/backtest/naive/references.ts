/**
 * Many random strategies against their naive simulators: `npm run references -- --seed 1 --count 1000 [--kind grid]` compares
 * so many files of every kind on both sides of the band, prints a table, and stops at the first difference.
 */

import { parseArgs } from "node:util"
import { assert } from "@effect/vitest"
import * as flags from "../../../world/flags.ts"
import { compare } from "./compare.ts"
import { naiveKinds } from "./NaiveFiles.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    kind: { type: "string" }
  }
})
const [first, count] = [flags.whole("seed", values.seed, 0), flags.whole("count", values.count)]
const say = (text: string): void => void process.stdout.write(`${text}\n`)

say("kind              files   compared    fills   orders")
for (const kind of Object.keys(naiveKinds)) {
  if (values.kind !== undefined && values.kind !== kind) continue
  let [compared, fills, orders] = [0, 0, 0]
  for (let seed = first; seed < first + count; seed++)
    for (const { mode, kernel, naive, text } of compare(kind, seed)) {
      assert.deepStrictEqual(kernel, naive, `seed ${seed}, ${mode}: ${text}`)
      compared += 1
      fills += naive.fills.length
      orders += naive.placed
    }
  const figures = [count, compared, fills, orders].map((figure, column) => `${figure}`.padStart(column === 0 ? 7 : 9))
  say(`${kind.padEnd(15)} ${figures.join("")}`)
}
