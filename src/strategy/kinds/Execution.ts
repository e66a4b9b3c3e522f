/** How an order executes: it rests at its price, or a swap executes it as soon as the quote is no worse than that. */
import * as Decimal from "../../domain/Decimal.ts"
import type { Price } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import * as Read from "../Fields.ts"

export const execution = Read.oneOf("order", "swap")

export const bySwap = (isSwap: boolean): Pick<Leg, "by"> => (isSwap ? { by: "swap" } : {})

/** For people. */
export const atPrice = (isSwap: boolean, price: Price): string =>
  isSwap ? `by a swap at ${Decimal.format(price)} or better` : `at ${Decimal.format(price)}`
