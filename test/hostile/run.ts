/**
 * `npm run attacks`: every semantic attack on the whole bot, and a table of what came of it. `--only TEXT` takes those whose
 * name contains it, `--part 1/4` a share of them.
 */
import { parseArgs } from "node:util"
import { nameOf } from "./Attack.ts"
import { attacks } from "./attacks.ts"
import { fight } from "./Battle.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    seed: { type: "string", default: "1" }
  }
})
const [part = 1, parts = 1] = values.part.split("/").map(Number)
const chosen = attacks.filter((attack, index) => nameOf(attack).includes(values.only) && index % parts === part - 1)

let failed = 0
let told = 0
for (const attack of chosen) {
  const outcome = await fight(attack, Number(values.seed))
  told += outcome.told
  if (outcome.problems.length > 0) failed += 1
  const said = outcome.alerts.length === 0 ? "nobody" : `${outcome.alerts.length}: ${outcome.alerts[0]?.slice(0, 110)}`
  const head = outcome.problems.length === 0 ? "ok    " : "FAILED"
  process.stdout.write(`${head}  told ${String(outcome.told).padStart(3)}  ${nameOf(attack)}  (alerts ${said})\n`)
  for (const problem of outcome.problems) process.stdout.write(`          ${problem}\n`)
}
process.stdout.write(`${chosen.length} attacks, told ${told} times: ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
