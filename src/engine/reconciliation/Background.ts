/**
 * The comparison with other witnesses that a running bot makes from time to time: the venue's list of unfinished orders, the
 * partner's history and the private balances. It follows the journal and forgets orders that are over, so it needs little
 * memory however long the journal is. It only reads: a foreign order or deposit is named, and never touched. What it finds
 * becomes an event when it differs from what it found before.
 */
import { Effect, Stream } from "effect"
import type { Of, Recorded, Tag } from "../../domain/BotEvent.ts"
import { plainJson } from "../../domain/Text.ts"
import { Journal } from "../../journal/Journal.ts"
import { readSwaps } from "../../journal/swapSteps.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { Venue } from "../../venue/Venue.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import * as BalanceComparison from "./BalanceComparison.ts"
import * as HistorySync from "./HistorySync.ts"
import * as JournalOrders from "./JournalOrders.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as Witnesses from "./Witnesses.ts"

export interface Witnessed {
  /** The account, and its addresses on other chains. */
  readonly own: ReadonlySet<string>
  readonly hasHistory: boolean
  readonly markets: Markets
  /** Assets whose money is private, by symbol. */
  readonly isPrivate: BalanceComparison.PrivateAssets
}

type Finding = Omit<Of<"Reconciled">, "_tag">

const tags: ReadonlyArray<Tag> = [
  "Reconciled",
  "Planned",
  "Bound",
  "FundingSigned",
  "PaymentAsked",
  "PaymentMade",
  "PaymentLost",
  "FundingDead",
  "Abandoned",
  "DepositSeen",
  "FillSeen",
  "StatusSeen",
  "Closed",
  "PaidOut",
  "Refunded",
  "Contradiction",
  "Settled"
]

/** Orders that are not over, and the deposit addresses of those that are. */
const ledgerOf = () => {
  const orders = new Map<string, JournalOrders.JournalOrder>()
  const settled = new Set<string>()
  let sequence = 0
  let before = ""
  const see = (entry: Recorded): void => {
    sequence = entry.sequence
    const { event } = entry
    if (event._tag === "Reconciled") before = said(event)
    JournalOrders.apply(orders, entry)
    const order = "placement" in event ? orders.get(event.placement) : undefined
    if (order === undefined || !order.isOver || event._tag !== "Settled") return
    if (order.depositAddress !== undefined)
      settled.add(Reconciliation.addressKey(order.depositAddress, order.depositMemo))
    orders.delete(order.placement)
  }
  /** Records of orders that are over say nothing new. */
  const isWanted = ({ depositAddress, depositMemo }: Reconciliation.HistoryLine): boolean =>
    !settled.has(Reconciliation.addressKey(depositAddress, depositMemo))
  return { orders, settled, isWanted, see, sequence: () => sequence, before: () => before }
}

const said = ({ contradictions, foreign, witnesses }: Finding): string =>
  plainJson({ contradictions, foreign, witnesses })

/** The effect that it gives makes one comparison. */
export const make = Effect.fn("Background.make")(function* (watched: Witnessed) {
  const journal = yield* Journal
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const known = ledgerOf()
  /** The venue's records are read after ours, and ours once more: an order that was made meanwhile is no stranger. */
  const follow = Effect.suspend(() =>
    journal.events({ after: known.sequence(), tags }).pipe(Stream.runForEachArray(noted(known)))
  )

  const balances = Effect.gen(function* () {
    if (watched.isPrivate.size === 0) return []
    const now = yield* Witnesses.positionsNow(watched.markets, watched.isPrivate, books.state)
    if (now === undefined) return []
    const findings = BalanceComparison.compare(yield* Witnesses.lastPositions, now)
    if (findings.every(({ verdict }) => verdict !== "contradiction")) yield* Witnesses.savePositions(now)
    return findings
  })

  /** Returns and records what is found, where it is not what was found before. */
  return Effect.gen(function* () {
    yield* follow
    const asked = { orders: [...known.orders.values()], startedAt: 0 }
    const { found, unread } = yield* Witnesses.venueOrders(asked, { unfinishedOnly: true })
    if (watched.hasHistory) yield* HistorySync.sync()
    const moved = yield* balances
    yield* follow
    const history = watched.hasHistory ? yield* Witnesses.historyWhere(known.isWanted) : undefined
    const compared = Reconciliation.compare({
      own: watched.own,
      orders: [...known.orders.values()].filter(
        ({ orderId }) => orderId !== undefined && isRead(orderId, found, unread)
      ),
      settled: known.settled,
      swaps: yield* readSwaps,
      venueOrders: found,
      unreadOrders: unread,
      history,
      oddLines: []
    })
    const isForeign = ({ subject, kind }: Reconciliation.Comparison) =>
      (kind === "order" && found.has(subject)) || kind === "swap"
    const finding: Finding = {
      witnesses: ["orders", ...(watched.hasHistory ? ["history"] : []), ...(moved.length === 0 ? [] : ["balances"])],
      contradictions: [...compared, ...moved]
        .filter((each) => each.verdict === "contradiction" && !isForeign(each))
        .map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`),
      foreign: compared
        .filter(isForeign)
        .map(({ depositAddress, kind, subject, text }) => ({ kind, subject, address: depositAddress ?? "", text }))
    }
    const isNew = said(finding) !== known.before()
    const isNothing = finding.contradictions.length + finding.foreign.length === 0 && known.before() === ""
    if (isNew && !isNothing) yield* books.record({ _tag: "Reconciled", ...finding })
    return finding
  }).pipe(Effect.provideService(Venue, venue))
})

const noted =
  ({ see }: ReturnType<typeof ledgerOf>) =>
  (page: ReadonlyArray<Recorded>) =>
    Effect.andThen(
      Effect.sync(() => page.forEach(see)),
      Effect.yieldNow // The bot goes first.
    )

/** An order that became ours after the venue was read is compared the next time. */
const isRead = (id: string, found: ReadonlyMap<string, unknown>, unread: ReadonlyMap<string, string>): boolean =>
  found.has(id) || unread.has(id)
