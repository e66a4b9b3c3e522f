/**
 * The signatures of people over a signer's policy and over a payment that needs their word. Each is over a text that begins with a word
 * of its own, so neither can be taken for the other, for a checkpoint or for a payment.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { Signer } from "../../signing/Signer.ts"

/** Over the whole file, byte by byte. */
const policyText = (file: string): string => `limitbot.policy\n${createHash("sha256").update(file).digest("hex")}\n`

/** By the key of the `Signer` that is there. */
const signed = (text: string) =>
  Effect.flatMap(Signer, (signer) => Effect.map(signer.sign(Buffer.from(text)), ({ signature }) => signature))

export const sealPolicy = (file: string) => signed(policyText(file))

export const isSealed = (file: string, signature: string, publicKey: string): boolean =>
  Ed25519.verify(publicKey, Buffer.from(policyText(file)), signature.trim())

/** One payment of at most so much of an asset, to be signed before that time. */
export interface Approval {
  /** The account that pays. */
  readonly account: string
  /** The venue's id. */
  readonly asset: string
  /** Smallest units. */
  readonly amount: string
  /** Epoch milliseconds. */
  readonly validUntil: number
  /** Drawn for this word, which counts once. */
  readonly nonce: string
}

const approvalText = ({ account, amount, asset, nonce, validUntil }: Approval): string =>
  `limitbot.approval\n${JSON.stringify([account, asset, amount, validUntil, nonce])}\n`

export const sealApproval = (approval: Approval) => signed(approvalText(approval))

/** Which of these keys approved it. */
export const approverOf = (
  approval: Approval,
  signature: string,
  publicKeys: ReadonlyArray<string>
): string | undefined =>
  publicKeys.find((publicKey) => Ed25519.verify(publicKey, Buffer.from(approvalText(approval)), signature))
