/** Every flag that a text of the source code names is a flag of a command, so that a user can pass it. */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseSync, Visitor } from "rolldown/utils"

const root = resolve(import.meta.dirname, "../..")

/** Pages that a test keeps equal to the definitions of the commands. */
const reference = readFileSync(join(root, "docs/reference/commands.md"), "utf8")
const defined = new Set([...reference.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag))

/** Flags of Node, and of no command but the program itself. */
const ofOthers = new Set(["--test", "--version"])

const flagsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)].map(([flag]) => flag)

const textsOf = (file: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const { program } = parseSync(file, readFileSync(file, "utf8"))
  new Visitor({
    Literal: ({ value }) => void (typeof value === "string" ? texts.push(value) : 0),
    TemplateElement: ({ value }) => void texts.push(value.cooked ?? "")
  }).visit(program)
  return texts
}

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  // Their words with two hyphens are variables of style sheets.
  .filter((name) => !/^(?:dashboard\/public|lab\/html)\//.test(name))

describe("messages", () => {
  it("name flags that exist", () => {
    assert.isAbove(defined.size, 100)
    const unknown = sources.flatMap((name) =>
      textsOf(join(root, "src", name))
        .flatMap(flagsIn)
        .filter((flag) => !defined.has(flag) && !ofOthers.has(flag))
        .map((flag) => `${name}: ${flag}`)
    )
    assert.deepStrictEqual(unknown, [])
  })
})
