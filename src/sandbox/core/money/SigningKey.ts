/** Ed25519 keys of a sandbox, derived from its seed: the key that signs quotes, and the generated account's key. */
import { createPublicKey, type KeyObject, sign as signBytes } from "node:crypto"
import * as Ed25519 from "../../../signing/Ed25519.ts"
import * as Seeded from "../../Seeded.ts"

export type KeyPurpose = "quotes" | "account" | `account ${number}`

const seedOf = (seed: number, purpose: KeyPurpose): Uint8Array => Seeded.bytes(seed, "ed25519", purpose)

/** The last key of each purpose, cached because parsing it costs more than signing with it. */
const parsed = new Map<KeyPurpose, { readonly seed: number; readonly key: KeyObject }>()

const privateKey = (seed: number, purpose: KeyPurpose): KeyObject => {
  const cachedKey = parsed.get(purpose)
  if (cachedKey?.seed === seed) return cachedKey.key
  const key = Ed25519.privateKeyOf(seedOf(seed, purpose))
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
