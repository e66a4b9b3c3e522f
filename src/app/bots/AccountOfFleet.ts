/** An account of a fleet: a command reads its files and journal in the fleet's database, and speaks to its owner. */
import { Effect, type FileSystem, Layer, type Path, Predicate, type Redacted } from "effect"
import { theOperator } from "../../control/Operator.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Journals, pricesOf, readingOf } from "../../journal/postgres/Journals.ts"
import * as Postgres from "../../journal/postgres/Postgres.ts"
import { RateRows } from "../../journal/postgres/RateRows.ts"
import { Registry } from "../../journal/postgres/Registry.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { commandFailed } from "../CommandFailed.ts"
import type { AccountAnswer, AccountWord } from "../cluster/AccountWord.ts"
import * as AccountWords from "../journal/AccountWords.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"

/** Journals create the tables; other users of the database only use them. */
export const fleetDatabase = (database: Redacted.Redacted) =>
  Layer.merge(Registry.layer, RateRows.layer).pipe(
    Layer.provideMerge(Journals.layer),
    Layer.provideMerge(Postgres.layer(database))
  )

const unexpected = ({ _tag }: AccountAnswer, wanted: string) =>
  Effect.fail(commandFailed(`Its owner answered ${_tag} instead of ${wanted}`))

const make = Effect.fnUntraced(function* (account: string, database: Redacted.Redacted) {
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const inFleet = Effect.provide(Layer.provideMerge(fleetDatabase(database), Layer.succeedContext(context)))
  const say = (word: AccountWord) => inFleet(AccountWords.say(account, theOperator, word))
  const row = <A>(look: (registry: Registry["Service"]) => Effect.Effect<A | undefined, JournalError>) =>
    Effect.filterOrFail(inFleet(Registry.use(look)), Predicate.isNotUndefined, () =>
      AccountWords.noSuchAccount(account)
    )
  /** The name for people; no file has this name. */
  const journal = `fleet:${account}`

  return ChosenBot.of({
    flag: `--account ${account}`,
    settings: Effect.gen(function* () {
      const { config } = yield* row((registry) => registry.one(account))
      return { ...(yield* ConfigFile.settingsIn(`${account}/config.yaml`, config)), journal }
    }).pipe(Effect.provideContext(context)),
    reading: ({ markets, venue }) =>
      Layer.provide(Layer.merge(readingOf(account), pricesOf(venue.url, markets.assets)), fleetDatabase(database)),
    file: (message) => Effect.fail(wrongUsage(message)),
    standing: Effect.fnUntraced(function* () {
      const { isOwned, owner, wanted, why } = yield* row((registry) => registry.one(account))
      const running = isOwned ? `running on ${owner}` : undefined
      return { running, pid: undefined, killSwitch: wanted === "killed" ? why : undefined }
    }),
    command: Effect.fnUntraced(function* (name, target, why) {
      const answer = yield* say({ _tag: "Command", name, ...present({ target, why }) })
      return answer._tag === "Done" ? answer.message : name
    }),
    resolve: (_, answer) => Effect.as(say({ _tag: "Resolve", ...answer }), "bot"),
    verified: Effect.fnUntraced(function* (heads) {
      const { verifiedAccount } = yield* Effect.promise(() => import("../journal/JournalFile.ts"))
      return { journal, ...(yield* verifiedAccount(account, heads)) }
    }, inFleet),
    compared: Effect.fnUntraced(function* (acceptBalances) {
      const answer = yield* say({ _tag: "Reconcile", acceptBalances })
      return answer._tag === "Reconciled" ? answer.found : yield* unexpected(answer, "its comparison")
    }),
    actors: Effect.fnUntraced(function* (state) {
      const { aroundAccount } = yield* Effect.promise(() => import("../containment/Looking.ts"))
      const words = yield* row((registry) => registry.waitingFor(account))
      const orders = Effect.flatMap(say({ _tag: "ListOrders" }), (answer) =>
        answer._tag === "Listed" ? Effect.succeed(answer) : unexpected(answer, "its orders")
      )
      return yield* aroundAccount(yield* row((registry) => registry.one(account)), words, state, orders)
    })
  })
})

export const layer = (account: string, database: Redacted.Redacted) => Layer.effect(ChosenBot, make(account, database))
