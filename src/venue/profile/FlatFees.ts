/**
 * Fees of one payout or refund, in units of the asset. The venue publishes them only on orders, so the sandbox takes these, and forecasts
 * use them until an order shows others.
 */
import { type Amount, type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"

const fees: Readonly<Record<string, string>> = {
  BTC: "0.0000003",
  ETH: "0.000008",
  SOL: "0.00013",
  USDC: "0.02",
  USDT: "0.02",
  wNEAR: "0.004"
}

/** Returns `undefined` for unknown assets, or for those with too few decimals for the amount. */
export const flatFeeOf = ({ decimals, symbol }: Pick<Asset, "decimals" | "symbol">): Amount | undefined => {
  const fee = Decimal.parse(fees[symbol] ?? "")
  return fee === undefined ? undefined : fromDecimal(fee, decimals)
}

export const flatFeesOf = (assets: ReadonlyArray<Asset>): ReadonlyMap<string, Amount> =>
  new Map(
    assets.flatMap((asset) => {
      const fee = flatFeeOf(asset)
      return fee === undefined ? [] : [[asset.symbol, fee] as const]
    })
  )
