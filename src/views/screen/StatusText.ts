/** The status of a bot from its journal, for the terminal. */
import { iso } from "../../domain/Text.ts"
import { age } from "../../domain/Words.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import { profitByStrategy } from "../Profit.ts"
import * as LiveProfit from "../profit/LiveProfit.ts"
import { type JournalFacts, problemsInJournal, safeUntil } from "../Status.ts"
import { frame, paper } from "./Screen.ts"

export const screen = (
  facts: JournalFacts,
  running: string | undefined,
  { colours, page }: { readonly colours: boolean; readonly page: string | undefined }
): ReadonlyArray<string> => {
  const { assets, journal, killSwitch, now, prices, seenAfter = [], state, trading } = facts
  const picture = LiveProfit.pictureNow(trading, assets, now)
  const lines = frame(
    {
      title: journal,
      detail:
        state.run === undefined ? undefined : `${state.run.mode}  ${state.run.venue}  account ${state.run.account}`,
      warning: pendingSwitch(state.killed, killSwitch, running !== undefined),
      problems: problemsInJournal(facts),
      running: running ?? stopped(state),
      state,
      assets,
      dashboard: page,
      prices: new Map(),
      recent: [],
      profit: picture,
      now
    },
    { ...paper, colours }
  )
  const until = safeUntil(state)
  return [
    lines.join("\n").trimEnd(),
    "",
    ...ProfitText.lines(profitByStrategy(trading, picture), assets),
    `Prices: ${prices}${prices === "signed" ? "" : ": anyone between the bot and the venue can change them; set venue.quoteKey"}`,
    ...seenAfter.map(
      ({ market, p50Millis, p99Millis }) =>
        `Price delay of ${market}: ${seconds(p50Millis)} s (p50), ${seconds(p99Millis)} s (p99).`
    ),
    ...[...state.signals].map(
      ([name, { at, value }]) => `Signal ${name} is ${value}, of ${iso(at)}, ${age(now - at)} ago.`
    ),
    ...(until === undefined ? [] : [`Safe unattended until ${until}: then the first order expires and is refunded.`])
  ]
}

/** The bot records the switch when it obeys. Until then the journal and the switch differ. */
const pendingSwitch = (noted: string | undefined, switched: string | undefined, isRunning: boolean) => {
  if ((noted === undefined) === (switched === undefined)) return undefined
  const when = isRunning ? "takes effect within a second" : "no bot is running; it takes effect at the next start"
  return switched === undefined ? `Kill switch released: ${when}` : `Kill switch set (${switched}): ${when}`
}

const seconds = (millis: number): string => (millis / 1_000).toFixed(1)

const stopped = ({ run, runStartedAt }: BotState): string =>
  run === undefined ? "NOT RUNNING, never started" : `NOT RUNNING, last started ${iso(runStartedAt)}`
