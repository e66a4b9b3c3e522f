/** Shows a run: JSON lines for programs, a screen redrawn in place on a terminal, event lines and whole pictures in a log. */
import { Clock, Console, Effect, type PubSub, Stream } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import { Terminal } from "../../process/Terminal.ts"
import { logLine } from "../../report/text/EventLine.ts"
import { jsonOf, lineOf } from "../../views/Events.ts"
import { problemsOf } from "../../views/Problems.ts"
import type { Pulse } from "../../views/Pulse.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import * as Picture from "../../views/screen/Picture.ts"
import { frame } from "../../views/screen/Screen.ts"

export const redrawMillis = 500
/** Routine events must not push the news of a quiet market off the screen. */
const recentEvents = 100
const loggedSlots = 12

export interface ShownOptions extends Pick<Picture.ScreenInput, "assets" | "detail" | "title" | "warning"> {
  readonly stuckAfter: StepTerms
  readonly json: boolean
  readonly pictureMillis: number
}

export interface Shown {
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly pulse: Pulse
  /** The line that leads to the dashboard; `undefined` for a log, which has it already. */
  readonly dashboard: string | undefined
  readonly nextLookAt: () => number
}

type Changes = PubSub.Subscription<Recorded>

export const show = Effect.fn("Display.show")(function* (options: ShownOptions, present: Shown, changes: Changes) {
  const printJson = (recorded: Recorded) => Console.log(jsonOf(lineOf(recorded, options.assets)))
  if (options.json) return yield* Stream.runForEach(eventsOf(changes), printJson)
  const { isInteractive } = yield* Terminal
  return yield* (isInteractive ? screen : log)(options, present, changes)
})

export const keep = (recent: Array<Recorded>, recorded: Recorded): void => {
  recent.push(recorded)
  if (recent.length > recentEvents) recent.shift()
}

export const redraw = Effect.fnUntraced(function* (input: Picture.ScreenInput) {
  const terminal = yield* Terminal
  const { colours } = terminal
  yield* terminal.redraw(frame(input, { colours, rows: terminal.rows(), columns: terminal.columns() }))
})

const eventsOf = (changes: Changes) =>
  Stream.fromSubscription(changes).pipe(Stream.takeUntil(({ event }) => event._tag === "BotStopped"))

const picture = Effect.fnUntraced(function* (
  options: ShownOptions,
  { prices, pulse, nextLookAt }: Shown,
  recent: ReadonlyArray<Recorded>,
  profit: LiveProfit.LiveProfit
) {
  const { state } = yield* Bookkeeper
  const now = yield* Clock.currentTimeMillis
  const running = pulse.leaving() ?? `running ${age(now - state.runStartedAt)}`
  const problems = problemsOf(state, options.assets, { now, pulse, stuckAfter: options.stuckAfter })
  return { ...options, running, problems, state, prices, recent, profit, nextLookAt: nextLookAt(), now }
})

const screen = Effect.fnUntraced(function* (options: ShownOptions, present: Shown, changes: Changes) {
  const terminal = yield* Terminal
  const { dashboard } = present
  const recent: Array<Recorded> = []
  const collect = Stream.runForEach(eventsOf(changes), (recorded) =>
    Effect.sync(() => {
      if (logLine(recorded, options.assets) !== undefined) keep(recent, recorded)
    })
  )
  const profit = yield* LiveProfit.subscribe(options.assets)
  const draw = Effect.gen(function* () {
    const input = yield* picture(options, present, recent, yield* profit(present.prices))
    yield* redraw({ ...input, dashboard })
  })
  yield* terminal.ownScreen
  yield* Effect.raceFirst(collect, Effect.forever(Effect.andThen(draw, Effect.sleep(redrawMillis))))
})

const log = Effect.fnUntraced(function* (options: ShownOptions, present: Shown, changes: Changes) {
  const books = yield* Bookkeeper
  const events = Stream.runForEach(eventsOf(changes), (recorded) => {
    const line = logLine(recorded, options.assets)
    return line === undefined ? Effect.void : Console.log(line)
  })
  const profit = yield* LiveProfit.subscribe(options.assets)
  let lastSequence = 0
  const pictures = Effect.gen(function* () {
    yield* Effect.sleep(options.pictureMillis)
    if (books.state.sequence === lastSequence) return
    lastSequence = books.state.sequence
    const input = yield* picture(options, present, [], yield* profit(present.prices))
    yield* Console.log(`\n${Picture.picture(input, false, loggedSlots).join("\n")}\n`)
  }).pipe(Effect.forever)
  yield* Effect.raceFirst(events, pictures)
})
