/**
 * What every order and swap of the account asks for besides market, side and price: app fees, confidentiality, the mode of
 * deposits. Each has the service's own default, so that most configurations say nothing of it.
 */
import * as Read from "../strategy/Fields.ts"
import { type Report, report } from "../strategy/Problem.ts"
import type { VenueAccount } from "../venue/VenueConfig.ts"

export interface OrderTerms {
  readonly confidentiality: VenueAccount["confidentiality"] | undefined
  readonly depositMode: "SIMPLE" | "MEMO" | undefined
  /** Basis points by recipient; `self` is the account. */
  readonly appFees: ReadonlyMap<string, number>
}

const mostFeeBasisPoints = 500
const feeRecipient = Read.scalar(
  "self, or an account id in lower case",
  (text) => (/^[a-z0-9][a-z0-9._-]{1,63}$/.test(text) ? text : undefined),
  undefined,
  { type: "string" }
)

export const readers = {
  confidentiality: Read.optional(Read.oneOf("basic", "advanced"), "of orders and swaps; left out: basic"),
  depositMode: Read.optional(
    Read.oneOf("SIMPLE", "MEMO"),
    "how deposits on other chains are told apart; left out: SIMPLE"
  ),
  appFees: Read.optional(
    Read.table(feeRecipient, Read.integer(0, mostFeeBasisPoints)),
    "basis points of the input by recipient, asked for with every order; `self` is a rebate"
  )
}

type Given = {
  readonly [K in keyof typeof readers]?: Read.Located<unknown> | undefined
} & {
  readonly confidentiality?: Read.Located<"basic" | "advanced"> | undefined
  readonly depositMode?: Read.Located<"SIMPLE" | "MEMO"> | undefined
  readonly appFees?: Read.Located<ReadonlyArray<readonly [Read.Located<string>, Read.Located<number>]>> | undefined
}

export const resolved = (given: Given, depositType: string, to: Report): OrderTerms => {
  const { appFees, confidentiality, depositMode } = given
  const fees = new Map((appFees?.value ?? []).map(([recipient, { value }]) => [recipient.value, value]))
  const total = [...fees.values()].reduce((sum, fee) => sum + fee, 0)
  if (appFees !== undefined && total > mostFeeBasisPoints) {
    report(
      to,
      appFees,
      `the fees are ${total} basis points together, and the venue takes ${mostFeeBasisPoints} at most`
    )
  }
  if (depositMode?.value === "MEMO" && depositType !== "ORIGIN_CHAIN") {
    report(to, depositMode, `a deposit by ${depositType} carries no memo: MEMO is for ORIGIN_CHAIN`)
  }
  return { confidentiality: confidentiality?.value, depositMode: depositMode?.value, appFees: fees }
}

/** The account with its terms. */
export const withTerms = (
  account: VenueAccount,
  { appFees, confidentiality = account.confidentiality, depositMode }: OrderTerms
): VenueAccount => ({
  ...account,
  confidentiality,
  ...(depositMode === undefined ? {} : { depositMode }),
  ...(appFees.size === 0
    ? {}
    : {
        appFees: [...appFees].map(([recipient, fee]) => ({
          recipient: recipient === "self" ? account.signerId : recipient,
          fee
        }))
      })
})

/** The part of the fees that others get: what an order may cost in fees without being odd. */
export const feesToOthers = ({ appFees }: OrderTerms): number =>
  [...appFees].reduce((sum, [recipient, fee]) => (recipient === "self" ? sum : sum + fee), 0)
