/** A sorted array: for a sandbox's thousands of entries, a binary search and a block move cost less than a tree. */
import { leastOf } from "../../domain/Bisection.ts"

export interface SortedList<A> {
  readonly items: Array<A>
  readonly compare: (a: A, b: A) => number
}

export const make = <A>(compare: (a: A, b: A) => number): SortedList<A> => ({ items: [], compare })

export const insert = <A>(list: SortedList<A>, item: A): void => {
  list.items.splice(position(list, item), 0, item)
}

export const remove = <A>(list: SortedList<A>, item: A): void => {
  const index = position(list, item) - 1
  if (list.items[index] === item) list.items.splice(index, 1)
}

const position = <A>({ compare, items }: SortedList<A>, item: A): number =>
  leastOf(items.length, (index) => {
    const other = items[index]
    return other === undefined || compare(other, item) > 0
  })
