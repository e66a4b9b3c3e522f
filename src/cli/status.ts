/** `limitbot status`: slots, orders and money as the journal has them, whether or not the bot runs. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { unfinished } from "../engine/BotState.ts"
import * as Money from "../report/Money.ts"
import * as flags from "./flags.ts"
import { withJournal } from "./JournalView.ts"
import { age, frame } from "./Screen.ts"
import { Terminal } from "./Terminal.ts"

export const command = Command.make(
  "status",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    const terminal = yield* Terminal
    yield* withJournal(config, ({ state, assets, now, journal }) =>
      Effect.gen(function* () {
        const money = Money.rows(state.ledger, assets)
        const residual = Money.residual(state.ledger, assets)
        const openOrders = unfinished(state).length
        if (json) {
          const { run, killed, fills } = state
          yield* Console.log(
            JSON.stringify({ journal, run, killed: killed ?? null, fills, openOrders, money, residual })
          )
          return
        }
        const started = state.run === undefined ? "never run" : `last started ${age(now - state.runStartedAt)} ago`
        const title = `${journal}: ${started}, ${state.fills} fills, ${openOrders} open orders`
        const lines = frame({
          title,
          warning: state.run?.mode === "dry-run" ? "DRY RUN: nothing was created or signed" : undefined,
          state,
          assets,
          prices: new Map(),
          recent: [],
          now,
          colours: terminal.isInteractive,
          slots: Number.POSITIVE_INFINITY
        })
        yield* Console.log(lines.join("\n").trimEnd())
      })
    )
  })
).pipe(Command.withDescription("Show slots, orders and money as the journal has them"))
