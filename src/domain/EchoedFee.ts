/**
 * Fees that orders are really charged. The service echoes app fees and its own share in the order's answer; a schedule is only a forecast.
 * The newest echo of a market counts, for orders that ask for equal app fees with an equal credential.
 */
import { Schema } from "effect"
import { countText, iso } from "./Text.ts"

/** Key and content of an echo. Fees are in basis points of the input. */
export const feeEcho = {
  /** `partner`: the order was made with a partner's credential. */
  credential: Schema.Literals(["partner", "none"]),
  askedBasisPoints: Schema.Finite,
  /** All that the service takes of every input. It includes app fees to our own account, of which only a part comes back. */
  basisPoints: Schema.Finite,
  /** Fills report their output after this fee. */
  fillsNet: Schema.optionalKey(Schema.Literal(true))
}

export type FeeEcho = Schema.Struct.Type<typeof feeEcho>

export interface LearnedFee extends FeeEcho {
  readonly market: string
  readonly orders: number
  readonly at: number
}

export type LearnedFees = ReadonlyMap<string, LearnedFee>

const keyOf = ({ askedBasisPoints, credential, market }: Omit<LearnedFee, "orders" | "at" | "basisPoints">): string =>
  `${market} ${credential} ${askedBasisPoints}`

/** Changes `known` in place. `isFirst` marks the first read of this order; a later read may report another fee. */
export const learn = (
  known: Map<string, LearnedFee>,
  market: string,
  echo: FeeEcho,
  { at, isFirst }: { readonly at: number; readonly isFirst: boolean }
): void => {
  const { askedBasisPoints, basisPoints, credential } = echo
  const key = keyOf({ market, askedBasisPoints, credential })
  const orders = (known.get(key)?.orders ?? 0) + (isFirst ? 1 : 0)
  known.set(key, { market, askedBasisPoints, basisPoints, credential, orders, at })
}

export const learnedFor = (
  known: LearnedFees,
  market: string,
  { askedBasisPoints, credential }: Omit<FeeEcho, "basisPoints">
): LearnedFee | undefined => known.get(keyOf({ market, askedBasisPoints, credential }))

/** Such as "20 basis points of every input (echoed by 3 orders)". */
export const learnedText = ({ askedBasisPoints, basisPoints, orders }: LearnedFee): string => {
  const appFeeText = askedBasisPoints === 0 ? "" : ` that asked for ${askedBasisPoints} of app fees`
  return `${basisPoints} basis points of every input (echoed by ${countText(orders, "order")}${appFeeText})`
}

export const chargedLine = (fee: LearnedFee): string => `The service takes ${learnedText(fee)} in ${fee.market}.`

export const chargedRow = ({ askedBasisPoints, at, basisPoints, credential, market, orders }: LearnedFee) => ({
  market,
  credential,
  askedBasisPoints,
  basisPoints,
  orders,
  at: iso(at)
})
