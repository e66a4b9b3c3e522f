/**
 * Where the venue is, who we are there, and how long we wait for it. The configuration file fills it; secrets stay
 * `Redacted` until a header is written.
 */
import { Context, type Redacted } from "effect"
import { type AskedPath, type MoneyPlaces, pathBetween } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import type { PayingAccount } from "../signing/IntentGuard.ts"
import * as document from "./profile/document.ts"
import type { VenueFacts } from "./profile/Facts.ts"
import type { CreateOrder } from "./Venue.ts"
import type { AssetSpellings } from "./wire/AssetId.ts"
import type { LedgerName } from "./wire/WireValue.ts"

/** Whose money it is, where it is, and what an order asks for that says nothing else. */
export interface VenueAccount extends MoneyPlaces, OrderTerms {
  readonly confidentiality: NonNullable<OrderTerms["confidentiality"]>
}

/** The way that an order's money is to go. */
export const pathOf = (places: MoneyPlaces, { baseAsset, path, quoteAsset, side }: CreateOrder): AskedPath =>
  path ?? (side === "SELL" ? pathBetween(places, baseAsset, quoteAsset) : pathBetween(places, quoteAsset, baseAsset))

/** The same in the words of a request. */
export const partiesOf = ({ recipient, recipientType, refundTo, refundType }: AskedPath) => ({
  depositType: refundType,
  refundType,
  refundTo,
  recipientType,
  recipient
})

/** What an order asks for: its own terms override the account's. A deposit by intent carries no memo. */
export const termsOf = (account: VenueAccount, depositType: string, own: OrderTerms = {}) => {
  const { appFees, confidentiality, depositMode = "SIMPLE" } = { ...account, ...own }
  return {
    confidentiality,
    depositMode: depositType === "ORIGIN_CHAIN" ? depositMode : ("SIMPLE" as const),
    ...present({
      appFees: appFees?.map(({ fee, recipient }) => ({
        recipient: recipient === "self" ? account.signerId : recipient,
        fee
      }))
    })
  }
}

/** Pays from and back to addresses on other chains. */
export const chainAccount = (signerId: string, addresses: NonNullable<VenueAccount["addresses"]>): VenueAccount => ({
  signerId,
  depositType: "ORIGIN_CHAIN",
  confidentiality: "basic",
  addresses
})

/** Pays from and back to the same account at the verifier. */
export const ownAccount = (signerId: string, depositType: "INTENTS" | "CONFIDENTIAL_INTENTS"): VenueAccount => ({
  signerId,
  depositType,
  confidentiality: "basic"
})

/** How long to wait for answers. */
export interface Patience {
  /** One attempt of a read. */
  readonly attemptMillis: number
  /** A read with all its attempts. */
  readonly readMillis: number
  /** A call that changes state: one attempt. */
  readonly writeMillis: number
}

export const defaultPatience: Patience = { attemptMillis: 10_000, readMillis: 30_000, writeMillis: 20_000 }

/** Where the venue is, whose account it is about, and how long to wait. */
export class VenueConfig extends Context.Service<
  VenueConfig,
  {
    readonly url: string
    /** Address of the history endpoints; default: `url`. */
    readonly analyticsUrl?: string
    readonly ledger: LedgerName
    /** The intents contract: recipient of every signed message, where `facts` say nothing else. */
    readonly verifier: string
    /** What this deployment does otherwise than the interface document. */
    readonly facts?: VenueFacts
    readonly apiKey?: Redacted.Redacted
    readonly partnerJwt?: Redacted.Redacted
    /** The venue's `ed25519:` public key for quotes; if it is set, their signatures are verified. */
    readonly quoteKey?: string
    /** Other spellings of the configured asset ids. */
    readonly assetSpellings?: AssetSpellings
    readonly account: VenueAccount
    readonly patience: Patience
  }
>()("limitbot/venue/VenueConfig") {}

/** What proves who we are: no answer may show it. */
export const secretsOf = ({ apiKey, partnerJwt }: VenueConfig["Service"]): ReadonlyArray<Redacted.Redacted> =>
  [apiKey, partnerJwt].filter((secret) => secret !== undefined)

/** Whose payments its verifiers execute. */
export const payerOf = (config: VenueConfig["Service"]): PayingAccount => ({
  signerId: config.account.signerId,
  domains: factsOf(config).signing
})

/** The facts of the deployment; by default those of the interface document. */
export const factsOf = ({
  facts,
  verifier
}: {
  readonly facts?: VenueFacts | undefined
  readonly verifier: string
}): VenueFacts => facts ?? document.factsOf(verifier)
