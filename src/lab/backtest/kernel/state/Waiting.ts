/**
 * Orders that wait for money, for a limit or for other orders: their number, and the smallest amount that would help one that lacks money.
 * Also counts orders that are not placed. An order that lacks money counts once, until it is placed or no longer planned; an order that is
 * too small counts each time.
 */
import { type Amount, min } from "../../../../domain/Amount.ts"
import type { OrderRow } from "../orders/OrderTable.ts"
import * as SlotState from "../orders/SlotState.ts"
import type { Wallet } from "./Wallet.ts"

export class Waiting {
  count = 0
  deniedFunds = 0
  deniedMinimum = 0
  private leastBase: Amount | undefined
  private leastQuote: Amount | undefined
  private isForOrders = false

  tooSmall(): void {
    this.deniedMinimum++
  }

  add(slot: SlotState.SlotState): boolean {
    if (slot.phase === "waiting") return false
    SlotState.become(slot, "waiting")
    this.count++
    return true
  }

  remove(slot: SlotState.SlotState): boolean {
    if (slot.phase !== "waiting") return false
    SlotState.become(slot, "idle")
    this.count--
    return true
  }

  lacksMoney({ input, isExit, side }: OrderRow, isNews: boolean): void {
    if (isNews) this.deniedFunds++
    // A part of an exit is placed too if it is more than a leftover (`isLeftover`), so no smaller amount helps.
    const enough = isExit === true ? input / 100n : input
    if (side === "BUY") this.leastQuote = min(this.leastQuote ?? enough, enough)
    else this.leastBase = min(this.leastBase ?? enough, enough)
  }

  forOrders(slot: SlotState.SlotState): void {
    this.add(slot)
    this.isForOrders = true
  }

  mayPlaceOne({ freeBase, freeQuote }: Pick<Wallet, "freeBase" | "freeQuote">): boolean {
    const base = this.leastBase !== undefined && freeBase >= this.leastBase
    return base || this.isForOrders || (this.leastQuote !== undefined && freeQuote >= this.leastQuote)
  }

  askAll(): void {
    this.leastBase = undefined
    this.leastQuote = undefined
    this.isForOrders = false
  }
}
