/** The middle of several values; between the two middle ones their mean. */
import type { Amount } from "./Amount.ts"

/** `undefined` without values. */
export const median = (values: ReadonlyArray<number>): number | undefined => {
  const [below, above] = middles(values.toSorted((a, b) => a - b))
  return below === undefined || above === undefined ? undefined : (below + above) / 2
}

/** Rounded down; zero without values. */
export const medianAmount = (values: ReadonlyArray<Amount>): Amount => {
  const [below, above] = middles(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  return below === undefined || above === undefined ? 0n : (below + above) / 2n
}

/** The two in the middle; of an odd number the middle one twice. */
const middles = <A>(sorted: ReadonlyArray<A>): readonly [A | undefined, A | undefined] => {
  const middle = Math.floor(sorted.length / 2)
  return [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
}
