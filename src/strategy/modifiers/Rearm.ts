/**
 * `rearm:` of a strategy file. A slot that repeats the same legs begins a new round only after the price has moved by this ratio from its
 * last fill, up or down. Only the first leg of a round waits. Otherwise a price that swings around one level would fill the same order many
 * times.
 *
 * The memory has, for each slot, the number of filled legs, the price of the leg that fills next and, while the slot waits, the price of
 * its last fill. Once the price has been far enough away, the slot stays armed until its next round ends.
 */
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type Price } from "../../domain/Market.ts"
import { type DesiredSlot, filledLegs, type Memory, narrowed, nextLeg } from "../Decision.ts"
import { beside, decimalIn, isRecord, numberIn, recordIn } from "../kinds/Memory.ts"
import { away, isWithin, negate } from "../kinds/PriceLevels.ts"
import type { Decide } from "../Strategy.ts"
import { priceIn, progressOf, type View } from "../View.ts"

const key = "rearm"

const roundOf = (desired: DesiredSlot, view: View, known: Memory, distance: Decimal.Decimal) => {
  const { slot, legs, market } = desired
  const filled = filledLegs(desired, view, slot)
  const next = nextLeg(desired, view, slot) ?? legs[0]
  const price = priceIn(view, market?.name ?? view.market.name)
  const before = numberIn(known, "legs") ?? filled
  const lastPrice =
    filled === before
      ? decimalIn(known, "filledAt")
      : filled === before + 1
        ? decimalIn(known, "price")
        : legs[(legs.indexOf(next) + legs.length - 1) % legs.length]?.price
  const isFirst = legs.indexOf(next) === 0 && isUntouched(desired, view)
  const waits = isFirst && lastPrice !== undefined && price !== undefined && isWithin(lastPrice, distance, mid(price))
  const waitsFrom = waits ? lastPrice : undefined
  return {
    memory: {
      legs: filled,
      price: Decimal.format(next.price),
      ...(waitsFrom === undefined ? {} : { filledAt: Decimal.format(waitsFrom) })
    },
    waitsFrom
  }
}

const isUntouched = (desired: DesiredSlot, view: View): boolean => {
  const progress = progressOf(view, desired.slot)
  return progress.filledInLeg === 0n || filledLegs(desired, view, desired.slot) > progress.completedLegs
}

export const rearming =
  (decide: Decide, distance: Decimal.Decimal, source: string): Decide =>
  (view, memory) => {
    const decision = decide(view, memory)
    const record = recordIn(memory, key)
    const rounds = decision.desired.map((desired) => ({
      desired,
      round: desired.cycle ? roundOf(desired, view, recordIn(record, desired.slot), distance) : undefined
    }))
    const waiting = rounds.flatMap(({ desired, round }) =>
      round?.waitsFrom === undefined ? [] : [{ desired, from: round.waitsFrom }]
    )
    const own = waiting.filter(({ desired }) => desired.market === undefined).map(({ from }) => from)
    return {
      ...decision,
      desired: rounds.flatMap(({ desired, round }) => (round?.waitsFrom === undefined ? [desired] : [])),
      absent: [
        ...decision.absent,
        ...waiting.map(({ desired: { slot }, from }) => ({ slot, why: reason(from, distance, source) }))
      ],
      memory: beside(decision.memory, {
        [key]: {
          // A slot that is not planned now may be planned again.
          ...(isRecord(record) ? record : {}),
          ...Object.fromEntries(rounds.flatMap(({ desired, round }) => (round ? [[desired.slot, round.memory]] : [])))
        }
      }),
      until: narrowed(
        { ...decision.until, onFill: true },
        own.map((from) => away(from, negate(distance))),
        own.map((from) => away(from, distance))
      )
    }
  }

const reason = (from: Price, distance: Decimal.Decimal, source: string): Reason => ({
  code: "rearm",
  text: `not placed again until the price is ${Decimal.percent(distance)} away from ${Decimal.format(from)}, its last fill`,
  source
})
