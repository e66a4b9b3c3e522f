/**
 * `limitbot status --watch`: the screen of a running bot in another terminal. The journal provides the facts; the bot's live stream
 * provides the prices that it sees. Without the stream the journal alone is shown, and the screen says so.
 */
import { Clock, Console, Effect, type Option, Stream } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age } from "../../domain/Words.ts"
import * as BotState from "../../engine/state/BotState.ts"
import { Journal } from "../../journal/Journal.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import { describe } from "../../report/text/EventLine.ts"
import { pricesIn } from "../../views/Prices.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { problemsInJournal } from "../../views/Status.ts"
import { frame, paper } from "../../views/screen/Screen.ts"
import type { JournalView } from "../journal/JournalView.ts"
import * as Display from "../run/Display.ts"

/** A pipe gets the picture only at this interval. */
const printMillis = 5_000

export const watch = Effect.fn("watch")(function* (view: JournalView, forMillis: Option.Option<number>) {
  const { assets, journal: file, state, stuckAfter } = view
  const [journal, terminal] = [yield* Journal, yield* Terminal]
  const prices = new Map<string, TwoSidedPrice>()
  const recent: Array<Recorded> = []
  let missing: string | undefined = "Not connected to the bot yet"

  const note = (recorded: Recorded): void => {
    BotState.apply(state, recorded)
    if (describe(recorded.event, assets) !== undefined) Display.keep(recent, recorded)
  }
  const catchUp = Effect.suspend(() =>
    Stream.runForEach(journal.events({ after: state.sequence }), (recorded) => Effect.sync(() => note(recorded)))
  )
  const listen = RunningBot.subscribe(file, state.sequence, (why) =>
    Effect.sync(() => {
      missing = why
    })
  ).pipe(
    Stream.runForEach((told) =>
      Effect.sync(() => {
        missing = undefined
        if (told._tag !== "Prices") return
        for (const [market, price] of pricesIn(told.prices)) prices.set(market, price)
      })
    )
  )
  const profit = yield* LiveProfit.subscribe(assets)
  const draw = Effect.gen(function* () {
    yield* catchUp
    const now = yield* Clock.currentTimeMillis
    const { run, runStartedAt } = state
    const input = {
      title: `${file}  watched`,
      detail: run === undefined ? undefined : `${run.mode}  ${run.venue}  account ${run.account}`,
      warning: missing === undefined ? undefined : `${missing} Shown from its journal.`,
      running: missing === undefined ? `running ${age(now - runStartedAt)}` : "no connection",
      problems: problemsInJournal({ assets, now, state, stuckAfter }),
      state,
      assets,
      prices,
      recent,
      profit: yield* profit(prices),
      now
    }
    if (!terminal.isInteractive) return yield* Console.log(`${frame(input, paper).join("\n").trimEnd()}\n`)
    yield* Display.redraw(input)
  })
  if (terminal.isInteractive) yield* terminal.ownScreen
  const pause = terminal.isInteractive ? Display.redrawMillis : printMillis
  const isOver = requestedOrAfter(forMillis)
  const drawing = Effect.forever(Effect.andThen(Effect.sleep(pause), draw))
  yield* Effect.raceAll([listen, drawing, isOver])
}, Effect.scoped)
