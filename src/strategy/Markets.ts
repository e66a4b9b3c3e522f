/** What the configuration offers to trade: any two of its assets make a market, named `BASE/QUOTE`. */
import type { Asset } from "../domain/Amount.ts"
import type { Market, Price } from "../domain/Market.ts"
import type { Reader } from "./Fields.ts"
import { described } from "./JsonSchema.ts"
import { quoted, report, suggestion } from "./Problem.ts"

export interface Markets {
  readonly assets: ReadonlyArray<Asset>
  /** Price steps by market name, where the venue wants one. */
  readonly ticks: ReadonlyMap<string, Price>
}

export const market = ({ assets, ticks }: Markets): Reader<Market> => {
  const read: Reader<Market> = (node, to) => {
    const name = node.type === "scalar" ? node.text : ""
    const [baseSymbol, quoteSymbol, ...rest] = name.split("/")
    if (node.type !== "scalar" || !baseSymbol || !quoteSymbol || rest.length > 0) {
      return report(to, node, "expected a market such as BTC/USDC: base asset, slash, quote asset")
    }
    const symbols = assets.map(({ symbol }) => symbol)
    const [base, quote] = [baseSymbol, quoteSymbol].map((symbol) => {
      const asset = assets.find((candidate) => candidate.symbol === symbol)
      if (asset === undefined)
        report(to, node, `no asset ${quoted(symbol)} in the configuration`, suggestion(symbol, symbols))
      return asset
    })
    if (base === undefined || quote === undefined) return undefined
    if (base === quote) return report(to, node, `${baseSymbol} cannot be traded against itself`)
    const tick = ticks.get(name)
    return { name, base, quote, ...(tick === undefined ? {} : { tick }) }
  }
  return described(read, {
    type: "string",
    description: "base asset, slash, quote asset; prices are quote per one base",
    pattern: "^[^/]+/[^/]+$"
  })
}
