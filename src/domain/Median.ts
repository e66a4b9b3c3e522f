/** The middle of several values; between the two middle ones their mean. */
import type { Amount } from "./Amount.ts"

/** `undefined` without values. */
export const median = (values: ReadonlyArray<number>): number | undefined => {
  const middle = middleOf(values.toSorted((a, b) => a - b))
  return middle.length === 0 ? undefined : middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** Rounded down; zero without values. */
export const medianAmount = (values: ReadonlyArray<Amount>): Amount => {
  const middle = middleOf(values.toSorted((a, b) => Number(a - b)))
  return middle.length === 0 ? 0n : middle.reduce((sum, value) => sum + value, 0n) / BigInt(middle.length)
}

/** The one in the middle, or the two of an even number. */
const middleOf = <A>(sorted: ReadonlyArray<A>): ReadonlyArray<A> =>
  sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
