/**
 * The markets that the configuration offers: any two of its assets make one, named `BASE/QUOTE`. A file names one market, or a list of
 * several with the same quote.
 */
import type { Asset } from "../domain/Amount.ts"
import type { Market, Price, TradeCosts } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { described, type Located, list, type Reader, schemaOf } from "./Fields.ts"
import { quoted, type Report, report, type Span, suggestion } from "./Problem.ts"
import type { SomeMarkets } from "./Strategy.ts"

/** By market name: the source of candles from before the bot's start, and the folder for relative paths. */
export type MarketSources = ReadonlyMap<string, { readonly source: string; readonly folder: string }>

export interface Markets {
  readonly assets: ReadonlyArray<Asset>
  /** Price steps by market name, if the venue requires one. */
  readonly ticks: ReadonlyMap<string, Price>
  readonly sources?: MarketSources
  readonly costs?: TradeCosts
  /** Basis points that the service adds to app fees and counts in their limit; none if it does not share them. */
  readonly sharedFeeBasisPoints?: number
}

export const quotedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/["']([A-Za-z0-9.]{1,20}\/[A-Za-z0-9.]{1,20})\\?["']/g)].flatMap(([, name]) => name ?? [])

/** Returns `undefined` for an invalid name, which is reported. */
export type MarketNamed = (name: string, at: Span, to: Report) => Market | undefined

export const marketNamed =
  ({ assets, costs, ticks }: Markets): MarketNamed =>
  (name, at, to) => {
    const [baseSymbol, quoteSymbol, ...rest] = name.split("/")
    if (!baseSymbol || !quoteSymbol || rest.length > 0)
      return report(to, at, "expected a market such as BTC/USDC: base asset, slash, quote asset")
    const symbols = assets.map(({ symbol }) => symbol)
    const [base, quote] = [baseSymbol, quoteSymbol].map((symbol) => {
      const asset = assets.find((candidate) => candidate.symbol === symbol)
      if (asset === undefined)
        report(to, at, `no asset ${quoted(symbol)} in the configuration`, suggestion(symbol, symbols))
      return asset
    })
    if (base === undefined || quote === undefined) return undefined
    if (base === quote) return report(to, at, `${baseSymbol} cannot be traded against itself`)
    return { name, base, quote, ...present({ costs, tick: ticks.get(name) }) }
  }

export const market = (offered: Markets): Reader<Market> => {
  const readByName = marketNamed(offered)
  const reader: Reader<Market> = (node, to) => readByName(node.type === "scalar" ? node.text : "", node, to)
  return described(reader, () => ({
    type: "string",
    description: "base asset, slash, quote asset; prices are quote per one base",
    pattern: "^[^/]+/[^/]+$"
  }))
}

export const markets = (offered: Markets): Reader<SomeMarkets> => {
  const one = market(offered)
  const several = list(one)
  const readMarkets: Reader<SomeMarkets> = (node, to) => {
    if (node.type !== "list") {
      const only = one(node, to)
      return only === undefined ? undefined : [only]
    }
    const [first, ...others] = several(node, to) ?? []
    if (first === undefined) return undefined
    if (others.length === 0) return report(to, first, "a list of one market", "write it without the brackets")
    return agree(first, others, to) ? [first.value, ...others.map(({ value }) => value)] : undefined
  }
  return described(readMarkets, () => ({
    description: "a market, or a list of several against the same quote for a kind that trades several",
    anyOf: [schemaOf(one), { ...schemaOf(several), minItems: 2 }]
  }))
}

const agree = (first: Located<Market>, others: ReadonlyArray<Located<Market>>, to: Report): boolean => {
  const { name, quote } = first.value
  const bases = new Set([first.value.base])
  const before = to.problems.length
  for (const other of others) {
    const { base, quote: own } = other.value
    const text = `its quote is ${own.symbol}, that of ${name} is ${quote.symbol}: they must be the same`
    if (own !== quote) report(to, other, text)
    else if (bases.has(base)) report(to, other, `${other.value.name} is named twice`)
    else bases.add(base)
  }
  return to.problems.length === before
}
