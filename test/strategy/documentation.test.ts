import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { functions } from "../../src/strategy/expression/functions.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import { type KeyRow, keyRows } from "./keyTable.ts"
import { problemsOf } from "./support.ts"

const reference = readFileSync("docs/strategies.md", "utf8")
const examples = [...reference.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text)

/** The rows of the tables of keys: several keys may share one, and `.size` goes on with the parent of the key before. */
const rowsIn = (section: string) =>
  [...section.matchAll(/^\| (`[^|]*) \| ([^|]*) \|/gm)].map(([, keys = "", cell = ""]) => ({
    names: [...keys.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    cell: cell.replaceAll("`", "").trim()
  }))

/** `safety.size` is named as itself or, behind another key of `safety`, as `.size`. */
const isNamed = (key: string, name: string): boolean =>
  key === name || key.replace(/^(safety|orders\.<name>)(?=\.)/, "") === name

/** In a row or in text, or in an example such as `{ distance: 3%, most: 1 }`. */
const isTold = (section: string, key: string): boolean =>
  new RegExp(`[\`{ .]${key.split(".").at(-1)}[\`:.]`).test(section)

/** A figure is the declared one; what is required is called so, and nothing else is. */
const fits = ({ isRequired, standard = "" }: KeyRow, cell: string): boolean => {
  if (isRequired !== (cell === "required")) return /^required with/.test(cell)
  if (standard === "nothing") return /^(0%?|none)$/.test(cell)
  return !/^[\d.]+(%|[smhd])?$/.test(standard) || standard === cell
}

describe("docs/strategies.md", () => {
  it.each(examples.map((text) => [text.split("\n")[0] ?? "", text]))("has a right example: %s", (_, text) => {
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

  it("has a row for every key of every kind, which says what is required and what holds without it", () => {
    const wrong: Array<string> = []
    for (const kind of kinds) {
      const section = reference.split(`\n## ${kind.name}\n`)[1]?.split("\n## ")[0] ?? ""
      const told = rowsIn(section)
      const rows = Map.groupBy(keyRows(kind.schema()), ({ key }) => key)
      for (const [key, forms] of rows) {
        const cells = told.filter(({ names }) => names.some((name) => isNamed(key, name))).map(({ cell }) => cell)
        if (!isTold(section, key)) wrong.push(`${kind.name}: ${key} is missing`)
        for (const cell of cells)
          if (!forms.some((row) => fits(row, cell)))
            wrong.push(`${kind.name}: ${key} is ${JSON.stringify(forms)}, not ${cell}`)
      }
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("names every function", () => {
    for (const name of functions.keys()) assert.include(reference, `${name}(`)
  })
})
