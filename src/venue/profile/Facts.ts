/**
 * What one deployment of the service does otherwise than another, as data: client, signer, sandbox and backtest ask for a fact,
 * never for the name of a deployment. A profile is one file of facts; the configuration overrides single ones.
 */
import { Schema } from "effect"
import { SigningDomains } from "../../signing/Domains.ts"

export const partnerCredentials = ["partnerJwt", "apiKey"] as const
export const flatFees = ["everywhere", "chains"] as const

/** Shares are basis points of the input. */
const FeeSchedule = Schema.Struct({
  /** The setting of the configuration whose credential makes orders and quotes a partner's. */
  credential: Schema.Literals(partnerCredentials),
  /** Without a partner's credential, on top of everything else. */
  withoutPartner: Schema.Finite,
  /** With one, where no app fees are asked for; with app fees, the least that the service keeps of `shared` ones. */
  withPartner: Schema.Finite,
  /** The same between stable assets, and for one asset between two places. */
  alike: Schema.Finite,
  /** Symbols of stable assets. */
  stable: Schema.Array(Schema.String),
  /** Share of each settlement. */
  settlement: Schema.Finite,
  /** `added`: app fees go to their recipients. `shared`: in halves, the service keeping its least. */
  appFees: Schema.Literals(["added", "shared"]),
  /** The ratio that the service keeps of what a swap brings more than quoted, within so many minutes of its quote. */
  improvement: Schema.Struct({ kept: Schema.Finite, minutes: Schema.Finite }),
  /** Which payouts and refunds cost a flat fee: all of them, or only those that leave the service for another chain. */
  flat: Schema.Literals(flatFees),
  /** Fills name their output after these fees, so that it may be below the limit by what the order's echo charges. */
  fillsNet: Schema.Boolean
})
/** How far the start of a login may be from the service's own time, in seconds. */
const Span = Schema.Struct({ before: Schema.Finite, after: Schema.Finite })
export const loginNonces = ["free", "started"] as const
export const historyAccess = ["open", "invite-only"] as const
export const statusDetails = ["whole", "bare"] as const
export const quoteTerms = ["public", "as-orders"] as const
export const tooSmallCodes = ["order-rejected", "request-rejected"] as const

export const VenueFacts = Schema.Struct({
  /** What is signed for a deposit of each kind. */
  signing: SigningDomains,
  login: Schema.Struct({
    verifier: Schema.String,
    /** `free`: any 32 bytes, with the verifier's salt where it is known. `started`: with salt, end and start. */
    nonce: Schema.Literals(loginNonces),
    startsWithinSeconds: Schema.optionalKey(Span)
  }),
  /** Known salts of nonces, four bytes in hex, by verifier. They rotate. */
  salts: Schema.Record(Schema.String, Schema.String),
  /** An RPC address of the login verifier's ledger, which tells its present salt. */
  saltFrom: Schema.optionalKey(Schema.String),
  /** Whether an asset can be swapped into itself, from one kind of account to another. */
  movesBetweenAccounts: Schema.Boolean,
  fees: FeeSchedule,
  orders: Schema.Struct({
    /** What an order may ask for. `public` is refused everywhere, already as no valid request. */
    confidentialities: Schema.Array(Schema.String),
    /** What price quotes ask for: `public`, or the confidentiality of the orders that they are for. */
    quotes: Schema.Literals(quoteTerms),
    /** The smallest order, in USD, where it is known. */
    minUsd: Schema.optionalKey(Schema.Finite),
    /** The smallest order whose money comes from or goes to a chain, in USD by the chain's word. These change from time to time. */
    chainMinUsd: Schema.Record(Schema.String, Schema.Finite),
    /** The code that refuses an order below the smallest one. */
    tooSmall: Schema.Literals(tooSmallCodes)
  }),
  /** Whether a swap names the public transaction that settled it. */
  settlementHashes: Schema.Boolean,
  /** Where it names none: whether it names the transactions that brought its money to the other ledger and back. */
  crossingHashes: Schema.Boolean,
  /** `bare`: the status of an `advanced` swap may hold its state alone, without amounts and hashes. */
  advancedStatus: Schema.Literals(statusDetails),
  /** Whether the account may read its own history. */
  accountHistory: Schema.Literals(historyAccess)
})
export type VenueFacts = typeof VenueFacts.Type
