/**
 * The fingerprint of an order is its deadline, drawn at random for each order, to the millisecond. The service takes no client ids, so only
 * the fingerprint shows which order in the list of all bots of the account comes from an unanswered create.
 *
 * Each window of time has one deadline that carries the journal's mark, a number drawn when the journal began; only these are drawn. So an
 * order that the journal has forgotten is recognised as its own. Orders of a week have windows of 16 seconds: some 4,700 deadlines to draw
 * from, and of 16,000 orders of others one looks like ours. Shorter lives have shorter windows. A venue that drops the milliseconds leaves
 * too few deadlines to tell orders apart. No drawn deadline ends in a whole second, so at such a venue an order is known only by the answer
 * to its create.
 */
import { Effect, Random } from "effect"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import { seeded } from "../../domain/Seeded.ts"

/** Deadlines are drawn from this last share of the lifetime. */
const spread = 1 / 8

/** Window lengths by minimum lifetime. Changing one makes earlier orders foreign. */
const windows = [
  { fromMillis: 6 * dayMillis, windowMillis: 16_000 },
  { fromMillis: dayMillis, windowMillis: 4_000 },
  { fromMillis: hourMillis, windowMillis: 1_000 },
  { fromMillis: Number.NEGATIVE_INFINITY, windowMillis: 250 }
]

const markedIn = (window: number, windowMillis: number, mark: number): number => {
  const offset = Math.trunc(seeded(mark ^ Math.imul(window, 0x9e3779b1))() * windowMillis)
  return window * windowMillis + (offset % 250 === 0 ? offset + 1 : offset)
}

/** Range of an order's creation time, in epoch milliseconds. */
export interface Made {
  readonly notBefore: number
  readonly notAfter: number
}

export const isMarked = (deadline: number, mark: number, { notAfter, notBefore }: Made): boolean => {
  const longest = (deadline - notBefore) / (1 - 2 * spread)
  return windows.some(
    ({ fromMillis, windowMillis }, place) =>
      longest >= fromMillis &&
      deadline - notAfter < (windows[place - 1]?.fromMillis ?? Number.POSITIVE_INFINITY) &&
      deadline === markedIn(Math.trunc(deadline / windowMillis), windowMillis, mark)
  )
}

export const draw = Effect.fnUntraced(function* (
  latest: number,
  lifetimeMillis: number,
  taken: ReadonlySet<number>,
  mark: number
): Effect.fn.Return<number> {
  const { windowMillis = 250 } = windows.find(({ fromMillis }) => lifetimeMillis >= fromMillis) ?? {}
  for (let tries = 0; ; tries += 1) {
    // Short lifetimes have few deadlines to draw from: each try that fails reaches further back.
    const reach = Math.max(2_000, Math.trunc(lifetimeMillis * spread)) + tries * windowMillis
    const candidate = Math.trunc(latest) - (yield* Random.nextIntBetween(0, reach))
    const deadline = markedIn(Math.trunc(candidate / windowMillis) - 1, windowMillis, mark)
    if (!taken.has(deadline)) return deadline
  }
})

/** Some venues drop the milliseconds. */
export const isDeadlineOf = (
  { deadline }: { readonly deadline: number },
  shown: { readonly deadline: number }
): boolean => shown.deadline === deadline || shown.deadline === Math.trunc(deadline / 1000) * 1000
