#!/usr/bin/env node
// Verifies, without a network and without limitbot, what `limitbot orders ORDER --proof FILE` wrote:
//
//   node verify.mjs FILE ed25519:PUBLIC-KEY
//
// The key must come from somebody whom you trust to know it, not from the file. Ends with 0 if all of it is proven, with 1 if not.
//
// Each event of a journal has a hash: SHA-256 of the hash before it, its number, its time and its text. These hashes are the leaves of
// a Merkle tree (RFC 6962). A checkpoint (C2SP tlog-checkpoint, as a signed note) names the tree's size and root, and bears the
// signature of the account's key.
import { createHash, createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const fail = (why) => {
  console.error(`NOT PROVEN: ${why}`)
  process.exit(1)
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest()

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** The 32 bytes of `ed25519:` and base58. */
const keyBytes = (text) => {
  let value = 0n
  for (const digit of text.replace(/^ed25519:/, "")) {
    const place = digits.indexOf(digit)
    if (place < 0) fail(`${text} is no public key`)
    value = value * 58n + BigInt(place)
  }
  const hex = value.toString(16).padStart(64, "0")
  if (!text.startsWith("ed25519:") || hex.length !== 64) fail(`${text} is no public key of the form ed25519:…`)
  return Buffer.from(hex, "hex")
}

/** What a note says, once the signature of this key is found on it. */
const openNote = (note, key) => {
  const end = typeof note === "string" ? note.indexOf("\n\n") : -1
  if (end < 0) fail("the checkpoint is no signed note")
  const [text, signatures] = [note.slice(0, end + 1), note.slice(end + 2).split("\n")]
  const [origin, size, root, head, time, ...more] = text.split("\n")
  const id = sha256(`${origin}\n\u0001`, key).subarray(0, 4)
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key])
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" })
  const isSigned = signatures.some((line) => {
    const [dash, name, base64, ...rest] = line.split(" ")
    const bytes = Buffer.from(base64 ?? "", "base64")
    if (dash !== "—" || name !== origin || rest.length > 0 || bytes.length !== 68) return false
    if (bytes.toString("base64") !== base64 || !bytes.subarray(0, 4).equals(id)) return false
    return verify(null, Buffer.from(text), publicKey, bytes.subarray(4))
  })
  if (!isSigned) fail("the checkpoint is not signed by this key, or was changed since")
  const isWellFormed =
    /^limitbot\.journal\/\S+$/.test(origin) &&
    /^[1-9]\d{0,14}$/.test(size) &&
    /^[A-Za-z0-9+/]{43}=$/.test(root) &&
    /^head [0-9a-f]{64}$/.test(head) &&
    /^time \S+$/.test(time) &&
    more.join("") === ""
  if (!isWellFormed) fail("the checkpoint is not one of a limitbot journal")
  return { account: origin.split("/")[1], size: Number(size), root, time: time.slice(5) }
}

/** The root to which a leaf and its path lead (RFC 9162, 2.1.3.2); nothing if the path cannot belong to this place. */
const rootOf = (leaf, index, size, path) => {
  let [node, at, last] = [leaf, index, size - 1]
  for (const text of path) {
    const sibling = Buffer.from(text, "base64")
    if (sibling.length !== 32 || sibling.toString("base64") !== text || last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      node = sha256("\u0001", sibling, node)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else node = sha256("\u0001", node, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? node.toString("base64") : undefined
}

const isRecord = ({ at, before, body, path, sequence } = {}) =>
  Number.isSafeInteger(sequence) &&
  Number.isSafeInteger(at) &&
  typeof body === "string" &&
  /^[0-9a-f]{64}$/.test(before) &&
  Array.isArray(path) &&
  path.every((text) => typeof text === "string")

const [file, key] = process.argv.slice(2)
if (file === undefined || key === undefined) fail("say: node verify.mjs FILE ed25519:PUBLIC-KEY")

let proof
try {
  proof = JSON.parse(readFileSync(file, "utf8"))
} catch (error) {
  fail(`${file} cannot be read: ${error.message}`)
}
const { account, root, size, time } = openNote(proof?.checkpoint, keyBytes(key))
if (!Array.isArray(proof.records) || proof.records.length === 0) fail("it has no records")

for (const record of proof.records) {
  if (!isRecord(record ?? undefined)) fail("a record of it is incomplete")
  const { at, before, body, path, sequence } = record
  if (sequence < 1 || sequence > size) fail(`record ${sequence} is not among the ${size} of the checkpoint`)
  const chained = sha256(`${before}\n${sequence}\n${at}\n${body}`)
  if (rootOf(sha256("\u0000", chained), sequence - 1, size, path) !== root)
    fail(`record ${sequence} is not what the journal had when the checkpoint was signed`)
}

console.log(`PROVEN: the key ${key} signed, at ${time} by its own clock, that the journal of ${account}`)
console.log(`had ${size} records, and these ${proof.records.length} were among them, exactly so:`)
for (const { at, body, sequence } of proof.records)
  console.log(`  record ${sequence}, written ${new Date(at).toISOString()} by the bot's clock: ${body}`)
console.log("NOT PROVEN by this: that the times are right (a witness with the same checkpoint can say when it got it);")
console.log("that what the records say is true (the venue, or the transactions that they name, can say so);")
console.log("that there are no further records of the order; and whose the key is.")
