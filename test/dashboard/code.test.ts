/** The editor of the page: the colours of a line, and the places of mistakes in what the bot says about a file. */
import { assert, describe, it } from "@effect/vitest"
import { mistakeOf, partsOf } from "../../src/dashboard/public/code.ts"

describe("the editor of the page", () => {
  it("colours keys and comments, also within braces, and nothing in quotes", () => {
    assert.deepStrictEqual(partsOf('  size: { base: 0.02 } # of "each"'), [
      ["", "  "],
      ["key", "size"],
      ["", ": { "],
      ["key", "base"],
      ["", ": 0.02 } "],
      ["comment", '# of "each"']
    ])
    assert.deepStrictEqual(partsOf('when: "close: #1"'), [
      ["key", "when"],
      ["", ": "],
      ["", '"close: #1"']
    ])
    assert.deepStrictEqual(partsOf("url#1"), [["", "url#1"]])
  })

  it("finds line, column and length of a mistake, with its hint", () => {
    const problem = 'C:/a/grid.yaml:7:3: unknown key "sise"\n  7 |   sise: 1\n    |   ^^^^\n    = did you mean "size"?'
    const text = 'unknown key "sise": did you mean "size"?'
    assert.deepStrictEqual(mistakeOf(problem), { line: 7, column: 3, length: 4, text })
    assert.isUndefined(mistakeOf("planning …"))
  })
})
