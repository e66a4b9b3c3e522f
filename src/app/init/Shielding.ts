/**
 * Advises a new owner of a strategy if money can be in two accounts of the same key: is there enough in the one that pays for orders? The
 * service lists only the balance of the confidential one.
 */
import { Effect } from "effect"
import { type Amount, format, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Venue } from "../../venue/Venue.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

interface Budget {
  readonly base: Amount
  readonly quote: Amount
}

/** Returns nothing if there is one account, or enough money is in place. It does not wait for a source that cannot be asked. */
export const advice = Effect.fn("Shielding.advice")(function* (file: string, market: Market, budget: Budget) {
  const { account, venue } = yield* ConfigFile.loadSettings(file)
  if (!venue.facts.movesBetweenAccounts) return []
  const needed = [
    { asset: market.base, amount: budget.base },
    { asset: market.quote, amount: budget.quote }
  ].filter(({ amount, asset }) => amount > 0n && depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS")
  if (needed.length === 0) return []
  const balances = yield* Effect.option(VenueAccess.look(file, () => Venue.use((venue) => venue.balances)))
  return needed.flatMap(({ amount, asset }) => {
    const move = `limitbot swap ${format(amount, asset.decimals)} ${asset.symbol} --to confidential`
    if (balances._tag === "None") {
      return [`Orders are paid from the confidential account. If your ${asset.symbol} is in the public one: ${move}`]
    }
    const there = balances.value.found.reduce(
      (sum, each) => (each.tokenId === asset.id ? sum + each.available : sum),
      0n
    )
    if (there >= amount) return []
    const missing = format(amount - there, asset.decimals)
    return [
      `The confidential account, which pays for orders, has ${formatWithSymbol(there, asset)} of ${formatWithSymbol(amount, asset)}. Bring the rest there from the public one: limitbot swap ${missing} ${asset.symbol} --to confidential`
    ]
  })
})
