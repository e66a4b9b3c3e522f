/** Compares, to the unit, what bots believe to be in their wallets with the venue's own books, at rest. */
import * as Ledger from "../domain/Ledger.ts"
import type { BotState } from "../engine/state/BotState.ts"
import * as Books from "../sandbox/core/money/Books.ts"
import type { State } from "../sandbox/core/State.ts"

/** How much more an account has than at its beginning, in smallest units. */
export const gained = (
  { books, settings }: State,
  account: string,
  id: string,
  place: "balance" | "private" = "balance"
): bigint => {
  const asset = settings.assets.find((candidate) => candidate.id === id)
  if (asset === undefined) return 0n
  const initial = BigInt(asset.initial) * 10n ** BigInt(asset.decimals)
  return Books.amountIn(books, id, { account, place }) - initial
}

export interface Counted {
  readonly asset: string
  /** How much more there is than at the beginning: as the bots count, and as the venue does. */
  readonly ours: bigint
  readonly theirs: bigint
}

/** One for every asset; the account must belong to these bots alone. */
export const comparison = (
  venue: State,
  account: string,
  bots: ReadonlyArray<BotState>,
  place: "balance" | "private" = "balance"
): ReadonlyArray<Counted> =>
  venue.settings.assets.map(({ id, symbol }) => {
    const given = bots.flatMap(({ strategies }) =>
      [...strategies.values()].map(({ budget }) => budget.get(symbol) ?? 0n)
    )
    const wallets = bots.flatMap(({ ledger }) =>
      Ledger.totals(ledger).flatMap(({ asset, amount, place }) =>
        asset === symbol && (place === "wallet" || place === "dust") ? [amount] : []
      )
    )
    return { asset: symbol, ours: sum(wallets) - sum(given), theirs: gained(venue, account, id, place) }
  })

/** Every difference, in words; the account must belong to these bots alone. */
export const differences = (venue: State, account: string, bots: ReadonlyArray<BotState>): ReadonlyArray<string> => [
  ...comparison(venue, account, bots).flatMap(({ asset, ours, theirs }) =>
    ours === theirs ? [] : [`${asset}: the bot counts ${ours} more than it began with, the venue ${theirs}`]
  ),
  ...Books.imbalances(venue.books)
]

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)
