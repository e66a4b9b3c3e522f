/** Differing lines: with them the second text can be made of the first. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { changedLines, lines } from "../../../src/lab/runs/view/LineDiff.ts"

/** Few different lines, so that texts share many. */
const Lines = Schema.Array(Schema.Literals(["a", "b", "c", ""])).check(Schema.isMaxLength(30))

describe("differing lines", () => {
  it.prop(
    "turn the first text into the second, and are none if only line ends differ",
    [Lines, Lines],
    ([old, fresh]) => {
      const changes = changedLines(old.join("\n"), fresh.join("\n"))
      const removed = new Set(changes.flatMap(({ line, sign }) => (sign === "-" ? [line] : [])))
      const added = new Map(changes.flatMap(({ line, sign, text }) => (sign === "+" ? [[line, text] as const] : [])))
      const rest = old
        .join("\n")
        .split("\n")
        .filter((_, index) => !removed.has(index + 1))
      const made: Array<string> = []
      while (rest.length > 0 || added.has(made.length + 1)) made.push(added.get(made.length + 1) ?? rest.shift() ?? "")
      assert.strictEqual(made.join("\n"), fresh.join("\n"))
      assert.isEmpty(changedLines(fresh.join("\n"), fresh.join("\r\n")))
    }
  )

  it("show the number of each line, and no control characters", () => {
    assert.deepStrictEqual(lines(changedLines("a\nb\nc", "a\n\u001B[2Jx\nc\nd")), [
      "-   2  b",
      "+   2  \uFFFD[2Jx",
      "+   4  d"
    ])
  })
})
