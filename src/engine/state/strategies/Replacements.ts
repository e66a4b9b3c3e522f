/** Measured costs of replacing orders: the fees of refunds, and the time from the cancel of an order to the deposit of the next. */
import type { Amount } from "../../../domain/Amount.ts"
import type { PlacementEvent } from "../../../domain/BotEvent.ts"
import { slotKey } from "../SlotFold.ts"

export interface Replacements {
  readonly refunds: Map<string, { readonly count: number; readonly fees: Amount }>
  readonly withdrawnAt: Map<string, number>
  /** Milliseconds out of the market, newest last. */
  readonly absences: Array<number>
}

const maxAbsences = 50
const enough = 3

export const make = (): Replacements => ({ refunds: new Map(), withdrawnAt: new Map(), absences: [] })

export const see = ({ refunds, withdrawnAt, absences }: Replacements, event: PlacementEvent, at: number): void => {
  const key = slotKey(event.strategy, event.slot)
  switch (event._tag) {
    case "CancelRequested":
      if (event.why.code === "requote") withdrawnAt.set(key, at)
      return
    case "DepositSeen": {
      const since = withdrawnAt.get(key)
      if (since === undefined) return
      withdrawnAt.delete(key)
      absences.push(Math.max(0, at - since))
      if (absences.length > maxAbsences) absences.shift()
      return
    }
    case "Refunded": {
      const { count, fees } = refunds.get(event.asset) ?? { count: 0, fees: 0n }
      return void refunds.set(event.asset, { count: count + 1, fees: fees + event.fee })
    }
  }
}

/** Mean fee of a refund, rounded up, and its number of samples; `undefined` before there are enough. */
export const measuredRefund = ({ refunds }: Replacements, asset: string) => {
  const refundTotal = refunds.get(asset)
  if (refundTotal === undefined || refundTotal.count < enough) return undefined
  const count = BigInt(refundTotal.count)
  return { count: refundTotal.count, fee: (refundTotal.fees + count - 1n) / count }
}

/** Median of the last absences; `undefined` before there are enough. */
export const measuredAbsence = ({ absences }: Replacements): number | undefined =>
  absences.length < enough ? undefined : absences.toSorted((a, b) => a - b)[Math.floor(absences.length / 2)]
