/** Handles commands to an account. Its row holds the kill switch and the target state; all other commands go into its journal. */
import { Effect } from "effect"
import type { AccountAnswer, AccountWord } from "../../app/cluster/AccountWord.ts"
import * as VenueOrders from "../../app/containment/VenueOrders.ts"
import { gather } from "../../app/reconcile/Reconciling.ts"
import { Refused } from "../../control/api/ControlApi.ts"
import * as Operator from "../../control/Operator.ts"
import { messageOf } from "../../domain/Text.ts"
import type { Engine } from "../../engine/Engine.ts"
import * as Baseline from "../../engine/reconciliation/Baseline.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import { Registry, type WantedState } from "../../journal/postgres/Registry.ts"
import * as Progress from "../../process/Progress.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { reconciliationView } from "../../views/Reconciliation.ts"

export interface Hearing {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
  readonly engine: Engine
  readonly strategies: ReadonlyArray<Strategy>
  readonly account: string
}

const refused = ({ message }: { readonly message: string }) => new Refused({ message })

const noHistory = "a fleet does not read the partner's history yet: use limitbot history"

export const make = Effect.fnUntraced(function* ({ config, engine, account, signerId, strategies }: Hearing) {
  const [books, registry] = [yield* Bookkeeper, yield* Registry]
  const wish = (wanted: WantedState, why: string) =>
    Effect.asVoid(Effect.mapError(registry.wish(wanted, why, [account]), refused))
  const bot: Operator.Commanded = {
    strategies: () => strategies,
    wake: engine.wake,
    withdrawPlacements: engine.withdrawPlacements,
    setKillSwitch: (why) => wish("killed", why),
    releaseKillSwitch: wish("running", ""),
    reload: Effect.fail(
      new Refused({ message: "The files of an account are in its fleet: limitbot fleet --apply FOLDER" })
    )
  }

  const reconciled = (acceptBalances: boolean) =>
    gather(config, signerId, {
      acceptBalances,
      book: (capital) => books.recordFrom(Baseline.unrecorded(capital)),
      noHistory
    }).pipe(
      Effect.provideService(Progress.IsWatched, false),
      Effect.scoped,
      Effect.map((found): AccountAnswer => ({ _tag: "Reconciled", found: reconciliationView(found) }))
    )

  const listed = Effect.suspend(() => VenueOrders.listed(config, signerId, books.state)).pipe(
    Effect.map((found): AccountAnswer => ({ _tag: "Listed", ...found }))
  )

  const answered = Effect.fnUntraced(function* (by: string, word: AccountWord) {
    if (word._tag === "Reconcile") return yield* reconciled(word.acceptBalances === true)
    if (word._tag === "ListOrders") return yield* listed
    if (word._tag === "Resolve") {
      const { _tag, ...answer } = word
      return done(yield* Operator.resolve(bot, by, answer, word.text))
    }
    const { name, target, why } = word
    // Reads the row again, because this process may not have seen the latest target state yet.
    if (name === "resume" && (yield* registry.one(account))?.wanted === "paused")
      return yield* new Refused({ message: `The whole account is paused: limitbot resume --account ${account}` })
    return done(yield* Operator.obey(bot, by, name, target, why))
  })

  /** An error becomes the answer to this command and has no further effect. */
  return (by: string, word: AccountWord) =>
    answered(by, word).pipe(
      Effect.catchDefect((defect) => Effect.fail(new Refused({ message: messageOf(defect) }))),
      Effect.catch(({ message }) => Effect.succeed<AccountAnswer>({ _tag: "Refused", message })),
      Effect.provideService(Bookkeeper, books)
    )
})

const done = (message: string): AccountAnswer => ({ _tag: "Done", message })
