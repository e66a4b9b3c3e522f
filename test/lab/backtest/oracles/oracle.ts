/** What the tests against other engines share: a market, conditions in which money never lacks, and exact amounts. */

import { format } from "../../../../src/domain/Amount.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type { Market, Price } from "../../../../src/domain/Market.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import { touching } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import type { DesiredSlot, Leg } from "../../../../src/strategy/Decision.ts"
import type { Decide } from "../../../../src/strategy/Strategy.ts"

export const market: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "base", decimals: 18 },
  quote: { symbol: "QUOTE", id: "quote", decimals: 12 }
}

/** A touch fills the whole order at its limit, for nothing; what an engine does differently is changed by name. */
export const conditionsOf = (decide: Decide): Conditions => ({
  market,
  decide,
  initialMemory: null,
  rules: touching,
  budget: { base: 10n ** 30n, quote: 10n ** 30n },
  maxOpenOrders: 1000
})

export const slotOf = (slot: string, legs: readonly [Leg, ...ReadonlyArray<Leg>], cycle: boolean): DesiredSlot => ({
  slot,
  legs,
  cycle,
  why: { code: "oracle", text: "" }
})

/** A double with all the digits that are certain. */
export const priceOf = (value: number): Price => Decimal.fromNumber(value, 15)

const amountOf = (value: number, decimals: number): bigint =>
  Decimal.multiply(Decimal.fromNumber(value), Decimal.make(10n ** BigInt(decimals))).digits

export const baseOf = (value: number): bigint => amountOf(value, market.base.decimals)
export const quoteOf = (value: number): bigint => amountOf(value, market.quote.decimals)

/** For comparing with doubles. */
export const inBase = (amount: bigint): number => Number(format(amount, market.base.decimals))
export const inQuote = (amount: bigint): number => Number(format(amount, market.quote.decimals))
