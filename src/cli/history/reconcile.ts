/** `limitbot reconcile`: compares journal, orders, history and balances. A contradiction ends the command with exit code 1. */
import { Command } from "effect/cli"
import { reconcile } from "../../app/reconcile/ReconcileAsked.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "reconcile",
  {
    all: flags.toggle("all", "Also show what agrees"),
    evidence: flags.toggle("evidence", "Show the evidence of every finding that is shown"),
    acceptBalances: flags.toggle(
      "accept-balances",
      "Accept the balances as they are: changes without an origin count as capital in or out"
    ),
    resolve: flags.toggle("resolve", "Record payments in doubt as made if the history proves it"),
    cancel: flags.text("cancel", "Cancel this order of the account that the journal does not know"),
    adopt: flags.text("adopt", "Add this order of the account to the journal; the bot must not run"),
    bot: WhichBot.flags,
    json: flags.json
  },
  reconcile
).pipe(
  WhichBot.ofBot,
  flags.help("Compare the journal with the venue's orders, the history and the balances", {
    "limitbot reconcile": "Exit code 1 on any contradiction",
    "limitbot reconcile --all --evidence --json": "Everything, for a program"
  })
)
