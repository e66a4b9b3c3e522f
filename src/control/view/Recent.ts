/** Keeps the latest events and fills, read from the journal once and then kept up to date. Older ones are only in the journal. */
import { Effect, Stream } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import { eachPage, type Journal } from "../../journal/Journal.ts"
import type * as Money from "../../report/text/Money.ts"
import { type LineView, lineOf } from "../../views/Events.ts"
import { type FillView, fillView } from "../../views/Fills.ts"

const maxLines = 20_000
const maxFills = 20_000

export interface Recent {
  sequence: number
  readonly lines: Array<LineView>
  readonly fills: Array<FillView>
}

export const make = (): Recent => ({ sequence: 0, lines: [], fills: [] })

export const note = (recent: Recent, recorded: Recorded, assets: Money.Assets): void => {
  if (recorded.sequence <= recent.sequence) return
  recent.sequence = recorded.sequence
  keep(recent.lines, lineOf(recorded, assets), maxLines)
  noteFill(recent, recorded, assets)
}

const noteFill = (recent: Recent, { event, sequence }: Recorded, assets: Money.Assets): void => {
  if (event._tag === "FillSeen") keep(recent.fills, fillView(sequence, event, assets), maxFills)
}

/** Drops a tenth at a time, so that a full list costs no more than a growing one. */
const keep = <A>(list: Array<A>, entry: A, most: number): void => {
  list.push(entry)
  if (list.length > most) list.splice(0, Math.floor(most / 10))
}

export const catchUp = Effect.fnUntraced(function* (recent: Recent, assets: Money.Assets, journal: Journal["Service"]) {
  if (recent.sequence === 0) yield* begin(recent, assets, journal)
  yield* eachPage(journal.events({ after: recent.sequence }), (page) => {
    for (const recorded of page) note(recent, recorded, assets)
  })
})

const begin = Effect.fnUntraced(function* (recent: Recent, assets: Money.Assets, journal: Journal["Service"]) {
  const lines: Array<LineView> = []
  let newest = 0
  yield* eachPage(Stream.take(journal.newestFirst, maxLines), (page) => {
    for (const recorded of page) {
      newest = Math.max(newest, recorded.sequence)
      lines.push(lineOf(recorded, assets))
    }
  })
  const past = Stream.takeWhile(journal.events({ tags: ["FillSeen"] }), ({ sequence }) => sequence <= newest)
  yield* eachPage(past, (page) => {
    for (const recorded of page) noteFill(recent, recorded, assets)
  })
  recent.lines.push(...lines.reverse())
  recent.sequence = newest
})
