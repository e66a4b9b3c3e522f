/**
 * The protocol of placing and funding, searched exhaustively in small: as designed it loses nothing and is never stuck, and
 * each rule is needed, because without it the search finds a loss. `npm run model` searches a larger world.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Bounds, type Rule, rules } from "./Protocol.ts"
import { search } from "./search.ts"

const isWhole = process.env["LIMITBOT_MODEL"] === "whole"
const designed: Bounds = isWhole
  ? { placements: 2, crashes: 2, posts: 2, orders: 2 }
  : { placements: 2, crashes: 0, posts: 2, orders: 1 }
const broken: Bounds = { placements: 2, crashes: 1, posts: 2, orders: 1 }
/** What a rule needs to fail, where that is more. */
const larger: Partial<Record<Rule, Bounds>> = {
  "an abandoned placement stays abandoned": { placements: 2, crashes: 0, posts: 2, orders: 2 },
  "one bot for a journal": { placements: 1, crashes: 0, posts: 2, orders: 2 }
}

describe("protocol", () => {
  it("as designed nothing is funded twice, whatever is slow, lost, doubled or silent for ever, and it comes to rest", {
    timeout: 1_800_000
  }, () => {
    const found = search(designed)
    if (isWhole) process.stdout.write(`protocol: ${found.states} states, ${found.transitions} transitions\n`)
    assert.deepStrictEqual({ loss: found.loss, stuck: found.stuck }, { loss: undefined, stuck: 0 })
    assert.isAbove(found.states, 1_000)
  })

  for (const rule of rules) {
    it(`money is lost without the rule: ${rule}`, { timeout: 120_000 }, () => {
      assert.isDefined(search(larger[rule] ?? broken, [rule], 400_000).loss)
    })
  }
})
