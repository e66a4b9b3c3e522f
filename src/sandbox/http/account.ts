/** End users: a session for a signed message, the balances of the account, and its history: every address that it pays, or that pays or refunds it. */
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import { type AccountHistoryQuery, anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import { messageError } from "../../venue/wire/WireError.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import { verify } from "../core/Intents.ts"
import * as Books from "../core/money/Books.ts"
import type { State } from "../core/State.ts"
import { SandboxApi } from "../SandboxApi.ts"
import * as Keys from "./Keys.ts"
import { sandboxForMessages } from "./refusals.ts"
import { toItem } from "./wireHistory.ts"

const accessSeconds = 3600
const refreshSeconds = 30 * 86_400

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages
    const { seed } = sandbox.settings
    const usedNonces = new Set<string>()

    const tokenOf = Effect.fnUntraced(function* (account: string, use: "access" | "refresh", seconds: number) {
      return Keys.issue(seed, { use, sub: account, exp: Math.floor((yield* Clock.currentTimeMillis) / 1000) + seconds })
    })

    return handlers.handleAll({
      authenticate: Effect.fnUntraced(function* ({ payload: { signedData } }) {
        const verified = yield* sandbox.read((state) => verify(state, signedData, "login"))
        if (Result.isFailure(verified)) {
          const { isForged, text } = verified.failure
          return yield* messageError(isForged ? 401 : 400, text)
        }
        const { signerId, transfers } = verified.success
        if (transfers.length > 0) return yield* messageError(400, "a login message holds no intents")
        if (usedNonces.has(`${signerId} ${signedData.payload.nonce}`)) {
          return yield* messageError(400, "nonce was already used")
        }
        usedNonces.add(`${signerId} ${signedData.payload.nonce}`)
        return {
          accessToken: yield* tokenOf(signerId, "access", accessSeconds),
          refreshToken: yield* tokenOf(signerId, "refresh", refreshSeconds),
          expiresIn: accessSeconds,
          refreshExpiresIn: refreshSeconds
        }
      }),
      refresh: Effect.fnUntraced(function* ({ payload }) {
        const claims = Keys.readToken(seed, payload.refreshToken, "refresh", yield* Clock.currentTimeMillis)
        if (claims === undefined) return yield* messageError(401, "The refresh token is not valid or has expired")
        return { accessToken: yield* tokenOf(claims.sub, "access", accessSeconds), expiresIn: accessSeconds }
      }),
      balances: Effect.fnUntraced(function* ({ query }) {
        const { account = "" } = yield* Caller
        // Clients repeat the parameter, or send one list with commas.
        const tokenIds = (query.tokenIds ?? []).flatMap((ids) => ids.split(",")).filter((id) => id !== "")
        return yield* sandbox.read((state) => balancesOf(state, account, tokenIds))
      })
    })
  })
)

/** Like the service, shows no public money. */
const balancesOf = (state: State, account: string, tokenIds: ReadonlyArray<string>) => {
  const ids = tokenIds.length > 0 ? tokenIds : state.settings.assets.map(({ id }) => id)
  const balances = ids.map((tokenId) => {
    const available = String(Books.amountIn(state.books, tokenId, { account, place: "private" }))
    return { tokenId, available, source: "private" }
  })
  return { balances: tokenIds.length > 0 ? balances : balances.filter(({ available }) => available !== "0") }
}

type Line = HistoryRecord.HistoryRecord

const defaultLimit = 20

export const history = HttpApiBuilder.group(
  SandboxApi,
  "accountHistory",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { account = "" } = yield* Caller
        if (factsOf(sandbox.settings).accountHistory === "invite-only")
          return yield* messageError(403, "History is invite-only for now")
        const lines = yield* sandbox.read(HistoryRecord.all)
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
