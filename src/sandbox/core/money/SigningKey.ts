/** Ed25519 keys of a sandbox, derived from its seed: the key that signs quotes, and the generated account's key. */
import { createPrivateKey, createPublicKey, type KeyObject, sign as signBytes } from "node:crypto"
import * as Seeded from "../Seeded.ts"

export type KeyPurpose = "quotes" | "account"

/** DER of an Ed25519 private key up to its 32-byte seed (RFC 8410). */
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex")

const seedOf = (seed: number, purpose: KeyPurpose): Uint8Array => Seeded.bytes(seed, "ed25519", purpose)

/** The key asked for last of each purpose: parsing it costs more than signing with it. */
const parsed = new Map<KeyPurpose, { readonly seed: number; readonly key: KeyObject }>()

const privateKey = (seed: number, purpose: KeyPurpose): KeyObject => {
  const known = parsed.get(purpose)
  if (known?.seed === seed) return known.key
  const der = Buffer.concat([pkcs8Header, seedOf(seed, purpose)])
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  parsed.set(purpose, { seed, key })
  return key
}

export const publicKey = (seed: number, purpose: KeyPurpose): Uint8Array =>
  createPublicKey(privateKey(seed, purpose)).export({ format: "der", type: "spki" }).subarray(-32)

/** 64 bytes: the seed and the public key. */
export const secretKey = (seed: number, purpose: KeyPurpose): Uint8Array =>
  Buffer.concat([seedOf(seed, purpose), publicKey(seed, purpose)])

export const sign = (seed: number, purpose: KeyPurpose, message: Uint8Array): Uint8Array =>
  signBytes(null, message, privateKey(seed, purpose))
