/** Reads the `limits:` section of the configuration: limits on all strategies together, beside the limits of each strategy. */
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import type { OverallLimits } from "../../engine/EngineSettings.ts"
import * as Read from "../../strategy/Fields.ts"
import { quoted, type Report, report, suggestion } from "../../strategy/Problem.ts"

export const reader = (symbol: Read.Reader<string>) =>
  Read.section({
    maxOpenOrders: Read.optional(Read.integer(1, 100_000), "most open orders of all strategies"),
    maxOrdersPerHour: Read.optional(Read.integer(1, 1_000_000), "most orders placed in any hour"),
    exposure: Read.optional(
      Read.table(symbol, Read.price),
      "by symbol: most that may be in orders, deposits and payouts at once"
    )
  })

/** Reports a symbol that is not an asset, and an amount finer than the smallest unit of the asset. */
export const resolved = (
  { exposure: rows = [], ...most }: NonNullable<ReturnType<ReturnType<typeof reader>>>,
  assets: ReadonlyArray<Asset>,
  to: Report
): OverallLimits => {
  const exposure = new Map<string, bigint>()
  for (const [name, { value, ...place }] of rows) {
    const asset = assets.find(({ symbol }) => symbol === name.value)
    const amount = asset === undefined ? undefined : fromDecimal(value, asset.decimals)
    if (amount !== undefined) exposure.set(name.value, amount)
    else if (asset !== undefined) report(to, place, `${name.value} has only ${asset.decimals} decimal places`)
    else {
      const symbols = assets.map(({ symbol }) => symbol)
      report(to, name, `no asset ${quoted(name.value)} in the configuration`, suggestion(name.value, symbols))
    }
  }
  return present({ exposure, ...most })
}
