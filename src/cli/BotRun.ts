/**
 * One run of the bot, for `run` and `demo` alike: record the start, turn until told to stop, show what happens, leave in
 * order, and close with the summary. By default orders stay resting when the bot leaves; what that means is said.
 */
import { Clock, Console, DateTime, Deferred, Effect, PubSub, Schema, Stream } from "effect"
import { BotEvent, type Reason, type Recorded } from "../domain/BotEvent.ts"
import type { Market } from "../domain/Market.ts"
import { Bookkeeper } from "../engine/Bookkeeper.ts"
import { unfinished } from "../engine/BotState.ts"
import * as Engine from "../engine/Engine.ts"
import * as StartUp from "../engine/StartUp.ts"
import * as Money from "../report/Money.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { eventLines, frame } from "./Screen.ts"
import { Stop } from "./Stop.ts"
import { Terminal } from "./Terminal.ts"

/** A turn under way gets this long to end by itself; then it is cut off, which the journal survives. */
const graceMillis = 3_000
const redrawMillis = 500
const recentEvents = 8

export interface BotRunOptions {
  readonly run: StartUp.Run
  readonly strategies: ReadonlyArray<Strategy>
  readonly markets: ReadonlyMap<string, Market>
  readonly assets: Money.Assets
  readonly title: string
  readonly warning: string | undefined
  /** Ends by itself after this long; `undefined` runs until stopped. */
  readonly forMillis: number | undefined
  /** Withdraw everything and wait for the money before leaving. */
  readonly cancelOnExit: boolean
  readonly json: boolean
  /** The operator's kill switch, asked at every turn. */
  readonly killSwitch: Effect.Effect<string | undefined>
}

const encodeEvent = Schema.encodeEffect(BotEvent)

/** One event as a line of JSON: its name, place and time, then its fields. */
export const eventJson = Effect.fnUntraced(function* ({ sequence, at, event }: Recorded) {
  const { _tag, ...fields } = yield* Effect.orDie(encodeEvent(event)) // Recorded events have been encoded before.
  return JSON.stringify({ event: _tag, sequence, at, ...fields })
})

const leavingReason: Reason = { code: "leaving", text: "The bot leaves and was told to cancel its orders" }

export const runBot = Effect.fn("BotRun")(function* (options: BotRunOptions) {
  const books = yield* Bookkeeper
  const stop = yield* Stop
  let leaving = false

  const withdraw = Effect.map(options.killSwitch, (reason): Reason | undefined =>
    reason !== undefined ? { code: "kill-switch", text: reason } : leaving ? leavingReason : undefined
  )
  const changes = yield* PubSub.subscribe(books.changes)
  yield* StartUp.record(options.run, options.strategies)
  const engine = yield* Engine.make({ strategies: options.strategies, markets: options.markets, withdraw })
  yield* Effect.forkScoped(show(options, engine, changes), { startImmediately: true })

  const stopping = yield* Deferred.make<void>()
  const timeIsUp = options.forMillis === undefined ? Effect.never : Effect.sleep(options.forMillis)
  yield* Effect.forkScoped(
    Effect.andThen(Effect.raceFirst(stop.requested, timeIsUp), Deferred.succeed(stopping, undefined)),
    { startImmediately: true }
  )
  const stopped = Deferred.await(stopping)
  yield* Effect.raceFirst(engine.runUntil(stopped), Effect.andThen(stopped, Effect.sleep(graceMillis)))

  if (options.cancelOnExit && !engine.isIdle()) {
    leaving = true
    // Whatever order is cancelled may fill once more: it is over when every unit is back.
    yield* engine.runUntil(Effect.never, engine.isIdle)
  }
  yield* books.record({ _tag: "BotStopped", reason: options.cancelOnExit ? "left with all orders closed" : "left" })
  // Lets the last events reach the screen.
  yield* Effect.sleep(50)
  return yield* summary(options)
}, Effect.scoped)

/** Shows events as they come: as JSON lines, as a redrawn screen on a terminal, or as plain lines elsewhere. */
const show = Effect.fnUntraced(function* (
  options: BotRunOptions,
  engine: Effect.Success<ReturnType<typeof Engine.make>>,
  changes: PubSub.Subscription<Recorded>
) {
  const terminal = yield* Terminal
  const events = Stream.fromSubscription(changes)
  if (options.json) {
    return yield* Stream.runForEach(events, (recorded) =>
      Effect.flatMap(eventJson(recorded), (line) => Console.log(line))
    )
  }
  if (!terminal.isInteractive) {
    return yield* Stream.runForEach(events, (recorded) =>
      Effect.forEach(eventLines(recorded, options.assets, false), (line) => Console.log(line), { discard: true })
    )
  }
  const recent: Array<Recorded> = []
  const collect = Stream.runForEach(events, (recorded) =>
    Effect.sync(() => {
      if (eventLines(recorded, options.assets, false).length === 0) return
      recent.push(recorded)
      if (recent.length > recentEvents) recent.shift()
    })
  )
  const draw = Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    const now = yield* Clock.currentTimeMillis
    const { title, warning, assets } = options
    const slots = Math.max(3, terminal.rows() - recentEvents - 16)
    const lines = frame({ title, warning, state, assets, prices: engine.prices, recent, now, colours: true, slots })
    yield* terminal.redraw(lines)
  })
  yield* Effect.all([collect, Effect.forever(Effect.andThen(draw, Effect.sleep(redrawMillis)))], { concurrency: 2 })
})

export interface Summary {
  readonly event: "summary"
  readonly fills: number
  readonly openOrders: number
  readonly money: ReadonlyArray<Money.MoneyRow>
  readonly residual: Readonly<Record<string, string>>
}

const summary = Effect.fnUntraced(function* ({ assets }: BotRunOptions) {
  const { state } = yield* Bookkeeper
  const open = unfinished(state)
  const result: Summary = {
    event: "summary",
    fills: state.fills,
    openOrders: open.length,
    money: Money.rows(state.ledger, assets),
    residual: Money.residual(state.ledger, assets)
  }
  return {
    summary: result,
    safeUntil: open.length === 0 ? undefined : Math.min(...open.map(({ deadline }) => deadline))
  }
})

/** The last words of a run. */
export const printSummary = Effect.fnUntraced(function* (
  { assets, json }: Pick<BotRunOptions, "assets" | "json">,
  { summary, safeUntil }: Effect.Success<ReturnType<typeof runBot>>,
  extra: Readonly<Record<string, unknown>> = {}
) {
  if (json) return yield* Console.log(JSON.stringify({ ...summary, ...extra }))
  const { state } = yield* Bookkeeper
  yield* Console.log("")
  yield* Console.log(Money.table(state.ledger, assets).join("\n"))
  const residual = Object.entries(summary.residual).map(([asset, amount]) => `${amount} ${asset}`)
  yield* Console.log(
    `\n${summary.fills} fills, ${summary.openOrders} open orders, residual ${residual.join(", ") || "0"}.`
  )
  if (safeUntil !== undefined) {
    const until = DateTime.formatIso(DateTime.makeUnsafe(safeUntil))
    yield* Console.log(
      `The orders stay resting: they can fill while the bot is away, and are safe unattended until ${until}, when the venue ends the first of them and refunds it. Start the bot again to go on, or use --cancel-on-exit to withdraw them.`
    )
  }
})
