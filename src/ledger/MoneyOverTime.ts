/**
 * How much was in each place at the end of every UTC day that changed it. The oldest days beyond 400 are dropped.
 */

import type { Recorded } from "../domain/BotEvent.ts"
import { dayMillis } from "../domain/Durations.ts"
import * as Ledger from "../domain/Ledger.ts"

const mostDays = 400

export interface DayEnd {
  /** The last event of that day. */
  readonly at: number
  readonly places: ReadonlyArray<Ledger.PlaceBalance>
}

export const make = () => {
  const ledger = Ledger.make()
  const days = new Map<number, DayEnd>()
  return {
    see: ({ at, event }: Recorded): void => {
      if (Ledger.apply(ledger, event).length === 0) return
      const day = Math.floor(at / dayMillis)
      days.set(day, { at, places: Ledger.totals(ledger) })
      if (days.size > mostDays) days.delete(Math.min(...days.keys()))
    },
    // A start takes everything back and gives it again.
    result: (): ReadonlyArray<DayEnd> =>
      [...days.values()].sort((a, b) => a.at - b.at).filter((day, index, all) => textOf(day) !== textOf(all[index - 1]))
  }
}

const textOf = (day: DayEnd | undefined): string =>
  (day?.places ?? []).map(({ amount, asset, place }) => `${amount} ${asset} ${place}`).join()
