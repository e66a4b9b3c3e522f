/**
 * The swaps of a journal: steps among the bot's own events. Those of older versions stand in a table of their own, which is
 * only read any more; a swap that is gone on with is taken over into the journal, under its name.
 */
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as SwapAccount from "../domain/SwapAccount.ts"
import { type RecordedStep, SwapEvent } from "../domain/SwapEvent.ts"
import { broken, Journal } from "./Journal.ts"

interface Row {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly body: string
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SwapEvent))

/** Steps in the table of older versions, swap by swap. */
export const oldSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM sqlite_master WHERE name = 'swap_journal'`
  if (tables.length === 0) return []
  const rows = yield* sql<Row>`
    SELECT swap, step, at, body FROM swap_journal ORDER BY length(swap), swap, step`
  return yield* Effect.forEach(rows, ({ body, ...place }) =>
    Effect.map(decode(body), (event): RecordedStep => ({ ...place, event })).pipe(
      Effect.mapError(broken(`Step ${place.step} of swap ${place.swap} does not decode`))
    )
  )
}).pipe(Effect.mapError(broken("Cannot read the swaps of older versions")))

/** Every swap as its journal tells it, oldest first. */
export const readSwaps = Effect.gen(function* () {
  const journal = yield* Journal
  const swaps = Map.groupBy(yield* oldSteps, ({ swap }) => swap)
  const told = yield* Stream.runCollect(journal.events({ tags: ["SwapStep"] }))
  const steps = told.flatMap(({ event }) => (event._tag === "SwapStep" ? [event] : []))
  for (const [swap, ofSwap] of Map.groupBy(steps, ({ swap }) => swap)) swaps.set(swap, ofSwap)
  return [...swaps.values()]
    .flatMap((found) => SwapAccount.fold(found) ?? [])
    .toSorted((a, b) => a.agreedAt - b.agreedAt)
})
