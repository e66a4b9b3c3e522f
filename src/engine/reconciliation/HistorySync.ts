/**
 * Reads the partner's history into the store: all of it the first time, then what is new and what could still change.
 *
 * It asks for every status, because the default omits awaited deposits. It sets no filter, because each one drops masking records. It sets
 * no time bound, because bounds are exclusive. It reads rows in flight again until they are final, because their amounts read zero.
 */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect } from "effect"
import { present } from "../../domain/Present.ts"
import { HistoryStore, type Pass, type StoredTransaction, type SyncProgress } from "../../journal/HistoryStore.ts"
import { History } from "../../venue/History.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import type { HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"

const pageSize = 1000
/** No history has more pages, so a pass ends even if the venue makes up new rows without limit. */
const maxPages = 100_000
/** An address without a payment stays pending without limit; after this time it is no longer read. */
const openForMillis = Duration.toMillis("8 days")
const beginning = 0
/** Retries of a page while another process may hold the rate limit. Each failure counted here has already waited several times. */
const maxLimitedTimes = 20
const isLimited = ({ reason }: VenueError): boolean => reason._tag === "RetryLater"

const finalStatuses = ["SUCCESS", "REFUNDED", "FAILED"] as const

export interface Reached {
  readonly rows: number
  readonly newest: number
  readonly oldest: number
  readonly horizon: number
}
type Report = (reached: Reached) => void

export const sync = Effect.fn("HistorySync.sync")(function* (report: Report = () => undefined, count = pageSize) {
  const store = yield* HistoryStore
  const storedProgress = yield* store.progress
  // An interrupted pass is finished first; rows newer than its top need another pass.
  const finished =
    storedProgress.pass === undefined ? none : yield* runPass(storedProgress, storedProgress.pass, report, count)
  const { completeTo } = yield* store.progress
  const fresh: Pass = { top: undefined, horizon: yield* horizonOf(completeTo), cursor: undefined }
  const freshTotals = yield* runPass({ completeTo, pass: fresh }, fresh, report, count)
  return { pages: finished.pages + freshTotals.pages, rows: finished.rows + freshTotals.rows }
})

const none = { pages: 0, rows: 0 }

/** Lower bound of a new pass: the newest known row, or the oldest that can still change. */
const horizonOf = Effect.fnUntraced(function* (completeTo: number | undefined) {
  if (completeTo === undefined) return beginning
  const now = yield* Clock.currentTimeMillis
  const open = yield* (yield* HistoryStore).oldestOpen(now - openForMillis, finalStatuses)
  return Math.min(completeTo, open ?? completeTo)
})

const runPass = Effect.fnUntraced(function* ({ completeTo }: SyncProgress, pass: Pass, report: Report, count: number) {
  const history = yield* History
  const store = yield* HistoryStore
  let present = pass
  let rows = 0
  // A cursor that was used before in this pass leads nowhere.
  const been = new Set([keyOf(pass)])
  for (let pages = 1; pages <= maxPages; pages += 1) {
    const query = {
      numberOfTransactions: count,
      statuses: transactionStatuses.join(","),
      showTestTxs: "true",
      ...cursorOf(present)
    }
    const page = yield* Effect.retry(history.transactions(query), { times: maxLimitedTimes, while: isLimited })
    rows += page.length
    const times = page.flatMap(({ createdAt }) => (createdAt === undefined ? [] : [createdAt]))
    const [newest, oldest] = [times[0], times.at(-1)]
    const top = present.top ?? newest
    // A line without an address cannot be a cursor: the line before it is used, and the odd one is read again.
    const last = page.findLast(({ depositAddress }) => depositAddress !== undefined)
    const cursor =
      last?.depositAddress === undefined ? present.cursor : { address: last.depositAddress, memo: last.depositMemo }
    present = { ...present, top, cursor }
    const isStuck = been.has(keyOf(present))
    been.add(keyOf(present))
    const isOver = page.length < count || isStuck || (oldest !== undefined && oldest < present.horizon)
    const after = isOver ? { completeTo: top ?? completeTo, pass: undefined } : { completeTo, pass: present }
    yield* store.save(page.map(stored), after)
    const { horizon } = present
    report({ rows, newest: top ?? horizon, oldest: oldest ?? horizon, horizon })
    if (isOver) return { pages, rows }
  }
  return { pages: maxPages, rows }
})

const keyOf = ({ cursor }: Pass): string => `${cursor?.address} ${cursor?.memo}`

const cursorOf = ({ cursor }: Pass) =>
  cursor === undefined ? {} : { lastDepositAddress: cursor.address, ...present({ lastDepositMemo: cursor.memo }) }

/** An odd line is kept too. If it names no address, its key is its own bytes, at the time of its neighbour. */
const stored = (entry: HistoryEntry, place: number, page: ReadonlyArray<HistoryEntry>): StoredTransaction => {
  const body = JSON.stringify(entry.said)
  const before = page.slice(0, place + 1).findLast(({ createdAt }) => createdAt !== undefined)
  return {
    depositAddress: entry.depositAddress ?? `odd ${createHash("sha256").update(body).digest("hex").slice(0, 32)}`,
    depositMemo: entry.depositMemo,
    createdAt: entry.createdAt ?? before?.createdAt ?? beginning,
    status: entry.status ?? "UNKNOWN",
    body
  }
}
