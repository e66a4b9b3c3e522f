/** Compares, to the unit, what bots believe to be in their wallets with the venue's own books, at rest. */
import * as Ledger from "../domain/Ledger.ts"
import type { BotState } from "../engine/state/BotState.ts"
import * as Books from "../sandbox/core/money/Books.ts"
import type { State } from "../sandbox/core/State.ts"

/** How much more an account has than at its beginning, in smallest units. */
export const gained = ({ books, settings }: State, account: string, id: string): bigint => {
  const asset = settings.assets.find((candidate) => candidate.id === id)
  if (asset === undefined) return 0n
  const initial = BigInt(asset.initial) * 10n ** BigInt(asset.decimals)
  return Books.amountIn(books, id, { account, place: "balance" }) - initial
}

/** Every difference, in words; the account must belong to these bots alone. */
export const differences = (venue: State, account: string, bots: ReadonlyArray<BotState>): ReadonlyArray<string> => [
  ...venue.settings.assets.flatMap(({ id, symbol }) => {
    const given = bots.flatMap(({ strategies }) =>
      [...strategies.values()].map(({ budget }) => budget.get(symbol) ?? 0n)
    )
    const wallets = bots.flatMap(({ ledger }) =>
      Ledger.totals(ledger).flatMap(({ asset, amount, place }) =>
        asset === symbol && (place === "wallet" || place === "dust") ? [amount] : []
      )
    )
    const ours = sum(wallets) - sum(given)
    const theirs = gained(venue, account, id)
    return ours === theirs ? [] : [`${symbol}: the bot counts ${ours} more than it began with, the venue ${theirs}`]
  }),
  ...Books.imbalances(venue.books)
]

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)
