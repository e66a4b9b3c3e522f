/**
 * Terms of every order besides market, side and price. The configuration sets them for the account; `terms:` in a strategy file sets them
 * for that strategy, and leaves the others as they are. A term that neither sets has the service's default.
 */
import type { OrderTerms } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import * as Read from "./Fields.ts"
import type { Markets } from "./Markets.ts"
import { type Report, report, type Span } from "./Problem.ts"

const mostFeeBasisPoints = 500
const feeRecipient = Read.scalar(
  "self, or an account id in lower case",
  (text) => (/^[a-z0-9][a-z0-9._-]{1,63}$/.test(text) ? text : undefined),
  undefined,
  { type: "string" }
)

export const keys = {
  confidentiality: Read.optional(Read.oneOf("basic", "advanced"), "of orders and swaps", "basic"),
  depositMode: Read.optional(Read.oneOf("SIMPLE", "MEMO"), "how deposits on other chains are identified", "SIMPLE"),
  appFees: Read.optional(
    Read.table(feeRecipient, Read.integer(0, mostFeeBasisPoints)),
    "app fees by recipient, in basis points of the input; `self` is a rebate, or a cost if the service keeps half"
  )
}

export const termsOf = (
  { appFees, confidentiality, depositMode }: Read.SettingsOf<typeof keys>,
  at: (key: "appFees") => Span,
  to: Report,
  sharedFeeBasisPoints = 0
): OrderTerms => {
  const fees = appFees?.map(([recipient, { value: fee }]) => ({ recipient: recipient.value, fee }))
  const total = (fees ?? []).reduce((sum, { fee }) => sum + fee, sharedFeeBasisPoints)
  if (fees !== undefined && total > mostFeeBasisPoints) {
    const what = sharedFeeBasisPoints === 0 ? "the fees" : `with the service's own ${sharedFeeBasisPoints} the fees`
    report(to, at("appFees"), `${what} total ${total} basis points, the venue allows ${mostFeeBasisPoints} at most`)
  }
  return present({ appFees: fees, confidentiality, depositMode })
}

export const readerAt = ({ sharedFeeBasisPoints }: Markets): Read.Reader<OrderTerms> =>
  Read.checked(keys, (terms, at, to) => termsOf(terms, at, to, sharedFeeBasisPoints))
