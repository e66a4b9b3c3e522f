/**
 * What `limitbot init` asks for each kind of strategy, and the sections that the answers make. Each kind asks for what it
 * cannot do without; everything else is a default or a comment that can be switched on.
 */
import { type Amount, type Asset, format, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import * as Read from "../../strategy/Fields.ts"
import { timeframe } from "../../strategy/Timeframe.ts"

export interface Question {
  readonly key: string
  readonly text: string
  /** Taken for an empty answer. */
  readonly fallback?: string
  readonly read: Read.Reader<unknown>
}

export type Answers = ReadonlyMap<string, string>
export type AnswerOf = (key: string) => string

/** A question may depend on the answers before it. */
export type NextQuestion = (answer: AnswerOf) => Question

export interface InitKind {
  /** What it does, in a few words. */
  readonly about: string
  readonly steps: (market: Market) => ReadonlyArray<NextQuestion>
  /** What it may use, as text in units of either asset; left out: nothing. */
  readonly budget: (market: Market, answer: AnswerOf) => { readonly base?: string; readonly quote?: string }
  /** Behind the name of the kind; a comment follows two spaces and a #. */
  readonly section: (market: Market, answer: AnswerOf) => string
}

const decimalOf = (text: string): Decimal.Decimal => Decimal.parse(text) ?? Decimal.zero

const unitsOf = (asset: Asset, text: string): Amount => fromDecimal(decimalOf(text), asset.decimals) ?? 0n

/** So many times an amount, as text. */
const times = (asset: Asset, amount: string, count: number): string =>
  format(unitsOf(asset, amount) * BigInt(count), asset.decimals)

const price =
  (key: string, text: string): NextQuestion =>
  () => ({ key, text, read: Read.price })

/** A price on one side of another answer, which is a mistake that only the answers together show. */
const priceBeyond =
  (key: string, text: string, than: string, side: (answer: AnswerOf) => "above" | "below"): NextQuestion =>
  (answer) => {
    const other = decimalOf(answer(than))
    const isAbove = side(answer) === "above"
    const read = Read.scalar(`a price ${side(answer)} ${answer(than)}`, (found) => {
      const value = Decimal.parse(found)
      if (value === undefined || !Decimal.isPositive(value)) return undefined
      return (isAbove ? Decimal.isGreater(value, other) : Decimal.isLess(value, other)) ? value : undefined
    })
    return { key, text: `${text}, ${side(answer)} ${answer(than)}`, read }
  }

const amount =
  (key: string, asset: Asset, text: string, fallback?: NextQuestion | string): NextQuestion =>
  () => ({
    key,
    text: `${asset.symbol} ${text}`,
    read: Read.amount(asset, { zero: fallback === "0" }),
    ...(typeof fallback === "string" ? { fallback } : {})
  })

const asked =
  (key: string, text: string, fallback: string, read: Read.Reader<unknown>): NextQuestion =>
  () => ({ key, text, fallback, read })

const side = asked("side", "buy or sell", "buy", Read.oneOf("buy", "sell"))
const isBuy = (answer: AnswerOf): boolean => answer("side") === "buy"

/** What an order of the chosen side pays with. */
const paid = ({ base, quote }: Market, answer: AnswerOf) =>
  isBuy(answer) ? ({ key: "quote", asset: quote } as const) : ({ key: "base", asset: base } as const)

const paidAmount =
  (key: string, text: string, market: Market): NextQuestion =>
  (answer) => {
    const { asset } = paid(market, answer)
    return { key, text: `${asset.symbol} to ${isBuy(answer) ? "spend" : "sell"} ${text}`, read: Read.amount(asset) }
  }

const per = ({ base, quote }: Market): string => `${quote.symbol} per ${base.symbol}`

const grid: InitKind = {
  about: "buy low, sell one level higher, again and again",
  steps: (market) => [
    price("lower", `Lowest price, ${per(market)}`),
    priceBeyond("upper", "Highest price", "lower", () => "above"),
    asked("levels", "How many price levels", "21", Read.integer(2, 1000)),
    amount("size", market.quote, "for each purchase"),
    amount("base", market.base, "that it may sell from the start", "0")
  ],
  budget: ({ quote }, answer) => ({
    base: answer("base"),
    quote: times(quote, answer("size"), Number(answer("levels")) - 1)
  }),
  section: ({ base, quote }, answer) => `
  lower: ${answer("lower")}
  upper: ${answer("upper")}
  levels: ${answer("levels")}  # ${Number(answer("levels")) - 1} cells: each buys at one level and sells at the next
  spacing: geometric  # equal ratios; arithmetic: equal differences
  size: { quote: ${answer("size")} }  # ${quote.symbol} per cell; or { base: … } in ${base.symbol}
  # fundNearest: 5  # keep only so many nearest buys and sells funded
  # trail: up  # or down, both: the range follows the price that way`
}

const ladder: InitKind = {
  about: "orders of one side between two prices",
  steps: (market) => [
    side,
    price("from", `Price of the first order, ${per(market)}`),
    price("to", "Price of the last order"),
    asked("rungs", "How many orders", "5", Read.integer(2, 1000)),
    paidAmount("total", "with all of them together", market)
  ],
  budget: (market, answer) => ({ [paid(market, answer).key]: answer("total") }),
  section: (market, answer) => `
  side: ${answer("side")}
  from: ${answer("from")}
  to: ${answer("to")}
  rungs: ${answer("rungs")}
  profile: flat  # sizes alike; linear: 1, 2, 3 parts; geometric: each half as much again
  total: { ${paid(market, answer).key}: ${answer("total")} }  # all orders together
  # takeProfit: 4%  # each filled order places the opposite one this far away, once`
}

const dca: InitKind = {
  about: "the same purchase every so often",
  steps: ({ quote }) => [
    amount("size", quote, "for each purchase"),
    asked("every", "How often, such as 6h or 1d", "1d", Read.duration),
    asked("times", "How many times in all", "30", Read.integer(1, 1000))
  ],
  budget: ({ quote }, answer) => ({ quote: times(quote, answer("size"), Number(answer("times"))) }),
  section: (_, answer) => `
  every: ${answer("every")}  # moments that pass while the bot is off are skipped
  size: { quote: ${answer("size")} }  # for each purchase
  times: ${answer("times")}
  # reach: 0.1%  # a purchase may pay this much more than the mid
  # drop: 5%  # buy also when the price is this far below the last purchase
  # pauseAbove: …  # buy nothing at or above this price`
}

const twap: InitKind = {
  about: "one large order in slices over a time",
  steps: (market) => [
    side,
    paidAmount("total", "in all", market),
    (answer) => ({
      key: "limit",
      text: `${isBuy(answer) ? "Highest" : "Lowest"} price of any slice, ${per(market)}`,
      read: Read.price
    }),
    asked("over", "Over how long, such as 6h or 1d", "1d", Read.duration),
    asked("slices", "In how many slices", "24", Read.integer(1, 1000))
  ],
  budget: (market, answer) => ({ [paid(market, answer).key]: answer("total") }),
  section: (market, answer) => `
  side: ${answer("side")}
  total: { ${paid(market, answer).key}: ${answer("total")} }  # all slices together
  over: ${answer("over")}  # from the first decision on; what has not filled then is withdrawn
  slices: ${answer("slices")}
  limit: ${answer("limit")}  # the worst price of any slice
  reach: 0.1%  # a slice may give away this much against the mid of its moment
  vary: 30%  # sizes and moments differ by up to this much, so that nobody sees a pattern`
}

const iceberg: InitKind = {
  about: "one large order of which only a part is visible",
  steps: (market) => [
    side,
    price("price", `Price, ${per(market)}`),
    paidAmount("total", "in all", market),
    (answer) => {
      const { asset } = paid(market, answer)
      const tenth = unitsOf(asset, answer("total")) / 10n
      return {
        key: "visible",
        text: `${asset.symbol} that others may see at a time`,
        read: Read.amount(asset),
        ...(tenth > 0n ? { fallback: format(tenth, asset.decimals) } : {})
      }
    }
  ],
  budget: (market, answer) => ({ [paid(market, answer).key]: answer("total") }),
  section: (market, answer) => `
  side: ${answer("side")}
  price: ${answer("price")}
  total: { ${paid(market, answer).key}: ${answer("total")} }
  visible: { ${paid(market, answer).key}: ${answer("visible")} }  # the next part comes when this one has filled`
}

const marketMaking: InitKind = {
  about: "bids and asks around the price",
  steps: ({ base, quote }) => [
    asked("levels", "How many orders on each side", "3", Read.integer(1, 50)),
    amount("size", base, "of each order"),
    asked("spread", "Between the first bid and the first ask", "0.6%", Read.ratio),
    amount("quote", quote, "for the bids, all together")
  ],
  budget: ({ base }, answer) => ({
    base: times(base, answer("size"), Number(answer("levels"))),
    quote: answer("quote")
  }),
  section: ({ base }, answer) => `
  levels: ${answer("levels")}  # orders on each side
  spread: ${answer("spread")}  # between the first bid and the first ask; or by volatility, see docs/strategies.md
  # step: 0.3%  # from one level to the next; left out: the spread
  size: ${answer("size")}  # ${base.symbol} of each order
  requote: 0.3%  # quote anew when the price has moved this far
  skew: 0.3%  # move the quotes against what was bought or sold on balance, by this much when it is full`
}

const rebalance: InitKind = {
  about: "keep each asset at its share of the value",
  steps: ({ base, quote }) => [
    amount("base", base, "that it begins with"),
    amount("quote", quote, "that it begins with"),
    asked("target", `Share of ${base.symbol} in the value of both`, "50%", Read.ratio),
    asked("band", "Act when the share is this far from it", "5%", Read.ratio)
  ],
  budget: (_, answer) => ({ base: answer("base"), quote: answer("quote") }),
  section: ({ base }, answer) => `
  target: ${answer("target")}  # share of ${base.symbol} in the value of both
  band: ${answer("band")}  # smaller: acts more often, and pays more fees`
}

const bracket: InitKind = {
  about: "one entry with a take-profit and a stop",
  steps: (market) => [
    side,
    price("entry", `Price of the entry, ${per(market)}`),
    paidAmount("size", "at the entry", market),
    priceBeyond("takeProfit", "Exit with profit at", "entry", (answer) => (isBuy(answer) ? "above" : "below")),
    priceBeyond("stop", "Exit with loss at", "entry", (answer) => (isBuy(answer) ? "below" : "above"))
  ],
  budget: (market, answer) => ({ [paid(market, answer).key]: answer("size") }),
  section: (market, answer) => `
  side: ${answer("side")}
  size: { ${paid(market, answer).key}: ${answer("size")} }
  entry: ${answer("entry")}
  takeProfit: ${answer("takeProfit")}
  stop: ${answer("stop")}  # a venue without stop orders: the bot must be running to act on it
  reach: 0.5%  # at the stop the exit may give away this much more
  # trail: 4%  # the stop follows this far behind the best price
  # breakevenAt: …  # from this price on the stop is at least the entry`
}

const rules: InitKind = {
  about: "free rules: orders when a condition holds (starts with one that buys dips)",
  steps: ({ quote }) => [
    asked("timeframe", "Candles to look at, such as 5m, 1h or 4h", "1h", timeframe),
    asked("rsi", "Buy when the RSI of 14 candles is below", "30", Read.integer(1, 99)),
    amount("size", quote, "for each purchase"),
    asked("times", "How many purchases in all", "20", Read.integer(1, 1000)),
    asked("profit", "Sell each of them higher by", "2%", Read.ratio)
  ],
  budget: ({ quote }, answer) => ({ quote: times(quote, answer("size"), Number(answer("times"))) }),
  section: (_, answer) => `
  timeframe: ${answer("timeframe")}
  orders:
    dip:
      # nothing is decided before its candles are there: for an RSI of 14, 85 of them
      when: rsi(close, 14) < ${answer("rsi")}
      side: buy
      price: mid * (1 - 0.1%)  # computed once, when the rule fires
      size: { quote: ${answer("size")} }
      cancelWhen: rsi(close, 14) > ${Math.min(99, Number(answer("rsi")) + 20)}
      expireAfter: 12h  # withdrawn when nothing of it has filled until then
      times: ${answer("times")}
      then:  # after the purchase
        price: entry * (1 + ${answer("profit")})`
}

/** In the order in which they are offered. */
export const initKinds = {
  grid,
  ladder,
  dca,
  twap,
  iceberg,
  "market-making": marketMaking,
  rebalance,
  bracket,
  rules
} as const satisfies Readonly<Record<string, InitKind>>
export type InitKindName = keyof typeof initKinds
