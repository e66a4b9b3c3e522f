/** Deposits of a swap: reports one to the venue, and reads its status. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import type { Deposit } from "../Venue.ts"
import { messageErrorAt } from "../wire/WireError.ts"
import { SwapStatusResponse, WithdrawalsResponse } from "../wire/WireSwap.ts"
import * as Wire from "../wire/WireValue.ts"
import { PartnerKey } from "./Credentials.ts"
import { MessageValidation } from "./RequestValidation.ts"

const SubmitDepositRequest = Schema.Struct({
  txHash: Wire.Identifier,
  depositAddress: Wire.Identifier,
  /** For deposits on the home ledger, in the deployment's spelling. */
  nativeSenderAccount: Schema.optionalKey(Wire.Identifier),
  nearSenderAccount: Schema.optionalKey(Wire.Identifier),
  memo: Schema.optionalKey(Wire.Identifier)
}).annotate({ identifier: "SubmitDepositRequest" })
type SubmitDepositRequest = typeof SubmitDepositRequest.Type

const isLedgerAccount = (ledger: Wire.LedgerName, account: string): boolean =>
  /^[0-9a-f]{64}$/.test(account) || (/^[a-z0-9._-]{2,64}$/.test(account) && account.endsWith(`.${ledger}`))

/** Names the sender only if it is an account of the home ledger: a name below it, or the 64 hex digits of a key. */
export const depositRequest = (ledger: Wire.LedgerName, deposit: Deposit): SubmitDepositRequest => {
  const { depositAddress, memo, senderAccount, txHash } = deposit
  const sender =
    senderAccount === undefined || !isLedgerAccount(ledger, senderAccount)
      ? {}
      : ledger === "near"
        ? { nearSenderAccount: senderAccount }
        : { nativeSenderAccount: senderAccount }
  return { txHash, depositAddress, ...sender, ...present({ memo }) }
}

export const mostWithdrawals = 50

const WithdrawalsQuery = Schema.Struct({
  depositAddress: Wire.Identifier,
  depositMemo: Schema.optionalKey(Wire.Identifier),
  /** ISO 8601. Nothing before it is returned. */
  timestampFrom: Schema.optionalKey(Wire.TimestampText),
  page: Schema.optionalKey(Wire.wholeText(Number.MAX_SAFE_INTEGER)),
  /** Default: 50. */
  limit: Schema.optionalKey(Wire.wholeText(mostWithdrawals)),
  sortOrder: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
})
export type WithdrawalsQuery = typeof WithdrawalsQuery.Type

const error = [400, 403, 404, 429, 500, 503].map(messageErrorAt)

export const DepositsApi = HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.post("submit", "/v0/deposit/submit", {
      payload: SubmitDepositRequest,
      success: [SwapStatusResponse, SwapStatusResponse.pipe(HttpApiSchema.status(201))],
      error
    }),
    HttpApiEndpoint.get("status", "/v0/status", {
      query: {
        depositAddress: Wire.Identifier,
        /** Required when the quote had one. */
        depositMemo: Schema.optionalKey(Wire.Identifier)
      },
      success: SwapStatusResponse,
      error
    }),
    HttpApiEndpoint.get("withdrawals", "/v0/any-input/withdrawals", {
      query: WithdrawalsQuery,
      success: WithdrawalsResponse,
      error
    })
  )
  .middleware(MessageValidation)
  .middleware(PartnerKey)
