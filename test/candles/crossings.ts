/** How often the cells of a path are crossed: of every cell of a width, wherever it begins. */

/** The greatest rises and falls of at least the width, one after the other: their lengths. */
const swings = (path: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  let [lowest, highest, from, direction] = [path[0] ?? 0, path[0] ?? 0, 0, 0]
  for (const price of path) {
    if (direction === 0) {
      lowest = Math.min(lowest, price)
      highest = Math.max(highest, price)
      if (highest - lowest < width) continue
      direction = price === highest ? 1 : -1
      from = direction > 0 ? lowest : highest
      lowest = price
      highest = price
    } else if (direction > 0 ? price > highest : price < lowest) {
      lowest = price
      highest = price
    } else if (direction > 0 ? highest - price >= width : price - lowest >= width) {
      const turn = direction > 0 ? highest : lowest
      found.push(Math.abs(turn - from))
      from = turn
      direction = -direction
      lowest = price
      highest = price
    }
  }
  return direction === 0 ? found : [...found, Math.abs((direction > 0 ? highest : lowest) - from)]
}

/**
 * The mean over all cells between the path's lowest and highest price of how often they are crossed from one end to the other.
 * A swing crosses a cell that it covers, so the mean over where cells begin is what swings have beyond the width.
 */
export const crossings = (path: ReadonlyArray<number>, width: number): number => {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const price of path) {
    if (price < least) least = price
    if (price > most) most = price
  }
  return swings(path, width).reduce((sum, length) => sum + length - width, 0) / (most - least)
}
