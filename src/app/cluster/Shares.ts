/**
 * Divides a fleet's accounts evenly among its runners. By itself the engine places shards by a hash, which gives one of three runners seven of
 * twelve accounts.
 */
import { Hash } from "effect"

/**
 * Returns the shards of each runner, by the number of accounts in each shard. All runners come to the same result. Their accounts differ in number
 * by one shard at most, and few accounts move when a runner or an account comes or goes: each runner ranks all shards by a hash.
 */
export const divided = (
  sizes: ReadonlyArray<readonly [shard: string, size: number]>,
  runners: ReadonlyArray<string>
) => {
  const share = sizes.reduce((sum, [, size]) => sum + size, 0) / runners.length
  const sharesByRunner = new Map(runners.map((name) => [name, { shards: new Set<string>(), accounts: 0 }]))
  for (const [shard, size] of sizes.toSorted()) {
    const below = (most: number) => [...sharesByRunner].filter(([, { accounts }]) => accounts < most)
    const [least, most] = [below(Math.floor(share)), below(share)]
    const ranked = (least.length > 0 ? least : most).map(([name, has]) => ({ has, rank: rankOf(shard, name) }))
    const [best] = ranked.toSorted((one, other) => one.rank - other.rank)
    best?.has.shards.add(shard)
    if (best !== undefined) best.has.accounts += size
  }
  return (runner: string): ReadonlySet<string> => sharesByRunner.get(runner)?.shards ?? new Set()
}

/** A hash of the text alone is similar for similar texts. */
const rankOf = (shard: string, runner: string): number => {
  const hash = Math.imul(Hash.string(`${shard} ${runner}`), 0x9e3779b1)
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
}
