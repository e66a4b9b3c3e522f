/**
 * Finds the next bar whose price crosses a level, by minima of blocks of one column and maxima of blocks of another, at several levels. A
 * search reads some bars one by one. If none crosses, it climbs, skipping 16, 256, 4096 bars at a time, and descends in a block that
 * contains a crossing. So frequent crossings cost as much as in a plain loop, and distance hardly adds to the cost of a rare one.
 *
 * The search functions are small and see one kind of array, so that the compiler keeps them tight. Inlined into larger functions, they
 * become several times slower.
 */
import { type Candles, type Column, column } from "./Candles.ts"

/** Bars `from` up to `to` (exclusive) of both columns: all bars, or the part that was fetched last. */
export interface Leaves {
  /** Crossed if at or below a level: lows for open buys, closes for price bounds. `upper` is crossed if at or above. */
  readonly lower: Float64Array
  readonly upper: Float64Array
  from: number
  to: number
  readonly fetch?: (bar: number) => void
}

export interface CrossingIndex {
  readonly leaves: Leaves
  /** Element k has the minima of `lower` for blocks of 16^(k+1) bars. Empty for a linear search. */
  readonly minima: ReadonlyArray<Column>
  readonly maxima: ReadonlyArray<Column>
  /** Set if bars consist of small bars. Only bars that can cross are then unfolded. */
  readonly folded?: Folded
  readonly reads: { bars: number; nodes: number }
}

/** Whole bars, each of `parts` small bars. No small bar leaves the range of its bar. */
export interface Folded {
  readonly ranges: CrossingIndex
  readonly parts: number
}

export const fanOutBits = 4
const fanOut = 1 << fanOutBits

const reduceMinima = (source: Column): Column => {
  const into = column((source.length + fanOut - 1) >> fanOutBits)
  for (let block = 0; block < into.length; block++) {
    const end = Math.min(source.length, (block + 1) << fanOutBits)
    let least = Number.POSITIVE_INFINITY
    for (let i = block << fanOutBits; i < end; i++) least = Math.min(least, source[i] ?? 0)
    into[block] = least
  }
  return into
}

const reduceMaxima = (source: Column): Column => {
  const into = column((source.length + fanOut - 1) >> fanOutBits)
  for (let block = 0; block < into.length; block++) {
    const end = Math.min(source.length, (block + 1) << fanOutBits)
    let greatest = Number.NEGATIVE_INFINITY
    for (let i = block << fanOutBits; i < end; i++) greatest = Math.max(greatest, source[i] ?? 0)
    into[block] = greatest
  }
  return into
}

const nextMultiple = (block: number): number => ((block >> fanOutBits) + 1) << fanOutBits

const levelsOf = (source: Column, reduce: (source: Column) => Column): ReadonlyArray<Column> => {
  const levels: Array<Column> = []
  for (let level = source; level.length > fanOut; ) {
    level = reduce(level)
    levels.push(level)
  }
  return levels
}

export const allLeaves = (lower: Column, upper: Column): Leaves => ({
  lower,
  upper,
  from: 0,
  to: Number.POSITIVE_INFINITY
})

type Levels = ReadonlyArray<Column>

/** Without levels there is no tree, and every search is a plain loop. For a single run, a tree costs more than it saves. */
export const over = (leaves: Leaves, minima: Levels = [], maxima: Levels = []): CrossingIndex => ({
  leaves,
  minima,
  maxima,
  reads: { bars: 0, nodes: 0 }
})

export const linear = (lower: Column, upper: Column): CrossingIndex => over(allLeaves(lower, upper))

export const build = (lower: Column, upper: Column): CrossingIndex =>
  over(allLeaves(lower, upper), levelsOf(lower, reduceMinima), levelsOf(upper, reduceMaxima))

export const leavesAt = ({ leaves }: CrossingIndex, bar: number): Leaves => {
  if (bar < leaves.from || bar >= leaves.to) leaves.fetch?.(bar)
  return leaves
}

export const lowerAt = (index: CrossingIndex, bar: number): number => {
  const { lower, from } = leavesAt(index, bar)
  return lower[bar - from] ?? 0
}

export const upperAt = (index: CrossingIndex, bar: number): number => {
  const { upper, from } = leavesAt(index, bar)
  return upper[bar - from] ?? 0
}

/** Makes small bars only if the range of their bar crosses. */
export const isCrossed = (index: CrossingIndex, bar: number, below: number, above: number): boolean => {
  const { folded } = index
  if (folded !== undefined && !isCrossed(folded.ranges, Math.floor(bar / folded.parts), below, above)) return false
  return lowerAt(index, bar) <= below || upperAt(index, bar) >= above
}

const scan = (lower: Float64Array, upper: Float64Array, from: number, to: number, below: number, above: number) => {
  let bar = from
  while (bar < to && (lower[bar] ?? 0) > below && (upper[bar] ?? 0) < above) bar++
  return bar
}

const climb = (index: CrossingIndex, near: number, to: number, below: number, above: number): number => {
  const { minima, maxima, reads } = index
  let level = 0
  let block = near >> fanOutBits
  for (;;) {
    const [least, most] = [minima[level], maxima[level]]
    if (least === undefined || most === undefined) return to
    const isTop = level === minima.length - 1
    const end = isTop ? least.length : Math.min(least.length, nextMultiple(block))
    const nextBlock = scan(least, most, block, end, below, above)
    reads.nodes += nextBlock - block + 1
    block = nextBlock
    if (nextBlock < end) break
    if (nextBlock === least.length) return to
    block >>= fanOutBits
    level++
  }
  while (level-- > 0) {
    const [least, most] = [minima[level], maxima[level]]
    if (least === undefined || most === undefined) return to
    const first = block << fanOutBits
    block = scan(least, most, first, Math.min(least.length, first + fanOut), below, above)
    reads.nodes += block - first + 1
  }
  const first = block << fanOutBits
  const { lower, upper, from } = leavesAt(index, first)
  const bar = from + scan(lower, upper, first - from, Math.min(to, first + fanOut) - from, below, above)
  reads.bars += bar - first + 1
  return Math.min(to, bar)
}

const nextFolded = (
  index: CrossingIndex,
  { ranges, parts }: Folded,
  from: number,
  to: number,
  below: number,
  above: number
): number => {
  if (from >= to) return to
  const end = Math.ceil(to / parts)
  for (let bar = Math.floor(from / parts); ; bar++) {
    bar = nextCrossing(ranges, bar, end, below, above)
    if (bar >= end) return to
    const first = Math.max(from, bar * parts)
    const last = Math.min(to, (bar + 1) * parts)
    const { lower, upper, from: offset } = leavesAt(index, first)
    const match = offset + scan(lower, upper, first - offset, last - offset, below, above)
    index.reads.bars += match - first
    if (match < last) return match
  }
}

/** Returns the first bar in [from, to) whose lower price is at or below `below` or whose upper price is at or above `above`; else `to`. */
export const nextCrossing = (index: CrossingIndex, from: number, to: number, below: number, above: number): number => {
  if (index.folded !== undefined) return nextFolded(index, index.folded, from, to, below, above)
  // Reads the rest of the first bar's block one by one, because it is already in the processor's cache.
  const near = index.minima.length === 0 ? to : Math.min(to, nextMultiple(from))
  if (from >= near) return to
  const leaves = leavesAt(index, from)
  const leafBar = leaves.from + scan(leaves.lower, leaves.upper, from - leaves.from, near - leaves.from, below, above)
  index.reads.bars += leafBar - from
  return leafBar < near || near === to ? leafBar : climb(index, near, to, below, above)
}

/** `orders` finds crossings of open orders, `closes` crossings of closes. All runs share them. */
export interface Indices {
  readonly orders: CrossingIndex
  readonly closes: CrossingIndex
  /** Closes of whole bars, to value equity; set if bars consist of `parts` small bars, whose closes would be too many. */
  readonly told?: { readonly closes: CrossingIndex; readonly parts: number }
}

export const linearIndices = ({ close, high, low }: Candles): Indices => ({
  orders: linear(low, high),
  closes: linear(close, close)
})

export const buildIndices = ({ close, high, low }: Candles): Indices => ({
  orders: build(low, high),
  closes: build(close, close)
})
