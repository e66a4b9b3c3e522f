/**
 * The share of live results inside the band, by kind: `npm run certify` measures it over many seeds and prints the table;
 * with every test run it is a few of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { solverLaws } from "../../src/sandbox/Solvers.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import { firstOf } from "../long.ts"
import { type Certificate, certified, certify, isInside } from "./certificate.ts"

const isCampaign = process.env["LIMITBOT_CERTIFY"] !== undefined
const seeds = Number(process.env["LIMITBOT_CERTIFY"] ?? 1)
const bars = Number(process.env["LIMITBOT_BARS"] ?? (isCampaign ? 30 : 15))
/** Live runs take seconds: with every test run these stand for all. */
const quickKinds = firstOf(1, ["twap", "ladder", "dca"])
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)
const only = process.env["LIMITBOT_KIND"]
/** Quickly, with solvers that draw their margin anew for each order. */
const law = process.env["LIMITBOT_SOLVERS"] ?? (isCampaign ? undefined : "random")
const solvers = law === undefined ? undefined : solverLaws[law]

const number = (value: number): string => value.toFixed(2).padStart(9)

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const row = (kind: string, found: ReadonlyArray<Certificate>): string => {
  const inside = found.filter(isInside).length
  const widths = found.map(({ low, high }) => high - low).toSorted((a, b) => a - b)
  const spread = found.map(({ live }) => Math.abs(live)).toSorted((a, b) => a - b)
  const middle = Math.floor(found.length / 2)
  const share = `${inside} of ${found.length}`.padStart(9)
  return `${kind.padEnd(14)} ${share} ${number(widths[middle] ?? 0)} ${number(spread[middle] ?? 0)}`
}

if (isCampaign)
  say(`${"kind".padEnd(14)} ${"inside".padStart(9)} ${"width".padStart(9)} ${"|live|".padStart(9)}   medians, USDC`)

describe("the band holds the live result of", () => {
  for (const kind of Object.keys(certified)) {
    if (only !== undefined ? only !== kind : !isCampaign && !quickKinds.includes(kind)) continue
    it(kind, { timeout: 180_000 + seeds * 60_000 }, async () => {
      const found: Array<Certificate> = []
      for (let seed = first; seed < first + seeds; seed++) found.push(await certify(kind, seed, bars, solvers))
      if (isCampaign) say(row(kind, found))
      for (const each of found) {
        if (isInside(each)) continue
        say(
          `  seed ${each.seed}: live ${number(each.live)}, band ${number(each.low)} to ${number(each.high)}; ${each.runs.join(", ")}`
        )
      }
      assert.isAtLeast(found.filter(isInside).length, Math.floor(found.length * 0.95))
    })
  }

  it("every kind", () => {
    assert.deepStrictEqual(Object.keys(certified).toSorted(), kinds.map(({ name }) => name).toSorted())
  })
})
