/** The end user's own history: every address that this account paid, receives from or is refunded by. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type AccountHistoryQuery, anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"
import { toItem } from "./wire/wireHistory.ts"

type Line = HistoryRecord.HistoryRecord

const defaultLimit = 20

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "accountHistory",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { account = "" } = yield* Caller
        const lines = yield* sandbox.look(HistoryRecord.all).pipe(asMessageError)
        return pageOf(
          lines.filter((line) => isTouchedBy(line, account) && isShown(line, query)),
          query
        )
      })
    })
  })
)

const isTouchedBy = ({ target, recipient, refundTo }: Line, account: string): boolean =>
  recipient === account || refundTo === account || target.senders.has(account)

const isShown = (line: Line, query: AccountHistoryQuery): boolean => {
  const equals = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value
  return (
    (query.status?.includes(line.status) ?? true) &&
    equals(query.depositAddress, line.target.depositAddress) &&
    (query.depositAddress === undefined || equals(query.depositMemo, line.target.depositMemo)) &&
    isOfKinds(line, query) &&
    (query.search === undefined || HistoryRecord.namesOf(line).includes(query.search))
  )
}

/** One place of the three lists after the other; a list that is shorter or left out takes any kind. */
const isOfKinds = (line: Line, query: AccountHistoryQuery): boolean => {
  const { depositType = [], recipientType = [], refundType = [] } = query
  const places = Math.max(depositType.length, recipientType.length, refundType.length)
  const isOf = (wanted: string | undefined, kind: string) =>
    wanted === undefined || wanted === anyKind || wanted === kind
  const isAt = (place: number) =>
    isOf(depositType[place], line.depositType) &&
    isOf(recipientType[place], line.recipientType) &&
    isOf(refundType[place], line.refundType)
  return places === 0 || Array.from({ length: places }, (_, place) => isAt(place)).includes(true)
}

/** Newest first; a cursor is the deposit address next to the page. */
const pageOf = (lines: ReadonlyArray<Line>, query: AccountHistoryQuery) => {
  const { limit = defaultLimit, prevCursor, nextCursor } = query
  const placeOf = (cursor: string) => lines.findIndex(({ target }) => target.depositAddress === cursor)
  const start =
    nextCursor === undefined
      ? prevCursor === undefined
        ? 0
        : placeOf(prevCursor) + 1
      : Math.max(0, placeOf(nextCursor) - limit)
  const end = nextCursor === undefined ? start + limit : Math.max(0, placeOf(nextCursor))
  const page = lines.slice(start, end)
  const [first, last] = [page[0], page.at(-1)]
  return {
    items: page.map(toItem),
    ...(start > 0 && first !== undefined ? { nextCursor: first.target.depositAddress } : {}),
    ...(end < lines.length && last !== undefined ? { prevCursor: last.target.depositAddress } : {})
  }
}
