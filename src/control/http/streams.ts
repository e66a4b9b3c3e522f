/**
 * The live stream of one reader. It reads the journal by sequence number, and new events only wake it, so a slow
 * reader loses nothing and costs no memory. Prices and a sign of life go in between.
 */
import { Clock, Effect, PubSub, Queue, Stream } from "effect"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { Journal } from "../../journal/Journal.ts"
import { lineOf } from "../../views/Events.ts"
import { priceView } from "../../views/Prices.ts"
import type { StreamMessage } from "../api/Stream.ts"
import { Bot } from "../Bot.ts"

const priceMillis = 500
const aliveMillis = 5_000

interface Sent {
  readonly id?: string
  readonly event: StreamMessage["_tag"]
  readonly data: StreamMessage
}

const messageOf = (data: StreamMessage): Sent =>
  data._tag === "Event" ? { id: String(data.sequence), event: data._tag, data } : { event: data._tag, data }

/** Starts with the event after `after`, and does not end. */
export const stream = (after: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const [bot, books, journal] = [yield* Bot, yield* Bookkeeper, yield* Journal]
      let last = after
      const changes = yield* PubSub.subscribe(books.changes)
      const woken = yield* Queue.sliding<void>(1)
      yield* Queue.offer(woken, undefined)
      yield* Effect.forkScoped(
        Stream.runForEachArray(Stream.fromSubscription(changes), () => Queue.offer(woken, undefined))
      )
      const fresh = Stream.fromQueue(woken).pipe(
        Stream.flatMap(() => Stream.orDie(journal.events({ after: last }))), // A journal that cannot be read stops the bot.
        Stream.map((recorded) => {
          last = recorded.sequence
          return messageOf({ _tag: "Event", ...lineOf(recorded, bot.assets) })
        })
      )
      const lastPrices = new Map<string, TwoSidedPrice>()
      const prices = Stream.tick(priceMillis).pipe(
        Stream.mapEffect(() => Clock.currentTimeMillis),
        Stream.flatMap((at) => {
          const changed = [...bot.prices].filter(([market, price]) => lastPrices.get(market) !== price)
          for (const [market, price] of changed) lastPrices.set(market, price)
          const priceViews = changed.map(([market, price]) => priceView(market, price))
          return priceViews.length === 0
            ? Stream.empty
            : Stream.succeed(messageOf({ _tag: "Prices", at, prices: priceViews }))
        })
      )
      const alive = Stream.tick(aliveMillis).pipe(
        Stream.mapEffect(() => Clock.currentTimeMillis),
        Stream.map((at) => messageOf({ _tag: "Alive", at, sequence: books.state.sequence, turnedAt: bot.turnedAt() }))
      )
      return Stream.mergeAll([fresh, prices, alive], { concurrency: 3 })
    })
  )
