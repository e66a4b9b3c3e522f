/** Signs with the same bytes as the real `Signer` in a fiftieth of the time, because a simulated bot signs thousands of times. */
import { sign } from "node:crypto"
import { Effect, Layer } from "effect"
import type { ConnectionRecord } from "../../sandbox/SandboxServer.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { Signer } from "../../signing/Signer.ts"

export const layer = ({ account }: ConnectionRecord): Layer.Layer<Signer> =>
  Layer.effect(
    Signer,
    Effect.sync(() => {
      const secret = Ed25519.parse(account.key, 64)
      if (secret === undefined) throw new Error("The sandbox's account has no key of 64 bytes")
      const key = Ed25519.privateKeyOf(secret.subarray(0, 32))
      const publicKey = Ed25519.format(secret.subarray(32))
      return {
        sign: (digest) => Effect.sync(() => ({ publicKey, signature: Ed25519.format(sign(null, digest, key)) }))
      }
    })
  )
