/** Prints the end of a run: its money, its fills, and the risk of its resting orders while no bot runs. */
import { Console, Effect } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import { counted } from "../../domain/Words.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as Money from "../../report/text/Money.ts"
import type * as BotRun from "./BotRun.ts"

export const print = Effect.fnUntraced(function* (
  { config, configFile, json, run, warning }: BotRun.BotRunOptions,
  { summary, safeUntil }: Effect.Success<ReturnType<typeof BotRun.runBot>>,
  extra: Readonly<Record<string, unknown>> = {}
) {
  if (json) return yield* Console.log(JSON.stringify({ ...summary, ...extra }))
  const { state } = yield* Bookkeeper
  yield* Console.log(`\n${Money.table(state.ledger, bySymbol(config.markets.assets)).join("\n")}\n`)
  const residual = Object.entries(summary.residual).map(([asset, amount]) => `${amount} ${asset}`)
  yield* Console.log(
    `${counted(summary.fills, "fill")}, ${counted(summary.openOrders, "open order")}, unexplained ${residual.join(", ") || "0"}.`
  )
  if (run.mode === "dry-run") return yield* Console.log(`${warning}. Its orders ended with it.`)
  if (safeUntil !== undefined) yield* Console.log(restingText(safeUntil))
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
