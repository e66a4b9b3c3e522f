/**
 * Shows a run as it happens. Programs get events as lines of JSON. A terminal gets a screen that is redrawn in place.
 * A log or pipe gets events as lines, with the whole picture now and then.
 */

import { Clock, Console, Effect, type PubSub, Stream } from "effect"
import { Terminal } from "../../app/process/Terminal.ts"
import type { Show, Shown, ShownOptions } from "../../app/run/Shown.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import { age } from "../../domain/Words.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { logLine } from "../../report/text/EventLine.ts"
import type * as Money from "../../report/text/Money.ts"
import { jsonOf, lineOf } from "../../views/Events.ts"
import { problemsOf } from "../../views/Problems.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { frame, paper } from "./Screen.ts"

const redrawMillis = 500
const recentEvents = 8
/** The most slots in a picture for a log. */
const loggedSlots = 12

export const show: Show = (options, present, changes) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    if (options.json) return yield* jsonLines(changes, options.assets)
    if (terminal.isInteractive) return yield* screen(options, present, changes)
    return yield* log(options, present, changes)
  })

/** Ends with the run, after everything has been shown. */
const eventsOf = (changes: PubSub.Subscription<Recorded>) =>
  Stream.fromSubscription(changes).pipe(Stream.takeUntil(({ event }) => event._tag === "BotStopped"))

const jsonLines = (changes: PubSub.Subscription<Recorded>, assets: Money.Assets) =>
  Stream.runForEach(eventsOf(changes), (recorded) => Console.log(jsonOf(lineOf(recorded, assets))))

const picture = Effect.fnUntraced(function* (
  { title, detail, warning, assets, stuckAfter }: ShownOptions,
  { prices, pulse, nextLookAt }: Shown,
  recent: ReadonlyArray<Recorded>,
  profit: LiveProfit.LiveProfit
) {
  const { state } = yield* Bookkeeper
  const now = yield* Clock.currentTimeMillis
  const running = pulse.leaving() ?? `running ${age(now - state.runStartedAt)}`
  const problems = problemsOf(state, assets, { now, pulse, stuckAfter })
  return {
    title,
    detail,
    warning,
    running,
    problems,
    state,
    assets,
    prices,
    recent,
    profit,
    nextLookAt: nextLookAt(),
    now
  }
})

const screen = Effect.fnUntraced(function* (
  options: ShownOptions,
  present: Shown,
  changes: PubSub.Subscription<Recorded>
) {
  const terminal = yield* Terminal
  const { dashboard } = present
  const recent: Array<Recorded> = []
  const collect = Stream.runForEach(eventsOf(changes), (recorded) =>
    Effect.sync(() => {
      if (logLine(recorded, options.assets) === undefined) return
      recent.push(recorded)
      if (recent.length > recentEvents) recent.shift()
    })
  )
  const profit = yield* LiveProfit.subscribe(options.assets)
  const draw = Effect.gen(function* () {
    const { colours } = terminal
    const canvas = { colours, rows: terminal.rows(), columns: terminal.columns() }
    const input = yield* picture(options, present, recent, yield* profit(present.prices))
    yield* terminal.redraw(frame({ ...input, dashboard }, canvas))
  })
  yield* terminal.ownScreen
  yield* Effect.raceFirst(collect, Effect.forever(Effect.andThen(draw, Effect.sleep(redrawMillis))))
})

const log = Effect.fnUntraced(function* (
  options: ShownOptions,
  present: Shown,
  changes: PubSub.Subscription<Recorded>
) {
  const books = yield* Bookkeeper
  const events = Stream.runForEach(eventsOf(changes), (recorded) => {
    const line = logLine(recorded, options.assets)
    return line === undefined ? Effect.void : Console.log(line)
  })
  const profit = yield* LiveProfit.subscribe(options.assets)
  let shown = 0
  const pictures = Effect.gen(function* () {
    yield* Effect.sleep(options.pictureMillis)
    if (books.state.sequence === shown) return
    shown = books.state.sequence
    const lines = frame(yield* picture(options, present, [], yield* profit(present.prices)), {
      ...paper,
      slots: loggedSlots
    })
    yield* Console.log(`\n${lines.join("\n")}\n`)
  }).pipe(Effect.forever)
  yield* Effect.raceFirst(events, pictures)
})
