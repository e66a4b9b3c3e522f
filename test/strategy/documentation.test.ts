import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { functions } from "../../src/strategy/expression/functions.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import { problemsOf } from "./support.ts"

const reference = readFileSync("docs/strategies.md", "utf8")
const examples = [...reference.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text)

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

  it("names every function", () => {
    for (const name of functions.keys()) assert.include(reference, `${name}(`)
  })
})
