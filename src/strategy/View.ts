/**
 * Everything a strategy may see. No clock, no randomness, no I/O: the same view gives the same decision, live, in a
 * backtest and in an explanation. What a slot has done so far is part of the view, so most strategies need no memory.
 */
import type { Amount } from "../domain/Amount.ts"
import type { Depth } from "../domain/Book.ts"
import type { Market, Price, Side, TwoSidedPrice } from "../domain/Market.ts"
import type { CandleColumns } from "./Indicators.ts"

/** What a slot has been through. */
export interface SlotProgress {
  /** Legs completed: wholly filled, and paid out. */
  readonly completedLegs: number
  /** Base quantity filled so far in the current leg, by its live order and by earlier ones that ended with a part. */
  readonly filledInLeg: Amount
  /** Net output (after fees) that the last completed leg brought in: quote after a SELL, base after a BUY. */
  readonly receivedByLastLeg: Amount
  /** The last completed leg. */
  readonly lastLeg?: { readonly side: Side }
  /** Kept where a file may change under its slots, which in a backtest it does not. */
  readonly past?: SlotPast
  /** Base quantities of all fills of this slot, whatever was asked of it, before fees. */
  readonly bought: Amount
  readonly sold: Amount
  /** The live order, when there is one, with what of it is still to fill. */
  readonly live?: { readonly side: Side; readonly price: Price; readonly quantity: Amount }
}

/** What the orders of a slot that have ended left behind, whatever the file said at their time. */
export interface SlotPast {
  /** Base that the slot bought, net of fees, and has not sold again. */
  readonly held: Amount
  /** Quote that this cost. */
  readonly cost: Amount
  readonly lastOrder: { readonly side: Side; readonly price: Price }
}

export const untouchedSlot: SlotProgress = {
  completedLegs: 0,
  filledInLeg: 0n,
  receivedByLastLeg: 0n,
  bought: 0n,
  sold: 0n
}

export interface View {
  /** Epoch milliseconds. */
  readonly now: number
  readonly market: Market
  readonly price: TwoSidedPrice
  /** Prices of the further markets that the strategy trades, by name. */
  readonly elsewhere?: ReadonlyMap<string, TwoSidedPrice>
  readonly slots: ReadonlyMap<string, SlotProgress>
  /** Closed candles by timeframe ("1m", "4h"), for strategies that ask for them; see `Strategy.candles`. */
  readonly candles?: ReadonlyMap<string, ClosedCandles>
  /** What the market takes of the quantities in `Strategy.depth`; left out until they were quoted. */
  readonly depth?: Depth
  /** What the strategy's trading has come to; left out where nobody keeps it, as in a preview. */
  readonly own?: OwnState
}

/** May change with every order of the strategy that is placed, funded, filled or paid; `Bounds.onFill` asks again then. */
export interface OwnState {
  readonly openOrders: number
  /** Neither in an order nor meant for one, smallest units. */
  readonly freeBase: Amount
  readonly freeQuote: Amount
  /** Quote earned by what was bought and sold again, by average cost, less all fees. */
  readonly realisedProfit: Amount
  /** What the position cost (or brought in, below zero) per unit; none without a position. */
  readonly averageEntry?: Price
  readonly lastFill?: { readonly price: Price; readonly at: number }
  readonly lastPlacedAt?: number
}

/** The first `closed` candles of the columns are over; what the columns hold behind them is the future. */
export interface ClosedCandles {
  readonly columns: CandleColumns
  readonly closed: number
}

export const progressOf = (view: View, slot: string): SlotProgress => view.slots.get(slot) ?? untouchedSlot

/** The price of a market that the strategy trades, by name. */
export const priceIn = (
  { market, price, elsewhere }: Pick<View, "market" | "price"> & { readonly elsewhere?: View["elsewhere"] | undefined },
  name: string
): TwoSidedPrice | undefined => (name === market.name ? price : elsewhere?.get(name))
