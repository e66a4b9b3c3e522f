/**
 * The account's private balances as a witness beside the journal. The account's own capital is what they showed at the first look,
 * and what came or went since by its own history; all else has to be explained by the books.
 */
import { Effect } from "effect"
import type { Of } from "../../domain/BotEvent.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type * as BalanceComparison from "./BalanceComparison.ts"
import * as Baseline from "./Baseline.ts"
import * as Witnesses from "./Witnesses.ts"

export interface WatchedBalances {
  readonly own: ReadonlySet<string>
  readonly markets: Markets
  /** Private balances if left out. */
  readonly home?: BalanceComparison.SeenHome
  readonly isSeen: BalanceComparison.SeenAssets
}

export const make = Effect.fnUntraced(function* ({ home, isSeen, markets, own }: WatchedBalances) {
  const books = yield* Bookkeeper
  const isAny = isSeen.size > 0
  const now = isAny
    ? Witnesses.unlessUnreachable(Witnesses.balancesNow(books.state)(markets, isSeen, home))
    : Effect.undefined

  // Before anything is under way the account's own capital is certain; a first look at a later moment leaves much possible.
  if (isAny && (yield* Baseline.isNew)) {
    const snapshot = yield* now
    if (snapshot?.resting.length === 0) yield* Baseline.compare(snapshot.certain, books.state)
  }

  const note = (capital: ReadonlyArray<Of<"CapitalMoved">>) =>
    capital.length === 0 ? Effect.void : books.recordFrom(Baseline.unrecorded(capital))

  /** An arrival without an origin that the account's own history names contradicts nothing. */
  const movedSince = Effect.fnUntraced(function* (now: BalanceComparison.Positions) {
    const { comparisons, unexplained } = yield* Baseline.compare(now, books.state)
    const { capital, unread } = yield* Baseline.nameArrivals(unexplained, books.state, own, markets)
    if (unread !== undefined)
      return comparisons.map((each) =>
        Baseline.hasCome(unexplained, each.subject)
          ? { ...each, text: `${each.text}; the account's history could not be read: ${unread}` }
          : each
      )
    if (capital.length === 0) return comparisons
    yield* note(capital)
    return (yield* Baseline.compare(now, books.state)).comparisons
  })

  const noteAccepted = isAny ? Effect.suspend(() => Effect.flatMap(Baseline.toRecord(books.state), note)) : Effect.void

  return { movedSince, noteAccepted, now }
})
