/** The end user's own transaction history. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { messageErrorAt } from "../wire/WireError.ts"
import { AccountHistoryResponse, transactionStatuses } from "../wire/WireHistory.ts"
import * as Wire from "../wire/WireValue.ts"
import { UserSession } from "./Credentials.ts"
import { MessageValidation } from "./RequestValidation.ts"

const optional = Schema.optionalKey
const Cursor = optional(Wire.Identifier)

/** The service's word for any kind, in the lists of kinds. */
export const anyKind = "null"
const kinds = <const Known extends ReadonlyArray<string>>(known: Known) =>
  optional(Schema.Array(Schema.Literals([...known, anyKind])))

const AccountHistoryQuery = Schema.Struct({
  /** Older. */
  prevCursor: Cursor,
  /** Newer. */
  nextCursor: Cursor,
  status: optional(Schema.Array(Schema.Literals(transactionStatuses))),
  limit: optional(Wire.wholeText(100)),
  depositAddress: optional(Schema.String),
  depositMemo: optional(Schema.String),
  search: optional(Schema.String),
  /** The three lists are read together: the kinds at the same position form one filter. */
  depositType: kinds(Wire.depositTypes),
  recipientType: kinds(Wire.recipientTypes),
  refundType: kinds(Wire.depositTypes)
}).check(
  Schema.makeFilter(
    ({ nextCursor, prevCursor }: { readonly nextCursor?: string; readonly prevCursor?: string }) =>
      nextCursor === undefined || prevCursor === undefined || "prevCursor and nextCursor exclude each other"
  )
)
export type AccountHistoryQuery = typeof AccountHistoryQuery.Type

export const AccountHistoryApi = HttpApiGroup.make("accountHistory")
  .add(
    HttpApiEndpoint.get("list", "/v0/account/history", {
      query: AccountHistoryQuery,
      success: AccountHistoryResponse,
      /** 403: the feature needs an invitation. */
      error: [403, 429, 500, 503].map(messageErrorAt)
    })
  )
  .middleware(MessageValidation)
  .middleware(UserSession)
