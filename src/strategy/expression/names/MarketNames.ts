/**
 * Prices (`mid`, `bid`, `ask`) and closed candles (`close`, `close(4h)`) of the strategy's own market or of another one: `mid("BTC/USDC")`,
 * `close("BTC/USDC", 4h)`. The strategy does not trade the other market.
 */
import type { Market } from "../../../domain/Market.ts"
import { problemAt, type Span } from "../../Problem.ts"
import { type CandlesNamed, candle, candleNames, timeframeOf } from "../functions.ts"
import type { Expression } from "../Grammar.ts"
import { notNegative } from "../Never.ts"
import { priceTypeOf } from "../Operators.ts"
import { type Compiling, needCandles, needVolume, watch } from "../Scope.ts"
import { othersOf, type Term } from "../Term.ts"

export const priceNames = ["mid", "bid", "ask"] as const

type Other = Market | undefined

export const remembered = (term: Term, { needs }: Compiling): Term => {
  const { series } = term
  if (series === undefined) return term
  // One candle more than the first number needs, because crossings use the candle before.
  const least = series.warmUp + 1
  const { timeframe, market } = series
  if (market === undefined) needCandles(needs, timeframe, least)
  for (const other of othersOf(series)) needCandles(needs, timeframe, least, other)
  return term
}

const otherIn = (tree: Expression & { type: "market" }, { market, marketNamed, needs, to, placeOf }: Compiling) => {
  if (tree.name === market.name) return { other: undefined }
  const otherMarket = marketNamed(tree.name, placeOf(tree), to)
  if (otherMarket === undefined) return undefined
  watch(needs, otherMarket)
  return { other: otherMarket }
}

const candlesNamed = (other: Other, timeframe: string, { market }: Compiling): CandlesNamed => {
  const of = other ?? market
  return {
    timeframe,
    ...(other === undefined ? {} : { market: other.name }),
    base: of.base,
    priceType: priceTypeOf(of, market)
  }
}

/** Reads `"BTC/USDC", 4h`; each may be missing. `wrong` reports anything else. */
export const candlesIn = (
  given: ReadonlyArray<Expression>,
  wrong: (at: Expression) => undefined,
  context: Compiling
): CandlesNamed | undefined => {
  const { timeframe: itself } = context
  const [first] = given
  const marketArgument = first?.type === "market" ? otherIn(first, context) : { other: undefined }
  if (marketArgument === undefined) return undefined
  const [last, ...more] = first?.type === "market" ? given.slice(1) : given
  const timeframe = last === undefined ? itself : timeframeOf(last)
  if (last !== undefined && timeframe === undefined) return wrong(last)
  const [superfluous] = more
  if (superfluous !== undefined) return wrong(superfluous)
  return candlesNamed(marketArgument.other, timeframe ?? itself, context)
}

export const ownNamed = (name: string, at: Span, context: Compiling): Term | undefined => {
  const ofCandle = candleNames.find((candidate) => candidate === name)
  if (ofCandle !== undefined) {
    const candles = candlesNamed(undefined, context.timeframe, context)
    noteVolume(name, at, candles, context)
    return remembered(candle(ofCandle, candles), context)
  }
  const price = priceNames.find((candidate) => candidate === name)
  return price === undefined ? undefined : priceTerm(price, undefined, at, context)
}

export const isMarketName = (name: string): boolean => [...candleNames, ...priceNames].some((known) => known === name)

export const called = (name: string, given: ReadonlyArray<Expression>, at: Span, context: Compiling) => {
  const ofCandle = candleNames.find((candidate) => candidate === name)
  if (ofCandle !== undefined) {
    const text = `${name} takes a timeframe, such as ${name}(4h), or a market before it`
    const wrong = () => context.wrong(at, text, `${name}("BTC/USDC", 4h)`)
    if (given.length === 0) return wrong()
    const candleSource = candlesIn(given, wrong, context)
    if (candleSource === undefined) return undefined
    noteVolume(name, at, candleSource, context)
    return remembered(candle(ofCandle, candleSource), context)
  }
  const [tree, ...more] = given
  const price = priceNames.find((candidate) => candidate === name)
  if (price === undefined || tree?.type !== "market" || more.length > 0)
    return context.wrong(at, `${name} takes a market, such as ${name}("BTC/USDC")`)
  const origin = otherIn(tree, context)
  return origin === undefined ? undefined : priceTerm(price, origin.other, at, context)
}

const priceTerm = (
  name: (typeof priceNames)[number],
  other: Other,
  at: Span,
  { market, needs, use, wrong }: Compiling
): Term | undefined => {
  if (use === "condition" && name !== "mid")
    return wrong(at, `${name} is allowed only in a price`, "use mid in conditions")
  const shape = { isLiteral: false, dependence: "linear", range: notNegative, isPositive: true } as const
  if (other === undefined) return { ...shape, type: "price", value: (moment) => moment[name] }
  watch(needs, other).hasPrice = true
  return {
    ...shape,
    type: priceTypeOf(other, market),
    moves: new Set([other.name]),
    value: ({ elsewhere, found }) => {
      const quoted = elsewhere.get(other.name)
      if (quoted === undefined) found.lacking.add(other.name)
      return quoted?.[name] ?? Number.NaN
    }
  }
}

/** The venue reports no volume, so a live run needs a source of candles with volumes. */
export const noteVolume = (
  name: string,
  at: Span,
  { market: other }: CandlesNamed,
  { market: own, needs, to, placeOf }: Compiling
): void => {
  if (name !== "volume" && name !== "vwap") return
  const market = other ?? own.name
  const message = `the venue reports no volume: live, ${name} needs a source of candles with volumes`
  const where = `markets: { ${market}: { candles: … } } in the configuration`
  const hint = other === undefined ? `candles: FILE or ccxt:EXCHANGE:SYMBOL in this file, or ${where}` : where
  needVolume(needs, market, problemAt(to.source, placeOf(at), message, hint))
}
