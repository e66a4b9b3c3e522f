/**
 * The journal as balanced bookings, for other programs. Each event that moved money is one booking that adds up to zero in every asset.
 * Accounts are the places of the ledger, split by strategy if a strategy owns them. All orders share one account of each place.
 */
import type { Amount } from "../domain/Amount.ts"
import type { Recorded } from "../domain/BotEvent.ts"
import * as Ledger from "../domain/Ledger.ts"

export type BookAccountKind = "asset" | "expense" | "equity"

export interface BookAccount {
  readonly kind: BookAccountKind
  readonly place: string
  readonly strategy: string | undefined
}

export interface Posting {
  readonly account: BookAccount
  readonly asset: string
  readonly amount: Amount
}

export interface Booking {
  readonly at: number
  readonly text: string
  readonly postings: ReadonlyArray<Posting>
}

const kinds: Readonly<Record<string, BookAccountKind>> = {
  fees: "expense",
  lost: "expense",
  outside: "equity",
  "given back": "equity",
  "dust given back": "equity",
  traded: "equity"
}
const capital = new Set(["outside", "given back", "dust given back"])
const ofStrategies = new Set(["wallet", "dust", "fees", "lost", "traded", ...capital])

const accountOf = ({ account, owner }: Ledger.Transfer["from"]): BookAccount => ({
  kind: kinds[account] ?? "asset",
  place: capital.has(account) ? "capital" : account === "residual" ? "unexplained" : account,
  strategy: ofStrategies.has(account) ? owner : undefined
})

export const keyOf = ({ place, strategy }: BookAccount, asset: string): string =>
  `${place}\u0000${strategy}\u0000${asset}`

const textOf = ({ event }: Recorded): string => {
  const words = event._tag.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
  if ("placement" in event) return `${words} ${event.strategy}/${event.slot} ${event.placement}`
  return "strategy" in event ? `${words} ${event.strategy}` : words
}

export const make = () => {
  const ledger = Ledger.make()
  const bookings: Array<Booking> = []
  /** A start takes all budgets back and allots them again to the strategies that it loads. Only the difference is booked. */
  let start = { at: Number.NaN, index: 0, sums: new Map<string, Posting>() }
  return {
    see: (entry: Recorded): void => {
      const { at, event } = entry
      if (event._tag === "BotStarted") start = { at, index: bookings.length, sums: new Map() }
      const isOfStart = event._tag === "BotStarted" || (event._tag === "StrategyLoaded" && start.at === at)
      const sums = isOfStart ? start.sums : new Map<string, Posting>()
      const post = (account: BookAccount, asset: string, amount: Amount) => {
        const key = keyOf(account, asset)
        sums.set(key, { account, asset, amount: amount + (sums.get(key)?.amount ?? 0n) })
      }
      for (const { asset, amount, from, to } of Ledger.apply(ledger, event)) {
        post(accountOf(from), asset, -amount)
        post(accountOf(to), asset, amount)
      }
      const postings = [...sums.values()].filter(({ amount }) => amount !== 0n)
      if (isOfStart) bookings[start.index] = { at, text: startWithout(postings), postings }
      else if (postings.length > 0) bookings.push({ at, text: textOf(entry), postings })
    },
    result: (): ReadonlyArray<Booking> => bookings.filter(({ postings }) => postings.length > 0)
  }
}

const startWithout = (postings: ReadonlyArray<Posting>): string =>
  `bot started without ${[...new Set(postings.map(({ account: { strategy } }) => strategy))].join(", ")}`

export const balancesOf = (bookings: ReadonlyArray<Booking>): ReadonlyArray<Posting> => {
  const sums = new Map<string, Posting>()
  for (const { postings } of bookings) {
    for (const posting of postings) {
      const key = keyOf(posting.account, posting.asset)
      sums.set(key, { ...posting, amount: posting.amount + (sums.get(key)?.amount ?? 0n) })
    }
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** Returns one year of the books. Earlier bookings become one balanced opening booking. */
export const within = (
  bookings: ReadonlyArray<Booking>,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<Booking> => {
  const opening = balancesOf(bookings.filter(({ at }) => at < from))
  return [
    ...(opening.length === 0 ? [] : [{ at: from, text: "opening balances", postings: opening }]),
    ...bookings.filter(({ at }) => at >= from && at < to)
  ]
}
