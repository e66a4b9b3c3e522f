/**
 * Rebalancing by the clock: when a period begins, each asset beyond its band is traded back to its target near the present price. These
 * orders stay until they have filled or the next period begins; no other order is open. Periods are counted from 1970 in UTC; periods of
 * whole weeks begin on Mondays.
 */
import { format, formatWithSymbol } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import { iso } from "../../../domain/Text.ts"
import { frameStart } from "../../../domain/Timeframe.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../../Decision.ts"
import { type LegsDone, legsDone, type View } from "../../View.ts"
import { amountIn, decimalIn, legsIn, numberIn, recordIn } from "../Memory.ts"
import type { Rebalance } from "./RebalanceSection.ts"

export interface PeriodTrade {
  readonly slot: string
  readonly market: Market
  readonly leg: Leg
}

interface Going extends PeriodTrade {
  readonly after: LegsDone
}

const slotsOf = ({ parts }: Rebalance) =>
  parts.flatMap(({ market, names }) => [
    { slot: names.buy, market, side: "BUY" as const },
    { slot: names.sell, market, side: "SELL" as const }
  ])

export const decidePeriodic = (
  whole: Rebalance,
  everyMillis: number,
  view: View,
  memory: Memory,
  trades: () => ReadonlyArray<PeriodTrade>
): Decision => {
  const period = frameStart(view.now, everyMillis)
  const going = numberIn(memory, "period") === period ? goingIn(whole, memory) : trades().map(startTrade(view))
  const traded = new Set(going.map(({ slot }) => slot))
  const at = period + everyMillis
  const text = `within ${Decimal.percent(whole.band)} of its target when this period began: waits until ${iso(at)}`
  const why = { code: "rebalance-waits", text, source: whole.keys("every") }
  return {
    desired: going.map((trade) => desiredSlot(whole, trade)),
    absent: slotsOf(whole).flatMap(({ slot }) => (traded.has(slot) ? [] : [{ slot, why, at }])),
    memory: { period, ...Object.fromEntries(going.map((trade) => [trade.slot, remember(trade)])) },
    reasons: [],
    until: { onFill: false, time: at }
  }
}

const startTrade =
  (view: View) =>
  (trade: PeriodTrade): Going => ({ ...trade, after: legsDone(view, trade.slot) })

const remember = ({ market: { base }, leg, after }: Going): Memory => ({
  price: Decimal.format(leg.price),
  quantity: format(leg.quantity, base.decimals),
  legsBefore: after.completedLegs,
  filledBefore: format(after.filledInLeg, base.decimals)
})

const goingIn = (whole: Rebalance, memory: Memory): ReadonlyArray<Going> =>
  slotsOf(whole).flatMap(({ slot, market, side }) => {
    const record = recordIn(memory, slot)
    const price = decimalIn(record, "price")
    if (price === undefined) return []
    const quantity = amountIn(market.base, record, "quantity")
    return [{ slot, market, leg: { side, price, quantity }, after: legsIn(market.base, record) }]
  })

const desiredSlot = (whole: Rebalance, { slot, market, leg, after }: Going): DesiredSlot => {
  const verb = leg.side === "BUY" ? "buys" : "sells"
  const order = `${verb} ${formatWithSymbol(leg.quantity, market.base)} at ${Decimal.format(leg.price)}`
  const share = `${market.base.symbol} was ${leg.side === "BUY" ? "below" : "above"} its band when this period began`
  const why = { code: "rebalance", text: `${order}: ${share}`, source: whole.keys("every") }
  return { slot, ...(market === whole.parts[0].market ? {} : { market }), legs: [leg], cycle: false, after, why }
}
