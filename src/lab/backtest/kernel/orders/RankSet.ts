/**
 * A set of small integers that knows its least and greatest member. It has words of bits, and above them bits for the words that are not
 * empty. Every operation touches one word per factor of 32, so twenty thousand orders cost hardly more than twenty.
 */
export interface RankSet {
  /** Level 0 first: one bit per rank, then one bit per word of the level below, up to a single word. */
  readonly levels: ReadonlyArray<Int32Array>
}

export const make = (capacity: number): RankSet => {
  const levels: Array<Int32Array> = []
  let words = capacity
  do {
    words = Math.max(1, (words + 31) >> 5)
    levels.push(new Int32Array(words))
  } while (words > 1)
  return { levels }
}

export const cleared = (set: RankSet, capacity: number): RankSet => {
  if (capacity > (set.levels[0]?.length ?? 0) * 32) return make(2 * capacity)
  for (const words of set.levels) words.fill(0)
  return set
}

export const insert = (set: RankSet, rank: number): void => {
  let bit = rank
  for (const words of set.levels) {
    const word = bit >> 5
    const before = words[word] ?? 0
    words[word] = before | (1 << (bit & 31))
    if (before !== 0) return
    bit = word
  }
}

export const remove = (set: RankSet, rank: number): void => {
  let bit = rank
  for (const words of set.levels) {
    const word = bit >> 5
    const after = (words[word] ?? 0) & ~(1 << (bit & 31))
    words[word] = after
    if (after !== 0) return
    bit = word
  }
}

export const open = (set: RankSet, rank: number): void => {
  const [words] = set.levels
  if (words === undefined) return
  const first = rank >> 5
  for (let word = words.length - 1; word > first; word--)
    words[word] = ((words[word] ?? 0) << 1) | ((words[word - 1] ?? 0) >>> 31)
  const below = (1 << (rank & 31)) - 1
  const before = words[first] ?? 0
  words[first] = (before & below) | ((before & ~below) << 1)
  tellAbove(set)
}

export const shut = (set: RankSet, rank: number): void => {
  const [words] = set.levels
  if (words === undefined) return
  const first = rank >> 5
  const below = (1 << (rank & 31)) - 1
  const before = words[first] ?? 0
  words[first] = (before & below) | ((before >>> 1) & ~below)
  for (let word = first + 1; word < words.length; word++) {
    const moved = words[word] ?? 0
    words[word - 1] = (words[word - 1] ?? 0) | (moved << 31)
    words[word] = moved >>> 1
  }
  tellAbove(set)
}

const tellAbove = ({ levels }: RankSet): void => {
  for (let level = 1; level < levels.length; level++) {
    const [below, above] = [levels[level - 1], levels[level]]
    if (below === undefined || above === undefined) return
    above.fill(0)
    for (let word = 0; word < below.length; word++)
      if (below[word] !== 0) above[word >> 5] = (above[word >> 5] ?? 0) | (1 << (word & 31))
  }
}

export const roomy = (set: RankSet, capacity: number): RankSet => {
  const words = set.levels[0]
  if (words === undefined || capacity <= words.length * 32) return set
  const largerSet = make(2 * capacity)
  largerSet.levels[0]?.set(words)
  tellAbove(largerSet)
  return largerSet
}

const extremeOf = ({ levels }: RankSet, bitOf: (word: number) => number): number => {
  let rank = 0
  for (let level = levels.length - 1; level >= 0; level--) {
    const word = levels[level]?.[rank] ?? 0
    if (word === 0) return -1
    rank = (rank << 5) | (31 - Math.clz32(bitOf(word)))
  }
  return rank
}

export const greatest = (set: RankSet): number => extremeOf(set, (word) => word)
export const least = (set: RankSet): number => extremeOf(set, (word) => word & -word)
