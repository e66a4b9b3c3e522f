/** Quotes and starts swaps that a person requests from a running bot. Money goes only to places of the bot's own account. */
import { Clock, Effect, Option } from "effect"
import { refuse } from "../../control/api/ControlApi.ts"
import type { SwapOffer, SwapRequest } from "../../control/api/Swap.ts"
import type { SwapServices } from "../../control/Bot.ts"
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { byHand } from "../../domain/Placement.ts"
import type { AgreedSwap } from "../../domain/SwapRecord.ts"
import { EngineSettings, marginMillis } from "../../engine/EngineSettings.ts"
import { closedForAll } from "../../engine/holds/Holds.ts"
import * as SwapsByHand from "../../engine/SwapsByHand.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import { Swaps } from "../../venue/Swaps.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import * as QuoteTerms from "../swap/SwapRequest.ts"

/** Quotes that wait for an answer; the oldest is dropped first. */
const maxQuotes = 20

interface SwapServicesOptions {
  readonly config: BotConfig
  readonly account: VenueAccount
  readonly leaving: () => string | undefined
}

export const make = Effect.fn("SwapServices.make")(function* ({ account, config, leaving }: SwapServicesOptions) {
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const swaps = Option.getOrUndefined(yield* Effect.serviceOption(Swaps))
  const quotes = new Map<string, AgreedSwap>()

  const open = Effect.suspend(() => {
    const why = closedForAll(books.state, { leaseLost: books.state.leaseLost, stopped: leaving() }, "fund")
    return why === undefined ? Effect.void : Effect.fail(refuse(`Nothing is paid now: ${why}`))
  })

  const quote = Effect.fn("SwapServices.quote")(function* (request: SwapRequest) {
    if (swaps === undefined) return yield* refuse("This bot pays nothing: it is a dry run")
    yield* open
    const { signerId } = account
    const now = yield* Clock.currentTimeMillis
    const { deadlineMillis: deadline = QuoteTerms.usual.deadline, ...others } = request
    const terms = { ...QuoteTerms.usual, ...others, deadline }
    const quoteRequest = yield* Effect.mapError(QuoteTerms.requestOf(terms, config, signerId, now), refuse)
    const agreed = yield* QuoteTerms.quoted(quoteRequest, { config, signerId }).pipe(
      Effect.provideService(Swaps, swaps),
      Effect.mapError(refuse)
    )
    // Each quote has its own address at the venue.
    const name = agreed.depositAddress
    quotes.set(name, agreed)
    for (const old of quotes.keys()) if (quotes.size > maxQuotes) quotes.delete(old)
    const { amountIn, amountOut, destination, minAmountOut, origin } = agreed
    return {
      quote: name,
      until: agreed.deadline - marginMillis({ strategy: byHand }, settings),
      pay: formatWithSymbol(amountIn, origin),
      receive: formatWithSymbol(amountOut, destination),
      least: minAmountOut === undefined ? null : formatWithSymbol(minAmountOut, destination),
      terms: [...SwapLine.terms(agreed), ...countedOn(origin)]
    } satisfies SwapOffer
  })

  /** The venue does not report the account's balance, so the user sees how much of the asset other orders plan to use. */
  const countedOn = (asset: Asset): ReadonlyArray<string> => {
    const free = Ledger.totals(books.state.ledger).find(
      ({ asset: symbol, place }) => symbol === asset.symbol && place === "wallet"
    )
    return free === undefined || free.amount <= 0n
      ? []
      : [`budgets    strategies also plan to use ${formatWithSymbol(free.amount, asset)} of this account`]
  }

  const take = Effect.fn("SwapServices.take")(function* (name: string) {
    yield* open
    const agreed = quotes.get(name)
    const now = yield* Clock.currentTimeMillis
    // Removed before anything is recorded, so that two requests cannot both accept it.
    quotes.delete(name)
    if (agreed === undefined || now > agreed.deadline - marginMillis({ strategy: byHand }, settings))
      return yield* refuse("This quote has expired or is already used: ask for a new one")
    return yield* Effect.orDie(Effect.provideService(SwapsByHand.begin(agreed), Bookkeeper, books)) // A journal that cannot be written stops the bot.
  })

  return { quote, take } satisfies SwapServices
})
