/** The `limits:` section: the amounts that a strategy may use and lose, and the reaction at a limit. */
import type { Asset } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { dayMillis, minuteMillis, secondMillis } from "../domain/Durations.ts"
import { present } from "../domain/Present.ts"
import * as Read from "./Fields.ts"
import { part } from "./kinds/PriceLevels.ts"
import { report } from "./Problem.ts"
import type { Budget, Limits, QuietHours, SomeMarkets } from "./Strategy.ts"

const minutesOfDay = (text: string): number | undefined => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** UTC; may cross midnight. */
const hoursIn = (text: string): QuietHours | undefined => {
  const [from, to, ...rest] = text.split("-").map((part) => minutesOfDay(part.trim()))
  return from === undefined || to === undefined || from === to || rest.length > 0
    ? undefined
    : { fromMinute: from, toMinute: to }
}

const quietHours: Read.Reader<QuietHours> = Read.scalar(
  "hours of the day in UTC such as 22:00-06:00",
  hoursIn,
  (found) => {
    const padded = found.replace(/\b\d(?=:)/g, "0$&")
    return hoursIn(padded) === undefined
      ? "two different times, each as HH:MM"
      : `write ${padded}: hours have two digits`
  }
)

const [leastLifetime, longestLifetime] = [10 * minuteMillis, 7 * dayMillis]

/** A shorter lifetime would pass while the order is placed, and the venue keeps an order for a week. */
const lifetime = Read.mapped(Read.duration, (millis, node, to) =>
  millis >= leastLifetime && millis <= longestLifetime
    ? millis
    : report(to, node, "an order lifetime is from 10m to 7d")
)

/** Keys are roles (`base`, `quote`) for one market, and the assets' symbols for several. */
const budget = ([market, ...others]: SomeMarkets): Read.Reader<Budget> => {
  const [base, quote] = others.length === 0 ? ["base", "quote"] : [market.base.symbol, market.quote.symbol]
  const amountOf = (asset: Asset, about: string) => Read.optional(Read.amount(asset, { zero: true }), about)
  const keys: Record<string, ReturnType<typeof amountOf>> = {
    [base]: amountOf(market.base, "of the base asset"),
    ...Object.fromEntries(others.map((each) => [each.base.symbol, amountOf(each.base, "of this asset")])),
    [quote]: amountOf(market.quote, "of the quote asset")
  }
  return Read.checked(keys, (found) => {
    const amount = (key: string) => found[key] ?? 0n
    const further = new Map(others.map(({ base: { symbol } }) => [symbol, amount(symbol)]))
    return { base: amount(base), quote: amount(quote), ...(others.length === 0 ? {} : { others: further }) }
  })
}

const limitsKeys = (traded: SomeMarkets) => {
  const quoteAmount = Read.amount(traded[0].quote)
  return {
    budget: Read.required(budget(traded)),
    maxOpenOrders: Read.withDefault(Read.integer(1, 20_000), 100, "maximum number of open orders"),
    maxPriceDeviation: Read.withDefault(
      Read.ratio,
      Decimal.make(5n, 2),
      "refuse orders that give away more than this against the price"
    ),
    staleAfter: Read.withDefault(Read.duration, 30 * secondMillis, "decide nothing on a price older than this"),
    minOrder: Read.optional(quoteAmount, "refuse orders below this value in quote"),
    maxNotional: Read.optional(quoteAmount, "maximum total value of its orders, in quote"),
    maxOrdersPerHour: Read.optional(Read.integer(1, 100_000), "maximum number of orders placed within an hour"),
    maxFeeBasisPoints: Read.optional(
      Read.integer(0, 10_000),
      "pay no order with a higher fee, in basis points of the input"
    ),
    orderLifetime: Read.optional(lifetime, "the venue ends an order after this time; 10m to 7d, default: 7d"),
    quietHours: Read.optional(quietHours, "place no new orders in these hours; exits are still placed"),
    maxDailyLoss: Read.optional(quoteAmount, "maximum loss in a day, in quote"),
    maxDrawdown: Read.optional(part(Read.ratio), "maximum fall from its highest equity"),
    onLoss: Read.optional(
      Read.oneOf("pause", "drain"),
      "action then: pause places no new orders, drain cancels all orders and places no exit"
    )
  }
}

export const usualLines = (): string => {
  const { maxPriceDeviation, staleAfter } = limitsKeys([Read.anyMarket])
  return Object.entries({ maxPriceDeviation, staleAfter })
    .map(([key, { says, unless }]) => `  ${key}: ${unless}  # ${says}`)
    .join("\n")
}

/** Without the budget, whose keys depend on the markets (see `budgetSchema`). */
export const limitsSchema = (): Read.JsonSchema => {
  const { properties, ...limits } = Read.schemaOf(Read.fields(limitsKeys([Read.anyMarket])))
  return { ...limits, properties: { ...Object(properties), budget: {} } }
}

export const budgetSchema = {
  ofOneMarket: Read.schemaOf(budget([Read.anyMarket])),
  ofSeveral: { type: "object", additionalProperties: Read.schemaOf(Read.amount(Read.anyMarket.base, { zero: true })) }
} satisfies Readonly<Record<string, Read.JsonSchema>>

export const readLimits =
  (traded: SomeMarkets): Read.Reader<Limits> =>
  (node, to) => {
    const before = to.problems.length
    const reader = Read.checked(limitsKeys(traded), ({ staleAfter, orderLifetime, ...limits }, at): Limits => {
      const isRead = to.problems.length === before
      const { budget, maxDailyLoss, maxDrawdown, onLoss } = limits
      const { base, quote, others } = budget
      const isGiven = [base, quote, ...(others?.values() ?? [])].some((amount) => amount > 0n)
      if (isRead && !isGiven) report(to, at("budget"), nothing(traded))
      if (onLoss !== undefined && maxDailyLoss === undefined && maxDrawdown === undefined && isRead)
        report(to, at("onLoss"), "onLoss needs maxDailyLoss or maxDrawdown to act on")
      return present({ ...limits, staleAfterMillis: staleAfter, orderLifetimeMillis: orderLifetime })
    })
    return reader(node, to)
  }

const nothing = (traded: SomeMarkets): string =>
  traded.length === 1
    ? "the budget is empty: set an amount of base, quote or both"
    : "the budget is empty: set an amount of at least one asset"
