/** Where every unit of every asset is, for people and for programs. Amounts are exact decimals in units of the asset. */
import { type Amount, type Asset, format } from "../domain/Amount.ts"
import { type Ledger, places, totals } from "../domain/Ledger.ts"
import * as Table from "./Table.ts"

export type Assets = ReadonlyMap<string, Asset>

/** An amount in units of its asset; smallest units, said so, when the asset is not configured (any more). */
export const amountText = (assets: Assets, symbol: string, amount: Amount): string => {
  const asset = assets.get(symbol)
  return asset === undefined ? `${amount} smallest units of ${symbol}` : format(amount, asset.decimals)
}

export const withSymbol = (assets: Assets, symbol: string, amount: Amount): string =>
  assets.has(symbol) ? `${amountText(assets, symbol, amount)} ${symbol}` : amountText(assets, symbol, amount)

export interface MoneyRow {
  readonly asset: string
  readonly place: string
  readonly amount: string
}

export const rows = (ledger: Ledger, assets: Assets): ReadonlyArray<MoneyRow> =>
  totals(ledger).map(({ asset, place, amount }) => ({ asset, place, amount: amountText(assets, asset, amount) }))

/** Residual by asset, zeros included: "0" is the good news that people look for. */
export const residual = (ledger: Ledger, assets: Assets): Readonly<Record<string, string>> => {
  const found = new Map(
    totals(ledger).flatMap(({ asset, place, amount }) => (place === "residual" ? [[asset, amount]] : []))
  )
  const seen = new Set(totals(ledger).map(({ asset }) => asset))
  return Object.fromEntries([...seen].map((asset) => [asset, amountText(assets, asset, found.get(asset) ?? 0n)]))
}

/** One line per asset, one column per place that holds anything; `residual` is always shown. */
export const table = (ledger: Ledger, assets: Assets): ReadonlyArray<string> => {
  const found = totals(ledger)
  const used = places.filter(
    (place) => place === "residual" || place === "wallet" || found.some((row) => row.place === place)
  )
  const symbols = [...new Set(found.map(({ asset }) => asset))]
  return Table.render(
    [{ title: "ASSET" }, ...used.map((place) => ({ title: place.toUpperCase(), align: "right" as const }))],
    symbols.map((symbol) => [
      symbol,
      ...used.map((place) => {
        const amount = found.find((row) => row.asset === symbol && row.place === place)?.amount ?? 0n
        return amountText(assets, symbol, amount)
      })
    ])
  )
}
