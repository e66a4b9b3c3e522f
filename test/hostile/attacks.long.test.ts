/** A few semantic attacks, another draw for each seed: `npm run attacks` is all of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import { isLong } from "../long.ts"
import { nameOf } from "./Attack.ts"
import { attacks } from "./attacks.ts"
import { fight } from "./Battle.ts"

const seed = Number(process.env["LIMITBOT_SEED"] ?? 1)
const count = Number(process.env["LIMITBOT_ATTACKS"] ?? (isLong ? 5 : 1))

/** Attacks that the bot is easy to lose to; they run for every seed. */
const mended: ReadonlyArray<string> = [
  "order / refundTo / a thief, before it is paid",
  "intent / nonce / of the payload before",
  "reads / report / amounts as numbers",
  "reads / depositedAmount / with other decimals",
  "cancel / fillStatus / cancelled, although it never heard of it",
  "cancel / payouts / refunded, although it never heard of it"
]

const drawn = attacks
  .filter((attack) => !mended.includes(nameOf(attack)))
  .map((attack) => ({ attack, dice: Seeded.fraction(seed, "attack", nameOf(attack)) }))
  .toSorted((a, b) => a.dice - b.dice)
  .slice(0, count)
  .map(({ attack }) => attack)

describe("semantic attacks", () => {
  it("are at least two hundred, with distinct names", () => {
    assert.isAtLeast(attacks.length, 200)
    assert.strictEqual(new Set(attacks.map(nameOf)).size, attacks.length)
  })

  for (const attack of [...attacks.filter((each) => mended.includes(nameOf(each))), ...drawn]) {
    it(nameOf(attack), async () => {
      assert.deepStrictEqual((await fight(attack)).problems, [])
    })
  }
})
