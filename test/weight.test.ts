/**
 * The tree gets lighter and stays readable. A room has a budget of lines that may only fall; CONTRIBUTING says what a higher one
 * has bought. Comments open with their subject, and variables are named by nouns.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "..")

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => {
    const file = join(entry.parentPath, entry.name)
    return { file: file.slice(root.length + 1), text: readFileSync(file, "utf8") }
  })

/** Lines of each room; `.` is `src` itself. */
const budgets: Readonly<Record<string, number>> = {
  ".": 395,
  app: 10621,
  candles: 2765,
  cli: 2697,
  control: 3691,
  dashboard: 2111,
  domain: 2681,
  engine: 14306,
  files: 1989,
  fleet: 1870,
  importers: 878,
  journal: 3019,
  lab: 12289,
  ledger: 2876,
  orderbook: 860,
  process: 492,
  programs: 171,
  rehearsal: 2101,
  report: 933,
  sandbox: 5382,
  signer: 1573,
  signing: 737,
  strategy: 15253,
  venue: 5865,
  views: 3471
}

/** A budget is lowered when its room has become this much smaller. */
const slack = 60

const roomOf = (file: string): string => {
  const [, room = "", ...rest] = file.split("/")
  return rest.length === 0 ? "." : room
}

const linesOf = (room: string): number =>
  sources
    .filter(({ file }) => roomOf(file) === room)
    .reduce((lines, { text }) => lines + text.split("\n").length - 1, 0)

const matches = (pattern: RegExp): ReadonlyArray<string> =>
  sources.flatMap(({ file, text }) => Array.from(text.matchAll(pattern), ([match]) => `${file}: ${match}`))

const participles =
  "found|known|read|wanted|asked|said|held|given|shown|made|seen|told|taken|sent|kept|left|heard|tried|begun|gone|drawn|counted|named|paid|owned|lacking|missed|sought|carried"

describe("the weight of the tree", () => {
  it("each room has a budget, and no budget lacks its room", () => {
    assert.sameMembers(Object.keys(budgets), [...new Set(sources.map(({ file }) => roomOf(file)))])
  })

  for (const [room, budget] of Object.entries(budgets))
    it(`src/${room} has at most ${budget} lines, and not much fewer`, () => {
      const lines = linesOf(room)
      assert.isAtMost(lines, budget, "the room has grown: take something out first")
      assert.isAtLeast(lines, budget - slack, "the room is lighter now: lower its budget")
    })

  it("comments open with their subject or a verb", () => {
    assert.deepStrictEqual(
      matches(/\/\*\*?\s*(?:\n\s*\*\s*)?(?:What|Whatever|Whether|Who|Whoever|How|The same)\b/g),
      []
    )
  })

  it("variables are named by nouns, and few by bare participles", () => {
    assert.isAtMost(matches(new RegExp(`\\b(?:const|let)\\s+(?:${participles})\\b`, "g")).length, 60)
  })
})
