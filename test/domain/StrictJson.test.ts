/** Strict JSON accepts what `JSON.parse` accepts, minus everything that two readers could read differently. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as StrictJson from "../../src/domain/StrictJson.ts"

const reads = (text: string) => Result.isSuccess(StrictJson.parseJson(text))

describe("StrictJson", () => {
  it.prop(
    "reads back what JSON.stringify writes",
    { value: Schema.Record(Schema.String, Schema.Json) },
    ({ value }) => {
      const text = JSON.stringify(value)
      const result = StrictJson.parseJson(text)
      // The generator may nest deeper or longer than we allow; then refusing is right.
      if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, JSON.parse(text))
      else assert.match(result.failure, /more than/)
    }
  )

  it.prop(
    "refuses every object with a repeated key, at any depth and with any escapes",
    { key: Schema.String, value: Schema.Json, depth: Schema.Literals([0, 1, 5]) },
    ({ depth, key, value }) => {
      const escaped = [...JSON.stringify(key).slice(1, -1)].join("")
      const unicode = [...key]
        .map((char) =>
          [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
        )
        .join("")
      for (const second of [escaped, unicode]) {
        const object = `{"${escaped}":${JSON.stringify(value)},"x${escaped}":1,"${second}":2}`
        assert.isFalse(reads(`${'{"a":['.repeat(depth)}${object}${"]}".repeat(depth)}`))
      }
    }
  )

  it("allows the same key in different objects", () => {
    assert.isTrue(reads('{"a":{"a":[{"a":1},{"a":2}]},"b":"a","c":{"b":"{\\"a\\":1,\\"a\\":2}"}}'))
  })

  it("refuses too deep, too long and invalid JSON", () => {
    assert.isTrue(reads("[".repeat(16) + "]".repeat(16)))
    assert.isFalse(reads("[".repeat(17) + "]".repeat(17)))
    assert.isFalse(reads(`"${"x".repeat(16_384)}"`))
    for (const bad of ["", "{", "{a:1}", "{'a':1}", '{"a":1,}', '{"a":1}}', '"a', "NaN", "01", '{"a" "b"}', '"\t"']) {
      assert.isFalse(reads(bad), bad)
    }
  })
})
