/**
 * Books as plain text for beancount and hledger. Both check that every booking adds up. The journal's balances stand
 * at the end as assertions, so a file that was cut or edited does not pass.
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

/** Words of an account name: letters, digits and hyphens; the first letter is a capital where required. */
const part = (text: string, isCapital: boolean): string => {
  const plain = text.replace(/[^A-Za-z0-9-]/g, "-")
  return isCapital ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain
}

const nameOf = ({ kind, place, strategy }: BookAccount, style: keyof typeof roots): string => {
  const isCapital = style === "beancount"
  const parts = ["limitbot", place, ...(strategy === undefined ? [] : [strategy])]
  return [roots[style][kind], ...parts.map((each) => part(each, isCapital))].join(":")
}

/** Commodities of beancount: capitals and digits, a letter first, at least two characters. */
const currency = (symbol: string): string => {
  const plain = symbol.toUpperCase().replace(/[^A-Z0-9]/g, "-")
  const named = /^[A-Z]/.test(plain) ? plain : `X${plain}`
  return (named.length < 2 ? `${named}X` : named).replace(/-$/, "X").slice(0, 24)
}

/** hledger accepts any commodity in quotes. */
const commodity = (symbol: string): string => (/^[A-Za-z]+$/.test(symbol) ? symbol : `"${symbol.replaceAll('"', "")}"`)

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

export interface BooksOf {
  readonly bookings: ReadonlyArray<Booking>
  readonly trades: ReadonlyArray<Trade>
  readonly decimals: Decimals
}

/** Quote per base at the last fill of each day and market. */
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
  const amount = (asset: string, value: Amount) => `${format(value, decimals(asset))} ${currency(asset)}`
  const name = (account: BookAccount) => nameOf(account, "beancount")
  const accounts = new Map(bookings.flatMap(({ postings }) => postings.map(({ account }) => [name(account), account])))
  const first = utcDate(Math.min(...bookings.map(({ at }) => at)))
  const last = Math.max(...bookings.map(({ at }) => at))
  return [
    `option "title" "limitbot"`,
    ...[...accounts.keys()].sort().map((account) => `${first} open ${account}`),
    "",
    ...pricesOf(books).map(
      ({ at, base, quote, price }) =>
        `${utcDate(at)} price ${currency(base)} ${Decimal.format(price)} ${currency(quote)}`
    ),
    "",
    ...sorted(bookings).flatMap(({ at, text, postings }) => [
      `${utcDate(at)} * ${quoted(text)}`,
      ...postings.map((posting) => `  ${name(posting.account)}  ${amount(posting.asset, posting.amount)}`),
      ""
    ]),
    // A balance assertion holds at the beginning of its day.
    ...closing(bookings).map(
      (posting) =>
        `${utcDate(last + dayMillis)} balance ${name(posting.account)}  ${amount(posting.asset, posting.amount)}`
    ),
    ""
  ].join("\n")
}

/** Every account that ever moved, with zero where nothing is left. */
const closing = (bookings: ReadonlyArray<Booking>) => {
  const left = new Map(balancesOf(bookings).map((posting) => [keyOf(posting.account, posting.asset), posting]))
  const all = new Map(
    bookings.flatMap(({ postings }) => postings.map((each) => [keyOf(each.account, each.asset), each]))
  )
  return [...all].map(([key, posting]) => left.get(key) ?? { ...posting, amount: 0n })
}

export const hledger = (books: BooksOf): string => {
  const { bookings, decimals } = books
  const amount = (asset: string, value: Amount) => `${format(value, decimals(asset))} ${commodity(asset)}`
  const name = (account: BookAccount) => nameOf(account, "hledger")
  const last = Math.max(...bookings.map(({ at }) => at))
  const accounts = new Set(bookings.flatMap(({ postings }) => postings.map(({ account }) => name(account))))
  const assets = new Map(bookings.flatMap(({ postings }) => postings.map(({ asset }) => [asset, decimals(asset)])))
  return [
    "; limitbot",
    ...[...assets].map(([asset, places]) => `commodity 1.${"0".repeat(Math.max(places, 1))} ${commodity(asset)}`),
    ...[...accounts].sort().map((account) => `account ${account}`),
    "",
    ...pricesOf(books).map(
      ({ at, base, quote, price }) => `P ${utcDate(at)} ${commodity(base)} ${Decimal.format(price)} ${commodity(quote)}`
    ),
    "",
    ...sorted(bookings).flatMap(({ at, text, postings }) => [
      `${utcDate(at)} * ${text.replace(/[;|]/g, " ")}`,
      ...postings.map((posting) => `    ${name(posting.account)}  ${amount(posting.asset, posting.amount)}`),
      ""
    ]),
    `${utcDate(last)} * closing balances`,
    ...closing(bookings).map(
      ({ account, asset, amount: value }) => `    ${name(account)}  ${amount(asset, 0n)} = ${amount(asset, value)}`
    ),
    ""
  ].join("\n")
}
