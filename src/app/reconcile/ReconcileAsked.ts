/**
 * Journal, orders, history and balances side by side, as a person asks for it. What agrees is counted and what differs is
 * explained. A contradiction is shown with its evidence and fails.
 */
import { Clock, Console, Effect, Option } from "effect"
import { theOperator } from "../../control/Operator.ts"
import { counted } from "../../domain/Words.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { PrintedFailure } from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { type Reconciliation, reconciliationView } from "../../views/Reconciliation.ts"
import * as AccountWords from "../journal/AccountWords.ts"
import { deliver } from "../journal/Resolving.ts"
import type { AccountOfFleet, WhichBot } from "../journal/WhichBot.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as ForeignOrder from "./ForeignOrder.ts"
import * as ReconcileText from "./ReconcileText.ts"
import { bookUnlessRunning, gather } from "./ReconcileWitnesses.ts"

interface Asked {
  readonly bot: WhichBot
  readonly all: boolean
  readonly evidence: boolean
  readonly acceptBalances: boolean
  readonly resolve: boolean
  readonly cancel: Option.Option<string>
  readonly adopt: Option.Option<string>
  readonly json: boolean
}

export const reconcile = Effect.fn("ReconcileAsked.reconcile")(function* (asked: Asked) {
  const { acceptBalances, adopt, bot, cancel } = asked
  if (Option.isSome(adopt) && Option.isSome(cancel))
    return yield* new WrongUsage({ message: "Use either --adopt or --cancel" })
  if (typeof bot !== "string") return yield* ofAccount(bot, asked)
  const config = yield* ConfigFile.load(bot)
  const signerId = yield* VenueAccess.signerOf(config)
  if (Option.isSome(adopt)) return yield* ForeignOrder.adopt(config, adopt.value)
  yield* Effect.gen(function* () {
    if (Option.isSome(cancel)) return yield* ForeignOrder.cancel(config, signerId, cancel.value)
    const gathered = yield* gather(config, signerId, { acceptBalances, book: bookUnlessRunning(config) })
    const view = { bot, journal: config.journal, now: yield* Clock.currentTimeMillis, state: gathered.state }
    for (const answer of asked.resolve ? gathered.proven : []) yield* deliver(view, answer)
    yield* show(reconciliationView(gathered), asked)
  }).pipe(
    Effect.provide([Journal.layer, VenueAccess.withHistory(config, signerId)]),
    Effect.provide(Sqlite.layer({ filename: config.journal }))
  )
}, Effect.scoped)

const ofAccount = Effect.fnUntraced(function* (account: AccountOfFleet, asked: Asked) {
  const { acceptBalances, adopt, cancel, resolve } = asked
  if (resolve || Option.isSome(adopt) || Option.isSome(cancel))
    return yield* new WrongUsage({
      message:
        "Of an account of a fleet it only compares: --account goes with --all, --evidence, --accept-balances and --json"
    })
  const answer = yield* AccountWords.say(account, theOperator, { _tag: "Reconcile", acceptBalances })
  if (answer._tag === "Reconciled") yield* show(answer.found, asked)
})

const show = Effect.fnUntraced(function* (found: typeof Reconciliation.Type, { all, evidence, json }: Asked) {
  yield* Console.log(json ? JSON.stringify(found) : ReconcileText.lines(found, all, evidence).join("\n"))
  if (found.contradiction > 0)
    return yield* new PrintedFailure({ message: `${counted(found.contradiction, "contradiction")} found` })
})
