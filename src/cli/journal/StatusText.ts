/** What the journal knows of a bot at this moment, for the terminal and for programs. */
import { Console, Effect } from "effect"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import type { JournalView } from "../../app/journal/JournalView.ts"
import { oldest } from "../../app/money/LedgerView.ts"
import { Terminal } from "../../app/process/Terminal.ts"
import * as LiveProfit from "../../control/view/LiveProfit.ts"
import { problemsOf } from "../../control/view/problems.ts"
import type { RunningProfit } from "../../control/view/RunningProfit.ts"
import type { Of } from "../../domain/BotEvent.ts"
import { iso } from "../../domain/Text.ts"
import { age } from "../../domain/Words.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { isBareSuccess } from "../../engine/tracking/amounts/BareSuccess.ts"
import type * as Lease from "../../journal/Lease.ts"
import type * as Profit from "../../ledger/Profit.ts"
import * as Money from "../../report/text/Money.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import { frame, paper } from "../screen/Screen.ts"

interface StatusView extends JournalView {
  readonly trading: RunningProfit
}

export const printJson = (
  view: StatusView,
  holder: Lease.Holder | undefined,
  killSwitch: string | undefined,
  dashboard: string | undefined
): Effect.Effect<void> => {
  const { journal, state, assets } = view
  return Console.log(
    JSON.stringify({
      journal,
      runningPid: holder?.pid ?? null,
      dashboard: dashboard ?? null,
      run: state.run === undefined ? undefined : runJson(state.run),
      killSwitch: killSwitch ?? null,
      problems: problemsIn(view),
      prices: view.prices,
      pricesRefused: [...state.doubts].map(([market, { reason, since }]) => ({ market, why: reason, since })),
      clock: { skewMillis: state.clock?.skewMillis ?? null, ok: state.clock?.ok ?? null },
      rejectedEdit: state.rejectedEdit ?? null,
      diskFullSince: state.diskFullSince ?? null,
      journalGone: state.leaseLost ?? null,
      journalChanged: state.broken ?? null,
      venueDownSince: state.venueDownSince ?? null,
      failing: [...state.strategies.values()].flatMap(({ name, failing }) =>
        failing === undefined ? [] : [{ strategy: name, why: failing.reason, since: failing.since }]
      ),
      frozen: [...state.slots.values()].flatMap(({ strategy, slot, frozen }) =>
        frozen === undefined ? [] : [{ slot: `${strategy}/${slot}`, why: frozen }]
      ),
      fills: state.fills,
      openOrders: unfinished(state).length,
      money: Money.rows(state.ledger, assets),
      notCounted: Money.notCounted(state.ledger, assets),
      residual: Money.residual(state.ledger, assets),
      profit: profitJson(view),
      contradictions: state.reconciled?.contradictions ?? [],
      foreign: state.reconciled?.foreign ?? [],
      safeUnattendedUntil: safeUntil(state) ?? null
    })
  )
}

/** By average cost, as strategies see it; by strategy if there are several. */
const profitOf = (
  { trading }: StatusView,
  { standings, whole, strategies }: LiveProfit.LiveProfit
): ProfitText.Profit => {
  const isOne = new Set(strategies.map(({ group }) => group)).size < 2
  const groups = isOne ? [] : strategies
  return {
    standings,
    method: LiveProfit.method,
    whole,
    by: isOne ? undefined : "strategy",
    groups,
    markedAt: oldest(trading.books.lastPrices)
  }
}

/** Whether a turn is late, only the bot itself can say. */
const problemsIn = ({ assets, now, state, stuckAfter }: JournalView) =>
  problemsOf(state, assets, { now, pulse: undefined, stuckAfter })

const pictureOf = ({ assets, trading, now }: StatusView) => LiveProfit.pictureNow(trading, assets, now)

/** The figures of `profit --json`, plus those of strategies and slots. */
const profitJson = (view: StatusView) => {
  const picture = pictureOf(view)
  const figures = ProfitText.json({ ...profitOf(view, picture), by: undefined, groups: [] }, view.assets)
  const rowsOf = (rows: Iterable<Profit.Row>, quote: string, by: string) =>
    [...rows]
      .filter((row) => row.quote === quote && !row.group.endsWith("/"))
      .map((row) => ({ [by]: row.group, ...ProfitText.amounts(view.assets, quote, row.figures) }))
  return Object.fromEntries(
    Object.entries(figures).map(([quote, whole]) => [
      quote,
      {
        ...whole,
        strategies: rowsOf(picture.strategies, quote, "strategy"),
        slots: rowsOf(picture.slots.values(), quote, "slot")
      }
    ])
  )
}

/** When the venue ends the first order and refunds it; until then no bot is needed. */
const safeUntil = (state: BotState): string | undefined => {
  // A swap that has succeeded is not refunded by anybody.
  const open = unfinished(state).filter((placement) => !isBareSuccess(placement))
  if (open.length === 0) return undefined
  return iso(Math.min(...open.map(({ deadline }) => deadline)))
}

/** Only the configuration can show the limits over all strategies. */
const runJson = ({ overall: _, mark: __, boot: ___, ...run }: Of<"BotStarted">) => run

export const printScreen = Effect.fnUntraced(function* (
  view: StatusView,
  holder: Lease.Holder | undefined,
  killSwitch: string | undefined,
  dashboard: string | undefined
) {
  const terminal = yield* Terminal
  const { journal, state, assets, now } = view
  const picture = pictureOf(view)
  const lines = frame(
    {
      title: journal,
      detail:
        state.run === undefined ? undefined : `${state.run.mode}  ${state.run.venue}  account ${state.run.account}`,
      warning: pendingSwitch(state.killed, killSwitch, holder !== undefined),
      problems: problemsIn(view),
      running:
        holder === undefined ? stopped(state) : `running as process ${holder.pid} for ${age(now - holder.since)}`,
      state,
      assets,
      dashboard: dashboard === undefined ? undefined : yield* DashboardPage.line(journal, dashboard),
      prices: new Map(),
      recent: [],
      profit: picture,
      now
    },
    { ...paper, colours: terminal.colours }
  )
  const until = safeUntil(state)
  yield* Console.log(
    [
      lines.join("\n").trimEnd(),
      "",
      ...ProfitText.lines(profitOf(view, picture), assets),
      `Prices: ${view.prices}${view.prices === "signed" ? "" : ": whoever is between the bot and the venue can change them; set venue.quoteKey"}`,
      ...(until === undefined
        ? []
        : [`Safe unattended until ${until}: then the venue ends the first order and refunds it.`])
    ].join("\n")
  )
})

/** The bot records the switch when it obeys; until then the journal and the switch differ. */
const pendingSwitch = (noted: string | undefined, switched: string | undefined, isRunning: boolean) => {
  if ((noted === undefined) === (switched === undefined)) return undefined
  const when = isRunning ? "the bot obeys within a second" : "no bot is running; it takes effect with the next start"
  return switched === undefined ? `Kill switch released: ${when}` : `Kill switch set (${switched}): ${when}`
}

const stopped = ({ run, runStartedAt }: BotState): string =>
  run === undefined ? "NOT RUNNING, never ran" : `NOT RUNNING, last started ${iso(runStartedAt)}`
