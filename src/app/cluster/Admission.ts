/** Decides if a runner may use a fleet's database. A refusal ends with the remedy. */
import { Effect, Schema } from "effect"
import type * as Runner from "effect/cluster/Runner"
import type { RunnerStorage } from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { getCurrentVersion } from "effect/Version"

/** Earlier servers do not end the session of a frozen process, which holds its locks. */
const minServer = 14

/** Groups of shards. The second contains no account; it shows other runners the version of this runner's tables, locks and messages. */
export const groups = ["default", `effect ${getCurrentVersion()}`] as const

export class DatabaseUnfit extends Schema.TaggedError<DatabaseUnfit>()("DatabaseUnfit", { message: Schema.String }) {}

const unfit = (message: string) => new DatabaseUnfit({ message })

const processOf = (connection: Connection) =>
  Effect.map(connection.executeValues("SELECT pg_backend_pid()", []), ([row]) => row?.[0])

/** A pooler gives a session to another client between two transactions; then a lock has no owner. */
const isPooled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one, other] = [yield* sql.reserve, yield* sql.reserve]
  const before = yield* processOf(one)
  yield* other.executeRaw("BEGIN", [])
  const isShared = (yield* processOf(other)) === before || (yield* processOf(one)) !== before
  yield* other.executeRaw("ROLLBACK", [])
  return isShared
}).pipe(Effect.scoped)

/** Registers a runner with the engine only if it fits the database and the other runners. */
export const registering = Effect.fn("Admission.registering")(function* (storage: RunnerStorage["Service"]) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{ version: number }>`SELECT current_setting('server_version_num')::int / 10000 AS version`
  const version = server?.version ?? 0
  if (version < minServer) return yield* unfit(`A fleet needs Postgres ${minServer} or later; this is ${version}`)
  if (yield* isPooled)
    return yield* unfit("A fleet needs sessions: set the server's own address, not a pooler's in transaction mode")
  const fits = Effect.gen(function* () {
    const other = (yield* storage.getRunners).find(([{ groups: theirs }]) => !theirs.includes(groups[1]))?.[0]
    if (other !== undefined)
      return yield* unfit(
        `The runner ${other.address.host} has another engine (${other.groups[1]}) than this one (${groups[1]}): stop every runner, then start the new version`
      )
  })
  // Two that begin at the same time see each other, and neither runs.
  return Effect.fnUntraced(function* (runner: Runner.Runner, isHealthy: boolean) {
    yield* fits
    const machine = yield* storage.register(runner, isHealthy)
    yield* Effect.tapError(fits, () => storage.unregister(runner.address))
    return machine
  })
})
