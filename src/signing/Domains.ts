/** One table from an order's deposit type to the verifier that executes its transfer and the token's name there. No row: never signed. */
import { Schema } from "effect"

export const SigningDomain = Schema.Struct({
  /** The contract that executes it: `recipient` of a NEP-413 message, `verifying_contract` in other standards. */
  verifier: Schema.String,
  /** The contract that issues the tokens there. Missing: tokens have their public ids. */
  treasury: Schema.optionalKey(Schema.String)
})
export type SigningDomain = typeof SigningDomain.Type

export const signedDeposits = ["INTENTS", "CONFIDENTIAL_INTENTS"] as const
export type SignedDeposit = (typeof signedDeposits)[number]

export const SigningDomains = Schema.Struct({ INTENTS: SigningDomain, CONFIDENTIAL_INTENTS: SigningDomain })
export type SigningDomains = typeof SigningDomains.Type

const isSigned = (depositType: string): depositType is SignedDeposit =>
  signedDeposits.some((each) => each === depositType)

export const domainOf = (signing: SigningDomains, depositType: string): SigningDomain | undefined =>
  isSigned(depositType) ? signing[depositType] : undefined

const prefixOf = ({ treasury }: SigningDomain): string => (treasury === undefined ? "" : `imt:${treasury}:`)

/** The id by which the domain's verifier knows an asset of the venue. */
export const tokenIn = (domain: SigningDomain, asset: string): string => `${prefixOf(domain)}${asset}`

/** `undefined` for a token of another treasury. */
export const assetOf = (domain: SigningDomain, token: string): string | undefined => {
  const prefix = prefixOf(domain)
  return token.startsWith(prefix) ? token.slice(prefix.length) : undefined
}

/** A balance may have its ledger's or its public name. Tokens of another treasury are not ours, and keep their name. */
export const publicName = (signing: SigningDomains, token: string): string =>
  signedDeposits
    .map((each) => signing[each])
    .filter(({ treasury }) => treasury !== undefined)
    .map((domain) => assetOf(domain, token))
    .find((asset) => asset !== undefined) ?? token

export const depositsOf = (signing: SigningDomains, verifier: unknown): ReadonlyArray<SignedDeposit> =>
  signedDeposits.filter((each) => signing[each].verifier === verifier)

export const nameOf = (signing: SigningDomains, verifier: unknown): string => {
  const text = verifier === undefined ? "nothing" : String(JSON.stringify(verifier)).slice(0, 200)
  const deposits = depositsOf(signing, verifier)
  return deposits.length === 0 || deposits.length === signedDeposits.length
    ? text
    : `${text}, the verifier of ${deposits.join(" and ")}`
}
