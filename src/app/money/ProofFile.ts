/**
 * One file by which somebody who has nothing else of the journal verifies, without a network and without this program, what it says of
 * the money of an order: these records, the path from each to the root of a checkpoint, and the checkpoint that the key of the account
 * signed. `deploy/verify.mjs` reads it. Signed payments are no part of it.
 *
 * With a witness the checkpoint is the one that it was told last, so that its copy says the time too; otherwise one is signed now.
 */
import { Clock, Console, Effect, FileSystem, Schema } from "effect"
import type { Recorded, Tag } from "../../domain/BotEvent.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as JournalTree from "../../journal/tree/JournalTree.ts"
import * as Merkle from "../../journal/tree/Merkle.ts"
import * as Layers from "../../Layers.ts"
import * as Checkpoint from "../../signing/Checkpoint.ts"
import * as Witness from "../journal/Witness.ts"

export class NoProof extends Schema.TaggedError<NoProof>()("NoProof", { message: Schema.String }) {}

const ofMoney: ReadonlySet<Tag> = new Set(["PaymentMade", "DepositSeen", "FillSeen", "PaidOut", "Refunded"])

const signedNow = Effect.fnUntraced(function* (account: string, { account: keys }: ConfigFile.BotConfig) {
  const tree = Merkle.make()
  const head = yield* JournalTree.grow(tree)
  const at = yield* Clock.currentTimeMillis
  const checkpoint = { account, size: tree.size, root: Merkle.rootOf(tree), head, at }
  const note = yield* Effect.provide(Checkpoint.signed(checkpoint), Layers.signerLayer(keys))
  return { ...checkpoint, note }
})

interface ProofAsked {
  readonly order: string
  readonly config: string
  readonly out: string
  readonly events: ReadonlyArray<Recorded>
}

export const write = Effect.fn("ProofFile.write")(function* ({ config: file, events, order, out }: ProofAsked) {
  const config = yield* ConfigFile.load(file)
  const { signerId } = yield* Layers.accountOf(config)
  const moneySequences = events.filter(({ event }) => ofMoney.has(event._tag)).map(({ sequence }) => sequence)
  if (moneySequences.length === 0)
    return yield* new NoProof({ message: `The journal has no deposit, fill, payout or refund of ${order} yet.` })
  const { checkpoint, records } = yield* Effect.gen(function* () {
    const witnessCheckpoint = config.witness && (yield* Witness.last(config.witness, signerId, config))
    const checkpoint = witnessCheckpoint ?? (yield* signedNow(signerId, config))
    const covered = moneySequences.filter((sequence) => sequence <= checkpoint.size)
    return { checkpoint, records: yield* JournalTree.prove(checkpoint.size, covered) }
  }).pipe(Effect.provide(Sqlite.layer({ filename: config.journal, readOnly: true })))
  const when = `the checkpoint of ${iso(checkpoint.at)}, over ${counted(checkpoint.size, "event")}`
  if (records.length === 0)
    return yield* new NoProof({ message: `All of ${order} came after ${when}: try again after the next one.` })
  const fileSystem = yield* FileSystem.FileSystem
  const text = JSON.stringify({ checkpoint: checkpoint.note, records }, null, 2)
  yield* fileSystem
    .writeFileString(out, `${text}\n`, { flag: "wx", mode: 0o600 })
    .pipe(Effect.mapError((cause) => new NoProof({ message: `Cannot write ${out}: ${cause.message}` })))
  const later = moneySequences.length - records.length
  const rest = later === 0 ? "" : `; not included: ${counted(later, "later record")}`
  yield* Console.log(`${out}: ${counted(records.length, "record")}, by ${when}${rest}`)
})
