/** The first order of `journalRows` as the venue shows it, its story, and a bot's memory that knows it. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Order } from "../../src/domain/Order.ts"
import { defaults, EngineSettings } from "../../src/engine/EngineSettings.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import type { Placement } from "../../src/engine/state/Placement.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { begin, deadlineOf, orderOf } from "../world/journalRows.ts"

export const market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}

/** It rests, paid for. */
export const order: Order = {
  id: "order-1",
  side: "BUY",
  baseAsset: "btc",
  quoteAsset: "usdc",
  originAsset: "usdc",
  destinationAsset: "btc",
  quantity: 200_000n,
  price: Decimal.make(60_000n),
  inputAmount: 120_000_000n,
  outputAmount: 200_000n,
  depositAddress: "address-1",
  depositType: "INTENTS",
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  appFeeBasisPoints: 0,
  fillStatus: "OPEN",
  depositedAmount: 120_000_000n,
  fills: [],
  withdrawals: [],
  payoutIsFinal: false,
  estimatedWithdrawFee: 10n,
  estimatedRefundFee: 10n,
  deadline: deadlineOf(1),
  createdAt: 0
}

export const about = { strategy: "grid", slot: "cell-02", placement: "p1" }

/** Its story up to an event of this kind. */
export const until = (tag: BotEvent["_tag"]): ReadonlyArray<BotEvent> => {
  const story = orderOf(1)
  return story.slice(0, story.findIndex(({ _tag }) => _tag === tag) + 1)
}

/** The start of a process that cannot say whether the journal is whole. */
export const startedAnew = begin.slice(0, 1)

/** What a bot remembers that was told this after its budget, each a millisecond after the other. */
export const remembered = (events: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  for (const event of [...begin, ...events])
    BotState.apply(state, { sequence: state.sequence + 1, at: state.sequence + 1, event })
  return state
}

/** The first order after its story up to an event of this kind, and what followed. */
export const placementAfter = (tag: BotEvent["_tag"], ...more: ReadonlyArray<BotEvent>): Placement => {
  const placement = remembered([...until(tag), ...more]).placements.get(about.placement)
  if (placement === undefined) throw new Error(`the order is settled after ${tag}`)
  return placement
}

/** Books that hold this story of a strategy with a budget, and a venue that can do what is said. */
export const remembering = Effect.fnUntraced(function* (
  venue: Partial<Venue["Service"]>,
  events: ReadonlyArray<BotEvent>
) {
  const settings = {
    ...defaults,
    account: { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
  }
  const journal = Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: ":memory:" })))
  const layer = Layer.mergeAll(
    Layer.mock(Venue)(venue),
    Layer.succeed(EngineSettings, settings),
    Bookkeeper.layer.pipe(Layer.provideMerge(journal))
  )
  const context = yield* Layer.build(layer)
  const books = yield* Effect.provideContext(Bookkeeper, context)
  // A journal that ends at the beginning of time is none.
  yield* TestClock.adjust(1)
  yield* books.record(...begin, ...events)
  return { books, context } as const
})
