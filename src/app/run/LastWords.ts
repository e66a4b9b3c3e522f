/** Prints the end of a run: its money, its fills, and the risk of its open orders while no bot runs. */
import { Console, Effect } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import { countText, utc } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { Terminal } from "../../process/Terminal.ts"
import * as Money from "../../report/text/Money.ts"
import { moneySums } from "../../views/Money.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { safeUntil } from "../../views/Status.ts"
import { resultLines } from "../../views/screen/Screen.ts"

interface Ended {
  readonly config: BotConfig
  readonly configFile: string
  readonly json: boolean
  readonly run: { readonly mode: string }
  readonly warning: string | undefined
}

export const print = Effect.fnUntraced(function* (
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
