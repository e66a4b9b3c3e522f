/** The end user's own history: every address that this account pays, or that pays or refunds this account. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import { type AccountHistoryQuery, anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import { messageError } from "../../venue/wire/WireError.ts"
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
        if (factsOf(sandbox.settings).accountHistory === "invite-only")
          return yield* messageError(403, "History is invite-only for now")
        const lines = yield* sandbox.read(HistoryRecord.all).pipe(asMessageError)
        const own = lines.filter((line) => isTouchedBy(line, account))
        return yield* pageOf(own, query) ?? messageError(400, "the cursor is not one of this history")
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

/** Pairs the three lists position by position; a shorter or missing list accepts any kind. */
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

/** Newest first. A cursor is the deposit address at an end of the page. Every page has one to newer items, so a client can read forward. */
const pageOf = (own: ReadonlyArray<Line>, query: AccountHistoryQuery) => {
  const { limit = defaultLimit, prevCursor, nextCursor } = query
  const cursor = nextCursor ?? prevCursor
  const place = own.findIndex(({ target }) => target.depositAddress === cursor)
  if (cursor !== undefined && place < 0) return undefined
  const older = own.slice(nextCursor === undefined ? place + 1 : 0).filter((line) => isShown(line, query))
  const newer = own.slice(0, Math.max(0, place)).filter((line) => isShown(line, query))
  const page = nextCursor === undefined ? older.slice(0, limit) : newer.slice(-limit)
  const newest = page[0]?.target.depositAddress ?? cursor
  const oldest = page.at(-1)
  const hasOlder = oldest !== undefined && own.slice(own.indexOf(oldest) + 1).some((line) => isShown(line, query))
  return Effect.succeed({
    items: page.map(toItem),
    ...present({ nextCursor: newest, prevCursor: hasOlder ? oldest.target.depositAddress : undefined })
  })
}
