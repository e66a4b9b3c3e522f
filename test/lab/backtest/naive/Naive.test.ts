/**
 * Every kind against a simulator of its own that is as naive as can be, over random settings and candles, on both sides of the
 * band: the same fills in the same bars, at the same prices, of the same quantities for the same money, and as many orders
 * placed and cancelled. `npm run references` compares many more.
 */
import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../../../src/strategy/kinds.ts"
import { compare, modes } from "./compare.ts"
import { naiveKinds } from "./NaiveFiles.ts"

const seeds = Number(process.env["LIMITBOT_SEEDS"] ?? 6)

describe("a naive simulator gives the same fills on both sides of the band for", () => {
  for (const kind of Object.keys(naiveKinds))
    it(kind, () => {
      const seen = { optimistic: 0, pessimistic: 0 }
      for (let seed = 1; seed <= seeds; seed++)
        for (const { mode, kernel, naive, text } of compare(kind, seed)) {
          assert.deepStrictEqual(kernel, naive, `seed ${seed}, ${mode}: ${text}`)
          seen[mode] += naive.fills.length
        }
      for (const mode of modes) assert.isAbove(seen[mode], seeds, mode)
    })

  const cases = [
    ["rules", 565, "whose last bar reaches the stop of an order that is not open until then"],
    ["bracket", 55, "whose entry begins to fill after the other one has replaced it"],
    ["deals", 6685, "that hold little beside their planned safety orders"],
    ["deals", 11293, "whose stop leaves little of one part to sell"],
    ["grid", 24, "that ends while its cells may still sell"],
    ["grid", 80, "that has restarted, and sells what it has bought since"],
    ["grid", 3919, "whose cell buys back within the bar of a stop"],
    ["grid", 1453, "whose equity counts what sales of the budget's base have brought, to the last unit"]
  ] as const
  for (const [kind, seed, about] of cases)
    it(`${kind} ${about}`, () => {
      for (const { kernel, naive } of compare(kind, seed)) assert.deepStrictEqual(kernel, naive)
    })

  it("every kind that exists", () => {
    assert.deepStrictEqual(Object.keys(naiveKinds).toSorted(), kinds.map(({ name }) => name).toSorted())
  })
})
