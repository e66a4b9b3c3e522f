/** Prints the events of the journal. With follow, the live stream continues after the last number: nothing is missed or repeated. */
import { Console, Effect, Option, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import { clock, printable } from "../../domain/Text.ts"
import { Journal } from "../../journal/Journal.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import type * as Money from "../../report/text/Money.ts"
import { jsonOf, type LineView, lineOf, mentions } from "../../views/Events.ts"
import { withSettings } from "./JournalView.ts"

interface Shown {
  readonly json: boolean
  readonly search: string
  readonly limit: number
}

const textOf = ({ at, subject, text }: LineView): string => printable(`${clock(at)}  ${subject}  ${text}`)

const isShown = (line: LineView, { json, search }: Shown): boolean =>
  (json || line.text !== "") && mentions(search)(line)

const print = (line: LineView, shown: Shown) =>
  isShown(line, shown) ? Console.log(shown.json ? jsonOf(line) : textOf(line)) : Effect.void

export const printPast = Effect.fn("EventLog.printPast")(function* (shown: Shown) {
  const { journal, last, lines } = yield* withSettings(({ journal, markets }) =>
    Effect.map(newest(bySymbol(markets.assets), shown), (found) => ({ ...found, journal }))
  )
  yield* Effect.forEach(lines, (line) => print(line, shown), { discard: true })
  return { journal, last }
})

export const follow = ({ journal, last }: { readonly journal: string; readonly last: number }, shown: Shown) =>
  RunningBot.subscribe(journal, last, (why) => Console.error(`${why} Trying again.`)).pipe(
    Stream.runForEach((told) => (told._tag === "Event" ? print(told, shown) : Effect.void))
  )

const newest = Effect.fnUntraced(function* (assets: Money.Assets, shown: Shown) {
  const journal = yield* Journal
  const head = yield* Stream.runHead(journal.newestFirst)
  const last = Option.match(head, { onNone: () => 0, onSome: ({ sequence }) => sequence })
  const lines = yield* journal.newestFirst.pipe(
    Stream.filter(({ sequence }) => sequence <= last),
    Stream.map((recorded) => lineOf(recorded, assets)),
    Stream.filter((line) => isShown(line, shown)),
    Stream.take(shown.limit),
    Stream.runCollect
  )
  return { last, lines: lines.toReversed() }
})
