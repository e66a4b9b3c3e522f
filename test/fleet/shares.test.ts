/** How a fleet's accounts are divided among its runners. */
import { assert, describe, it } from "@effect/vitest"
import { divided } from "../../src/app/cluster/Cluster.ts"

const accountsOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => [`default:${first + index}`, 1] as const)
const runnersOf = (count: number) => Array.from({ length: count }, (_, index) => `machine-${index}-4711-a${index}`)
const division = (...asked: Parameters<typeof divided>) => {
  const of = divided(...asked)
  return new Map(asked[1].map((runner) => [runner, of(runner)]))
}
type Division = ReturnType<typeof division>
const ownersIn = (shares: Division) =>
  new Map([...shares].flatMap(([runner, shards]) => [...shards].map((shard) => [shard, runner] as const)))
const countsIn = (shares: Division) => [...shares.values()].map(({ size }) => size)

/** How many accounts have another owner than before, apart from those of `gone`. */
const moved = (before: Division, after: Division, gone = "nobody") => {
  const owners = ownersIn(after)
  return [...ownersIn(before)].filter(([shard, owner]) => owner !== gone && owners.get(shard) !== owner).length
}

describe("the shares of a fleet's runners", () => {
  it("differ by one account at most, and each account has one owner", () => {
    for (let accounts = 0; accounts <= 40; accounts++)
      for (let runners = 1; runners <= 7; runners++) {
        const shares = division(accountsOf(accounts), runnersOf(runners))
        const counts = countsIn(shares)
        assert.isAtMost(Math.max(...counts) - Math.min(...counts), 1, `${accounts} accounts, ${runners} runners`)
        assert.strictEqual(ownersIn(shares).size, accounts)
      }
    assert.deepStrictEqual(countsIn(division(accountsOf(12), runnersOf(3))), [4, 4, 4])
  })

  it("are the same on every runner", () => {
    const [shards, runners] = [accountsOf(100), runnersOf(4)]
    const shares = ownersIn(division(shards, runners))
    const other = ownersIn(division(shards.toReversed(), runners.toReversed()))
    assert.deepStrictEqual([...other].toSorted(), [...shares].toSorted())
  })

  it("change little when a runner ends, joins, or an account is added", () => {
    const runners = runnersOf(5)
    const before = division(accountsOf(300), runners)
    assert.isAtMost(moved(before, division(accountsOf(300), runners.slice(1)), runners[0]), 30)
    assert.isAtMost(moved(before, division(accountsOf(300), [...runners, "another"])), 75)
    assert.isAtMost(moved(before, division(accountsOf(301, -1), runners)), 15)
  })

  it("keep accounts of one shard together, and give every account an owner", () => {
    const shares = division(
      accountsOf(3).map(([shard]) => [shard, 4]),
      runnersOf(2)
    )
    assert.strictEqual(ownersIn(shares).size, 3)
    assert.deepStrictEqual(countsIn(shares).toSorted(), [1, 2])
    assert.strictEqual(ownersIn(division([["default:1", 9]], runnersOf(3))).size, 1)
  })
})
