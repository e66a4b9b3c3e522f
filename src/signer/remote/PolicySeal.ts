/** Signatures of people over policies and approvals. Each text begins with its own word, so it cannot pass for another or a payment. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { Signer } from "../../signing/Signer.ts"

const policyText = (file: string): string => `limitbot.policy\n${createHash("sha256").update(file).digest("hex")}\n`

const signed = (text: string) =>
  Effect.flatMap(Signer, (signer) => Effect.map(signer.sign(Buffer.from(text)), ({ signature }) => signature))

export const sealPolicy = (file: string) => signed(policyText(file))

export const isSealed = (file: string, signature: string, publicKey: string): boolean =>
  Ed25519.verify(publicKey, Buffer.from(policyText(file)), signature.trim())

/** Approves one payment of at most this amount of an asset, to be signed before `validUntil`. */
export interface Approval {
  readonly account: string
  readonly asset: string
  /** Smallest units. */
  readonly amount: string
  /** Epoch milliseconds. */
  readonly validUntil: number
  /** Random for each approval, so that it counts once. */
  readonly nonce: string
}

const approvalText = ({ account, amount, asset, nonce, validUntil }: Approval): string =>
  `limitbot.approval\n${JSON.stringify([account, asset, amount, validUntil, nonce])}\n`

export const sealApproval = (approval: Approval) => signed(approvalText(approval))

export const approverOf = (
  approval: Approval,
  signature: string,
  publicKeys: ReadonlyArray<string>
): string | undefined =>
  publicKeys.find((publicKey) => Ed25519.verify(publicKey, Buffer.from(approvalText(approval)), signature))
