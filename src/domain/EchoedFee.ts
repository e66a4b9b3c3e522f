/**
 * What orders are really charged: the service echoes app fees and its own share in the order's answer, and that is the truth
 * where a schedule is only a forecast. The newest echo of a market counts, for orders that ask for the same app fees with the
 * same credential.
 */
import { Schema } from "effect"

/** What an echo belongs to, and what it says. Basis points of the input. */
export const feeEcho = {
  /** `partner`: the order was made with a partner's credential. */
  credential: Schema.Literals(["partner", "none"]),
  /** App fees that the order asked for, all together. */
  askedBasisPoints: Schema.Finite,
  /** All that the service takes of every input. App fees to ourselves are in it: only a part of them comes back. */
  basisPoints: Schema.Finite,
  /** Fills name their output after this fee. */
  fillsNet: Schema.optionalKey(Schema.Literal(true))
}

export type FeeEcho = typeof EchoFields.Type
const EchoFields = Schema.Struct(feeEcho)

export interface LearnedFee extends FeeEcho {
  /** Name. */
  readonly market: string
  readonly orders: number
  /** When the newest was answered. */
  readonly at: number
}

/** By market, credential and app fees. */
export type LearnedFees = ReadonlyMap<string, LearnedFee>

const keyOf = ({ askedBasisPoints, credential, market }: Omit<LearnedFee, "orders" | "at" | "basisPoints">): string =>
  `${market} ${credential} ${askedBasisPoints}`

/** Changes `known` in place. `isFirst`: the first read of this order; a later one may tell another fee. */
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
