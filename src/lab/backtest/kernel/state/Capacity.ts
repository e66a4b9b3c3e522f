/** Tracks the rest of the volume that our orders get of a bar. Open and arriving orders share it. */
import { type Candles, volumeAt } from "../../../../candles/Candles.ts"
import type { Amount } from "../../../../domain/Amount.ts"
import type { Market } from "../../../../domain/Market.ts"
import { capacityOf, type FillRules } from "../FillRules.ts"

const unlimited = 10n ** 60n

export class Capacity {
  declare private readonly rules: FillRules
  declare private readonly market: Market
  declare private readonly candles: Candles
  private bar = -1
  amount: Amount = 0n

  constructor(rules: FillRules, market: Market, candles: Candles) {
    this.rules = rules
    this.market = market
    this.candles = candles
  }

  open(bar: number): void {
    if (this.bar === bar) return
    this.bar = bar
    const { rules, market, candles } = this
    this.amount = rules.volumeShare === 0 ? unlimited : capacityOf(rules, market, volumeAt(candles, bar))
  }

  use(quantity: Amount): void {
    this.amount -= quantity
  }
}
