/** The table of holds on the page of the architecture is the tables themselves: `npm run keys` writes it. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { commandLineOf, ofBot, ofMoment, ofPlacement, ofProcess, type Step } from "../../../src/engine/holds/Holds.ts"

const page = "ARCHITECTURE.md"
const table = /<!-- holds -->\n.*?<!-- end of holds -->/s

const rows = [
  ...ofBot.map((row) => ({ ...row, by: "journal" })),
  ...ofPlacement.map((row) => ({ ...row, by: "journal" })),
  ...[...ofProcess, ...ofMoment].map((row) => ({ ...row, by: "process" }))
]

const lines = (): ReadonlyArray<string> =>
  [...Map.groupBy(rows, ({ code }) => code)].flatMap(([code, same]) => {
    const [first] = same
    if (first === undefined) return []
    const { lifts, scope } = first
    const stops = (step: Step) => (same.some((row) => row.stops.includes(step)) ? "stops" : "–")
    const known = [...new Set(same.map(({ by }) => by))].join(", ")
    const ends = lifts === "itself" ? "itself" : `\`${commandLineOf(lifts)}\``
    return [
      `| \`${code}\` | ${scope} | ${known} | ${stops("plan")} | ${stops("create")} | ${stops("fund")} | ${stops("resend")} | ${ends} |`
    ]
  })

const withTable = (text: string): string => {
  const head = [
    "| code | holds the | known by | plan | create | fund | resend | lifted by |",
    "|---|---|---|---|---|---|---|---|"
  ]
  return text.replace(table, ["<!-- holds -->", ...head, ...lines(), "", "<!-- end of holds -->"].join("\n"))
}

if (process.env["LIMITBOT_KEYS"] === "write") writeFileSync(page, withTable(readFileSync(page, "utf8")))

describe("ARCHITECTURE.md", () => {
  it("has a row for every reason why no money may leave; `npm run keys` writes them", () => {
    const text = readFileSync(page, "utf8")
    assert.match(text, table)
    assert.strictEqual(text, withTable(text))
  })
})
