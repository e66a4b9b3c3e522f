/** Roots and paths agree with the definition of RFC 6962, written here once more as the recursion that it is. */
import { createHash } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hashOf } from "../../src/journal/Hash.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as JournalTree from "../../src/journal/tree/JournalTree.ts"
import * as Merkle from "../../src/journal/tree/Merkle.ts"

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  createHash("sha256").update(Buffer.concat(parts)).digest()

/** The largest power of two below `size`. */
const split = (size: number): number => {
  let half = 1
  while (half * 2 < size) half *= 2
  return half
}

const rootBy = (leaves: ReadonlyArray<Buffer>): Buffer => {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return sha256(Buffer.of(0), first)
  const half = split(leaves.length)
  return sha256(Buffer.of(1), rootBy(leaves.slice(0, half)), rootBy(leaves.slice(half)))
}

const pathBy = (leaves: ReadonlyArray<Buffer>, index: number): ReadonlyArray<Buffer> => {
  if (leaves.length <= 1) return []
  const half = split(leaves.length)
  return index < half
    ? [...pathBy(leaves.slice(0, half), index), rootBy(leaves.slice(half))]
    : [...pathBy(leaves.slice(half), index - half), rootBy(leaves.slice(0, half))]
}

const chainOf = (size: number): ReadonlyArray<string> =>
  Array.from({ length: size }, (_, index) => createHash("sha256").update(`event ${index}`).digest("hex"))

describe("the Merkle tree over a journal", () => {
  it("has the root and the paths of RFC 6962, at every size", () => {
    const tree = Merkle.make()
    for (const size of Array.from({ length: 70 }, (_, index) => index)) {
      const chain = chainOf(size)
      const leaves = chain.map((hash) => Buffer.from(hash, "hex"))
      assert.strictEqual(Merkle.rootOf(tree), rootBy(leaves).toString("base64"), `root of ${size}`)
      const paths = Merkle.pathsOf(
        chain,
        chain.map((_, index) => index)
      )
      const expected = leaves.map((_, index) => pathBy(leaves, index).map((hash) => hash.toString("base64")))
      assert.deepStrictEqual(paths, expected, `paths of ${size}`)
      const [next] = chainOf(size + 1).slice(-1)
      if (next !== undefined) Merkle.add(tree, next)
    }
  })

  it("remembers one hash for each one bit of its size", () => {
    const tree = Merkle.make()
    for (const hash of chainOf(1_000)) Merkle.add(tree, hash)
    assert.lengthOf(tree.peaks, 6)
  })

  it.effect("grows by the newly recorded events, and proves an event by its own hash", () =>
    Effect.gen(function* () {
      const filename = join(mkdtempSync(join(tmpdir(), "limitbot-merkle-")), "journal.sqlite")
      const tree = Merkle.make()
      const all = Merkle.make()
      const append = (...reasons: ReadonlyArray<string>) =>
        Effect.flatMap(Journal, (journal) =>
          journal.append(reasons.map((reason) => ({ _tag: "BotStopped", reason }) as const))
        ).pipe(Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename }))))
      const reading = Sqlite.layer({ filename, readOnly: true })
      yield* append("a", "b", "c")
      yield* Effect.provide(JournalTree.grow(tree), reading)
      yield* append("d", "e")
      yield* Effect.provide(JournalTree.grow(tree), reading)
      yield* Effect.provide(JournalTree.grow(all), reading)
      const { head } = tree
      assert.strictEqual(all.head, head)
      assert.deepStrictEqual([tree.size, Merkle.rootOf(tree)], [5, Merkle.rootOf(all)])
      const proven = yield* Effect.provide(JournalTree.prove(4, [1, 4]), reading)
      assert.deepStrictEqual(
        proven.map(({ path, sequence }) => [sequence, path.length]),
        [
          [1, 2],
          [4, 2]
        ]
      )
      const [, fourth] = proven
      assert.isDefined(fourth)
      const fifth = yield* Effect.provide(JournalTree.prove(5, [5]), reading)
      assert.strictEqual(fourth && hashOf(fourth.before, fourth), fifth[0]?.before)
      assert.strictEqual(fifth[0] && hashOf(fifth[0].before, fifth[0]), head)
    })
  )
})
