/** Computes for `check` how long strategies would wait for their candles if the bot started now. Requests no prices. */
import { Clock, Effect, FileSystem } from "effect"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import type { Strategy, WatchedMarket } from "../../strategy/Strategy.ts"
import * as CandleSource from "./CandleSource.ts"
import * as Readiness from "./Readiness.ts"

export const ofFiles = Effect.fn("FileReadiness.ofFiles")(function* (
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources,
  journal: string | undefined
) {
  const fileSystem = yield* FileSystem.FileSystem
  const now = yield* Clock.currentTimeMillis
  const hasJournal = journal !== undefined && (yield* Effect.orElseSucceed(fileSystem.exists(journal), () => false))
  const readiness = yield* Readiness.lookAll(strategies, sources, (seen) =>
    Effect.map(hasJournal ? recorded(journal, seen, now) : Effect.succeed([]), (own) => ({ own }))
  )
  return readiness.map((each) => ({ ...each, line: Readiness.lineOf(each, now) }))
})

const recorded = (journal: string, { market, candles }: WatchedMarket, now: number) =>
  Effect.flatMap(PriceStore, (store) => store.since(market.name, now - CandleSource.spanOf(candles))).pipe(
    Effect.provide(Layers.readOnlyJournal(journal)),
    Effect.orElseSucceed(() => [])
  )
