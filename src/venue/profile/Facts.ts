/** The differences between deployments, as data. Client, signer, sandbox and backtest read a fact, never the name of a deployment. */
import { Schema } from "effect"
import { SigningDomains } from "../../signing/Domains.ts"

/** Shares are basis points of the input. */
const FeeSchedule = Schema.Struct({
  /** The setting whose credential makes orders and quotes count as a partner's. */
  credential: Schema.Literals(["partnerJwt", "apiKey"]),
  /** The fee without a partner's credential, on top of all other fees. */
  withoutPartner: Schema.Finite,
  /** The fee with a credential and without app fees. With app fees, the service keeps at least this much of `shared` ones. */
  withPartner: Schema.Finite,
  /** The fee between stable assets, and for one asset between two places. */
  alike: Schema.Finite,
  stable: Schema.Array(Schema.String),
  settlement: Schema.Finite,
  /** `added`: app fees go to their recipients. `shared`: half and half; the service keeps at least its minimum. */
  appFees: Schema.Literals(["added", "shared"]),
  /** The ratio that the service keeps of a swap's surplus over its quote, within this number of minutes after the quote. */
  improvement: Schema.Struct({ kept: Schema.Finite, minutes: Schema.Finite }),
  /** The payouts and refunds that cost a flat fee: all, or only those that leave the service for another chain. */
  flat: Schema.Literals(["everywhere", "chains"]),
  /** Fills report their output after these fees, so it may be below the limit by the charges in the order's echo. */
  fillsNet: Schema.Boolean
})

export const VenueFacts = Schema.Struct({
  signing: SigningDomains,
  login: Schema.Struct({
    verifier: Schema.String,
    /** `free`: any 32 bytes, with the verifier's salt if it is known. `started`: with salt, end and start. */
    nonce: Schema.Literals(["free", "started"]),
    /** The maximum distance between the start of a login and the service's own time. */
    startsWithinSeconds: Schema.optionalKey(Schema.Struct({ before: Schema.Finite, after: Schema.Finite }))
  }),
  /** Known salts of nonces, four bytes in hex, by verifier. They rotate. */
  salts: Schema.Record(Schema.String, Schema.String),
  /** An RPC address of the login verifier's ledger, which reports its present salt. */
  saltFrom: Schema.optionalKey(Schema.String),
  /** True if an asset can be swapped into itself, from one kind of account to another. */
  movesBetweenAccounts: Schema.Boolean,
  fees: FeeSchedule,
  orders: Schema.Struct({
    /** The confidentialities that an order may request. `public` is refused everywhere, already as an invalid request. */
    confidentialities: Schema.Array(Schema.String),
    /** The confidentiality that price quotes request: `public`, or the confidentiality of the orders that they are for. */
    quotes: Schema.Literals(["public", "as-orders"]),
    minUsd: Schema.optionalKey(Schema.Finite),
    /** The smallest order whose money comes from or goes to a chain, in USD, by the chain's name. These change from time to time. */
    chainMinUsd: Schema.Record(Schema.String, Schema.Finite),
    tooSmall: Schema.Literals(["order-rejected", "request-rejected"])
  }),
  /** True if a swap names the public transaction that settled it. */
  settlementHashes: Schema.Boolean,
  /** For a swap that names no settlement: true if it names the transactions that moved its money to the other ledger and back. */
  crossingHashes: Schema.Boolean,
  /** `bare`: the status of an `advanced` swap may hold its state alone, without amounts and hashes. */
  advancedStatus: Schema.Literals(["whole", "bare"]),
  accountHistory: Schema.Literals(["open", "invite-only"])
})
export type VenueFacts = typeof VenueFacts.Type
