/**
 * Which deployment the tests with whole programs run against, and what a configuration says for it. Usually the interface
 * document's; `npm run test:deployed` runs the same tests against the deployed service's, where orders are paid from the
 * confidential account and logins need a salt.
 */

import { saltFrom } from "../src/sandbox/SandboxApi.ts"
import { defaultProfile, factsOf, type ProfileName, profileNames, verifierOf } from "../src/venue/profile/Profiles.ts"
import type { LedgerName } from "../src/venue/wire/WireValue.ts"

const asked = process.env["LIMITBOT_LIKE"]
const found = profileNames.find((name) => name === (asked ?? defaultProfile))
if (found === undefined) throw new Error(`LIMITBOT_LIKE is one of ${profileNames.join(", ")}, not ${asked}`)
export const usualProfile: ProfileName = found

/** A sandbox: how it spells identifiers, and the deployment it is like. */
export interface Deployment {
  readonly ledger: LedgerName
  readonly like: ProfileName
}

const isConfidential = ({ ledger, like }: Deployment): boolean => factsOf(like, verifierOf(ledger)).movesBetweenAccounts

/** The lines that a configuration of this deployment has more, of its `venue` and of its `account`. */
export const profileLines = (deployment: Deployment & { readonly url: string }) => {
  if (deployment.like === defaultProfile) return { venue: "", account: "" }
  return {
    venue: `  profile: ${deployment.like}\n  facts: { saltFrom: "${saltFrom(deployment.url)}" }\n`,
    account: isConfidential(deployment) ? "  depositType: CONFIDENTIAL_INTENTS\n" : ""
  }
}

/** The verifier and the deposit type of the orders of such a configuration. */
export const paidBy = (deployment: Deployment) => {
  const depositType = isConfidential(deployment) ? ("CONFIDENTIAL_INTENTS" as const) : ("INTENTS" as const)
  const { verifier } = factsOf(deployment.like, verifierOf(deployment.ledger)).signing[depositType]
  return { depositType, verifier }
}

/** The file of a signer process; `perDay` in whole units. */
export const signerText = (
  { ledger, like }: Deployment,
  perDay: { readonly BTC: number; readonly USDC: number } = { BTC: 1, USDC: 20_000 }
): string => `key: { file: account.key }
${like === defaultProfile ? "" : `profile: ${like}\n`}verifier: ${verifierOf(ledger)}
assets:
  BTC:  { id: "nep141:btc.omft.${ledger}",  decimals: 8, maxTransfer: 0.01, maxPerDay: ${perDay.BTC} }
  USDC: { id: "nep141:usdc.omft.${ledger}", decimals: 6, maxTransfer: 400, maxPerDay: ${perDay.USDC} }
`
