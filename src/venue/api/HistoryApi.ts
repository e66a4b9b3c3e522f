/** The partner's transaction history, by cursor and by page, with every filter. One request per five seconds. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { historyErrorAt } from "../wire/WireError.ts"
import { TransactionPagesResponse, TransactionsResponse, transactionStatuses } from "../wire/WireHistory.ts"
import { ledgers, NumberText, TimestampText, wholeText } from "../wire/WireValue.ts"
import { PartnerJwt } from "./Credentials.ts"
import { HistoryValidation } from "./RequestValidation.ts"

const otherChains =
  "eth base arb btc sol ton doge xrp zec gnosis bera bsc pol tron sui op avax cardano " +
  "stellar aptos ltc monad xlayer starknet bch adi plasma scroll aleo movement dash abs hypercore fogo"
export const chainIds: ReadonlyArray<string> = [...ledgers, ...otherChains.split(" ")]

/** The statuses that the history returns without `statuses`. It leaves out deposits that are still awaited. */
export const defaultStatuses = ["FAILED", "PROCESSING", "REFUNDED", "SUCCESS"] as const

const isStatus = Schema.is(Schema.Literals(transactionStatuses))

const Statuses = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      text.split(",").every(isStatus) || `must be a comma-separated list of ${transactionStatuses.join(", ")}`
  )
)

export const ChainId = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/))
const optional = Schema.optionalKey
const Text = optional(Schema.String)
const Several = optional(Schema.Array(Schema.String))
/** Accepts any word, because a service may know more chains than its documentation. The sandbox refuses unknown ones. */
const Chains = optional(Schema.Array(ChainId))
const orNull = <S extends Schema.Codec<unknown, string>>(schema: S) =>
  optional(Schema.Union([schema, Schema.Literals(["null"])]))
const count = (maximum: number) => optional(wholeText(maximum))
const Usd = orNull(NumberText.check(Schema.isGreaterThanOrEqualTo(0)))
const Unix = orNull(NumberText)
const Time = orNull(TimestampText)

/** Time bounds are exclusive. Filters by chain, token, referral, affiliate or value omit masking transactions. */
const filters = {
  search: Text,
  fromChainId: Chains,
  toChainId: Chains,
  fromTokenId: Several,
  toTokenId: Several,
  depositMemo: Text,
  referral: Text,
  affiliate: Text,
  statuses: optional(Statuses),
  showTestTxs: Text,
  minUsdPrice: Usd,
  maxUsdPrice: Usd,
  startTimestamp: Time,
  endTimestamp: Time,
  startTimestampUnix: Unix,
  endTimestampUnix: Unix
}

const TransactionsQuery = Schema.Struct({
  ...filters,
  numberOfTransactions: count(1000),
  lastDepositAddress: Text,
  lastDepositMemo: Text,
  /** Deprecated: address and memo joined by an underscore. */
  lastDepositAddressAndMemo: Text,
  /** `next`: older. */
  direction: optional(Schema.Literals(["next", "prev"]))
})
/** Filters of the history by cursor. */
export type TransactionsQuery = typeof TransactionsQuery.Type

const TransactionPagesQuery = Schema.Struct({ ...filters, page: count(Number.MAX_SAFE_INTEGER), perPage: count(1000) })
/** Filters of the history by page. */
export type TransactionPagesQuery = typeof TransactionPagesQuery.Type

const error = [429, 500, 503].map(historyErrorAt)

export const HistoryApi = HttpApiGroup.make("history")
  .add(
    HttpApiEndpoint.get("transactions", "/api/v0/transactions", {
      query: TransactionsQuery,
      success: TransactionsResponse,
      error
    }),
    HttpApiEndpoint.get("transactionPages", "/api/v0/transactions-pages", {
      query: TransactionPagesQuery,
      success: TransactionPagesResponse,
      error
    })
  )
  .middleware(HistoryValidation)
  .middleware(PartnerJwt)
