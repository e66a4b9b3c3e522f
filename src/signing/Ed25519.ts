/** Ed25519 keys and signatures as `ed25519:` and base58. Node verifies, so a signature is never checked by the code that made it. */
import { createPrivateKey, createPublicKey, type KeyObject, verify as verifySignature } from "node:crypto"
import bs58 from "bs58"
import { Result } from "effect"

const prefix = "ed25519:"
/** DER of an Ed25519 private key up to its 32-byte seed (RFC 8410). */
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex")
/** DER of an Ed25519 SubjectPublicKeyInfo up to the key (RFC 8410). */
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex")

export const format = (bytes: Uint8Array): string => prefix + bs58.encode(bytes)

/** `undefined` unless the text has `length` bytes after `ed25519:`. */
export const parse = (text: string, length: number): Uint8Array | undefined => {
  // Base58 decoding takes quadratic time, so the length is checked first; 64 bytes are at most 88 digits.
  if (!text.startsWith(prefix) || text.length > prefix.length + 90) return undefined
  const bytes = bs58.decodeUnsafe(text.slice(prefix.length))
  return bytes?.length === length ? bytes : undefined
}

/** For the sandbox: Node signs in a fiftieth of the time that JavaScript takes. `seed`: 32 bytes. */
export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: "der", type: "pkcs8" })

/** Both arguments are `ed25519:` texts. False for anything malformed. */
export const verify = (publicKey: string, message: Uint8Array, signature: string): boolean => {
  const key = parse(publicKey, 32)
  const bytes = parse(signature, 64)
  if (key === undefined || bytes === undefined) return false
  const checked = Result.try(() => {
    const spki = createPublicKey({ key: Buffer.concat([spkiHeader, key]), format: "der", type: "spki" })
    return verifySignature(null, message, spki, bytes)
  })
  return Result.getOrElse(checked, () => false)
}

/** The account that a key owns without registration: the key's bytes in hex. */
export const implicitAccount = (publicKey: string): string | undefined => {
  const key = parse(publicKey, 32)
  return key === undefined ? undefined : Buffer.from(key).toString("hex")
}
