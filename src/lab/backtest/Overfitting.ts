/**
 * The probability of backtest overfitting by combinatorially symmetric cross-validation (Bailey, Borwein, López de Prado and Zhu 2015). The
 * periods of all trials are cut into an even number of blocks. For each choice of half of the blocks, the best trial on that half is ranked
 * among all trials on the other half. The share of choices in which it ranks no better than the median is the probability that the best
 * trial of the search is no better than the median trial.
 */

const minPeriods = 4
const maxBlocks = 16

export const blocksFor = (periods: number): number => {
  const blocks = Math.min(maxBlocks, 2 * Math.floor(periods / minPeriods / 2))
  return blocks < 4 ? 0 : blocks
}

type Sums = ReturnType<typeof sumsOf>

/** By block. Values of several blocks can be added. */
const sumsOf = (returns: ReadonlyArray<number>, blocks: number) => {
  const sums = { sum: new Float64Array(blocks), squares: new Float64Array(blocks), counts: new Float64Array(blocks) }
  for (const [period, value] of returns.entries()) {
    const block = Math.floor((period * blocks) / returns.length)
    sums.sum[block] = (sums.sum[block] ?? 0) + value
    sums.squares[block] = (sums.squares[block] ?? 0) + value * value
    sums.counts[block] = (sums.counts[block] ?? 0) + 1
  }
  return sums
}

const sharpeOn = ({ counts, squares, sum }: Sums, chosen: number): number => {
  let [count, total, square] = [0, 0, 0]
  for (let block = 0; block < sum.length; block++) {
    if ((chosen & (1 << block)) === 0) continue
    count += counts[block] ?? 0
    total += sum[block] ?? 0
    square += squares[block] ?? 0
  }
  const mean = total / count
  const variance = (square - total * mean) / (count - 1)
  return variance > 1e-18 ? mean / Math.sqrt(variance) : 0
}

const bitsOf = (chosen: number): number => {
  let bits = 0
  for (let rest = chosen; rest > 0; rest &= rest - 1) bits++
  return bits
}

/** `returns`: one row per trial, over equal periods. Returns `undefined` for fewer than two trials or too few periods. */
export const probability = (
  returns: ReadonlyArray<ReadonlyArray<number>>,
  blocks = blocksFor(returns[0]?.length ?? 0)
): number | undefined => {
  if (returns.length < 2 || blocks < 2) return undefined
  const all = returns.map((row) => sumsOf(row, blocks))
  const every = (1 << blocks) - 1
  let [overfitted, choices] = [0, 0]
  for (let chosen = 1; chosen < every; chosen++) {
    if (bitsOf(chosen) !== blocks / 2) continue
    const inSample = all.map((sums) => sharpeOn(sums, chosen))
    const best = inSample.indexOf(Math.max(...inSample))
    const outside = all.map((sums) => sharpeOn(sums, every ^ chosen))
    const own = outside[best] ?? 0
    // Equal trials share their rank.
    const below = outside.filter((sharpe) => sharpe < own).length
    const equal = outside.filter((sharpe) => sharpe === own).length
    const rank = (below + (equal + 1) / 2) / (returns.length + 1)
    if (Math.log(rank / (1 - rank)) <= 0) overfitted++
    choices++
  }
  return overfitted / choices
}
