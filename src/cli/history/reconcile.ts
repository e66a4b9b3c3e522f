/**
 * `limitbot reconcile`: journal, orders, history and balances side by side. What agrees is counted and what differs
 * is explained. A contradiction is shown with its evidence and ends the command with exit code 1.
 */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import { deliver } from "../../app/journal/Resolving.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as ForeignOrder from "../../app/reconcile/ForeignOrder.ts"
import * as ReconcileText from "../../app/reconcile/ReconcileText.ts"
import { gather } from "../../app/reconcile/ReconcileWitnesses.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { counted } from "../../domain/Words.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { reconciliationView } from "../../views/Reconciliation.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

/** Money is not where the journal has it. The findings have been printed. */
class Contradictions extends Schema.TaggedError<Contradictions>()("Contradictions", { count: Schema.Int }) {
  override get message(): string {
    return `${counted(this.count, "contradiction")} found`
  }
  override readonly [Runtime.errorReported] = false
}

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
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ acceptBalances, adopt, all, cancel, config: file, evidence, json, resolve }) {
    if (Option.isSome(adopt) && Option.isSome(cancel))
      return yield* new WrongUsage({ message: "Say either --adopt or --cancel" })
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    if (Option.isSome(adopt)) return yield* ForeignOrder.adopt(config, adopt.value)
    yield* Effect.gen(function* () {
      if (Option.isSome(cancel)) return yield* ForeignOrder.cancel(config, signerId, cancel.value)
      const gathered = yield* gather(config, signerId, acceptBalances)
      yield* Console.log(
        json ? JSON.stringify(reconciliationView(gathered)) : ReconcileText.lines(gathered, all, evidence).join("\n")
      )
      const view = { journal: config.journal, now: yield* Clock.currentTimeMillis, state: gathered.state }
      for (const answer of resolve ? gathered.proven : []) yield* deliver(view, answer)
      const { length: count } = ReconcileText.contradictionsOf(gathered.findings)
      if (count > 0) return yield* new Contradictions({ count })
    }).pipe(
      Effect.provide([Journal.layer, VenueAccess.withHistory(config, signerId)]),
      Effect.provide(Sqlite.layer({ filename: config.journal }))
    )
  }, Effect.scoped)
).pipe(
  help("Compare the journal with the venue's orders, the history and the balances", {
    "limitbot reconcile": "Exit code 1 when anything contradicts",
    "limitbot reconcile --all --evidence --json": "Everything, for a program"
  })
)
