/**
 * An edit may turn a bracket of fixed prices into one that follows the market, or back, while it holds a position. Both forms work in the
 * same slot, but remember different things. The new form continues with the position, at its own prices, so the position keeps an exit.
 */
import { format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Price } from "../../../domain/Market.ts"
import { type Bounds, filledOfLeg, type Memory } from "../../Decision.ts"
import { notePrice } from "../../expression/Crossing.ts"
import { boundsOf, momentOf } from "../../expression/Judge.ts"
import { type LegsDone, legsDone, progressOf, type SlotProgress, type View } from "../../View.ts"
import { isRecord, isTrueIn, legsIn, recordIn } from "../Memory.ts"
import { type Going, isTouched, remember, stateIn } from "../rules/RuleState.ts"
import type { Rule, Rules } from "../rules/RulesSection.ts"
import { exitPricesOf } from "../rules/rules.ts"
import { type Left, leftIn } from "../StopExit.ts"

export interface Beginning {
  readonly after: LegsDone
  readonly isLeaving: boolean
  readonly left: Left | undefined
}

export const beginningIn = (market: Market, slot: string, view: View, memory: Memory): Beginning => {
  const record = recordIn(memory, slot)
  if (!isRecord(record)) {
    return { after: legsIn(market.base, memory), isLeaving: isTrueIn(memory, "isStopped"), left: leftIn(memory) }
  }
  const { going } = stateIn(market, record)
  const progress = progressOf(view, slot)
  if (going === undefined || !(isTouched(going, progress) || progress.live !== undefined)) {
    return { after: legsDone(view, slot), isLeaving: false, left: undefined }
  }
  const exitStart = going.held?.left
  return { after: going.after, isLeaving: exitStart !== undefined, left: exitStart }
}

export const rememberBeginning = (
  { base }: Market,
  { after }: Pick<Beginning, "after">
): { readonly [key: string]: Memory } => ({
  ...(after.completedLegs === 0 ? {} : { legsBefore: after.completedLegs }),
  ...(after.filledInLeg === 0n ? {} : { filledBefore: format(after.filledInLeg, base.decimals) })
})

const entryPrice = ({ past, live }: SlotProgress, rule: Rule, market: Market, otherwise: Price): Price => {
  if (rule.side === "BUY" && past !== undefined && past.held > 0n && past.cost > 0n) {
    const [cost, held] = [Decimal.make(past.cost, market.quote.decimals), Decimal.make(past.held, market.base.decimals)]
    return Decimal.divide(cost, held, 12, "up")
  }
  if (past?.lastOrder.side === rule.side) return past.lastOrder.price
  return live?.side === rule.side ? live.price : otherwise
}

export interface Adopted {
  readonly memory: Memory
  /** The strategy decides again beyond these bounds, within which the exits cannot be computed. Missing if they can be computed. */
  readonly until?: Bounds
}

export const adopted = (all: Rules, view: View, memory: Memory): Adopted => {
  const asItIs = { memory }
  const { market, needs, rules } = all
  const [rule] = rules
  if (rule === undefined || isRecord(recordIn(memory, rule.slot))) return asItIs
  const { after, isLeaving, left } = beginningIn(market, rule.slot, view, memory)
  const progress = progressOf(view, rule.slot)
  const { live, completedLegs, lastLeg, receivedByLastLeg } = progress
  const done = completedLegs - after.completedLegs
  const filled = filledOfLeg({ after }, progress)
  const isEntryLive = live !== undefined && live.side === rule.side && done === 0
  const isHolding = done === 1 || (done === 0 && filled > 0n)
  if (!isHolding && !isEntryLive) return asItIs
  const moment = momentOf(market, view)
  const now = Decimal.fromNumber(moment.mid, 12)
  const price = entryPrice(progress, rule, market, now)
  const at = { ...moment, entry: Decimal.toNumber(price) }
  const { exit, isWhole: isExact, ...others } = exitPricesOf(rule, market, at)
  const isWhole = exit !== undefined && isExact
  const whole = rule.side === "BUY" ? receivedByLastLeg : (lastLeg?.quantity ?? progress.sold - progress.bought)
  const going: Going = {
    price,
    hasExit: true,
    exit: exit ?? (live?.side === opposite(rule.side) ? live.price : price),
    ...others,
    // A stop that has fired stays fired.
    held: isLeaving
      ? { since: view.now, best: moment.mid, left: left ?? { mid: now, from: now }, isClosing: false }
      : undefined,
    quantity: done === 1 ? whole : filled + (isEntryLive ? live.quantity : 0n),
    after,
    firedAt: view.now,
    // An open order of the old form without a fill is cancelled; fills until its end are tracked.
    withdrawnAt: isHolding ? undefined : view.now
  }
  if (going.quantity <= 0n) return asItIs
  const state = { fired: isHolding ? 1 : 0, pausedUntil: 0, going }
  const own = { [rule.slot]: remember(market, state) }
  if (isWhole) return { memory: own }
  // The prices may also depend on the mid, so any change of it asks again.
  notePrice(moment, moment.mid)
  return { memory: own, until: boundsOf(needs, moment, moment.found.times) }
}
