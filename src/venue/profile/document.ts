/** The facts of the interface document: one verifier for everything, named after the home ledger. It is the default. */
import type { VenueFacts } from "./Facts.ts"

export const factsOf = (verifier: string): VenueFacts => ({
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
