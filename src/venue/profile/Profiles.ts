/** The profiles by name. A name chooses a file of facts and is used for nothing else: two profiles with the same facts behave alike. */
import type { LedgerName } from "../wire/WireValue.ts"
import type { VenueFacts } from "./Facts.ts"

interface Profile {
  /** The spelling of the home ledger in identifiers, unless another is configured. */
  readonly ledger: LedgerName
  /** `verifier`: the public one, at which every account logs in. */
  readonly factsOf: (verifier: string) => VenueFacts
}

export const profileNames = ["document", "near-2026-11"] as const
export type ProfileName = (typeof profileNames)[number]
export const defaultProfile: ProfileName = "document"

/** The interface document: one verifier for everything, named after the home ledger. */
const ofDocument = (verifier: string): VenueFacts => ({
  signing: { INTENTS: { verifier }, CONFIDENTIAL_INTENTS: { verifier } },
  login: { verifier, nonce: "free" },
  salts: {},
  movesBetweenAccounts: false,
  fees: {
    credential: "partnerJwt",
    withoutPartner: 20,
    withPartner: 0,
    alike: 0,
    stable: [],
    settlement: 0,
    appFees: "added",
    improvement: { kept: 0, minutes: 0 },
    flat: "everywhere",
    fillsNet: false
  },
  orders: { confidentialities: ["basic", "advanced"], quotes: "public", chainMinUsd: {}, tooSmall: "order-rejected" },
  settlementHashes: true,
  crossingHashes: false,
  advancedStatus: "whole",
  accountHistory: "open"
})

const temporary = ["bsc", "pol", "ton", "op", "avax", "stellar", "monad", "xlayer", "adi"]
/** Minimums for money that crosses, since September 2026. Orders inside the service have none. */
const temporaryMinimums = { ...Object.fromEntries(temporary.map((chain) => [chain, 1000])), tron: 100 }

/**
 * The deployed service in November 2026, from its public documentation and its OpenAPI 0.1.10: a public and a confidential ledger with the
 * same accounts and keys, and one verifier for each. Salts rotate: that of the public verifier is read from its ledger (`saltFrom`) or
 * configured; the other one is the documented value.
 */
const ofNear202611 = (verifier: string): VenueFacts => ({
  signing: {
    INTENTS: { verifier },
    CONFIDENTIAL_INTENTS: {
      verifier: "intents.far",
      treasury: "51e8f94d77b5e90dc9852ca6113771e11e8382ce69473a75e313e41665de7cbe"
    }
  },
  login: { verifier, nonce: "started", startsWithinSeconds: { before: 240, after: 300 } },
  salts: { "intents.far": "e110f317" },
  movesBetweenAccounts: true,
  fees: {
    credential: "apiKey",
    withoutPartner: 25,
    withPartner: 20,
    alike: 1,
    stable: ["USDC", "USDT", "DAI"],
    settlement: 0.01,
    appFees: "shared",
    improvement: { kept: 0.5, minutes: 30 },
    flat: "chains",
    fillsNet: false
  },
  orders: {
    confidentialities: ["basic", "advanced"],
    quotes: "as-orders",
    minUsd: 0.1,
    chainMinUsd: temporaryMinimums,
    tooSmall: "order-rejected"
  },
  settlementHashes: false,
  crossingHashes: true,
  advancedStatus: "bare",
  accountHistory: "invite-only"
})

const profiles: Readonly<Record<ProfileName, Profile>> = {
  document: { ledger: "native", factsOf: ofDocument },
  "near-2026-11": { ledger: "near", factsOf: ofNear202611 }
}

export const ledgerOf = (name: ProfileName): LedgerName => profiles[name].ledger

export const verifierOf = (ledger: LedgerName): string => `intents.${ledger}`

export const factsOf = (name: ProfileName, verifier: string): VenueFacts => profiles[name].factsOf(verifier)
