/** A sorted array: for a sandbox's thousands of entries, a binary search and a block move cost less than a tree. */
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

const position = <A>(list: SortedList<A>, item: A): number => {
  let low = 0
  let high = list.items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = list.items[middle]
    if (other !== undefined && list.compare(other, item) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
