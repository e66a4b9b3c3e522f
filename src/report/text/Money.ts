/** Shows all amounts of all assets by place. Amounts are exact decimals in units of the asset. */
import { type Amount, type Asset, format, magnitude } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { givenBack, type Ledger, type Place, places, totals } from "../../domain/Ledger.ts"
import * as Table from "./Table.ts"

export type Assets = ReadonlyMap<string, Asset>

/** Formats an amount in units of its asset. If the asset is no longer configured, smallest units, labelled so. */
export const amountText = (assets: Assets, symbol: string, amount: Amount): string => {
  const asset = assets.get(symbol)
  return asset === undefined ? `${amount} smallest units of ${symbol}` : format(amount, asset.decimals)
}

export const withSymbol = (assets: Assets, symbol: string, amount: Amount): string =>
  assets.has(symbol) ? `${amountText(assets, symbol, amount)} ${symbol}` : amountText(assets, symbol, amount)

/** Keeps four decimal places, two for large sums, four significant digits for small ones. */
export const short = (assets: Assets, symbol: string, amount: Amount): string => {
  const asset = assets.get(symbol)
  if (asset === undefined) return amountText(assets, symbol, amount)
  const value = Decimal.toNumber(Decimal.make(amount, asset.decimals))
  const size = Math.abs(value)
  const digits = size >= 1 ? Math.min(15, Math.floor(Math.log10(size)) + (size >= 100 ? 3 : 5)) : 4
  return Decimal.format(Decimal.fromNumber(value, digits))
}

/** Rounds to the cent. Less than a cent keeps two digits. */
export const rounded = (assets: Assets, symbol: string, amount: Amount): string => {
  const asset = assets.get(symbol)
  if (asset === undefined || asset.decimals <= 2) return amountText(assets, symbol, amount)
  const unit = Decimal.powerOfTen(asset.decimals - 2)
  const cents = (magnitude(amount) + unit / 2n) / unit
  if (cents === 0n && amount !== 0n)
    return Decimal.format(Decimal.fromNumber(Decimal.toNumber(Decimal.make(amount, asset.decimals)), 2))
  return `${amount < 0n ? "-" : ""}${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`
}

export const gain = (assets: Assets, symbol: string, amount: Amount): string =>
  `${amount > 0n ? "+" : ""}${rounded(assets, symbol, amount)}`

export const signed = (assets: Assets, symbol: string, amount: Amount): string =>
  `${amount > 0n ? "+" : ""}${short(assets, symbol, amount)}`

export const rows = (ledger: Ledger, assets: Assets) =>
  totals(ledger).map(({ asset, place, amount }) => ({ asset, place, amount: amountText(assets, asset, amount) }))

export const residual = (ledger: Ledger, assets: Assets): Readonly<Record<string, string>> => {
  const { symbols, sum } = holdings(ledger)
  return Object.fromEntries(symbols.map((symbol) => [symbol, amountText(assets, symbol, sum(symbol, ["residual"]))]))
}

const labels: Partial<Record<Place, string>> = {
  wallet: "free",
  "filled unpaid": "filled, payout pending",
  residual: "unexplained"
}

export const ownPlaces = places.filter((place) => place !== "fees" && place !== "lost")
const isShown = (place: Place, { sum, symbols }: Pick<ReturnType<typeof holdings>, "sum" | "symbols">): boolean =>
  place !== "lost" || symbols.some((symbol) => sum(symbol, [place]) !== 0n)

/** Makes a balance sheet: one line per place, empty ones included except `lost`, and one column per asset. */
export const table = (ledger: Ledger, assets: Assets): ReadonlyArray<string> => {
  const { symbols, sum } = holdings(ledger)
  const line = (title: string, of: ReadonlyArray<Place>) => [
    title,
    ...symbols.map((symbol) => amountText(assets, symbol, sum(symbol, of)))
  ]
  return Table.render(
    ["MONEY", ...symbols.map(Table.decimal)],
    [
      ...places
        .filter((place) => isShown(place, { sum, symbols }))
        .map((place) => line(labels[place] ?? place, [place])),
      line("total after fees", ownPlaces)
    ]
  ).concat(notCountedLines(ledger, assets))
}

export const balances = (ledger: Ledger) => {
  const { symbols, sum } = holdings(ledger)
  return symbols
    .map((symbol) => ({ symbol, total: sum(symbol, ownPlaces), free: sum(symbol, ["wallet"]) }))
    .filter(({ total }) => total !== 0n)
}

/** Amounts that stopped strategies returned to the account. No total includes them. */
export const notCounted = (ledger: Ledger, assets: Assets) =>
  givenBack(ledger).map(({ strategy, asset, amount }) => ({
    strategy,
    asset,
    amount: amountText(assets, asset, amount)
  }))

const notCountedLines = (ledger: Ledger, assets: Assets): ReadonlyArray<string> =>
  [...Map.groupBy(givenBack(ledger), ({ strategy }) => strategy)].map(([strategy, rows]) => {
    const sums = rows.map(({ asset, amount }) => withSymbol(assets, asset, amount)).sort()
    return `Not counted: ${sums.join(", ")} that ${strategy} returned to the account; it is not running`
  })

const holdings = (ledger: Ledger) => {
  const amounts = totals(ledger)
  const sum = (symbol: string, of: ReadonlyArray<Place>): Amount =>
    amounts.reduce(
      (total, { asset, place, amount }) => total + (asset === symbol && of.includes(place) ? amount : 0n),
      0n
    )
  return { symbols: [...new Set(amounts.map(({ asset }) => asset))], sum }
}
