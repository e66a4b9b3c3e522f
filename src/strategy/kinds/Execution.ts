/** An order is executed as an open order, or by a swap once the quote is no worse. It may give away a share of the price. */
import { formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { warn } from "../Problem.ts"
import { part } from "./PriceLevels.ts"

export const execution = Read.oneOf("order", "swap")

export const bySwap = (isSwap: boolean): Pick<Leg, "by"> => (isSwap ? { by: "swap" } : {})

export const atPrice = (isSwap: boolean, price: Price): string =>
  isSwap ? `by a swap at ${Decimal.format(price)} or better` : `at ${Decimal.format(price)}`

export const verbs = { BUY: "buys", SELL: "sells" } as const

export const orderText = ({ price, quantity, side }: Leg, { base }: Market): string =>
  `${verbs[side]} ${formatWithSymbol(quantity, base)} at ${Decimal.format(price)}`

/** The part of the price that an order gives away. Limits also refuse the exit of a stop that gives away more than they allow. */
export const givenAway: Read.Written<Decimal.Decimal> = Read.written(
  Read.mapped(part(Read.ratioOrZero), (given, node, to) => {
    const { maxPriceDeviation: most = given } = to
    if (Decimal.isGreater(given, most)) {
      const shares = [given, most].map(Decimal.percent)
      const text = `an order that gives away ${shares[0]} is not placed: limits.maxPriceDeviation is ${shares[1]}`
      warn(to, node, text, "raise limits.maxPriceDeviation, or make it smaller")
    }
    return given
  }),
  Read.ratioOrZero.write
)
