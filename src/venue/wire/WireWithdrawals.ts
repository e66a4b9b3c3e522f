/** Payments of a swap of type ANY_INPUT, which turns every deposit into one asset. A payment without exact values is kept as reported. */
import { Array, Option, Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Wire from "./WireValue.ts"

const { tolerant } = Wire
const Text = Schema.String

const WireWithdrawal = Schema.Struct({
  status: Wire.openEnum(["SUCCESS", "FAILED"]),
  amountOut: Text,
  amountOutFormatted: tolerant(Text),
  amountOutUsd: tolerant(Text),
  withdrawFee: tolerant(Text),
  withdrawFeeFormatted: tolerant(Text),
  withdrawFeeUsd: tolerant(Text),
  timestamp: tolerant(Text),
  hash: tolerant(Text)
})

const responseOf = <S extends Schema.Codec<unknown, unknown>>(withdrawals: S) =>
  Schema.Struct({
    asset: tolerant(Text),
    recipient: tolerant(Text),
    affiliateRecipient: tolerant(Text),
    withdrawals: tolerant(withdrawals)
  })

export const WithdrawalsResponse = responseOf(Schema.Array(WireWithdrawal)).annotate({
  identifier: "AnyInputWithdrawals"
})
/** The reply as it is read. The public description shows one withdrawal where it means a list, so one counts as a list. */
export const WithdrawalsReply = responseOf(Schema.Unknown)
export type WithdrawalsReply = typeof WithdrawalsReply.Type

export interface Withdrawal {
  readonly status: string
  readonly amountOut: Amount
  readonly withdrawFee?: Amount
  readonly at?: number
  readonly hash?: string
}

export interface Withdrawals {
  readonly asset?: string
  readonly recipient?: string
  readonly affiliateRecipient?: string
  readonly withdrawals: ReadonlyArray<Withdrawal>
  readonly odd: ReadonlyArray<unknown>
}

const decode = Schema.decodeUnknownOption(WireWithdrawal)

const exact = (said: unknown): Result.Result<Withdrawal, unknown> => {
  const wireFields = Option.getOrUndefined(decode(said))
  const amountOut = Wire.parseAmount(wireFields?.amountOut ?? "")
  if (wireFields === undefined || amountOut === undefined) return Result.fail(said)
  const { hash, status, timestamp = "", withdrawFee = "" } = wireFields
  const details = { withdrawFee: Wire.parseAmount(withdrawFee), at: Timestamp.parse(timestamp), hash }
  return Result.succeed({ status, amountOut, ...present(details) })
}

export const toWithdrawals = ({ withdrawals: said, ...about }: WithdrawalsReply): Withdrawals => {
  const list: ReadonlyArray<unknown> = said === undefined ? [] : Array.isArray(said) ? said : [said]
  const [withdrawals, odd] = Array.partition(list, exact)
  return { ...about, withdrawals, odd }
}
