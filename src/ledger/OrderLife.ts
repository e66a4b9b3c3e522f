/** The life of an order, from the plan to its end: one that was over and lived on has it in parts. */
import type * as Decimal from "../domain/Decimal.ts"
import type { Side } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"

/** What everything that is recorded of trading says. */
export interface About {
  /** Epoch milliseconds. */
  readonly at: number
  readonly strategy: string
  readonly slot: string
  readonly placement: string
  readonly market: string
  readonly base: string
  readonly quote: string
}

/** One attempt, to judge how orders do: its life from the plan to the end. */
export interface OrderLife extends About {
  readonly side: Side
  readonly plannedAt: number
  readonly restingAt?: number
  readonly firstFillAt?: number
  readonly closedAt?: number
  readonly status?: string
  readonly price: Decimal.Decimal
  /** It was withdrawn to be placed elsewhere; missing where it was never withdrawn. */
  readonly wasRequoted?: boolean
  /** What its newest echo said that the service takes of the input. */
  readonly echoedBasisPoints?: number
}

/** Oldest first. */
export const wholeLives = (parts: ReadonlyArray<OrderLife>): ReadonlyArray<OrderLife> => {
  const lives = new Map<string, OrderLife>()
  for (const part of parts) {
    const earlier = lives.get(part.placement)
    lives.set(part.placement, earlier === undefined ? part : joined(earlier, part))
  }
  return [...lives.values()].toSorted((a, b) => a.plannedAt - b.plannedAt)
}

const joined = (earlier: OrderLife, later: OrderLife): OrderLife => ({
  ...earlier,
  ...later,
  plannedAt: earlier.plannedAt,
  ...present({ restingAt: earlier.restingAt ?? later.restingAt, firstFillAt: earliest(earlier, later) })
})

const earliest = (...lives: ReadonlyArray<OrderLife>): number | undefined => {
  const times = lives.flatMap(({ firstFillAt = [] }) => firstFillAt)
  return times.length === 0 ? undefined : Math.min(...times)
}
