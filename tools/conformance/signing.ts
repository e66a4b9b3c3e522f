/** NEP-413 messages, signed with nothing but Node's own cryptography, so that the suite does not share a mistake with the bot. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto"
import bs58 from "bs58"

const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex")

export interface Account {
  readonly publicKey: string
  /** Lower-case hex of the public key: the account that owns it without registration. */
  readonly signerId: string
  readonly privateKey: KeyObject
}

export const accountOf = (key: string): Account => {
  const seed = Buffer.from(bs58.decode(key.trim().replace(/^ed25519:/, ""))).subarray(0, 32)
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: "der", type: "pkcs8" })
  const bytes = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32)
  return { publicKey: `ed25519:${bs58.encode(bytes)}`, signerId: bytes.toString("hex"), privateKey }
}

export interface Payload {
  readonly message: string
  readonly nonce: string
  readonly recipient: string
  readonly callbackUrl?: string | null
}

/** What a versioned nonce says: the salt of its verifier, and from when until when it is valid, in milliseconds. */
export interface Span {
  readonly salt: string
  readonly startsAt: number
  readonly endsAt: number
}

/** 32 bytes in base64: magic and version, salt, end and start in nanoseconds, and seven random bytes. */
export const nonceOf = ({ endsAt, salt, startsAt }: Span): string => {
  const nanoseconds = (millis: number): Buffer => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(Math.round(millis)) * 1_000_000n)
    return bytes
  }
  const head = Buffer.from(`5628f6c600${salt}`, "hex")
  return Buffer.concat([head, nanoseconds(endsAt), nanoseconds(startsAt), randomBytes(7)]).toString("base64")
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const borsh = (text: string): Buffer => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)])

const digestOf = ({ callbackUrl, message, nonce, recipient }: Payload): Buffer => {
  const callback = callbackUrl == null ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), borsh(callbackUrl)])
  const bytes = [u32(2 ** 31 + 413), borsh(message), Buffer.from(nonce, "base64"), borsh(recipient), callback]
  return createHash("sha256").update(Buffer.concat(bytes)).digest()
}

export const hashOf = (payload: Payload): string => bs58.encode(digestOf(payload))

export const signed = ({ privateKey, publicKey }: Account, payload: Payload) => ({
  standard: "nep413",
  payload,
  public_key: publicKey,
  signature: `ed25519:${bs58.encode(sign(null, digestOf(payload), privateKey))}`
})
