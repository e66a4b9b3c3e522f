/** The partner's history by cursor and by page. Both share a limit of one request per five seconds. */
import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import {
  chainIds,
  defaultStatuses,
  type TransactionPagesQuery,
  type TransactionsQuery
} from "../../venue/api/HistoryApi.ts"
import { historyError } from "../../venue/wire/WireError.ts"
import { ledgers } from "../../venue/wire/WireValue.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import { SandboxApi } from "../SandboxApi.ts"
import type { SandboxAsset } from "../Settings.ts"
import { ownerOf } from "./callers.ts"
import { sandboxForHistory } from "./refusals.ts"
import { toTransaction, usdIn, usdOut } from "./wireHistory.ts"

type Line = HistoryRecord.HistoryRecord
type Filters = Omit<TransactionPagesQuery, "page" | "perPage">

const spacingMillis = 5000
const defaultCount = 50

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "history",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForHistory
    const { ledger } = sandbox.settings
    const nextAt = new Map<string, number>()

    const linesOf = Effect.fnUntraced(function* (query: Filters) {
      const caller = yield* Caller
      const { partner = "" } = caller
      const now = yield* Clock.currentTimeMillis
      const wait = (nextAt.get(partner) ?? 0) - now
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000)
        return yield* historyError(429, "rate-limit-exceeded", `Try again in ${seconds} s`, seconds)
      }
      nextAt.set(partner, now + spacingMillis)
      const foreign = [...(query.fromChainId ?? []), ...(query.toChainId ?? [])].find(
        (chain) => !isChain(chain) || (chain !== ledger && isLedgerName(chain))
      )
      if (foreign !== undefined) {
        return yield* historyError(
          400,
          "validation-failed",
          `there is no chain ${foreign}: the home ledger is ${ledger}`
        )
      }
      const lines = yield* sandbox.read(HistoryRecord.all)
      return lines.filter((line) => line.owner === ownerOf(caller))
    })

    return handlers.handleAll({
      transactions: Effect.fnUntraced(function* ({ query }) {
        const page = pageAround(yield* linesOf(query), query)
        if (page === undefined)
          return yield* historyError(400, "validation-failed", "the last deposit is not in the history")
        return page.map((line) => toTransaction(sandbox.settings, line))
      }),
      transactionPages: Effect.fnUntraced(function* ({ query }) {
        const { page = 1, perPage = defaultCount } = query
        const lines = (yield* linesOf(query)).filter((line) => isShown(line, query))
        const totalPages = Math.ceil(lines.length / perPage)
        return {
          data: lines.slice((page - 1) * perPage, page * perPage).map((line) => toTransaction(sandbox.settings, line)),
          totalPages,
          page,
          perPage,
          total: lines.length,
          ...(page < totalPages ? { nextPage: page + 1 } : {}),
          ...(page > 1 && totalPages > 0 ? { prevPage: Math.min(page - 1, totalPages) } : {})
        }
      })
    })
  })
)

const isChain = Schema.is(Schema.Literals(chainIds))
const isLedgerName = Schema.is(Schema.Literals(ledgers))

/** The line of the cursor is searched among all lines, so it may leave the filter, as a finished swap leaves PROCESSING. */
const pageAround = (lines: ReadonlyArray<Line>, query: TransactionsQuery): ReadonlyArray<Line> | undefined => {
  const { numberOfTransactions: count = defaultCount, direction = "next" } = query
  const { lastDepositAddress, lastDepositMemo, lastDepositAddressAndMemo } = query
  if (lastDepositAddress === undefined && lastDepositAddressAndMemo === undefined) {
    return direction === "next" ? lines.filter((line) => isShown(line, query)).slice(0, count) : []
  }
  const place = lines.findIndex(({ target: { depositAddress, depositMemo } }) => {
    const combined = depositMemo === undefined ? depositAddress : `${depositAddress}_${depositMemo}`
    if (lastDepositAddress === undefined) return combined === lastDepositAddressAndMemo
    return depositAddress === lastDepositAddress && (depositMemo ?? "") === (lastDepositMemo ?? "")
  })
  if (place < 0) return undefined
  const beside = direction === "next" ? lines.slice(place + 1) : lines.slice(0, place)
  const matches = beside.filter((line) => isShown(line, query))
  return direction === "next" ? matches.slice(0, count) : matches.slice(-count)
}

const testReferral = /^test/i

const isShown = (line: Line, query: Filters): boolean =>
  statusesOf(query).includes(line.status) &&
  (query.showTestTxs === "true" || !testReferral.test(line.referral ?? "")) &&
  (!looksAtSwaps(query) || (!line.isMasking && isSwapWanted(line, query))) &&
  isFound(line, query) &&
  isInTime(line, query)

const statusesOf = ({ statuses }: Filters): ReadonlyArray<string> => statuses?.split(",") ?? defaultStatuses

const isGiven = <A>(value: A | "null" | undefined): value is A => value !== undefined && value !== "null"

const looksAtSwaps = (query: Filters): boolean =>
  [query.fromChainId, query.fromTokenId, query.toChainId, query.toTokenId, query.referral, query.affiliate].some(
    (filter) => filter !== undefined
  ) ||
  isGiven(query.minUsdPrice) ||
  isGiven(query.maxUsdPrice)

const isSwapWanted = (line: Line, query: Filters): boolean => {
  const { target, referral, appFees } = line
  const { fromTokenId, fromChainId, toTokenId, toChainId, minUsdPrice, maxUsdPrice } = query
  const isAsset = (asset: SandboxAsset, tokens?: ReadonlyArray<string>, chains?: ReadonlyArray<string>) =>
    tokens === undefined ? (chains?.includes(asset.blockchain) ?? true) : tokens.includes(asset.id)
  const values = [usdIn(line), usdOut(line)]
  return (
    isAsset(target.origin, fromTokenId, fromChainId) &&
    isAsset(target.destination, toTokenId, toChainId) &&
    (query.referral === undefined || referral === query.referral) &&
    (query.affiliate === undefined || appFees.some(({ recipient }) => recipient === query.affiliate)) &&
    (!isGiven(minUsdPrice) || values.every((value) => value >= minUsdPrice)) &&
    (!isGiven(maxUsdPrice) || values.every((value) => value <= maxUsdPrice))
  )
}

const isFound = (line: Line, { search, depositMemo }: Filters): boolean =>
  (depositMemo === undefined || line.target.depositMemo === depositMemo) &&
  (search === undefined || HistoryRecord.namesOf(line).includes(search))

/** Both bounds are exclusive. */
const isInTime = ({ target: { createdAt } }: Line, query: Filters): boolean => {
  const starts = [query.startTimestamp, query.startTimestampUnix].filter(isGiven).map(toMillis)
  const ends = [query.endTimestamp, query.endTimestampUnix].filter(isGiven).map(toMillis)
  return starts.every((start) => createdAt > start) && ends.every((end) => createdAt < end)
}

/** Seconds, or milliseconds if the number is too large for seconds. */
const toMillis = (time: string | number): number => {
  if (typeof time === "string") return Timestamp.parse(time) ?? 0
  return time < 1e11 ? time * 1000 : time
}
