/**
 * Estimates the delay until a move of the market's price is seen. Between two polls nothing is seen, so the answer of the later poll shows
 * the move. The delay is spread evenly between the duration of that poll and that duration plus the pause. The newest polls give the times
 * within which half of all moves, and 99 of 100, are seen.
 */
import { leastOf } from "../domain/Bisection.ts"
import type { SeenAfter } from "../domain/Book.ts"

const keptLooks = 600

interface Look {
  readonly pauseMillis: number
  readonly answerMillis: number
}

export const make = () => {
  const looks: Array<Look> = []
  let askedLast: number | undefined

  return {
    note: (askedAt: number, answeredAt: number): void => {
      const pauseMillis = askedAt - (askedLast ?? askedAt)
      askedLast = askedAt
      // The first poll, or the clock was set back.
      if (pauseMillis <= 0 || answeredAt < askedAt) return
      looks.push({ pauseMillis, answerMillis: answeredAt - askedAt })
      if (looks.length > keptLooks) looks.shift()
    },
    /** `undefined` before the second poll. */
    seenAfter: (): SeenAfter | undefined =>
      looks.length === 0 ? undefined : { p50Millis: within(looks, 0.5), p99Millis: within(looks, 0.99) }
  }
}

/** Milliseconds, rounded up, within which this share of all moves is seen. */
const within = (looks: ReadonlyArray<Look>, share: number): number => {
  const total = looks.reduce((sum, { pauseMillis }) => sum + pauseMillis, 0)
  const visibleMillisOf = (millis: number): number =>
    looks.reduce(
      (sum, { answerMillis, pauseMillis }) => sum + Math.min(pauseMillis, Math.max(0, millis - answerMillis)),
      0
    )
  const longest = Math.max(...looks.map(({ answerMillis, pauseMillis }) => answerMillis + pauseMillis))
  return leastOf(longest, (millis) => visibleMillisOf(millis) >= share * total)
}
