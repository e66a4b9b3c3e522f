/** A strategy of another bot as a strategy file, whose first comments list the differences and the settings that were not imported. */
import * as Decimal from "../domain/Decimal.ts"
import { nameOf } from "./ForeignSettings.ts"

export interface Translated {
  readonly kind: "deals" | "grid" | "market-making"
  readonly market: readonly [base: string, quote: string] | undefined
  /** Maximum amounts; absent if the other bot does not set them. */
  readonly budget: { readonly base?: Decimal.Decimal; readonly quote?: Decimal.Decimal }
  readonly section: ReadonlyArray<string>
  readonly otherwise: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<string>
}

/** Formats a ratio as percent: 0.015 is 1.5%. */
export const percentOf = (ratio: Decimal.Decimal): string => `${Decimal.format(inHundred(ratio))}%`

export const inHundred = (ratio: Decimal.Decimal): Decimal.Decimal => Decimal.multiply(ratio, Decimal.make(100n))

export const line = (key: string, amount: Decimal.Decimal | undefined, unit = ""): ReadonlyArray<string> =>
  amount === undefined || !Decimal.isPositive(amount) ? [] : [`${key}: ${Decimal.format(amount)}${unit}`]

/** True for a symbol of this service. A thousand of a token, or a future of it, is another asset. */
const isSymbol = (name: string): boolean => /^[A-Za-z0-9]{1,15}$/.test(name) && !/^1000+[A-Z]|perp$|swap$/i.test(name)
const isMoney = (name: string): boolean => /^(usd[a-z]?|[bt]usd|fdusd|dai|eur|gbp)$/i.test(name)

/** Splits a pair into base and quote. A currency is not accepted as a base. */
export const namesIn = (
  pair: string | undefined,
  separator: string,
  first: "base" | "quote" = "base"
): readonly [base: string, quote: string] | undefined => {
  const [one, two, ...others] = (pair ?? "").split(separator)
  if (one === undefined || two === undefined || others.length > 0 || ![one, two].every(isSymbol)) return undefined
  const [base, quote] = first === "base" ? [one, two] : [two, one]
  return isMoney(base) && !isMoney(quote) ? undefined : [base, quote]
}

/** Base orders here are limit orders. Their limit may exceed the mid by this share, so that they fill at once. */
export const entersAtOnce = "reach: 0.1%"

export const otherMarkets = ([, ...others]: ReadonlyArray<string>): ReadonlyArray<string> =>
  others.length === 0 ? [] : [`one file trades one market: ${others.map(nameOf).join(", ")} need separate files`]

export const times = (value: Decimal.Decimal, count: number): Decimal.Decimal =>
  Decimal.multiply(value, Decimal.make(BigInt(count)))

/** Decimals of rounded quote amounts: cents of a currency, more of any other asset. */
const quoteDecimals = (market: Translated["market"]): number => (market === undefined || isMoney(market[1]) ? 2 : 8)

export const quoteRounded = (
  market: Translated["market"],
  amount: Decimal.Decimal,
  rounding: Decimal.Rounding
): Decimal.Decimal => Decimal.roundToStep(amount, Decimal.make(1n, quoteDecimals(market)), rounding)

/** Returns the total cost of a base order and all safety orders at their prices. */
export const costOfDeal = (
  base: Decimal.Decimal,
  safety: { readonly size: Decimal.Decimal; readonly scale: Decimal.Decimal; readonly orders: number }
): Decimal.Decimal => {
  let [sum, size] = [base, safety.size]
  for (let order = 0; order < safety.orders; order += 1) {
    sum = Decimal.add(sum, size)
    size = Decimal.roundToStep(Decimal.multiply(size, safety.scale), Decimal.make(1n, 12), "up")
  }
  return sum
}

type Named = Pick<Translated, "budget"> & Readonly<Record<"bot" | "file" | "market" | "name", string>>

export const textOf = (
  { kind, leftOut, otherwise, section }: Translated,
  { bot, budget, file, market, name }: Named
): string => {
  const amounts = Object.entries(budget).map(([asset, amount]) => `${asset}: ${Decimal.format(amount)}`)
  return [
    `# From ${file} of ${bot}. Run limitbot check, plan and backtest before you run it.`,
    ...otherwise.map((sentence) => `# Differs from the original: ${sentence}`),
    ...leftOut.map((line) => `# Not imported: ${line}`),
    `name: ${name}`,
    `market: ${market}`,
    `kind: ${kind}`,
    "",
    "limits:",
    `  budget: { ${amounts.join(", ")} }`,
    "",
    `${kind}:`,
    ...section.map((line) => `  ${line}`),
    ""
  ].join("\n")
}
