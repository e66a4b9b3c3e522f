/**
 * Where the venue is, who we are there, and how long we wait for it. Filled from the configuration file; secrets stay
 * `Redacted` until a header is written.
 */
import { Context, type Redacted } from "effect"
import type { AssetSpellings } from "./wire/AssetId.ts"
import type { confidentialities, depositModes, depositTypes, LedgerName, recipientTypes } from "./wire/WireValue.ts"

export interface AppFee {
  readonly recipient: string
  /** Basis points of the input. */
  readonly fee: number
}

/** Whose money it is and where it comes back to. */
export interface VenueAccount {
  /** The account that signs, lowercase. */
  readonly signerId: string
  readonly depositType: (typeof depositTypes)[number]
  readonly recipient: string
  readonly recipientType: (typeof recipientTypes)[number]
  readonly refundTo: string
  readonly refundType: (typeof depositTypes)[number]
  readonly confidentiality: Exclude<(typeof confidentialities)[number], "public">
  /** Asked for with every order and swap: fees to oneself are a rebate. */
  readonly appFees?: ReadonlyArray<AppFee>
  /** How a deposit on another chain is told apart: by its address alone, or by a memo as well. */
  readonly depositMode?: (typeof depositModes)[number]
  /** On other chains every asset has addresses of its own: by the venue's asset ids. */
  readonly addresses?: {
    readonly recipients: ReadonlyMap<string, string>
    readonly refundTo: ReadonlyMap<string, string>
  }
}

/** Where an output is paid to, and an input is refunded to. */
export const partiesOf = (account: VenueAccount, originAsset: string, destinationAsset: string) => ({
  recipient: account.addresses?.recipients.get(destinationAsset) ?? account.recipient,
  refundTo: account.addresses?.refundTo.get(originAsset) ?? account.refundTo
})

/** Pays from and back to addresses on other chains. */
export const chainAccount = (signerId: string, addresses: NonNullable<VenueAccount["addresses"]>): VenueAccount => ({
  signerId,
  depositType: "ORIGIN_CHAIN",
  recipient: signerId,
  recipientType: "DESTINATION_CHAIN",
  refundTo: signerId,
  refundType: "ORIGIN_CHAIN",
  confidentiality: "basic",
  addresses
})

/** Pays from and back to the same account at the verifier. */
export const ownAccount = (signerId: string, depositType: "INTENTS" | "CONFIDENTIAL_INTENTS"): VenueAccount => ({
  signerId,
  depositType,
  recipient: signerId,
  recipientType: depositType,
  refundTo: signerId,
  refundType: depositType,
  confidentiality: "basic"
})

export interface Patience {
  /** One attempt of a read. */
  readonly attemptMillis: number
  /** A read with all its attempts. */
  readonly readMillis: number
  /** A call that changes state: one attempt. */
  readonly writeMillis: number
}

export const defaultPatience: Patience = { attemptMillis: 10_000, readMillis: 30_000, writeMillis: 20_000 }

export class VenueConfig extends Context.Service<
  VenueConfig,
  {
    readonly url: string
    /** Address of the history endpoints; `url` when absent. */
    readonly analyticsUrl?: string
    readonly ledger: LedgerName
    /** The intents contract: recipient of every signed message. */
    readonly verifier: string
    readonly apiKey?: Redacted.Redacted
    readonly partnerJwt?: Redacted.Redacted
    /** `ed25519:` public key with which the venue signs quotes; they are verified when it is set. */
    readonly quoteKey?: string
    /** The verifier's current salt (4 bytes), where it takes only nonces that carry one. */
    readonly nonceSalt?: Uint8Array
    /** Other spellings of the asset ids that the configuration uses. */
    readonly assetSpellings?: AssetSpellings
    readonly account: VenueAccount
    readonly patience: Patience
  }
>()("limitbot/venue/VenueConfig") {}
