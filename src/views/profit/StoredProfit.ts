/** Reads profit from the newest snapshot and the events after it, so a long journal is read in full only once after an upgrade. */
import { deserialize, serialize } from "node:v8"
import { Effect, Schedule, Semaphore } from "effect"
import { eachPage, Journal, type JournalError } from "../../journal/Journal.ts"
import * as RunningProfit from "./RunningProfit.ts"

const snapshotName = "profit"

const snapshotEvery = 10_000

export const reader = Effect.gen(function* () {
  const journal = yield* Journal
  let profit = yield* stored(journal)
  let keptAt = profit.sequence
  const reading = yield* Semaphore.make(1)
  return Effect.gen(function* () {
    profit = yield* readOn(journal, profit)
    if (profit.sequence - keptAt >= snapshotEvery) {
      keptAt = profit.sequence
      yield* keep(journal, profit)
    }
    return profit
  }).pipe(reading.withPermit)
})

export const present = Effect.flatten(reader)

export const keepUp = Effect.flatMap(reader, Effect.repeat(Schedule.spaced("1 minute")))

export const renewSnapshot = Effect.gen(function* () {
  const journal = yield* Journal
  yield* keep(journal, yield* readOn(journal, RunningProfit.make()))
})

const stored = Effect.fnUntraced(function* ({ snapshots }: Journal["Service"]) {
  const snapshot = yield* snapshots.newest(snapshotName)
  // Only the program that wrote the bytes reads them (see `Snapshots`).
  return snapshot === undefined ? RunningProfit.make() : (deserialize(snapshot.body) as RunningProfit.RunningProfit)
})

const keep = ({ snapshots }: Journal["Service"], profit: RunningProfit.RunningProfit) =>
  snapshots.keep(snapshotName, { sequence: profit.sequence, body: serialize(profit) })

const readOn = (
  journal: Journal["Service"],
  profit: RunningProfit.RunningProfit
): Effect.Effect<RunningProfit.RunningProfit, JournalError> =>
  eachPage(journal.events({ after: profit.sequence, tags: RunningProfit.tags }), (page) =>
    RunningProfit.see(profit, page)
  ).pipe(
    Effect.flatMap(() =>
      profit.isExact ? Effect.succeed(profit) : readOn(journal, RunningProfit.make(Number.POSITIVE_INFINITY))
    )
  )
