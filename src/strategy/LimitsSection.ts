/** The `limits:` section: what a strategy may use and lose, and what happens when it reaches a limit. */
import * as Decimal from "../domain/Decimal.ts"
import type { Market } from "../domain/Market.ts"
import * as Read from "./Fields.ts"
import { anyMarket, schemaOf } from "./JsonSchema.ts"
import { report } from "./Problem.ts"
import type { Limits, QuietHours } from "./Strategy.ts"

const defaults = {
  maxOpenOrders: 100,
  maxPriceDeviation: Decimal.make(5n, 2),
  staleAfterMillis: 30_000
}

const minutesOfDay = (text: string): number | undefined => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** `22:00-06:00`, UTC; may cross midnight. */
const quietHours: Read.Reader<QuietHours> = Read.scalar("hours of the day in UTC such as 22:00-06:00", (text) => {
  const [from, to, ...rest] = text.split("-").map((part) => minutesOfDay(part.trim()))
  return from === undefined || to === undefined || from === to || rest.length > 0
    ? undefined
    : { fromMinute: from, toMinute: to }
})

const limitsFields = (market: Market) => {
  const quoteAmount = Read.amount(market.quote, { zero: false })
  return Read.fields({
    budget: Read.required(
      Read.fields({
        base: Read.optional(Read.amount(market.base, { zero: true }), "of the base asset"),
        quote: Read.optional(Read.amount(market.quote, { zero: true }), "of the quote asset")
      })
    ),
    maxOpenOrders: Read.optional(Read.integer(1, 20_000), "most orders at the same time; left out: 100"),
    maxPriceDeviation: Read.optional(
      Read.ratio,
      "refuse an order that gives away more than this against the price; left out: 5%"
    ),
    staleAfter: Read.optional(Read.duration, "decide nothing on a price older than this; left out: 30s"),
    minOrder: Read.optional(quoteAmount, "refuse orders worth less than this much quote"),
    maxNotional: Read.optional(quoteAmount, "most that all its orders may be worth together, in quote"),
    maxOrdersPerHour: Read.optional(Read.integer(1, 100_000), "most orders placed within an hour"),
    quietHours: Read.optional(quietHours, "place nothing in these hours"),
    maxDailyLoss: Read.optional(quoteAmount, "most quote that it may lose in a day"),
    maxDrawdown: Read.optional(Read.ratio, "most that it may fall from its best value"),
    onLoss: Read.optional(
      Read.oneOf("pause", "drain"),
      "what happens then: pause places nothing new, drain also withdraws"
    )
  })
}

export const limitsSchema = () => schemaOf(limitsFields(anyMarket))

export const readLimits =
  (market: Market): Read.Reader<Limits> =>
  (node, to) => {
    const before = to.problems.length
    const read = limitsFields(market)(node, to)
    const budget = read?.budget
    if (read === undefined || budget === undefined) return undefined
    const { base, quote } = budget.value
    const isGiven = (base?.value ?? 0n) > 0n || (quote?.value ?? 0n) > 0n
    const isRead = to.problems.length === before
    if (isRead && !isGiven) report(to, budget, "a budget of nothing: give an amount of base, quote or both")
    if (read.onLoss !== undefined && read.maxDailyLoss === undefined && read.maxDrawdown === undefined && isRead) {
      report(to, read.onLoss, "onLoss needs maxDailyLoss or maxDrawdown to act on")
    }
    return {
      budget: { base: base?.value ?? 0n, quote: quote?.value ?? 0n },
      maxOpenOrders: read.maxOpenOrders?.value ?? defaults.maxOpenOrders,
      maxPriceDeviation: read.maxPriceDeviation?.value ?? defaults.maxPriceDeviation,
      staleAfterMillis: read.staleAfter?.value ?? defaults.staleAfterMillis,
      ...given("minOrder", read.minOrder),
      ...given("maxNotional", read.maxNotional),
      ...given("maxOrdersPerHour", read.maxOrdersPerHour),
      ...given("quietHours", read.quietHours),
      ...given("maxDailyLoss", read.maxDailyLoss),
      ...given("maxDrawdown", read.maxDrawdown),
      ...given("onLoss", read.onLoss)
    }
  }

const given = <K extends string, A>(key: K, read: Read.Located<A> | undefined): { readonly [key in K]?: A } =>
  (read === undefined ? {} : { [key]: read.value }) as { readonly [key in K]?: A }
