/**
 * Writes the state of a journal as a signed text for other parties: a note in the form of C2SP's `tlog-checkpoint` and `signed-note`
 * (https://c2sp.org), which public witnesses read. Its first lines are the origin, the number of events and the root of the Merkle tree
 * over them. Then follow the hash of the newest event and the time by the bot's clock. The key of the account signs the text itself. It can
 * never be a payment: a verifier accepts a signature over the 32 bytes of a digest, or over a text that is JSON. This text is longer than a
 * digest, and begins with a letter, as no JSON object does.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import * as Timestamp from "../domain/Timestamp.ts"
import * as Ed25519 from "./Ed25519.ts"
import { Signer, SigningRefused } from "./Signer.ts"

export interface Checkpoint {
  readonly account: string
  readonly size: number
  /** Base64. */
  readonly root: string
  /** Hash of the newest event in the chain. */
  readonly head: string
  readonly at: number
}

const originOf = (account: string): string => `limitbot.journal/${account}`

export const textOf = ({ account, at, head, root, size }: Checkpoint): string =>
  `${originOf(account)}\n${size}\n${root}\nhead ${head}\ntime ${Timestamp.format(at)}\n`

const form =
  /^limitbot\.journal\/([0-9a-z._-]{2,64})\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\nhead ([0-9a-f]{64})\ntime (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)\n$/

export const parse = (text: string): Checkpoint | undefined => {
  const [, account, size, root, head, time] = form.exec(text) ?? []
  const at = time === undefined ? undefined : Timestamp.parse(time)
  if (account === undefined || root === undefined || head === undefined || at === undefined) return undefined
  const checkpoint = { account, size: Number(size), root, head, at }
  return textOf(checkpoint) === text ? checkpoint : undefined
}

/** The first four bytes of a key's id in a note: a hash of its name, the kind of signature (1, Ed25519) and the key. */
const keyHash = (name: string, key: Uint8Array): Buffer =>
  createHash("sha256").update(`${name}\n\u0001`).update(key).digest().subarray(0, 4)

export const signed = Effect.fn("Checkpoint.signed")(function* (checkpoint: Checkpoint) {
  const signer = yield* Signer
  const text = textOf(checkpoint)
  const name = originOf(checkpoint.account)
  const { publicKey, signature } = yield* signer.sign(Buffer.from(text), { checkpoint: text })
  const [key, bytes] = [Ed25519.parse(publicKey, 32), Ed25519.parse(signature, 64)]
  if (key === undefined || bytes === undefined || !Ed25519.verify(publicKey, Buffer.from(text), signature))
    return yield* new SigningRefused({ text: "the signature of the checkpoint does not verify" })
  return `${text}\n— ${name} ${Buffer.concat([keyHash(name, key), bytes]).toString("base64")}\n`
})

export interface Noted extends Checkpoint {
  readonly note: string
}

/** Reads a note that this account has signed with this key. Notes may have further signatures, such as witnesses'. */
const open = (text: string, signatures: string, account: string, publicKey: string): Noted | undefined => {
  const checkpoint = parse(text)
  const key = Ed25519.parse(publicKey, 32)
  const name = originOf(account)
  if (checkpoint === undefined || checkpoint.account !== account || key === undefined) return undefined
  const isOurs = signatures.split("\n").some((line) => {
    if (!line.startsWith(`— ${name} `)) return false
    const base64 = line.slice(name.length + 3)
    const bytes = Buffer.from(base64, "base64")
    // Decoders skip characters that are not base64, so a changed note would count as the same.
    if (bytes.toString("base64") !== base64) return false
    const signature = Ed25519.format(bytes.subarray(4))
    return bytes.subarray(0, 4).equals(keyHash(name, key)) && Ed25519.verify(publicKey, Buffer.from(text), signature)
  })
  return isOurs ? { ...checkpoint, note: `${text}\n${signatures}\n` } : undefined
}

/** Ignores text that is not a note of this account. */
export const lastIn = (notes: string, account: string, publicKey: string): Noted | undefined => {
  const parts = notes.split("\n\n")
  for (let place = parts.length - 2; place >= 0; place--) {
    const [text, signatures] = [parts[place]?.trimStart(), parts[place + 1]?.trimEnd()]
    const lastNote = open(`${text ?? ""}\n`, signatures ?? "", account, publicKey)
    if (lastNote !== undefined) return lastNote
  }
  return undefined
}
