/**
 * Turns the answer of an own strategy into a decision. Checks its shape like any input, and rounds prices away from the market and
 * quantities down. The answer can only produce orders; the limits check whether there is money for them.
 */
import { Result, Schema } from "effect"
import { fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { sentenceOf } from "../../domain/Text.ts"
import type { Bounds, Decision, DesiredSlot, Leg, PriceBounds } from "../Decision.ts"
import { isTimeframe } from "../Fields.ts"
import { orderPrice } from "../kinds/PriceLevels.ts"
import { quantityAt } from "../kinds/Size.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"

const Figure = Schema.Union([Schema.Finite, Schema.String])
const SlotName = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,63}$/))
const Why = Schema.String.check(Schema.isMaxLength(500))
const OwnLeg = Schema.Struct({
  side: Schema.Literals(["buy", "sell"]),
  price: Figure,
  size: Schema.optionalKey(Schema.Struct({ unit: Schema.Literals(["base", "quote"]), amount: Figure })),
  mayLose: Schema.optionalKey(Schema.Boolean)
})
const Answer = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({
      slot: SlotName,
      legs: Schema.NonEmptyArray(OwnLeg).check(Schema.isMaxLength(100)),
      cycle: Schema.optionalKey(Schema.Boolean),
      after: Schema.optionalKey(Schema.Struct({ legs: Schema.Int, filled: Schema.String })),
      why: Why
    })
  ).check(Schema.isMaxLength(1_000)),
  waiting: Schema.optionalKey(
    Schema.Array(Schema.Struct({ slot: SlotName, why: Why })).check(Schema.isMaxLength(1_000))
  ),
  memory: Schema.optionalKey(Schema.Json),
  stops: Schema.optionalKey(Schema.Struct({ below: Schema.optionalKey(Figure), above: Schema.optionalKey(Figure) })),
  until: Schema.Struct({
    below: Schema.optionalKey(Schema.Finite),
    above: Schema.optionalKey(Schema.Finite),
    time: Schema.optionalKey(Schema.Finite),
    candle: Schema.optionalKey(Schema.String),
    fill: Schema.optionalKey(Schema.Boolean)
  })
})
type Answer = typeof Answer.Type
type OwnWish = Answer["orders"][number]

const decode = Schema.decodeUnknownResult(Answer)

const wrong = (text: string): OwnCodeFailed => new OwnCodeFailed(text)

/** Digits beyond the twelfth are computational noise. */
const nearest = (value: number): Decimal.Decimal => Decimal.fromNumber(value, 12)

const [least, most] = [Decimal.make(1n, 30), Decimal.make(10n ** 30n)]

const exact = (figure: number | string, what: string, round = nearest): Decimal.Decimal => {
  const value = typeof figure === "number" ? round(figure) : Decimal.parse(figure)
  if (value === undefined || !Decimal.isPositive(value))
    throw wrong(`${what} is ${JSON.stringify(figure)}: it has to be above zero`)
  if (Decimal.isPositive(Decimal.subtract(value, most)) || Decimal.isPositive(Decimal.subtract(least, value)))
    throw wrong(`${what} is ${JSON.stringify(figure)}: it has to be from 1e-30 to 1e30`)
  return value
}

const legOf = (market: Market, slot: string, own: OwnWish["legs"][number], before: Leg | undefined): Leg => {
  const side = own.side === "buy" ? "BUY" : "SELL"
  const price = orderPrice(market, side, exact(own.price, `the price of ${slot}`))
  const quantity = Decimal.isPositive(price) ? (quantityOf(market, slot, own.size, price) ?? before?.quantity) : 0n
  if (quantity === undefined) throw wrong(`the first order of ${slot} has no size`)
  if (quantity <= 0n) throw wrong(`the order of ${slot} rounds to zero`)
  return { side, price, quantity, ...(own.mayLose === true ? { mayLose: true } : {}) }
}

const quantityOf = (market: Market, slot: string, size: OwnWish["legs"][number]["size"], price: Price) => {
  if (size === undefined) return undefined
  const { decimals } = market[size.unit]
  const exactAmount = exact(size.amount, `the size of ${slot}`, Decimal.downFromNumber)
  const amount = fromDecimal(Decimal.roundToStep(exactAmount, Decimal.make(1n, decimals), "down"), decimals) ?? 0n
  return quantityAt(market, { unit: size.unit, amount }, price)
}

const slotOf = (market: Market, source: string, { after, cycle = false, legs, slot, why }: OwnWish): DesiredSlot => {
  const [first, ...others] = legs
  const orderLegs: [Leg, ...Array<Leg>] = [legOf(market, slot, first, undefined)]
  for (const leg of others) orderLegs.push(legOf(market, slot, leg, orderLegs.at(-1)))
  const filled = after === undefined ? undefined : Decimal.parse(after.filled)
  const filledInLeg = (filled && fromDecimal(filled, market.base.decimals)) ?? 0n
  return {
    slot,
    legs: orderLegs,
    cycle,
    ...present({ after: after && { completedLegs: after.legs, filledInLeg } }),
    why: { code: "own", text: why, source }
  }
}

/** The latest time of a JavaScript date. */
const latestMillis = 8.64e15

const boundsOf = (
  { above, below, candle, fill = true, time }: Answer["until"],
  timeframes: ReadonlyMap<string, number>
): Bounds => {
  if (candle !== undefined && !(isTimeframe(candle) && timeframes.has(candle)))
    throw wrong(`it holds until a candle of ${candle} closes, but asked for none`)
  return {
    ...present({
      priceBelow: below === undefined || below <= 0 ? undefined : Decimal.fromNumber(below),
      priceAbove: above === undefined ? undefined : exact(above, "the price above which it no longer holds"),
      time: time === undefined ? undefined : Math.ceil(Math.max(0, Math.min(time, latestMillis))),
      barClose: candle
    }),
    onFill: fill
  }
}

const stopsOf = ({ above, below }: NonNullable<Answer["stops"]>): PriceBounds =>
  present({
    priceBelow: below === undefined ? undefined : exact(below, "the stop below"),
    priceAbove: above === undefined ? undefined : exact(above, "the stop above")
  })

interface Place {
  readonly market: Market
  readonly source: string
  readonly timeframes: ReadonlyMap<string, number>
}

/** Throws `OwnCodeFailed` with the mistake and its place in the answer. */
export const decisionOf = (value: unknown, { market, source, timeframes }: Place): Decision => {
  const result = decode(value)
  if (Result.isFailure(result)) throw wrong(`its answer is not a decision: ${sentenceOf(result.failure)}`)
  const answer = result.success
  const twice = answer.orders.find(({ slot }, index) => answer.orders.findIndex((other) => other.slot === slot) < index)
  if (twice !== undefined) throw wrong(`its answer has two orders for the slot ${twice.slot}`)
  return {
    desired: answer.orders.map((order) => slotOf(market, source, order)),
    absent: (answer.waiting ?? []).map(({ slot, why }) => ({ slot, why: { code: "own", text: why, source } })),
    memory: answer.memory ?? null,
    reasons: [],
    ...present({ stops: answer.stops && stopsOf(answer.stops) }),
    until: boundsOf(answer.until, timeframes)
  }
}
