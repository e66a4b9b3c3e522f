/** The life of an order, from the plan to its end. An order that was active again after its end has several parts. */
import type * as Decimal from "../domain/Decimal.ts"
import type { Side } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"

type Names = "strategy" | "slot" | "placement" | "market" | "base" | "quote"
export interface About extends Readonly<Record<Names, string>> {
  readonly at: number
  /** Time at which its order was last taken back. Fills and fees of an earlier life do not count. */
  readonly lifeFrom?: number
}

export interface OrderLife extends About {
  readonly side: Side
  readonly plannedAt: number
  readonly restingAt?: number
  readonly firstFillAt?: number
  readonly closedAt?: number
  readonly status?: string
  readonly price: Decimal.Decimal
  /** It was cancelled to be placed elsewhere. Missing if it was never cancelled. */
  readonly wasRequoted?: boolean
  readonly echoedBasisPoints?: number
}

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
