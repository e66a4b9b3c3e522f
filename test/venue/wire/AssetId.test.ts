/** One asset, several spellings: the same token is one, and nothing is guessed. */
import { assert, describe, it } from "@effect/vitest"
import { canonicalAssetId } from "../../../src/venue/wire/AssetId.ts"

const spellings = new Map([
  ["1cs_v1:btc:native:coin", "nep141:btc.omft.near"],
  ["wNEAR", "nep141:wrap.near"]
])

const cases: ReadonlyArray<readonly [string, string]> = [
  ["nep141:wrap.near", "nep141:wrap.near"],
  ["1cs_v1:near:nep141:wrap.near", "nep141:wrap.near"],
  ["1cs_v1:native:nep141:wrap.near", "nep141:wrap.near"],
  ["1cs_v1:near:nep245:v2_1.omni.hot.tg:56_11111", "nep245:v2_1.omni.hot.tg:56_11111"],
  ["1cs_v1:near:nep245:v2_1.omni.hot.tg%3A56_11111", "nep245:v2_1.omni.hot.tg:56_11111"],
  ["1cs_v1:btc:native:coin", "nep141:btc.omft.near"],
  ["1cs_v1:eth:native:coin", "1cs_v1:eth:native:coin"],
  ["wNEAR", "nep141:wrap.near"],
  ["", ""]
]

describe("asset ids", () => {
  it.each(cases)("like %s are read as %s", (id, canonical) => {
    assert.strictEqual(canonicalAssetId(spellings, id), canonical)
    assert.strictEqual(canonicalAssetId(spellings, canonical), canonical, "and stays it")
  })
})
