/**
 * Formats figures for a terminal, always rounded half away from zero, with grouped thousands and a true minus sign. A figure that rounds to
 * zero has no sign. Files, pipes and chats get the amounts of `Money`.
 */
import { type Amount, magnitude } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { grouped } from "../../domain/Text.ts"
import { type Assets, amountText, short, type withSymbol } from "./Money.ts"

export const fixed = ({ digits, scale }: Decimal.Decimal, places: number): string => {
  const step = Decimal.powerOfTen(Math.max(0, scale - places))
  const steps = (magnitude(digits) * Decimal.powerOfTen(Math.max(0, places - scale)) + step / 2n) / step
  const text = `${steps}`.padStart(places + 1, "0")
  const whole = text.length - places
  return `${digits < 0n && steps > 0n ? "−" : ""}${grouped(text.slice(0, whole))}${places > 0 ? "." : ""}${text.slice(whole)}`
}

const plus = (text: string): string => (text.startsWith("−") || !/[1-9]/.test(text) ? text : `+${text}`)

export const rounded = (assets: Assets, symbol: string, amount: Amount): string => {
  const asset = assets.get(symbol)
  return asset === undefined ? amountText(assets, symbol, amount) : fixed(Decimal.make(amount, asset.decimals), 2)
}

export const gain: typeof rounded = (assets, symbol, amount) => plus(rounded(assets, symbol, amount))

export const gainText = (exact: string | null): string =>
  exact === null ? "" : plus(fixed(Decimal.parse(exact) ?? Decimal.zero, 2))

export const size = (exact: string): string => grouped(Decimal.short(Decimal.parse(exact) ?? Decimal.zero, 6))

/** Formats money to the cent; other assets with four decimal places, or four digits if less than one. */
export const amountBy =
  (money: ReadonlySet<string>): typeof withSymbol =>
  (assets, symbol, amount) =>
    `${money.has(symbol) ? rounded(assets, symbol, amount) : grouped(short(assets, symbol, amount))} ${symbol}`

/** Has six significant digits, and at least two decimal places. */
export const price = (value: Decimal.Decimal): string =>
  fixed(value, Math.max(2, Math.min(18, 5 - Math.floor(Math.log10(Decimal.toNumber(value))))))

/** Formats a return or a distance, with its sign. */
export const share = (ratio: number): string => `${plus(fixed(Decimal.fromNumber(ratio * 100), 2))} %`
