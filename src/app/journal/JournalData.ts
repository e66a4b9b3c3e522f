/** Reads a bot's journal as a source for backtests: the minutes of prices that it saw, and the fills of its orders. */
import { Effect, Stream } from "effect"
import * as Candles from "../../candles/Candles.ts"
import * as ColumnCache from "../../candles/ColumnCache.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import type { OrderTerms } from "../../domain/Order.ts"
import { countText } from "../../domain/Text.ts"
import { Journal } from "../../journal/Journal.ts"
import { type Minute, minutesOf, PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import * as Calibration from "../../ledger/measured/Calibration.ts"
import * as MeasuredFees from "../../ledger/measured/MeasuredFees.ts"
import { commandFailed } from "../CommandFailed.ts"
import { isThere } from "./JournalView.ts"

const inJournal = Effect.fnUntraced(function* <A, E, R>(reading: Effect.Effect<A, E, R>, file: string) {
  if (!(yield* isThere(file))) return yield* commandFailed(`${file}: no such journal`)
  return yield* Effect.provide(reading, Layers.readOnlyJournal(file))
})

/** Prices are means of quotes; digits after the tenth are noise. */
const significantDigits = 10

const candlesOf = (minutes: ReadonlyArray<Minute>): Candles.Candles => {
  const highest = minutes.reduce((max, { high }) => Math.max(max, high), 1e-9)
  const priceScale = Math.max(0, significantDigits - 1 - Math.floor(Math.log10(highest)))
  const column = (of: "open" | "high" | "low" | "close") =>
    Candles.columnOf(minutes.map((minute) => Number(minute[of].toFixed(priceScale))))
  return {
    bars: minutes.length,
    time: TimeAxis.make(Float64Array.from(minutes, ({ openedAt }) => openedAt)),
    open: column("open"),
    high: column("high"),
    low: column("low"),
    close: column("close"),
    volume: Candles.column(minutes.length),
    priceScale
  }
}

export const candles = Effect.fn("JournalData.candles")(function* (file: string, market: string | undefined) {
  if (market === undefined) return yield* commandFailed(`${file}: name the market of the prices: --market BTC/USDC`)
  const minutes = yield* inJournal(
    PriceStore.use((store) => store.since(market, 0)),
    file
  )
  if (minutes.length < 2) {
    const message = `${file}: only ${countText(minutes.length, "minute")} of ${market} in the journal; let the bot run, or name another market`
    return yield* commandFailed(message)
  }
  const candleColumns = candlesOf(minutes)
  const { close, high, low, open } = candleColumns
  const bytes = [open, high, low, close].map((values) => new Uint8Array(values.slice().buffer))
  return { candles: candleColumns, sha256: ColumnCache.sha256Of(Buffer.concat(bytes)) }
})

export const signals = Effect.fn("JournalData.signals")(function* (_file: string) {
  const journal = yield* Journal
  const recorded = yield* Stream.runCollect(journal.events({ tags: ["SignalReceived"] }))
  return recorded.flatMap(({ at: receivedAt, event }) =>
    event._tag === "SignalReceived" ? [{ name: event.name, value: event.value, at: event.from, receivedAt }] : []
  )
}, inJournal)

/**
 * Measures the costs of the bot's orders: the fees charged (`undefined` while there are too few fills) and announced. By market, it returns
 * the basis points between bid and ask, and their growth with size. Bid and ask each include `quotedFee`, the venue's fee.
 */
export const costs = Effect.fn("JournalData.costs")(function* (_file: string, quotedFee: number) {
  const journal = yield* Journal
  const recorded = yield* Stream.runCollect(journal.events({ tags: costTags }))
  const events = recorded.map(({ event }) => event)
  return {
    echoed: MeasuredFees.echoed(recorded),
    fees: MeasuredFees.measure(events),
    published: MeasuredFees.published(events),
    spreads: MeasuredFees.spreads(events, quotedFee),
    impacts: MeasuredFees.impacts(events)
  }
}, inJournal)

const costTags = [
  ...(["Planned", "FeeEchoed", "Bound", "FeesEstimated"] as const),
  ...(["Decided", "FillSeen", "PaidOut", "Refunded"] as const)
]

/** Measures the fills of the bot's orders, in all markets if none is named. `accountTerms` apply where the strategy file set none. */
export const calibration = Effect.fn("JournalData.calibration")(function* (
  _file: string,
  market: string | undefined,
  accountTerms: OrderTerms = {}
) {
  const journal = yield* Journal
  const events = yield* Stream.runCollect(journal.events())
  const planned = events.flatMap(({ event }) => (event._tag === "Planned" ? [event] : []))
  const plannedOrders = planned.filter((event) => market === undefined || event.market === market)
  const placements = new Set(plannedOrders.map(({ placement }) => placement))
  const minutes = yield* minutesOf(new Set(plannedOrders.map((event) => event.market)))
  const own = events.filter(({ event }) => "placement" in event && placements.has(event.placement))
  return Calibration.measure(own, minutes, accountTerms)
}, inJournal)
