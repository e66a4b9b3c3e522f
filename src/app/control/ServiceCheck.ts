/** Compares the service with its recorded behaviour. The dry quote has the smallest usual size of the configuration's first asset. */
import { Effect } from "effect"
import { floorOf, formatWithSymbol, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { Canary } from "../../venue/canary/Canary.ts"
import { Venue } from "../../venue/Venue.ts"

const usualUsd = 10

export interface SampleTerms extends Pick<BotConfig, "markets"> {
  readonly venue: Pick<BotConfig["venue"], "facts" | "minOrderUsd">
}

/** `quoted` says what the dry quote was for, if one came. An asset without a price in the venue's list is quoted for a whole unit. */
export const look = Effect.fn("ServiceCheck.look")(function* ({ markets, venue }: SampleTerms) {
  const { assets } = markets
  const [base, quote] = assets
  const tokens = yield* Venue.use((service) => Effect.orElseSucceed(service.tokens, () => []))
  const { blockchain = "", priceUsd = 0 } = tokens.find(({ assetId }) => assetId === base?.id) ?? {}
  const { chainMinUsd, minUsd = 0 } = venue.facts.orders
  const least = Decimal.toNumber(venue.minOrderUsd ?? Decimal.zero)
  const usd = Math.max(usualUsd, minUsd, least, chainMinUsd[blockchain] ?? 0)
  const units = priceUsd > 0 ? Decimal.fromNumber(usd / priceUsd, 12) : Decimal.one
  const amount = max(1n, floorOf(units, base?.decimals ?? 0))
  const comparison = yield* Canary.use((canary) => canary.look(assets, amount))
  const isQuoted = base !== undefined && quote !== undefined && comparison.checked.includes("quote")
  return { ...comparison, quoted: isQuoted ? `${formatWithSymbol(amount, base)} in ${quote.symbol}` : undefined }
})
