/**
 * What a signature may be for: one table from the deposit type of an order to the verifier that executes its transfer and to the
 * name of its token there. Everything that signs, or checks what was signed, asks here. A deposit type without a row is signed
 * by nobody.
 */
import { Schema } from "effect"

/** Where a signed transfer is executed, and how tokens are named there. */
export const SigningDomain = Schema.Struct({
  /** The contract that executes it: `recipient` of a NEP-413 message, `verifying_contract` in other standards. */
  verifier: Schema.String,
  /** The contract that issues the tokens there; left out: tokens have their public ids. */
  treasury: Schema.optionalKey(Schema.String)
})
export type SigningDomain = typeof SigningDomain.Type

/** Deposits that are paid by a signed transfer. */
export const signedDeposits = ["INTENTS", "CONFIDENTIAL_INTENTS"] as const
export type SignedDeposit = (typeof signedDeposits)[number]

/** What is signed for a deposit of each kind. */
export const SigningDomains = Schema.Struct({ INTENTS: SigningDomain, CONFIDENTIAL_INTENTS: SigningDomain })
export type SigningDomains = typeof SigningDomains.Type

const isSigned = (depositType: string): depositType is SignedDeposit =>
  signedDeposits.some((each) => each === depositType)

export const domainOf = (signing: SigningDomains, depositType: string): SigningDomain | undefined =>
  isSigned(depositType) ? signing[depositType] : undefined

const prefixOf = ({ treasury }: SigningDomain): string => (treasury === undefined ? "" : `imt:${treasury}:`)

/** The id by which the domain's verifier knows an asset of the venue. */
export const tokenIn = (domain: SigningDomain, asset: string): string => `${prefixOf(domain)}${asset}`

/** The venue's id of a token of this domain; undefined if it is not one of its tokens. */
export const assetOf = (domain: SigningDomain, token: string): string | undefined => {
  const prefix = prefixOf(domain)
  return token.startsWith(prefix) ? token.slice(prefix.length) : undefined
}

/** A balance may be named as on its ledger or as in public. Tokens of another treasury are not ours, and keep their name. */
export const publicName = (signing: SigningDomains, token: string): string =>
  signedDeposits
    .map((each) => signing[each])
    .filter(({ treasury }) => treasury !== undefined)
    .map((domain) => assetOf(domain, token))
    .find((asset) => asset !== undefined) ?? token

/** The domains of a verifier: which kinds of deposit it executes. */
export const depositsOf = (signing: SigningDomains, verifier: unknown): ReadonlyArray<SignedDeposit> =>
  signedDeposits.filter((each) => signing[each].verifier === verifier)

/** For people: a verifier, and what it is the verifier of where that tells verifiers apart. */
export const nameOf = (signing: SigningDomains, verifier: unknown): string => {
  const text = verifier === undefined ? "nothing" : String(JSON.stringify(verifier)).slice(0, 200)
  const deposits = depositsOf(signing, verifier)
  return deposits.length === 0 || deposits.length === signedDeposits.length
    ? text
    : `${text}, the verifier of ${deposits.join(" and ")}`
}
