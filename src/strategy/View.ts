/**
 * Everything that a strategy may see. There is no clock, no randomness and no I/O: the same view gives the same
 * decision, live, in a backtest and in an explanation. The view includes what a slot has done so far, so most
 * strategies need no memory.
 */
import type { Amount } from "../domain/Amount.ts"
import type { Depth } from "../domain/Book.ts"
import type { SeenPosition } from "../domain/CostBasis.ts"
import type { Market, Price, Side, TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import type { Signals } from "../domain/Signal.ts"
import type { CandleColumns } from "./Indicators.ts"

/** What has happened in a slot. */
export interface SlotProgress {
  /** Completed legs: completely filled, and paid out. */
  readonly completedLegs: number
  /** Base quantity filled so far in the current leg, by its live order and by earlier orders that ended early. */
  readonly filledInLeg: Amount
  /** Net output (after fees) of the last completed leg: quote after a SELL, base after a BUY. */
  readonly receivedByLastLeg: Amount
  /** The last completed leg. */
  readonly lastLeg?: { readonly side: Side }
  /** What the last leg bought beyond the size that its file wants since: the due sale sells it as well. */
  readonly carried?: Amount
  /** Kept where a file may change while its slots work; in a backtest it does not. */
  readonly past?: SlotPast
  /** Base quantities of all fills of this slot, for any leg, before fees. */
  readonly bought: Amount
  readonly sold: Amount
  /** Quote of the same fills: paid for what was bought, and the proceeds of what was sold. */
  readonly paid: Amount
  readonly proceeds: Amount
  /** Base that legs of each side left undone for good, because nobody takes so little. */
  readonly forgone?: Forgone
  /** The live order, if there is one, with what is still to fill: nothing while its payout is pending. */
  readonly live?: { readonly side: Side; readonly price: Price; readonly quantity: Amount }
}

export type Forgone = Readonly<Record<Side, Amount>>

/** What the slot's ended orders left, whatever the file said at their time. */
export interface SlotPast {
  /** Base that the slot bought, net of fees, and has not sold since. */
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
  sold: 0n,
  paid: 0n,
  proceeds: 0n
}

export interface View {
  /** Epoch milliseconds. */
  readonly now: number
  readonly market: Market
  readonly price: TwoSidedPrice
  /** Prices of the further markets that the strategy trades or watches, by name; a watched one only while it is fresh. */
  readonly elsewhere?: ReadonlyMap<string, TwoSidedPrice>
  readonly slots: ReadonlyMap<string, SlotProgress>
  /** Closed candles by frame ("4h", "BTC/USDC 4h"), for strategies that ask for them; see `frameName`. */
  readonly candles?: ReadonlyMap<string, ClosedCandles>
  /** What the market gives for the quantities in `Strategy.depth`; missing until they were quoted. */
  readonly depth?: Depth
  /** Numbers from outside, by name; missing where nobody keeps them. */
  readonly signals?: Signals
  /** What the strategy's trading has earned and cost; missing where nobody keeps it, as in a preview. */
  readonly own?: OwnState
  /** The venue's share of the output of every fill; missing where it takes none. */
  readonly fillBasisPoints?: number
  /** Quote that the strategy has but must not use (see `Skim`). */
  readonly setAside?: Amount
  /** Quiet hours, a loss limit or a pause keep every new order back: a time that passes now is skipped, not made up for later. */
  readonly isHeld?: boolean
}

/** The same view but for some of it. Every field is named, as a view may compute some of them only when they are looked at. */
export const viewWith = (
  { now, market, price, elsewhere, slots, candles, depth, signals, own, fillBasisPoints, setAside, isHeld }: View,
  changed: Partial<View>
): View => ({
  now,
  market,
  price,
  slots,
  ...present({ elsewhere, candles, depth, signals, own, fillBasisPoints, setAside, isHeld }),
  ...changed
})

/** May change with every order that is placed, funded, filled or paid; `Bounds.onFill` then asks again. */
export interface OwnState extends SeenPosition {
  readonly openOrders: number
  /** Neither in an order nor planned for one, in smallest units. */
  readonly freeBase: Amount
  readonly freeQuote: Amount
  /** Quote that counts for nothing here (see `Skim`); `freeQuote` is without it. */
  readonly setAside?: Amount
  readonly lastFill?: { readonly price: Price; readonly at: number }
  readonly lastPlacedAt?: number
}

/** The name of a market's candles in a view; the strategy's own market goes without saying. */
export const frameName = (timeframe: string, market?: string): string =>
  market === undefined ? timeframe : `${market} ${timeframe}`

/** The first `closed` candles of the columns have closed; the columns hold the future after them. */
export interface ClosedCandles {
  readonly columns: CandleColumns
  readonly closed: number
}

export const progressOf = (view: Pick<View, "slots">, slot: string): SlotProgress =>
  view.slots.get(slot) ?? untouchedSlot

/** How far a slot is: what legs that begin now come after. One that has filled whole is over before its payout. */
export type LegsDone = Pick<SlotProgress, "completedLegs" | "filledInLeg">

export const legsDone = (view: View, slot: string): LegsDone => {
  const { completedLegs, filledInLeg, live } = progressOf(view, slot)
  return live?.quantity === 0n ? { completedLegs: completedLegs + 1, filledInLeg: 0n } : { completedLegs, filledInLeg }
}

/** The price of a market that the strategy trades, by name. */
export const priceIn = (
  { market, price, elsewhere }: Pick<View, "market" | "price"> & { readonly elsewhere?: View["elsewhere"] | undefined },
  name: string
): TwoSidedPrice | undefined => (name === market.name ? price : elsewhere?.get(name))
