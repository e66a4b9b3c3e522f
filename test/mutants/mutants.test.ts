/** Mutants that no longer apply would be found by nothing and missed by nobody. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "./mutants.ts"

const root = join(import.meta.dirname, "../..")

describe("a mutant of the funding rules", () => {
  for (const { edits, name } of mutants) {
    it(`still applies: ${name}`, () => {
      for (const { file, find, replace } of edits) {
        assert.strictEqual(readFileSync(join(root, file), "utf8").split(find).length, 2, `${file}: ${find}`)
        assert.notStrictEqual(find, replace)
      }
    })
  }
})
