/**
 * The swaps by hand of a journal: placements of a strategy of their own. In older journals they are steps among the events,
 * and in the oldest they have a table of their own, which is only read any more.
 */
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { BotEvent } from "../domain/BotEvent.ts"
import { byHand } from "../domain/Placement.ts"
import * as SwapAccount from "../domain/SwapAccount.ts"
import { type RecordedStep, SwapEvent } from "../domain/SwapEvent.ts"
import * as SwapSteps from "../domain/SwapSteps.ts"
import { broken, Journal } from "./Journal.ts"

interface Row {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly body: string
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SwapEvent))

/** Steps in the table of the oldest versions, swap by swap. */
const oldSteps = Effect.gen(function* () {
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
  const swaps = new Map<string, SwapAccount.SwapAccount>()
  const old = Map.groupBy(yield* oldSteps, ({ swap }) => swap)
  const taken = [
    ...(yield* Stream.runCollect(journal.events({ tags: ["SwapStep"] }))),
    ...(yield* Stream.runCollect(journal.events({ strategy: byHand })))
  ]
  const isTaken = new Set(taken.map(({ event }) => nameIn(event)))
  for (const [swap, steps] of old) {
    const account = isTaken.has(swap) ? undefined : SwapAccount.fold(steps)
    if (account !== undefined) swaps.set(swap, account)
  }
  for (const entry of taken) SwapSteps.see(swaps, entry)
  return [...swaps.values()].toSorted((a, b) => a.agreedAt - b.agreedAt)
})

const nameIn = (event: BotEvent): string | undefined =>
  event._tag === "SwapStep" ? event.swap : "placement" in event ? event.placement : undefined
