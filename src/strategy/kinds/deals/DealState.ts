/** The memory of a strategy of deals. The view reports what its orders did; `legs` records each slot's progress when the deal began. */
import { type Amount, format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Price, type Side } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { filledOfLeg, type Memory } from "../../Decision.ts"
import { type LegsDone, progressOf, tradesOf, type View } from "../../View.ts"
import { amountIn, decimalIn, isRecord, isTrueIn, numberIn, recordIn } from "../Memory.ts"
import { type Left, leftIn, rememberLeft } from "../StopExit.ts"

export interface Deal {
  readonly price: Price
  readonly startedAt: number
  readonly legs: ReadonlyMap<string, LegsDone>
  readonly before: Readonly<Record<"base" | "quote", Amount>> | undefined
  readonly isExpired: boolean
  readonly isClosing: boolean
  readonly isBreakeven: boolean
  /** Base that each exit had traded when the deal began, if there are several exits. */
  readonly exits: ReadonlyMap<string, Amount>
  /** Distance of the first safety order when the deal began, if it follows volatility. */
  readonly spacing: Decimal.Decimal | undefined
  /** Best price since the take-profit was reached, in steps, if the exit trails. */
  readonly best: Price | undefined
  readonly left: Left | undefined
}

export interface DealState {
  readonly begun: number
  readonly endedAt: number | undefined
  readonly deal: Deal | undefined
}

export const legsBefore = ({ legs }: Deal, slot: string): LegsDone =>
  legs.get(slot) ?? { completedLegs: 0, filledInLeg: 0n }

/** The part of an entry that has filled before the whole has. */
export const filledIn = (deal: Deal, slot: string, view: Pick<View, "slots">): Amount =>
  filledOfLeg({ after: legsBefore(deal, slot) }, progressOf(view, slot))

export const isTouched = (deal: Deal, slot: string, view: Pick<View, "slots">): boolean =>
  isComplete(deal, slot, view) || filledIn(deal, slot, view) > 0n

export const isComplete = (deal: Deal, slot: string, view: Pick<View, "slots">): boolean =>
  progressOf(view, slot).completedLegs > legsBefore(deal, slot).completedLegs

const tradedBy = (slot: string, side: Side, view: View): Amount =>
  tradesOf(opposite(side), [progressOf(view, slot)]).base

export const tradedNow = (exits: ReadonlyArray<string>, side: Side, view: View): Deal["exits"] =>
  new Map(exits.length === 1 ? [] : exits.map((slot) => [slot, tradedBy(slot, side, view)]))

export const tradedIn = ({ exits }: Deal, slot: string, side: Side, view: View): Amount =>
  tradedBy(slot, side, view) - (exits.get(slot) ?? 0n)

export const remember = ({ base, quote }: Market, { begun, endedAt, deal }: DealState): Memory => {
  const counters = { begun, ...present({ endedAt }) }
  if (deal === undefined) return counters
  const { before, exits } = deal
  return {
    ...counters,
    price: Decimal.format(deal.price),
    startedAt: deal.startedAt,
    legs: Object.fromEntries(
      [...deal.legs].map(([slot, { completedLegs, filledInLeg }]) => [
        slot,
        { completedLegs, ...(filledInLeg === 0n ? {} : { filledInLeg: format(filledInLeg, base.decimals) }) }
      ])
    ),
    ...present({
      before: before && { base: format(before.base, base.decimals), quote: format(before.quote, quote.decimals) },
      isExpired: deal.isExpired || undefined,
      isClosing: deal.isClosing || undefined,
      isBreakeven: deal.isBreakeven || undefined,
      exits:
        exits.size === 0
          ? undefined
          : Object.fromEntries([...exits].map(([slot, amount]) => [slot, format(amount, base.decimals)])),
      spacing: deal.spacing && Decimal.format(deal.spacing),
      best: deal.best && Decimal.format(deal.best)
    }),
    ...rememberLeft(deal.left)
  }
}

export const stateIn = ({ base, quote }: Market, slots: ReadonlyArray<string>, memory: Memory): DealState => {
  const counters = { begun: numberIn(memory, "begun") ?? 0, endedAt: numberIn(memory, "endedAt") }
  const price = decimalIn(memory, "price")
  if (price === undefined) return { ...counters, deal: undefined }
  const legs = recordIn(memory, "legs")
  const [before, exits] = [recordIn(memory, "before"), recordIn(memory, "exits")]
  const legsOf = (slot: string): LegsDone => ({
    completedLegs: numberIn(recordIn(legs, slot), "completedLegs") ?? 0,
    filledInLeg: amountIn(base, recordIn(legs, slot), "filledInLeg")
  })
  return {
    ...counters,
    deal: {
      price,
      startedAt: numberIn(memory, "startedAt") ?? 0,
      legs: new Map(slots.map((slot) => [slot, legsOf(slot)])),
      before:
        decimalIn(before, "base") === undefined
          ? undefined
          : { base: amountIn(base, before, "base"), quote: amountIn(quote, before, "quote") },
      isExpired: isTrueIn(memory, "isExpired"),
      isClosing: isTrueIn(memory, "isClosing"),
      isBreakeven: isTrueIn(memory, "isBreakeven"),
      exits: new Map(isRecord(exits) ? Object.keys(exits).map((slot) => [slot, amountIn(base, exits, slot)]) : []),
      spacing: decimalIn(memory, "spacing"),
      best: decimalIn(memory, "best"),
      left: leftIn(memory)
    }
  }
}
