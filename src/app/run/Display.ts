/** Shows a run: JSON lines for programs, a screen redrawn in place on a terminal, event lines and whole pictures in a log. */
import { Clock, Console, Effect, type PubSub, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age, countText, utc } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { Terminal } from "../../process/Terminal.ts"
import { logLine } from "../../report/text/EventLine.ts"
import * as Money from "../../report/text/Money.ts"
import { jsonOf, lineOf } from "../../views/Events.ts"
import { moneySums } from "../../views/Money.ts"
import { problemsOf } from "../../views/Problems.ts"
import type { Pulse } from "../../views/Pulse.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { safeUntil } from "../../views/Status.ts"
import * as Picture from "../../views/screen/Picture.ts"
import { frame, resultLines } from "../../views/screen/Screen.ts"

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

interface Ended {
  readonly config: BotConfig
  readonly configFile: string
  readonly json: boolean
  readonly run: { readonly mode: string }
  readonly warning: string | undefined
}

/** Prints the end of a run: its money, its fills, and the risk of its open orders while no bot runs. */
export const printEnd = Effect.fnUntraced(function* (
  { config, configFile, json, run, warning }: Ended,
  extra: Readonly<Record<string, unknown>> = {}
) {
  const { state } = yield* Bookkeeper
  const assets = bySymbol(config.markets.assets)
  const [fills, openOrders, sums] = [state.fills, unfinished(state).length, moneySums(state, assets)]
  if (json) return yield* Console.log(JSON.stringify({ event: "summary", fills, openOrders, ...sums, ...extra }))
  const { colours, columns, isInteractive } = yield* Terminal
  const lastProfit = Effect.flatMap(LiveProfit.subscribe(assets), (read) => read(new Map()))
  const profit = isInteractive ? yield* Effect.orElseSucceed(lastProfit, () => undefined) : undefined
  const style = { colours, columns: columns() }
  const lines = profit ? resultLines({ state, assets, profit }, style) : Money.table(state.ledger, assets)
  yield* Console.log(`\n${lines.join("\n")}\n`)
  const residual = Object.entries(sums.residual).map(([asset, amount]) => `${amount} ${asset}`)
  yield* Console.log(
    `${countText(fills, "fill")}, ${countText(openOrders, "unsettled order")}, unexplained ${residual.join(", ") || "0"}.`
  )
  if (run.mode === "dry-run") return yield* Console.log(`${warning}. Its orders ended with the run.`)
  const until = safeUntil(state)
  if (until !== undefined) yield* Console.log(restingText(utc(until)))
  if (run.mode === "live") yield* Console.log(pageText(config.dashboard !== undefined, configFile))
})

const pageText = (hasPage: boolean, config: string): string =>
  hasPage
    ? `The dashboard has stopped. Its address while the bot runs: limitbot status --dashboard --config ${config}`
    : `With \`dashboard: {}\` in ${config} the bot shows all this in a browser, too.`

const restingText = (safeUntil: string): string =>
  [
    "The orders stay open: they can fill while the bot is stopped, and are safe unattended until",
    `${safeUntil}, when the first of them expires and is refunded.`,
    "Start the bot again to continue, or use --cancel-on-exit to cancel them."
  ].join("\n")

export const stillOpen = (state: BotState): string => {
  const open = unfinished(state)
  const resting = open.filter(({ order, state: at }) => order !== undefined && at !== "closing").length
  const rest = open.length - resting
  const unreadable = open.flatMap((placement) =>
    placement.unreadable === undefined
      ? []
      : [`the venue's report of order ${placement.order?.id} is unusable (${placement.unreadable.why})`]
  )
  const remainders = [
    ...(resting === 0 ? [] : [`${countText(resting, "order")} may still be open and fill`]),
    ...unreadable,
    ...(rest === 0 ? [] : [`${countText(rest, "order")} not yet settled`])
  ]
  if (remainders.length === 0) return "nothing is still open; the journal is intact"
  return `still open: ${remainders.join(", ")}. The journal is intact: start the bot again to track them`
}
