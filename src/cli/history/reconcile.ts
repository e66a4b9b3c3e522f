/**
 * `limitbot reconcile`: journal, orders, history and balances side by side. What agrees is counted and what differs
 * is explained. A contradiction is shown with its evidence and ends the command with exit code 1.
 */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import * as AccountWords from "../../app/journal/AccountWords.ts"
import { deliver } from "../../app/journal/Resolving.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as ForeignOrder from "../../app/reconcile/ForeignOrder.ts"
import * as ReconcileText from "../../app/reconcile/ReconcileText.ts"
import { bookUnlessRunning, gather } from "../../app/reconcile/ReconcileWitnesses.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { theOperator } from "../../control/Operator.ts"
import { counted } from "../../domain/Words.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { type Reconciliation, reconciliationView } from "../../views/Reconciliation.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
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
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ acceptBalances, adopt, all, cancel, bot: given, evidence, json, resolve }) {
    const show = Effect.fnUntraced(function* (found: typeof Reconciliation.Type) {
      yield* Console.log(json ? JSON.stringify(found) : ReconcileText.lines(found, all, evidence).join("\n"))
      if (found.contradiction > 0) return yield* new Contradictions({ count: found.contradiction })
    })
    if (Option.isSome(adopt) && Option.isSome(cancel))
      return yield* new WrongUsage({ message: "Say either --adopt or --cancel" })
    const bot = yield* WhichBot.named(given)
    if (typeof bot !== "string") {
      if (resolve || Option.isSome(adopt) || Option.isSome(cancel))
        return yield* new WrongUsage({
          message:
            "Of an account of a fleet it only compares: --account goes with --all, --evidence, --accept-balances and --json"
        })
      const answer = yield* AccountWords.say(bot, theOperator, { _tag: "Reconcile", acceptBalances })
      if (answer._tag === "Reconciled") yield* show(answer.found)
      return
    }
    const config = yield* ConfigFile.load(bot)
    const signerId = yield* VenueAccess.signerOf(config)
    if (Option.isSome(adopt)) return yield* ForeignOrder.adopt(config, adopt.value)
    yield* Effect.gen(function* () {
      if (Option.isSome(cancel)) return yield* ForeignOrder.cancel(config, signerId, cancel.value)
      const gathered = yield* gather(config, signerId, { acceptBalances, book: bookUnlessRunning(config) })
      const view = { bot, journal: config.journal, now: yield* Clock.currentTimeMillis, state: gathered.state }
      for (const answer of resolve ? gathered.proven : []) yield* deliver(view, answer)
      yield* show(reconciliationView(gathered))
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
