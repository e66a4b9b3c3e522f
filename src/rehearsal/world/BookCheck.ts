/** Compares the bots' wallets with the venue's own books, to the unit, at rest. */
import { inputShareOf } from "../../domain/fees/RoundCost.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import * as Books from "../../sandbox/core/money/Books.ts"
import type { SandboxSwap, State } from "../../sandbox/core/State.ts"
import { charges } from "../../sandbox/core/swaps/Quotes.ts"

/** The place of an asset's money at the venue, by the asset's id. `external`: on other chains. */
export type PlaceOf = (id: string) => "balance" | "private" | "external"

const gained = (state: State, account: string, id: string, place: ReturnType<PlaceOf> = "balance"): bigint => {
  const { books, settings } = state
  const asset = settings.assets.find((candidate) => candidate.id === id)
  if (asset === undefined) return 0n
  // On other chains all entries of the asset belong to the bot, from any sender.
  if (place === "external")
    return [...books.entries.values()].reduce(
      (sum, entry) => (entry.asset === id && entry.place === place ? sum + entry.amount : sum),
      0n
    )
  const initial = BigInt(asset.initial) * 10n ** BigInt(asset.decimals)
  return (
    Books.amountIn(books, id, { account, place }) - initial - (place === "balance" ? rebates(state, account, id) : 0n)
  )
}

/** App fees that the account charged itself return to its public balance, which no strategy counts as its own. */
const rebates = (state: State, account: string, id: string): bigint => {
  const { orders, targets } = state
  const feesOf = ({ destination, origin, partner, request }: SandboxSwap) =>
    charges(state, [origin, destination], request, partner !== undefined).appFees
  const spent = [
    ...[...orders.values()].flatMap(({ appFees, fills, origin }) =>
      fills.map(({ amountIn }) => ({ amountIn, appFees, origin }))
    ),
    ...[...targets.values()].flatMap((target) =>
      target.kind === "swap" && target.outcome !== undefined
        ? [{ amountIn: target.outcome.spent, appFees: feesOf(target), origin: target.origin }]
        : []
    )
  ]
  return sum(
    spent.flatMap(({ amountIn, appFees, origin }) =>
      appFees.flatMap(({ fee, recipient }) =>
        origin.id === id && recipient === account ? [inputShareOf(fee, amountIn)] : []
      )
    )
  )
}

export type Counted = Readonly<ReturnType<typeof comparison>[number]>

export interface BookTerms {
  readonly placeOf?: PlaceOf
  readonly mayBeUnexplained?: boolean
}

const neverPaid = ({ targets }: State, bots: ReadonlyArray<BotState>, symbol: string): bigint =>
  sum(
    bots.flatMap(({ placements }) =>
      [...placements.values()].flatMap((placement) => {
        if (placement.state !== "in doubt" || placement.inputAsset !== symbol) return []
        const isPaid = (targets.get(placement.order.depositAddress)?.intentHashes.length ?? 0) > 0
        return isPaid ? [] : [placement.funding.amount]
      })
    )
  )

export const comparison = (
  venue: State,
  account: string,
  bots: ReadonlyArray<BotState>,
  { mayBeUnexplained = false, placeOf = () => "balance" }: BookTerms = {}
) =>
  venue.settings.assets.map(({ id, symbol }) => {
    const unexplained = mayBeUnexplained ? (["residual", "lost"] as const) : []
    const places: ReadonlyArray<Ledger.Place> = ["wallet", "dust", ...unexplained]
    const budgets = bots.flatMap(({ strategies }) =>
      [...strategies.values()].map(({ budget }) => budget.get(symbol) ?? 0n)
    )
    const wallets = bots.flatMap(({ ledger }) =>
      Ledger.totals(ledger).flatMap(({ asset, amount, place }) =>
        asset === symbol && places.includes(place) ? [amount] : []
      )
    )
    return {
      asset: symbol,
      ours:
        sum(wallets) +
        sum(bots.map(({ ledger }) => Ledger.givenBackOf(ledger, symbol))) +
        neverPaid(venue, bots, symbol) -
        sum(budgets),
      theirs: gained(venue, account, id, placeOf(id))
    }
  })

/** Returns every difference, in words. The account must belong to these bots alone. */
export const differences = (
  venue: State,
  account: string,
  bots: ReadonlyArray<BotState>,
  terms?: BookTerms
): ReadonlyArray<string> => [
  ...comparison(venue, account, bots, terms).flatMap(({ asset, ours, theirs }) =>
    ours === theirs ? [] : [`${asset}: the bot counts ${ours} more than it began with, the venue ${theirs}`]
  ),
  ...Books.imbalances(venue.books)
]

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)
