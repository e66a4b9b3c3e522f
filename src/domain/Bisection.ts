/** Searches in a sorted order by halving. */

/** Returns the smallest whole number below `limit` that is enough, or `limit`. All larger numbers must be enough as well. */
export const leastOf = (limit: number, isEnough: (value: number) => boolean): number => {
  let [low, high] = [0, limit]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isEnough(middle)) high = middle
    else low = middle + 1
  }
  return low
}
