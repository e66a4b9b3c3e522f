/**
 * An exhaustive search of a small world of the protocol of placing and funding. As designed, it loses nothing and is never stuck
 * without the operator's help. Each rule against funding twice is needed: without it the search finds a loss, or money that waits
 * without limit. `npm run model` searches a larger world. The other rows of the tables are held one by one in
 * `test/engine/protocol`.
 */
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../long.ts"
import { type Bounds, type Rule, rules, type Tables, tables } from "./Protocol.ts"
import { type Found, search } from "./search.ts"

const isWhole = process.env["LIMITBOT_MODEL"] === "whole"
const small: Bounds = { placements: 2, crashes: 1, posts: 2, orders: 1, isTorn: true, isHeld: true }
/** Enough for whatever has to do with one order: somebody stops everything, or it crashes; `npm run model` has both at once. */
const [whole, stopped, crashed]: readonly [Bounds, Bounds, Bounds] = [
  { ...small, placements: 1, posts: 1 },
  { placements: 1, crashes: 0, posts: 1, orders: 1, isHeld: true },
  { placements: 1, crashes: 1, posts: 1, orders: 1, isTorn: true }
]
const single = isWhole ? [whole] : [stopped, crashed]
/** The same for a slot with two placements. */
const designed: ReadonlyArray<Bounds> = isWhole
  ? [{ ...small, crashes: 2 }]
  : [stopped, crashed].map((world) => (isLong ? { ...world, placements: 2, posts: 2 } : world))
/** What a rule needs to fail, where that is something else. */
const other: Partial<Record<Rule, Bounds>> = {
  "an abandoned placement stays abandoned": { placements: 2, crashes: 0, posts: 2, orders: 2 },
  "one bot for a journal": { placements: 1, crashes: 0, posts: 2, orders: 1 }
}
/** Their losses lie behind 100,000 states: `npm run model` finds them. */
const takesLong: ReadonlySet<Rule> = new Set(["an abandoned placement stays abandoned"])

const isSound = ({ isUseful, loss, stuck }: Found): boolean => loss === undefined && stuck === 0 && isUseful
const isSoundBy = (by: Tables): boolean => single.every((world) => isSound(search(world, [], 400_000, by)))

/** Tables without a row, or with one changed. */
const withoutDue = (state: string, when: string): Tables => {
  const due = tables.due.filter(([states, name]) => name !== when || !states.some((each) => each === state))
  assert.strictEqual(due.length, tables.due.length - 1, "there is no such row")
  return { ...tables, due }
}
type Silence = Tables["silence"][number]
const withSilence = (name: string, change: (row: Silence) => ReadonlyArray<Silence>): Tables => {
  assert.isTrue(
    tables.silence.some((row) => row[1] === name),
    "there is no such row"
  )
  return { ...tables, silence: tables.silence.flatMap((row) => (row[1] === name ? change(row) : [row])) }
}

const neededDue = [
  ["created", "it may have been paid"],
  ["created", "it may have been paid, and was read"],
  ["planned", "its create is not approved yet"],
  ["planned", "something holds it"],
  ["planned", "it may be created"],
  ["creating", "its create has no answer"],
  ["created", "its payment is not approved yet"],
  ["created", "something holds it"],
  ["created", "it was not read again"],
  ["created", "its payment is signed here"],
  ["funding", "its resending is not approved yet"],
  ["funding", "its payload has expired"]
] as const

const neededCancels = ["no cancel is requested", "it is to leave"] as const

const neededSilence = [
  "an earlier process started it, and may have paid",
  "a create was not answered",
  "a payload never left, or every attempt was clearly refused",
  "a payload was sent, and never acknowledged"
] as const

describe("the protocol", () => {
  it("funds nothing twice and comes to rest, whatever is slow, lost, doubled or silent without end", {
    timeout: 1_800_000
  }, () => {
    for (const world of designed) {
      const { isUseful, loss, states, stuck, transitions } = search(world)
      if (isWhole) process.stdout.write(`protocol: ${states} states, ${transitions} transitions\n`)
      assert.deepStrictEqual({ isUseful, loss, stuck }, { isUseful: true, loss: undefined, stuck: 0 })
      assert.isAbove(states, 1_000)
    }
  })

  for (const rule of firstOf(2, rules)) {
    it.skipIf(!isWhole && takesLong.has(rule))(`loses money without the rule: ${rule}`, () => {
      assert.isDefined(search(other[rule] ?? small, [rule], 400_000).loss)
    })
  }

  it.skipIf(!isLong).each(neededDue)("is not sound without the row: %s, %s", (state, when) => {
    assert.isFalse(isSoundBy(withoutDue(state, when)))
  })

  it.skipIf(!isLong).each(neededCancels)("is not sound without the row of cancels: %s", (when) => {
    const cancels = tables.cancels.filter(([, name]) => name !== when)
    assert.strictEqual(cancels.length, tables.cancels.length - 1, "there is no such row")
    assert.isFalse(isSoundBy({ ...tables, cancels }))
  })

  it.skipIf(!isLong).each(neededSilence)("waits without end without the row: %s", (name) => {
    const by = withSilence(name, () => [])
    const found = single.map((world) => search(world, [], 400_000, by))
    for (const { loss } of found) assert.isUndefined(loss)
    assert.isTrue(found.some(({ stuck }) => stuck > 0))
  })

  it.skipIf(!isLong)("loses money if silence ends a doubt, or ends it too soon", () => {
    const never = withSilence(
      "a payload was sent, and never acknowledged",
      ([of, name, tests, [isLong, , because]]) => [[of, name, tests, [isLong, "never", because]]]
    )
    const soon = withSilence("a payment in doubt, and its order is over", ([of, name, tests, [, means, because]]) => [
      [of, name, tests, [() => true, means, because]]
    ])
    for (const by of [never, soon])
      assert.isTrue(single.some((world) => search(world, [], 400_000, by).loss !== undefined))
  })
})
