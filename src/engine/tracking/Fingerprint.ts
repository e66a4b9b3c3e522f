/**
 * The fingerprint of an order is its deadline, drawn at random for each order, to the millisecond. The service takes
 * no client ids, so an order whose create was never answered can be recognised only by it, in a list that other bots
 * of the account fill as well. Bots need not agree on anything: lifetimes of days give about 300,000 deadlines to
 * draw from.
 *
 * Not every deadline can be drawn: each quarter of a second has one that carries the journal's mark, a number drawn when the
 * journal began. So an order that the journal has forgotten is recognised as its own; of 250 orders of others one looks the
 * same. A venue that drops the milliseconds leaves too few to tell orders apart. No drawn deadline ends in a whole second, so
 * at such a venue an order is known only by the answer to its create.
 */
import { Effect, Random } from "effect"
import { seeded } from "../../domain/Seeded.ts"

/** The share of the lifetime from which deadlines are drawn: by so much the shortest life is below the longest. */
const spread = 1 / 8
const quarterMillis = 250

/** The deadline of this quarter of a second that carries the mark. */
const markedIn = (quarter: number, mark: number): number =>
  quarter * quarterMillis + 1 + Math.trunc(seeded(mark ^ Math.imul(quarter, 0x9e3779b1))() * (quarterMillis - 1))

/** Whether an order with this deadline can be one of the journal with this mark. */
export const isMarked = (deadline: number, mark: number): boolean =>
  deadline === markedIn(Math.trunc(deadline / quarterMillis), mark)

/** A deadline no later than `latest`, and none of `taken`. */
export const draw = Effect.fnUntraced(function* (
  latest: number,
  lifetimeMillis: number,
  taken: ReadonlySet<number>,
  mark: number
): Effect.fn.Return<number> {
  for (let tries = 0; ; tries += 1) {
    // Short lifetimes have few deadlines to draw from: each try that fails reaches further back.
    const reach = Math.max(2_000, Math.trunc(lifetimeMillis * spread)) + tries * quarterMillis
    const drawn = Math.trunc(latest) - (yield* Random.nextIntBetween(0, reach))
    const deadline = markedIn(Math.trunc(drawn / quarterMillis) - 1, mark)
    if (!taken.has(deadline)) return deadline
  }
})

/** Some venues drop the milliseconds. */
export const isDeadlineOf = (
  { deadline }: { readonly deadline: number },
  shown: { readonly deadline: number }
): boolean => shown.deadline === deadline || shown.deadline === Math.trunc(deadline / 1000) * 1000
