/**
 * The fingerprint of an order: its deadline, drawn anew for each, to the millisecond. The service takes no client ids, so an
 * order whose create was never answered is known by it alone, in a list that other bots of the account fill as well. Nothing
 * is shared between two bots, so nothing has to be agreed on: with lifetimes of days there are some 75 million deadlines to draw
 * from. A venue that drops the milliseconds leaves too little to tell orders apart: there an order is only known by the
 * answer to its create, because no deadline that is drawn ends in a whole second.
 */
import { Effect, Random } from "effect"

/** The share of the lifetime from which deadlines are drawn: the shortest life is that much shorter than the longest. */
const spread = 1 / 8

/** The last moment it may be; none of `taken`. */
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
