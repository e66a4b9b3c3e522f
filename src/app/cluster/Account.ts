/** An account of a fleet as an entity of the cluster: which messages it takes where its shard is, and how they are said from elsewhere. */
import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import { broken } from "../../journal/Journal.ts"
import { wishes } from "../../journal/postgres/Registry.ts"
import { AccountAnswer, AccountWord, NotHeard } from "./AccountWord.ts"
import * as Cluster from "./Cluster.ts"

/** Its row, again and again from whoever has its shard: the first one begins the account. It is not stored. */
const Ensure = Rpc.make("Ensure", {
  payload: { name: Schema.String, revision: Schema.Int, wanted: Schema.Literals(wishes), why: Schema.String }
})

/** Stored until it is answered. The same id said twice is one word with one answer; who no longer waits for the answer takes nothing back. */
const Word = Rpc.make("Word", {
  payload: { id: Schema.String, by: Schema.String, word: AccountWord },
  success: AccountAnswer,
  primaryKey: ({ id }) => id
})
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.Uninterruptible, "client")

export const Account = Entity.make("Account", [Ensure, Word])

/** Owners look every second; a comparison with the venue takes longer. */
const patienceMillis = { Command: 15_000, Resolve: 15_000, Reconcile: 120_000, ListOrders: 25_000 } as const
const maxTogether = 16

const unusable = broken("What is said to accounts cannot be read or written")
const worded = (by: string, word: AccountWord) => ({ id: randomBytes(16).toString("hex"), by, word })

/** Waits for the answer of the account's owner. */
export const say = Effect.fn("Account.say")(
  function* (account: string, by: string, word: AccountWord) {
    const client = yield* Account.client
    return yield* Effect.timeout(client(account).Word(worded(by, word)), patienceMillis[word._tag])
  },
  Effect.provide(Cluster.client),
  (said, account) =>
    Effect.mapError(said, (error) =>
      error._tag === "TimeoutError"
        ? new NotHeard({
            message: `Nobody who runs ${account} has taken it up yet; whoever does will (limitbot fleet status)`
          })
        : unusable(error)
    )
)

/** The same to many, without waiting for answers. */
export const sayToAll = Effect.fn("Account.sayToAll")(
  function* (by: string, word: AccountWord, accounts: ReadonlyArray<string>) {
    const client = yield* Account.client
    yield* Effect.forEach(
      accounts,
      (account) => Effect.timeout(client(account).Word(worded(by, word), { discard: true }), patienceMillis[word._tag]),
      { concurrency: maxTogether, discard: true }
    )
  },
  Effect.provide(Cluster.client),
  Effect.mapError(unusable)
)
