/** What a watch on markets needs, without a venue: prices that a test sets, and a store of minutes. */
import { Effect, Layer } from "effect"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import { OrderBook } from "../../../src/orderbook/OrderBook.ts"
import { ownAccount } from "../../../src/venue/VenueConfig.ts"

export const watchGround = (prices: ReadonlyMap<string, TwoSidedPrice>, store: PriceStore["Service"]) =>
  Layer.mergeAll(
    Layer.mock(OrderBook)({
      look: () => Effect.void,
      prices,
      doubts: new Map(),
      remember: () => undefined,
      book: () => undefined,
      depth: () => undefined
    }),
    Layer.succeed(EngineSettings, {
      ...defaults,
      account: { ...ownAccount("somebody.near", "INTENTS"), maxAppFeeBasisPoints: 0 }
    }),
    Layer.succeed(PriceStore, store)
  )
