/** The rows that the page of the architecture names beside the steps of an order's life are rows of the tables. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Due from "../../../src/engine/protocol/Due.ts"
import * as DueCancels from "../../../src/engine/protocol/DueCancels.ts"

const page = readFileSync("ARCHITECTURE.md", "utf8")
const tables = { Due: Due.rows, DueCancels: DueCancels.rows }

describe("the life of an order in ARCHITECTURE.md", () => {
  it.each(["Due", "DueCancels"] as const)("names rows of %s", (table) => {
    const brackets = [...page.matchAll(new RegExp(`\`${table}\`(?:, [^:*]*)?: ([^)]*)\\)`, "g"))]
    const named = brackets.flatMap(([, words = ""]) => [...words.matchAll(/\*([^*]+)\*/g)])
    assert.isAbove(named.length, 1)
    for (const [, when = ""] of named)
      assert.include(
        tables[table].map(([, name]) => name),
        when.replace(/\s+/g, " ")
      )
  })
})
