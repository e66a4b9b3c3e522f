/**
 * The bytes that are signed for an off-chain message by NEP-413 (https://github.com/near/NEPs/blob/master/neps/nep-0413.md): the tag 2^31 +
 * 413 and the Borsh encoding of the payload, hashed with SHA-256. Because of the tag, such a message can never be a transaction. The
 * verifier identifies the intent by the same digest.
 */
import { createHash } from "node:crypto"
import bs58 from "bs58"

export interface Nep413Payload {
  readonly message: string
  /** 32 bytes. */
  readonly nonce: Uint8Array
  /** The verifier's account. */
  readonly recipient: string
  readonly callbackUrl?: string | null
}

const tag = 2 ** 31 + 413

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const string = (text: string): Buffer => {
  const bytes = Buffer.from(text, "utf8")
  return Buffer.concat([u32(bytes.length), bytes])
}

export const preimage = ({ callbackUrl, message, nonce, recipient }: Nep413Payload): Uint8Array =>
  Buffer.concat([
    u32(tag),
    string(message),
    nonce,
    string(recipient),
    callbackUrl === undefined || callbackUrl === null
      ? Buffer.from([0])
      : Buffer.concat([Buffer.from([1]), string(callbackUrl)])
  ])

export const digest = (payload: Nep413Payload): Uint8Array => createHash("sha256").update(preimage(payload)).digest()

export const hashText = (bytes: Uint8Array): string => bs58.encode(bytes)

/** 32 bytes of standard base64 in canonical form; otherwise `undefined`. */
export const parseNonce = (text: string): Uint8Array | undefined => {
  if (text.length !== 44) return undefined
  const bytes = Buffer.from(text, "base64")
  return bytes.length === 32 && bytes.toString("base64") === text ? bytes : undefined
}
