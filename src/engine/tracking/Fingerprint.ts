/**
 * The fingerprint of an order is its deadline, drawn at random for each order, to the millisecond. The service takes
 * no client ids, so an order whose create was never answered can be recognised only by it, in a list that other bots
 * of the account fill as well. Bots need not agree on anything: lifetimes of days give about 75 million deadlines to
 * draw from. A venue that drops the milliseconds leaves too few to tell orders apart. No drawn deadline ends in a
 * whole second, so at such a venue an order is known only by the answer to its create.
 */
import { Effect, Random } from "effect"

/** The share of the lifetime from which deadlines are drawn: by so much the shortest life is below the longest. */
const spread = 1 / 8

/** A deadline no later than `latest`, and none of `taken`. */
export const draw = Effect.fnUntraced(function* (
  latest: number,
  lifetimeMillis: number,
  taken: ReadonlySet<number>
): Effect.fn.Return<number> {
  for (;;) {
    const deadline =
      Math.trunc(latest) - (yield* Random.nextIntBetween(0, Math.max(2_000, Math.trunc(lifetimeMillis * spread))))
    if (deadline % 1000 !== 0 && !taken.has(deadline)) return deadline
  }
})
