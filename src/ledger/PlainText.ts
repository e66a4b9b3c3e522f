/**
 * Books as plain text for beancount and hledger, which check that every booking adds up. The balances at the end are assertions, so a file
 * that was cut or edited does not pass.
 */
import { type Amount, format } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { dayMillis } from "../domain/Durations.ts"
import { utcDate } from "../domain/Text.ts"
import { type BookAccount, type Booking, balancesOf, keyOf } from "./Entries.ts"
import type { Trade } from "./Trades.ts"

export type Decimals = (symbol: string) => number

const roots = {
  beancount: { asset: "Assets", expense: "Expenses", equity: "Equity" },
  hledger: { asset: "assets", expense: "expenses", equity: "equity" }
} as const

const part = (text: string, isCapital: boolean): string => {
  const plain = text.replace(/[^A-Za-z0-9-]/g, "-")
  return isCapital ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain
}

/**
 * Gives each text a distinct name. A text that is spelt like its name keeps it; others with that name get a number, in alphabetical order.
 */
const distinct = (
  texts: Iterable<string>,
  nameOf: (text: string) => string,
  maxLength = Number.POSITIVE_INFINITY
): ((text: string) => string) => {
  const names = new Map<string, string>()
  const isSpeltSo = (text: string) => nameOf(text).toLowerCase() === text.toLowerCase()
  const sorted = [...new Set(texts)].sort()
  const usedNames = new Set<string>()
  for (const text of [...sorted.filter(isSpeltSo), ...sorted.filter((each) => !isSpeltSo(each))]) {
    let name = nameOf(text)
    for (let number = 2; usedNames.has(name); number++)
      name = `${nameOf(text).slice(0, maxLength - `-${number}`.length)}-${number}`
    usedNames.add(name)
    names.set(text, name)
  }
  return (text) => names.get(text) ?? nameOf(text)
}

/** beancount commodities are capitals and digits, begin with a letter, and have at least two characters. */
const currencyOf = (symbol: string): string => {
  const plain = symbol.toUpperCase().replace(/[^A-Z0-9]/g, "-")
  const code = /^[A-Z]/.test(plain) ? plain : `X${plain}`
  return (code.length < 2 ? `${code}X` : code).slice(0, maxCurrency).replace(/-$/, "X")
}
const maxCurrency = 24

/** hledger accepts any commodity in quotes. */
const commodityOf = (symbol: string, plain: string): string =>
  /^[A-Za-z]+$/.test(symbol) && plain === symbol ? plain : `"${plain}"`

const namesFor = ({ bookings, trades }: BooksOf, style: keyof typeof roots) => {
  const isBeancount = style === "beancount"
  const postings = bookings.flatMap((booking) => booking.postings)
  const strategies = postings.flatMap(({ account: { strategy } }) => (strategy === undefined ? [] : [strategy]))
  const strategyOf = distinct(strategies, (strategy) => part(strategy, isBeancount))
  const symbols = [...postings.map(({ asset }) => asset), ...trades.flatMap(({ base, quote }) => [base, quote])]
  const plainOf = (symbol: string) => (isBeancount ? currencyOf(symbol) : symbol.replaceAll('"', ""))
  const symbolOf = distinct(symbols, plainOf, isBeancount ? maxCurrency : undefined)
  return {
    account: ({ kind, place, strategy }: BookAccount): string => {
      const own = strategy === undefined ? [] : [strategyOf(strategy)]
      return [roots[style][kind], part("limitbot", isBeancount), part(place, isBeancount), ...own].join(":")
    },
    symbol: (symbol: string): string => (isBeancount ? symbolOf(symbol) : commodityOf(symbol, symbolOf(symbol)))
  }
}

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

export interface BooksOf {
  readonly bookings: ReadonlyArray<Booking>
  readonly trades: ReadonlyArray<Trade>
  readonly decimals: Decimals
}

const pricesOf = ({ trades, decimals }: BooksOf) =>
  [...Map.groupBy(trades, ({ at, market }) => `${utcDate(at)} ${market}`).values()].flatMap((ofDay) => {
    const last = ofDay.at(-1)
    if (last === undefined || last.baseAmount === 0n) return []
    const quote = Decimal.make(last.quoteAmount, decimals(last.quote))
    const base = Decimal.make(last.baseAmount, decimals(last.base))
    return [{ ...last, price: Decimal.divide(quote, base, 10, "down") }]
  })

const sorted = (bookings: ReadonlyArray<Booking>) => bookings.toSorted((a, b) => a.at - b.at)

export const beancount = (books: BooksOf): string => {
  const { bookings, decimals } = books
  const { account: name, symbol } = namesFor(books, "beancount")
  const amount = (asset: string, value: Amount) => `${format(value, decimals(asset))} ${symbol(asset)}`
  const accounts = new Map(bookings.flatMap(({ postings }) => postings.map(({ account }) => [name(account), account])))
  const inTime = sorted(bookings)
  const [first, last] = [inTime[0]?.at ?? 0, inTime.at(-1)?.at ?? 0]
  return [
    `option "title" "limitbot"`,
    ...[...accounts.keys()].sort().map((account) => `${utcDate(first)} open ${account}`),
    "",
    ...pricesOf(books).map(
      ({ at, base, quote, price }) => `${utcDate(at)} price ${symbol(base)} ${Decimal.format(price)} ${symbol(quote)}`
    ),
    "",
    ...inTime.flatMap(({ at, text, postings }) => [
      `${utcDate(at)} * ${quoted(text)}`,
      ...postings.map((posting) => `  ${name(posting.account)}  ${amount(posting.asset, posting.amount)}`),
      ""
    ]),
    // A balance assertion holds at the beginning of its day.
    ...closing(bookings).map(({ account, amount: value, asset, roundingUnits }) => {
      const tolerance = roundingUnits === 0n ? "" : ` ~ ${format(roundingUnits, decimals(asset))}`
      const balanceText = `${format(value, decimals(asset))}${tolerance} ${symbol(asset)}`
      return `${utcDate(last + dayMillis)} balance ${name(account)}  ${balanceText}`
    }),
    ""
  ].join("\n")
}

/** beancount adds with this many digits, and rounds after each posting. */
const readerDigits = 28

/** Smallest units by which a reader's sum of these postings may be off, rounded up. */
const roundingOf = (amounts: ReadonlyArray<Amount>): Amount => {
  let [sum, units] = [0n, 0n]
  for (const amount of amounts) {
    sum += amount
    const digits = `${sum < 0n ? -sum : sum}`.length
    if (digits > readerDigits) units += 10n ** BigInt(digits - readerDigits)
  }
  return units
}

const closing = (bookings: ReadonlyArray<Booking>) => {
  const balances = new Map(balancesOf(bookings).map((posting) => [keyOf(posting.account, posting.asset), posting]))
  const keyOfEach = ({ account, asset }: Booking["postings"][number]) => keyOf(account, asset)
  const all = new Map(bookings.flatMap(({ postings }) => postings.map((each) => [keyOfEach(each), each])))
  const inTime = Map.groupBy(
    sorted(bookings).flatMap(({ postings }) => postings),
    keyOfEach
  )
  return [...all].map(([key, posting]) => {
    const roundingUnits = roundingOf((inTime.get(key) ?? []).map(({ amount }) => amount))
    return { ...(balances.get(key) ?? { ...posting, amount: 0n }), roundingUnits }
  })
}

export const hledger = (books: BooksOf): string => {
  const { bookings, decimals } = books
  const { account: name, symbol } = namesFor(books, "hledger")
  const amount = (asset: string, value: Amount) => `${format(value, decimals(asset))} ${symbol(asset)}`
  const inTime = sorted(bookings)
  const accounts = new Set(bookings.flatMap(({ postings }) => postings.map(({ account }) => name(account))))
  const assets = new Map(bookings.flatMap(({ postings }) => postings.map(({ asset }) => [asset, decimals(asset)])))
  return [
    "; limitbot",
    ...[...assets].map(([asset, places]) => `commodity 1.${"0".repeat(Math.max(places, 1))} ${symbol(asset)}`),
    ...[...accounts].sort().map((account) => `account ${account}`),
    "",
    ...pricesOf(books).map(
      ({ at, base, quote, price }) => `P ${utcDate(at)} ${symbol(base)} ${Decimal.format(price)} ${symbol(quote)}`
    ),
    "",
    ...inTime.flatMap(({ at, text, postings }) => [
      `${utcDate(at)} * ${text.replace(/[;|]/g, " ")}`,
      ...postings.map((posting) => `    ${name(posting.account)}  ${amount(posting.asset, posting.amount)}`),
      ""
    ]),
    `${utcDate(inTime.at(-1)?.at ?? 0)} * closing balances`,
    ...closing(bookings).map(
      ({ account, asset, amount: value }) => `    ${name(account)}  ${amount(asset, 0n)} = ${amount(asset, value)}`
    ),
    ""
  ].join("\n")
}
