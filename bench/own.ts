/** What code of one's own costs: a year of buying dips by rules, and by code that says the same, fill by fill. */
import * as StrategyFile from "../src/strategy/StrategyFile.ts"
import * as ladder from "../test/world/ladder.ts"
import { oneSide } from "./kinds.ts"
import { costs } from "./measure.ts"
import type { Bench } from "./sections.ts"

const head = "market: BTC/USDC\nlimits: { budget: { quote: 100000 } }\n"

const ruled = `${head}kind: rules
rules:
  timeframe: 1h
  orders:
    dip:
      when: close < sma(close, 20) * 0.99
      side: buy
      price: mid * (1 - 0.1%)
      size: { quote: 200 }
      times: 1000
      then: { price: entry * (1 + 1%) }`

const code = `const keys = { size: { is: "size" } }
export default {
  about: "buys dips",
  keys,
  candles: () => ({ "1h": 20 }),
  decide: (view, { size }, memory) => {
    const before = memory === null ? { price: 0, legs: 0 } : memory
    const done = view.slot("dip").done.legs
    const candles = view.candles("1h")
    const until = { candle: "1h", fill: true }
    let [price, legs] = [before.price, before.legs]
    if (price === 0 || done >= legs + 2) {
      legs = done
      let sum = 0
      for (let back = 0; back < 20; back++) sum += candles.close(back)
      const isDip = candles.count >= 20 && candles.close(0) < (sum / 20) * 0.99
      price = isDip ? view.mid * (1 - 0.001) : 0
      if (price === 0) return { orders: [], memory: { price, legs }, until }
    }
    const pair = [{ side: "buy", price, size }, { side: "sell", price: price * 1.01 }]
    return { orders: [{ slot: "dip", legs: pair, after: { legs, filled: "0" }, why: "a dip" }], memory: { price, legs }, until }
  }
}`

export const own = async ({ show }: Bench): Promise<void> => {
  const year = ladder.years(1)
  const section = `${head}kind: ./dips.ts\ndips: { size: { quote: 200 } }\n`
  const [rules, mine] = [oneSide("rules", ruled, year), oneSide("own code", StrategyFile.withCode(section, code), year)]
  show(await costs("one side, 1 year", rules, mine, { samples: 5, warmUps: 2, budget: { atMost: 3, goal: 1.5 } }))
}
