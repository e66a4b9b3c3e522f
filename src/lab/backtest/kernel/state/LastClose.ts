/**
 * The last close, or the price that the market has reached within the bar, and the test if it has reached a price. After a bar that filled
 * orders, the bounds of its close usually answer the test without reading the close.
 */
import { type Candles, closeAt } from "../../../../candles/Candles.ts"
import type { Side } from "../../../../domain/Market.ts"

const finerPlaces = 9

export class LastClose {
  declare private readonly candles: Candles
  private knownFor = 0
  private least = 0
  private most = 0
  private stoodFor = -1
  private price = 0

  constructor(candles: Candles) {
    this.candles = candles
  }

  know(nextBar: number, least: number, most: number): void {
    this.knownFor = nextBar
    this.least = least
    this.most = most
  }

  stand(nextBar: number, price: number): void {
    this.stoodFor = nextBar
    this.price = price
  }

  leave(): void {
    this.stoodFor = -1
  }

  before(nextBar: number): number {
    return this.stoodFor === nextBar ? this.price : closeAt(this.candles, nextBar - 1)
  }

  /** Decimal places of prices compared with it. Within a bar the market may be between two prices of the candles. */
  scaleFor(nextBar: number): number {
    return this.candles.priceScale + (this.stoodFor === nextBar ? finerPlaces : 0)
  }

  isReached(nextBar: number, side: Side, fillsAt: number): boolean {
    if (this.knownFor === nextBar && (side === "BUY" ? fillsAt < this.least : fillsAt > this.most)) return false
    const close = this.before(nextBar)
    return side === "BUY" ? fillsAt >= close : fillsAt <= close
  }
}
