/**
 * The facts of the deployed service in November 2026, from its public documentation and its OpenAPI 0.1.10: a public and a confidential
 * ledger with the same accounts and keys, and one verifier for each. Salts rotate: that of the public verifier is read from its ledger
 * (`saltFrom`) or configured; the other one is the documented value.
 */
import type { VenueFacts } from "./Facts.ts"

const temporary = ["bsc", "pol", "ton", "op", "avax", "stellar", "monad", "xlayer", "adi"]
/** Minimums for money that crosses, since September 2026. Orders inside the service have none. */
const temporaryMinimums = { ...Object.fromEntries(temporary.map((chain) => [chain, 1000])), tron: 100 }

export const factsOf = (verifier: string): VenueFacts => ({
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
