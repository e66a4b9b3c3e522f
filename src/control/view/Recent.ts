/**
 * What people want to see and the present state does not keep: the latest events, the fills, and what trading earned.
 * It is folded from the journal once, in the background, and then kept up to date. The lists of events and fills are
 * bounded; older ones are in the journal.
 */
import { Effect, Schema, Stream } from "effect"
import { BotEvent, type Recorded } from "../../domain/BotEvent.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { eachPage, type Journal } from "../../journal/Journal.ts"
import * as Trades from "../../ledger/Trades.ts"
import { describe } from "../../report/text/EventLine.ts"
import type * as Money from "../../report/text/Money.ts"
import type { FillView, LineView } from "../api/Views.ts"
import * as LiveProfit from "./LiveProfit.ts"
import { fillView } from "./lists.ts"

const mostLines = 20_000
const mostFills = 20_000

export interface Recent {
  /** The newest event that is included here. */
  sequence: number
  readonly lines: Array<LineView>
  readonly fills: Array<FillView>
  readonly profit: LiveProfit.ProfitFold
}

export const make = (assets: Money.Assets): Recent => ({
  sequence: 0,
  lines: [],
  fills: [],
  profit: LiveProfit.make(assets)
})

const encode = Schema.encodeSync(BotEvent)

/** An event for people and programs. */
export const lineOf = ({ sequence, at, event }: Recorded, assets: Money.Assets): LineView => {
  const line = describe(event, assets)
  const { _tag: tag, ...fields } = encode(event)
  const subject = "slot" in event ? slotKey(event.strategy, event.slot) : "strategy" in event ? event.strategy : ""
  return {
    sequence,
    at,
    tag,
    subject: line?.subject ?? subject,
    text: line?.text ?? "",
    weight: line?.weight ?? "quiet",
    fields
  }
}

/** One event as a line of JSON: its name, place and time, then its fields. */
export const jsonOf = ({ at, fields, sequence, tag }: LineView): string =>
  JSON.stringify({ event: tag, sequence, at, ...fields })

/** Whether a line contains every one of these words, anywhere. */
export const mentions = (search: string): ((line: LineView) => boolean) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ subject, tag, text }) => {
    const all = `${tag} ${subject} ${text}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}

export const note = (recent: Recent, recorded: Recorded, assets: Money.Assets): void => {
  if (recorded.sequence <= recent.sequence) return
  recent.sequence = recorded.sequence
  keep(recent.lines, lineOf(recorded, assets), mostLines)
  noteTrading(recent, recorded, assets)
}

const noteTrading = (recent: Recent, recorded: Recorded, assets: Money.Assets): void => {
  const { sequence, event } = recorded
  recent.profit.see(recorded)
  if (event._tag === "FillSeen") keep(recent.fills, fillView(sequence, event, assets), mostFills)
}

/** Drops a tenth at a time, so that a full list costs no more than a growing one. */
const keep = <A>(list: Array<A>, entry: A, most: number): void => {
  list.push(entry)
  if (list.length > most) list.splice(0, Math.floor(most / 10))
}

/** Reads what the journal has beyond it: of a long past only the trading and the last lines. */
export const catchUp = (recent: Recent, assets: Money.Assets, journal: Journal["Service"]) =>
  Effect.gen(function* () {
    if (recent.sequence === 0) yield* begin(recent, assets, journal)
    yield* eachPage(journal.events({ after: recent.sequence }), (page) => {
      for (const recorded of page) note(recent, recorded, assets)
    })
  })

const begin = Effect.fnUntraced(function* (recent: Recent, assets: Money.Assets, journal: Journal["Service"]) {
  const lines: Array<LineView> = []
  let newest = 0
  yield* eachPage(Stream.take(journal.newestFirst, mostLines), (page) => {
    for (const recorded of page) {
      newest = Math.max(newest, recorded.sequence)
      lines.push(lineOf(recorded, assets))
    }
  })
  const past = Stream.takeWhile(journal.events({ tags: Trades.tags }), ({ sequence }) => sequence <= newest)
  yield* eachPage(past, (page) => {
    for (const recorded of page) noteTrading(recent, recorded, assets)
  })
  recent.lines.push(...lines.reverse())
  recent.sequence = newest
})
