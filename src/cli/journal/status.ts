/** `limitbot status`: slots, orders and money as the journal has them, whether or not the bot runs. */
import { Console, DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import type { Of } from "../../domain/BotEvent.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as Money from "../../report/text/Money.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import { age } from "../../report/text/Words.ts"
import * as RunningBot from "../control/RunningBot.ts"
import * as flags from "../flags.ts"
import { type LedgerView, withLedger } from "../money/LedgerView.ts"
import * as KillFile from "../run/KillFile.ts"
import { frame, paper } from "../screen/Screen.ts"
import { Terminal } from "../Terminal.ts"

export const command = Command.make(
  "status",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withLedger(config, (view) =>
      Effect.gen(function* () {
        const holder = yield* Lease.holder(view.journal)
        const killSwitch = yield* Effect.flatten(KillFile.watch(view.journal))
        const dashboard = yield* RunningBot.addressOf(view.journal)
        yield* json ? printJson(view, holder, killSwitch, dashboard) : printScreen(view, holder, killSwitch)
      })
    )
  })
).pipe(Command.withDescription("Show slots, orders and money as the journal has them"))

const printJson = (
  view: LedgerView,
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
      clock: { skewMillis: state.clock?.skewMillis ?? null, ok: state.clock?.ok ?? null },
      rejectedEdit: state.rejectedEdit ?? null,
      venueDownSince: state.venueDownSince ?? null,
      frozen: [...state.slots.values()].flatMap(({ strategy, slot, frozen }) =>
        frozen === undefined ? [] : [{ slot: `${strategy}/${slot}`, why: frozen }]
      ),
      fills: state.fills,
      openOrders: unfinished(state).length,
      money: Money.rows(state.ledger, assets),
      residual: Money.residual(state.ledger, assets),
      profit: ProfitText.json(profitOf(view), assets),
      safeUnattendedUntil: safeUntil(state) ?? null
    })
  )
}

/** By average cost, as strategies see it. */
const profitOf = ({ trading, mark, markedAt, now }: LedgerView): ProfitText.Profit => {
  const method = "average"
  return { method, whole: Profit.report(trading, { method, mark, now }), by: undefined, groups: [], markedAt }
}

/** When the venue ends the first order by itself and refunds it; until then nothing needs a bot. */
const safeUntil = (state: BotState): string | undefined => {
  const open = unfinished(state)
  if (open.length === 0) return undefined
  return DateTime.formatIso(DateTime.makeUnsafe(Math.min(...open.map(({ deadline }) => deadline))))
}

/** The limits over all strategies are the configuration's to show. */
const runJson = ({ overall: _, identity: __, ...run }: Of<"BotStarted">) => run

const printScreen = Effect.fnUntraced(function* (
  view: LedgerView,
  holder: Lease.Holder | undefined,
  killSwitch: string | undefined
) {
  const terminal = yield* Terminal
  const { journal, state, assets, now } = view
  const lines = frame(
    {
      title: journal,
      detail:
        state.run === undefined ? undefined : `${state.run.mode}  ${state.run.venue}  account ${state.run.account}`,
      warning: pendingSwitch(state.killed, killSwitch, holder !== undefined),
      running:
        holder === undefined ? stopped(state) : `running as process ${holder.pid} for ${age(now - holder.since)}`,
      state,
      assets,
      prices: new Map(),
      recent: [],
      now
    },
    { ...paper, colours: terminal.colours }
  )
  const until = safeUntil(state)
  yield* Console.log(
    [
      lines.join("\n").trimEnd(),
      "",
      ...ProfitText.lines(profitOf(view), assets),
      ...(until === undefined
        ? []
        : [`Safe unattended until ${until}: then the venue ends the first order and refunds it.`])
    ].join("\n")
  )
})

/** The bot notes the switch when it obeys; until then the journal and the switch differ. */
const pendingSwitch = (noted: string | undefined, switched: string | undefined, isRunning: boolean) => {
  if ((noted === undefined) === (switched === undefined)) return undefined
  const when = isRunning ? "the bot obeys within a second" : "no bot is running; it takes effect with the next start"
  return switched === undefined ? `Kill switch released: ${when}` : `Kill switch set (${switched}): ${when}`
}

const stopped = ({ run, runStartedAt }: BotState): string =>
  run === undefined
    ? "NOT RUNNING, never ran"
    : `NOT RUNNING, last started ${DateTime.formatIso(DateTime.makeUnsafe(runStartedAt))}`
