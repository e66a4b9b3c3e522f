/** Lists fills in order of time: the bar and the order's row of each. */

export interface FillLog {
  readonly count: number
  readonly bars: Int32Array
  readonly orders: Int32Array
}

type OpenLog = { -readonly [Field in keyof FillLog]: FillLog[Field] }

export const make = (): FillLog => ({ count: 0, bars: new Int32Array(1024), orders: new Int32Array(1024) })

const grown = (old: Int32Array): Int32Array => {
  const largerArray = new Int32Array(old.length * 2)
  largerArray.set(old)
  return largerArray
}

export const add = (log: OpenLog, bar: number, order: number): void => {
  if (log.count === log.bars.length) {
    log.bars = grown(log.bars)
    log.orders = grown(log.orders)
  }
  log.bars[log.count] = bar
  log.orders[log.count] = order
  log.count++
}
