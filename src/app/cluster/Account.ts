/** Defines an account of a fleet as an entity of the cluster: the messages that its owner accepts, and how others send them. */
import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import { broken } from "../../journal/Journal.ts"
import { wishes } from "../../journal/postgres/Registry.ts"
import { commandFailed } from "../CommandFailed.ts"
import { AccountAnswer, AccountWord } from "./AccountWord.ts"
import * as Cluster from "./Cluster.ts"

/** Every runner that owns the shard gets this message repeatedly; the first one starts the account. It is not stored. */
const Ensure = Rpc.make("Ensure", {
  payload: { name: Schema.String, revision: Schema.Int, wanted: Schema.Literals(wishes), why: Schema.String }
})

/** Stored until it is answered. The same id sent twice is one command with one answer. The command stays if its sender stops waiting. */
const Word = Rpc.make("Word", {
  payload: { id: Schema.String, by: Schema.String, word: AccountWord },
  success: AccountAnswer,
  primaryKey: ({ id }) => id
})
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.Uninterruptible, "client")

export const Account = Entity.make("Account", [Ensure, Word])

/** Owners check every second; a comparison with the venue takes longer. */
const patienceMillis = { Command: 15_000, Resolve: 15_000, Reconcile: 120_000, ListOrders: 25_000 } as const
const maxTogether = 16

const unusable = broken("The commands of accounts cannot be read or written")
const worded = (by: string, word: AccountWord) => ({ id: randomBytes(16).toString("hex"), by, word })

export const say = Effect.fn("Account.say")(
  function* (account: string, by: string, word: AccountWord) {
    const client = yield* Account.client
    return yield* Effect.timeout(client(account).Word(worded(by, word)), patienceMillis[word._tag])
  },
  Effect.provide(Cluster.client),
  (said, account) =>
    Effect.mapError(said, (error) =>
      error._tag === "TimeoutError"
        ? commandFailed(`No runner of ${account} has applied it yet; its next runner will (limitbot fleet)`)
        : unusable(error)
    )
)

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
