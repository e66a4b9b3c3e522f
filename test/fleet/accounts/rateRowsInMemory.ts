/** The rows of `RateRows` in memory, by the clock of whoever asks: the twin of Postgres for tests in virtual time. It can be away. */
import { Clock, Effect } from "effect"
import { broken } from "../../../src/journal/Journal.ts"
import { leaseMillis, type RateHolding, RateRows, silenceMillis } from "../../../src/journal/postgres/RateRows.ts"

interface Kept extends Omit<RateHolding, "isLeased"> {
  readonly leasedUntil: number
}

export const make = () => {
  const shares = new Map<string, Kept>()
  let known: { readonly rate: number; readonly lessons: number } | undefined
  let version = 0
  const world = { isAway: false }
  const reached = Effect.suspend(() =>
    world.isAway ? Effect.andThen(Effect.sleep(1_000), broken("away")(new Error("no route"))) : Effect.sleep(5)
  )
  const rows = RateRows.of({
    read: Effect.fnUntraced(function* (_, initial) {
      yield* reached
      known ??= { rate: initial, lessons: 0 }
      const now = yield* Clock.currentTimeMillis
      const holdings = [...shares.values()].flatMap(({ leasedUntil, ...share }) =>
        leasedUntil > now - silenceMillis ? [{ ...share, isLeased: leasedUntil > now }] : []
      )
      return { ...known, version, holdings }
    }),
    write: Effect.fnUntraced(function* (_, { lessons, rate, version: read, ...share }) {
      yield* reached
      if (read !== version) return false
      version += 1
      known = { rate, lessons }
      shares.set(share.runner, { ...share, leasedUntil: (yield* Clock.currentTimeMillis) + leaseMillis })
      return true
    }),
    leave: (_, runner) =>
      Effect.andThen(
        reached,
        Effect.sync(() => void shares.delete(runner))
      )
  })
  return { rows, world, learnt: () => known?.rate ?? 0 }
}
