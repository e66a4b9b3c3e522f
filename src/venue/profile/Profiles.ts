/** The profiles by name. A name chooses a file of facts and is used for nothing else: two profiles with the same facts behave alike. */
import type { LedgerName } from "../wire/WireValue.ts"
import * as document from "./document.ts"
import type { VenueFacts } from "./Facts.ts"
import * as near202611 from "./near202611.ts"

interface Profile {
  /** The spelling of the home ledger in identifiers, unless another is configured. */
  readonly ledger: LedgerName
  /** `verifier`: the public one, at which every account logs in. */
  readonly factsOf: (verifier: string) => VenueFacts
}

export const profileNames = ["document", "near-2026-11"] as const
export type ProfileName = (typeof profileNames)[number]
export const defaultProfile: ProfileName = "document"

const profiles: Readonly<Record<ProfileName, Profile>> = {
  document: { ledger: "native", factsOf: document.factsOf },
  "near-2026-11": { ledger: "near", factsOf: near202611.factsOf }
}

export const ledgerOf = (name: ProfileName): LedgerName => profiles[name].ledger

export const verifierOf = (ledger: LedgerName): string => `intents.${ledger}`

export const factsOf = (name: ProfileName, verifier: string): VenueFacts => profiles[name].factsOf(verifier)
