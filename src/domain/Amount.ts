/**
 * Amounts of money: whole smallest units of one asset. Text with a decimal point ("0.01 BTC") exists only at the edges. Conversion is
 * exact: an amount finer than the smallest unit is refused, not rounded.
 */
import * as Decimal from "./Decimal.ts"

export type Amount = bigint

/** A tradable asset as configured. `id` is the venue's opaque identifier, `decimals` the places of the smallest unit. */
export interface Asset {
  readonly symbol: string
  readonly id: string
  readonly decimals: number
}

export const bySymbol = (assets: ReadonlyArray<Asset>): ReadonlyMap<string, Asset> =>
  new Map(assets.map((asset) => [asset.symbol, asset]))

/** Returns `undefined` if the value is finer than the smallest unit. */
export const fromDecimal = (value: Decimal.Decimal, decimals: number): Amount | undefined =>
  value.scale > decimals ? undefined : value.digits * Decimal.powerOfTen(decimals - value.scale)

export const floorOf = (value: Decimal.Decimal, decimals: number): Amount =>
  Decimal.divideInteger(value.digits * Decimal.powerOfTen(decimals), Decimal.powerOfTen(value.scale), "down")

export const toDecimal = (amount: Amount, decimals: number): Decimal.Decimal => Decimal.make(amount, decimals)

/** The closest double in units of the asset: for conditions and statistics, never for money. */
export const asNumber = (amount: Amount, { decimals }: Pick<Asset, "decimals">): number =>
  Decimal.toNumber({ digits: amount, scale: decimals })

export const format = (amount: Amount, decimals: number): string => Decimal.format(toDecimal(amount, decimals))

export const formatWithSymbol = (amount: Amount, asset: Asset): string =>
  `${format(amount, asset.decimals)} ${asset.symbol}`

export const min = (a: Amount, b: Amount): Amount => (a < b ? a : b)
export const max = (a: Amount, b: Amount): Amount => (a > b ? a : b)
export const magnitude = (amount: Amount): Amount => max(amount, -amount)

export const median = (values: ReadonlyArray<number>): number | undefined => {
  const middle = middleOf(values.toSorted((a, b) => a - b))
  return middle.length === 0 ? undefined : middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** The median of amounts, rounded down; zero without values. */
export const medianAmount = (values: ReadonlyArray<Amount>): Amount => {
  const middle = middleOf(values.toSorted((a, b) => Number(a - b)))
  return middle.length === 0 ? 0n : middle.reduce((sum, value) => sum + value, 0n) / BigInt(middle.length)
}

const middleOf = <A>(sorted: ReadonlyArray<A>): ReadonlyArray<A> =>
  sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
