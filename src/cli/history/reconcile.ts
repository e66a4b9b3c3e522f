/**
 * `limitbot reconcile`: journal, orders, history and balances side by side. What agrees is counted and what differs
 * is explained. A contradiction is shown with its evidence and ends the command with exit code 1.
 */
import { Command } from "effect/cli"
import { reconcile } from "../../app/reconcile/ReconcileAsked.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "reconcile",
  {
    all: flags.toggle("all", "Show what agrees as well"),
    evidence: flags.toggle("evidence", "Show the evidence of every finding that is shown"),
    acceptBalances: flags.toggle(
      "accept-balances",
      "Note the balances as they are: what came or left without an origin is capital that came or went, by your word"
    ),
    resolve: flags.toggle("resolve", "Note the payments in doubt as made of which the history proves it"),
    cancel: flags.text("cancel", "Cancel this order of the account that the journal does not know"),
    adopt: flags.text("adopt", "Take this order of the account into the journal; the bot must not run"),
    bot: WhichBot.flags,
    json: flags.json
  },
  WhichBot.withBot(reconcile)
).pipe(
  help("Compare the journal with the venue's orders, the history and the balances", {
    "limitbot reconcile": "Exit code 1 when anything contradicts",
    "limitbot reconcile --all --evidence --json": "Everything, for a program"
  })
)
