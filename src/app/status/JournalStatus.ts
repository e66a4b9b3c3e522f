/** Shows slots, orders and money from the journal. `--watch` adds prices from the bot's live stream, if there is one. */
import { Clock, Console, Effect, Stream } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age } from "../../domain/Text.ts"
import * as BotState from "../../engine/state/BotState.ts"
import { Journal } from "../../journal/Journal.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import { describe } from "../../report/text/EventLine.ts"
import { nextOf } from "../../views/Next.ts"
import { pricesIn } from "../../views/Prices.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { journalStatus, problemsInJournal } from "../../views/Status.ts"
import * as Picture from "../../views/screen/Picture.ts"
import * as DashboardPage from "../control/DashboardPage.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"
import { newestPrices } from "../money/LedgerView.ts"
import * as Display from "../run/Display.ts"

/** A pipe gets one picture in this interval. */
const printMillis = 5_000

export const watch = Effect.fn("watch")(function* (view: JournalView, forMillis: number | undefined) {
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
    const input = {
      title: `${file}  watched`,
      warning: missing === undefined ? undefined : `${missing} Shown from its journal.`,
      running: missing === undefined ? `running ${age(now - state.runStartedAt)}` : "no connection",
      problems: problemsInJournal({ assets, now, state, stuckAfter }),
      state,
      assets,
      prices,
      recent,
      profit: yield* profit(prices),
      now
    }
    if (terminal.isInteractive) return yield* Display.redraw(input)
    yield* Console.log(`${Picture.picture(input, false).join("\n").trimEnd()}\n`)
  })
  if (terminal.isInteractive) yield* terminal.ownScreen
  const pause = terminal.isInteractive ? Display.redrawMillis : printMillis
  const isOver = requestedOrAfter(forMillis)
  const drawing = Effect.forever(Effect.andThen(Effect.sleep(pause), draw))
  yield* Effect.raceAll([listen, drawing, isOver])
}, Effect.scoped)

const nextInJournal = ({ now, state }: JournalView) =>
  [...state.strategies.values()].flatMap(({ decision, isLoaded, name }) =>
    decision === undefined || isLoaded === false ? [] : [{ name, next: nextOf(decision, now) }]
  )

export const journalStatusNow = withJournal(
  Effect.fnUntraced(function* (journal) {
    const stored = yield* StoredProfit.present
    const lastPrices = yield* newestPrices(stored.books.lastPrices, journal)
    const trading = { ...stored, books: { ...stored.books, lastPrices } }
    const bot = yield* ChosenBot
    const { killSwitch, pid, running } = yield* bot.standing(journal.journal, journal.now)
    const dashboard = yield* RunningBot.addressOf(journal.journal)
    const live = dashboard === undefined ? undefined : yield* RunningBot.statusOf(journal.journal, 1_000)
    const strategies = live?.strategies ?? nextInJournal(journal)
    const next = strategies.flatMap(({ name, next }) => next.map((line) => ({ strategy: name, ...line })))
    const facts = { ...journal, trading, runningPid: pid, killSwitch, dashboard, seenAfter: live?.seenAfter, next }
    const page = dashboard === undefined ? undefined : yield* DashboardPage.line(journal.journal, dashboard)
    const { colours } = yield* Terminal
    return {
      data: () => journalStatus(facts),
      lines: () => Picture.statusLines(facts, running, { colours, page })
    } satisfies CommandAnswer
  })
)
