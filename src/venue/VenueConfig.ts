/** The address of the venue, our account there, and the time limits. Secrets stay `Redacted` until a header is written. */
import { Context, type Redacted } from "effect"
import { type AskedPath, type MoneyPlaces, pathBetween } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import type { PayingAccount } from "../signing/IntentGuard.ts"
import type { VenueFacts } from "./profile/Facts.ts"
import { defaultProfile, factsOf as factsOfProfile } from "./profile/Profiles.ts"
import type { CreateOrder } from "./Venue.ts"
import type { AssetSpellings } from "./wire/AssetId.ts"
import type { LedgerName } from "./wire/WireValue.ts"

/** The owner and the places of the money, and the terms of orders that have none of their own. */
export interface VenueAccount extends MoneyPlaces, OrderTerms {
  /** Applies to orders that name none. */ readonly confidentiality: NonNullable<OrderTerms["confidentiality"]>
}

export const pathOf = (places: MoneyPlaces, { baseAsset, path, quoteAsset, side }: CreateOrder): AskedPath =>
  path ?? (side === "SELL" ? pathBetween(places, baseAsset, quoteAsset) : pathBetween(places, quoteAsset, baseAsset))

/** Money goes back to where it came from. */
export const partiesOf = ({ recipient, recipientType, refundTo, refundType }: AskedPath) => ({
  depositType: refundType,
  refundType,
  refundTo,
  recipientType,
  recipient
})

/** An order's own terms override the account's. A deposit by intent has no memo. */
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

/** The time limits for answers, in milliseconds. */
export interface Patience {
  /** One attempt of a read. */
  readonly attemptMillis: number
  /** A read with all its attempts. */
  readonly readMillis: number
  /** A call that changes state, which has one attempt. */
  readonly writeMillis: number
}

/** The limits that the bot uses. */
export const defaultPatience: Patience = { attemptMillis: 10_000, readMillis: 30_000, writeMillis: 20_000 }

/** The venue's address, the account, and the time limits. */
export class VenueConfig extends Context.Service<
  VenueConfig,
  {
    /** Base address of the API. */ readonly url: string
    /** Address of the history endpoints; default: `url`. */
    readonly analyticsUrl?: string
    /** Names the asset ids and chains. */ readonly ledger: LedgerName
    /** The intents contract: recipient of every signed message, unless `facts` say otherwise. */
    readonly verifier: string
    /** The differences between this deployment and the interface document. */
    readonly facts?: VenueFacts
    /** Sent as `x-api-key`. */ readonly apiKey?: Redacted.Redacted
    /** Sent as a bearer token to histories. */ readonly partnerJwt?: Redacted.Redacted
    /** The venue's `ed25519:` public key for quotes. If it is set, their signatures are verified. */
    readonly quoteKey?: string
    /** Other spellings of the configured asset ids. */
    readonly assetSpellings?: AssetSpellings
    /** Owner and places of the money. */ readonly account: VenueAccount
    /** Time limits of calls. */ readonly patience: Patience
  }
>()("limitbot/venue/VenueConfig") {}

/** Credentials that prove our identity. No answer may show them. */
export const secretsOf = ({ apiKey, partnerJwt }: VenueConfig["Service"]): ReadonlyArray<Redacted.Redacted> =>
  [apiKey, partnerJwt].filter((secret) => secret !== undefined)

export const payerOf = (config: VenueConfig["Service"]): PayingAccount => ({
  signerId: config.account.signerId,
  domains: factsOf(config).signing
})

export const factsOf = (config: { readonly facts?: VenueFacts | undefined; readonly verifier: string }): VenueFacts =>
  config.facts ?? factsOfProfile(defaultProfile, config.verifier)
