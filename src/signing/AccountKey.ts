/**
 * Determines the key that signs for an account. The name of an implicit account is its key in hexadecimal digits. Only the verifier knows
 * the keys of a named account, so the key that signed first has to sign everything that a process sends.
 */
import { Effect, Schema } from "effect"
import * as Ed25519 from "./Ed25519.ts"
import type { Signature } from "./Signer.ts"

const implicit = /^[0-9a-f]{64}$/

export const keyOf = (account: string): string | undefined =>
  implicit.test(account) ? Ed25519.format(Buffer.from(account, "hex")) : undefined

export class KeyOfAnother extends Schema.TaggedError<KeyOfAnother>()("KeyOfAnother", {
  account: Schema.String,
  publicKey: Schema.String,
  signsFor: Schema.String
}) {
  override get message(): string {
    return `account.signerId is ${this.account}, and the key ${this.publicKey} signs for ${this.signsFor}: the verifier would refuse every payment. Name the account of the key, or use the key of the account`
  }
}

export const accountOf = (publicKey: string, named?: string): Effect.Effect<string, KeyOfAnother> => {
  const own = Ed25519.implicitAccount(publicKey) ?? publicKey
  if (named === undefined) return Effect.succeed(own)
  const key = keyOf(named)
  return key === undefined || key === publicKey
    ? Effect.succeed(named)
    : Effect.fail(new KeyOfAnother({ account: named, publicKey, signsFor: own }))
}

export const make = (account: string) => {
  let accountKey = keyOf(account)
  return {
    /** Returns the reason why the account did not make this signature; `undefined` if it did. */
    objection: (digest: Uint8Array, { publicKey, signature }: Signature): string | undefined => {
      if (accountKey !== undefined && publicKey !== accountKey) return `one of ${publicKey} instead of ${accountKey}`
      if (!Ed25519.verify(publicKey, digest, signature)) return `a signature that ${publicKey} did not make`
      accountKey = publicKey
      return undefined
    }
  }
}
