/**
 * `limitbot events`: what the journal tells, newest last, with or without a running bot. With `--follow` it continues
 * with the live stream, from the number after the last one shown, so nothing is missed or shown twice, even across
 * restarts.
 */

import { Console, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { withSettings } from "../../app/journal/JournalView.ts"
import * as RunningBot from "../../app/process/RunningBot.ts"
import { requestedOrAfter } from "../../app/process/Stop.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { bySymbol } from "../../domain/Amount.ts"
import { clock } from "../../domain/Words.ts"
import { Journal } from "../../journal/Journal.ts"
import type * as Money from "../../report/text/Money.ts"
import { printable } from "../../report/text/Table.ts"
import type { LineView } from "../../views/Events.ts"
import { jsonOf, lineOf, mentions } from "../../views/Events.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

const textOf = ({ at, subject, text }: LineView): string => printable(`${clock(at)}  ${subject}  ${text}`)

interface Shown {
  readonly json: boolean
  readonly search: string
}

/** Events that only serve recovery tell a person nothing. */
const isShown = (line: LineView, { json, search }: Shown): boolean =>
  (json || line.text !== "") && mentions(search)(line)

const print = (line: LineView, shown: Shown) =>
  isShown(line, shown) ? Console.log(shown.json ? jsonOf(line) : textOf(line)) : Effect.void

export const command = Command.make(
  "events",
  {
    search: Flag.String("search").pipe(
      Flag.withDescription("Words that the sentence, the slot or the kind of event must contain"),
      Flag.withDefault("")
    ),
    limit: flags.integerIn("limit", 0).pipe(Flag.withDescription("How many of the past ones"), Flag.withDefault(50)),
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Go on with the events of the running bot as they happen; needs its control server"),
      Flag.withDefault(false)
    ),
    forMillis: flags.forDuration,
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ bot: given, follow, forMillis, json, limit, search }) {
    const shown: Shown = { json, search }
    const bot = yield* WhichBot.named(given)
    if (follow && typeof bot !== "string")
      return yield* new WrongUsage({
        message: "--follow needs a bot of its own: an account of a fleet has no live stream"
      })
    const { journal, last, lines } = yield* withSettings(bot, ({ journal, markets }) =>
      Effect.map(newest(bySymbol(markets.assets), shown, limit), (found) => ({ ...found, journal }))
    )
    yield* Effect.forEach(lines, (line) => print(line, shown), { discard: true })
    if (!follow) return
    const isOver = requestedOrAfter(forMillis)
    const live = RunningBot.subscribe(journal, last, (why) => Console.error(`${why} Trying again.`)).pipe(
      Stream.runForEach((told) => (told._tag === "Event" ? print(told, shown) : Effect.void))
    )
    yield* Effect.raceFirst(live, isOver)
  })
).pipe(
  Command.withDescription("Show what happened, newest last, and follow a running bot"),
  Command.withExamples([{ command: "limitbot events --follow --search fill", description: "Fills as they happen" }])
)

/** The requested last lines, and the number of the newest event of all. */
const newest = Effect.fnUntraced(function* (assets: Money.Assets, shown: Shown, limit: number) {
  const journal = yield* Journal
  const head = yield* Stream.runHead(journal.newestFirst)
  const last = Option.match(head, { onNone: () => 0, onSome: ({ sequence }) => sequence })
  const lines = yield* journal.newestFirst.pipe(
    Stream.filter(({ sequence }) => sequence <= last),
    Stream.map((recorded) => lineOf(recorded, assets)),
    Stream.filter((line) => isShown(line, shown)),
    Stream.take(limit),
    Stream.runCollect
  )
  return { last, lines: lines.toReversed() }
})
