/** What `deploy/verify.mjs` accepts: exactly what the journal had, by the key that signed; nothing with a changed byte anywhere. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { genesis } from "../../../src/journal/Hash.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import * as JournalTree from "../../../src/journal/tree/JournalTree.ts"
import * as Merkle from "../../../src/journal/tree/Merkle.ts"
import * as Checkpoint from "../../../src/signing/Checkpoint.ts"
import * as Ed25519 from "../../../src/signing/Ed25519.ts"
import { Signer } from "../../../src/signing/Signer.ts"
import { isLong } from "../../long.ts"
import { testAccount, testKey } from "../../world/service/scriptedVenue.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-proof-"))
const publicKey = Ed25519.format(Buffer.from(testAccount, "hex"))
const verifier = join(import.meta.dirname, "../../../deploy/verify.mjs")

const verdict = (proof: string, key = publicKey) => {
  const file = join(folder, "proof.json")
  writeFileSync(file, proof)
  const { status, stderr, stdout } = spawnSync(process.execPath, [verifier, file, key], { encoding: "utf8" })
  return { status, text: stdout + stderr }
}

/** A journal of so many events, and the proof of some of them by a checkpoint over all. */
const proofOf = Effect.fnUntraced(function* (name: string, size: number, sequences: ReadonlyArray<number>) {
  // A test that is tried again begins with an empty journal.
  const filename = join(mkdtempSync(join(folder, name)), "journal.sqlite")
  const events = Array.from({ length: size }, (_, index) => ({ _tag: "BotStopped", reason: `é ${index}` }) as const)
  yield* Effect.flatMap(Journal, (journal) => journal.append(events)).pipe(
    Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename })))
  )
  return yield* Effect.gen(function* () {
    const tree = Merkle.make()
    yield* JournalTree.grow(tree)
    const { head } = tree
    yield* JournalTree.grow(tree)
    assert.deepStrictEqual([tree.head, tree.size], [head, size], "nothing new leaves head and size as they are")
    assert.notStrictEqual(head, genesis)
    const checkpoint = { account: testAccount, size, root: Merkle.rootOf(tree), head, at: 1_790_000_000_000 }
    const note = yield* Effect.provide(Checkpoint.signed(checkpoint), Signer.layer(testKey))
    return { checkpoint: note, records: yield* JournalTree.prove(size, sequences) }
  }).pipe(Effect.provide(Sqlite.layer({ filename, readOnly: true })))
})

describe("the proof of a record", () => {
  it.live("is accepted for any journal, and rejected with one changed byte", () =>
    Effect.gen(function* () {
      for (let round = 0; round < (isLong ? 12 : 3); round++) {
        const size = yield* Random.nextIntBetween(1, 300)
        const sequence = yield* Random.nextIntBetween(1, size)
        const { checkpoint, records } = yield* proofOf(`random-${round}`, size, [sequence])
        const text = JSON.stringify({ checkpoint, records })
        const about = `record ${sequence} of ${size}`
        const good = verdict(text)
        assert.strictEqual(good.status, 0, `${about}: ${good.text}`)
        assert.include(good.text, `record ${sequence}, written`)
        for (let flips = 0; flips < 5; flips++) {
          const changed = Buffer.from(text)
          const place = yield* Random.nextIntBetween(0, changed.length - 1)
          changed[place] = (changed[place] ?? 0) ^ (1 << (yield* Random.nextIntBetween(0, 6)))
          assert.strictEqual(verdict(changed.toString("utf8")).status, 1, `${about}, byte ${place} of ${text}`)
        }
      }
    })
  )

  it.effect("is rejected in plain words for another key, another place, a longer path, or without records", () =>
    Effect.gen(function* () {
      const { checkpoint, records } = yield* proofOf("plain", 7, [3, 7])
      const [third, last] = records
      const said = (proof: object, key?: string) => verdict(JSON.stringify(proof), key)
      assert.include(said({ checkpoint, records }).text, "had 7 records, and these 2 were among them")
      const other = Ed25519.format(Buffer.alloc(32, 9))
      for (const [proof, why, key] of [
        [{ checkpoint, records }, "not signed by this key", other],
        [{ checkpoint, records }, "no public key", "ed25519:0"],
        [{ checkpoint, records: [] }, "no records"],
        [{ checkpoint, records: [null] }, "incomplete"],
        [{ checkpoint, records: [{ ...third, sequence: 4 }] }, "record 4 is not what the journal had"],
        [{ checkpoint, records: [{ ...third, path: last?.path }] }, "record 3 is not what"],
        [{ checkpoint, records: [{ ...last, path: [...(last?.path ?? []), third?.path[0]] }] }, "record 7 is not what"],
        [{ checkpoint, records: [{ ...third, sequence: 8 }] }, "not among the 7"],
        [{ records }, "no signed note"]
      ] as const) {
        const { status, text } = said(proof, key)
        assert.deepStrictEqual([status, text.includes(why)], [1, true], `${why}: ${text}`)
      }
    })
  )
})
