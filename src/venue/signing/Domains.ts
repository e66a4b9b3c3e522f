/**
 * What a signature may be for: one table from the deposit type of an order to the verifier that executes its transfer and to the
 * name of its token there. Everything that signs, or checks what was signed, asks here. A deposit type without a row is signed
 * by nobody.
 */
import { type SignedDeposit, type SigningDomain, signedDeposits, type VenueFacts } from "../profile/Facts.ts"

type Signing = VenueFacts["signing"]

const isSigned = (depositType: string): depositType is SignedDeposit =>
  signedDeposits.some((each) => each === depositType)

export const domainOf = (signing: Signing, depositType: string): SigningDomain | undefined =>
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
export const publicName = (signing: Signing, token: string): string =>
  signedDeposits
    .map((each) => signing[each])
    .filter(({ treasury }) => treasury !== undefined)
    .map((domain) => assetOf(domain, token))
    .find((asset) => asset !== undefined) ?? token

/** The domains of a verifier: which kinds of deposit it executes. */
export const depositsOf = (signing: Signing, verifier: unknown): ReadonlyArray<SignedDeposit> =>
  signedDeposits.filter((each) => signing[each].verifier === verifier)

/** For people: a verifier, and what it is the verifier of where that tells verifiers apart. */
export const nameOf = (signing: Signing, verifier: unknown): string => {
  const text = verifier === undefined ? "nothing" : String(JSON.stringify(verifier)).slice(0, 200)
  const deposits = depositsOf(signing, verifier)
  return deposits.length === 0 || deposits.length === signedDeposits.length
    ? text
    : `${text}, the verifier of ${deposits.join(" and ")}`
}
