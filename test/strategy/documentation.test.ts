import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { functions } from "../../src/strategy/expression/functions.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import { keyRows, merged, tableLine } from "../../tools/reference/keyTable.ts"
import { problemsOf } from "./support.ts"

const page = "docs/strategies.md"

/** Of a kind, or of one of its forms by number. */
const tables = /<!-- keys: ([a-z-]+(?: \d)?) -->\n.*?<!-- end of keys -->/gs

const keysOf = (which: string): string => {
  const [name, form] = which.split(" ")
  const kind = kinds.find((each) => each.name === name)
  const rows = kind === undefined ? [] : keyRows(kind.schema(), form === undefined ? undefined : Number(form))
  return ["| key | default | |", "|---|---|---|", ...merged(rows).map(tableLine)].join("\n")
}

const withKeys = (text: string): string =>
  text.replace(tables, (_, which: string) => `<!-- keys: ${which} -->\n${keysOf(which)}\n\n<!-- end of keys -->`)

if (process.env["LIMITBOT_KEYS"] === "write") writeFileSync(page, withKeys(readFileSync(page, "utf8")))

const reference = readFileSync(page, "utf8")
const examples = [...reference.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text)

describe("docs/strategies.md", () => {
  it.each(examples.map((text) => [text.split("\n")[0] ?? "", text]))("has a valid example: %s", (_, text) => {
    assert.deepStrictEqual(problemsOf(text), [])
  })

  it("has an example and a commented file of every kind", () => {
    for (const { name } of kinds) {
      assert.isTrue(
        examples.some((text) => text.includes(`kind: ${name}\n`)),
        name
      )
      assert.include(readFileSync(`strategies/${name}.yaml`, "utf8"), `kind: ${name}\n`)
    }
  })

  it("has the declared keys of every kind; `npm run keys` writes them", () => {
    const named = [...reference.matchAll(tables)].map(([, kind]) => kind?.split(" ")[0])
    assert.deepStrictEqual([...new Set(named)].sort(), kinds.map(({ name }) => name).sort())
    assert.strictEqual(reference, withKeys(reference))
  })

  it("names every function", () => {
    for (const name of functions.keys()) assert.include(reference, `${name}(`)
  })
})
