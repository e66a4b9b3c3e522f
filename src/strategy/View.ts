/**
 * Everything that a strategy may see: no clock, no randomness, no I/O. The same view gives the same decision, live, in a backtest and in an
 * explanation. The view includes each slot's progress, so most strategies need no memory.
 */
import { type Amount, magnitude, max, min } from "../domain/Amount.ts"
import type { Depth } from "../domain/Book.ts"
import { isLeftover, type SeenPosition } from "../domain/CostBasis.ts"
import type { Market, Price, Side, TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import type { Signals } from "../domain/Signal.ts"
import type { CandleColumns } from "./Indicators.ts"

export interface SlotProgress {
  /** Legs that have ended: filled and paid out, or closed with a rest. */
  readonly completedLegs: number
  /** Base quantity filled in the current leg, by its open order and by earlier orders that ended early. */
  readonly filledInLeg: Amount
  /** Net output of the last completed leg: quote after a SELL, base after a BUY. */
  readonly receivedByLastLeg: Amount
  /** `quantity`: base that it traded; missing in journals of older versions. `isWhole`: that is all that was ordered; not in a backtest. */
  readonly lastLeg?: { readonly side: Side; readonly quantity?: Amount; readonly isWhole?: true } | undefined
  /** The last purchase's fills beyond the size that its file now plans. The next sale sells them as well. */
  readonly carried?: Amount | undefined
  /** For files that may change while their slots work. Missing in a backtest, whose file never changes. */
  readonly past?: SlotPast | undefined
  /** Base quantities of all fills of this slot, for any leg, before fees. */
  readonly bought: Amount
  readonly sold: Amount
  /** Quote of these fills: `paid` for purchases, `proceeds` of sales. */
  readonly paid: Amount
  readonly proceeds: Amount
  /** Charged so far for its orders, by the asset of the fee. Missing means none. */
  readonly fees?: FeesByAsset | undefined
  /** Fees that the venue took of the output of these fills before it reported them. Missing means none. */
  readonly feesBeforeFills?: FeesByAsset
  /** Price of the last order that has filled, in whole or in part. */
  readonly filledAt?: Price | undefined
  /** Base that the legs of each side never traded because it is too little for an order. */
  readonly forgone?: Forgone | undefined
  /** `quantity` is the unfilled base: zero while the payout is pending. */
  readonly live?: { readonly side: Side; readonly price: Price; readonly quantity: Amount } | undefined
}

/** Decides which leg is due, and how much of it. */
export type LegProgress = LegsDone & Pick<SlotProgress, "receivedByLastLeg" | "lastLeg" | "carried">

export type FeesByAsset = Readonly<Record<"base" | "quote", Amount>>

export type Forgone = Readonly<Record<Side, Amount>>

export interface SlotPast {
  /** Net of fees. */
  readonly held: Amount
  /** In quote. */
  readonly cost: Amount
  /** Base that fees have taken of what this cost bought. Missing means none. */
  readonly fees?: Amount
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
  /** Further markets that the strategy trades or watches, by name. A watched market is missing unless its price is fresh. */
  readonly elsewhere?: ReadonlyMap<string, TwoSidedPrice>
  readonly slots: ReadonlyMap<string, SlotProgress>
  /** By frame ("4h", "BTC/USDC 4h"); see `frameName`. */
  readonly candles?: ReadonlyMap<string, ClosedCandles>
  /** Quotes for the quantities in `Strategy.depth`. Missing until they were quoted. */
  readonly depth?: Depth
  /** Missing if this run keeps none. */
  readonly signals?: Signals
  /** Missing if this run does not keep it, as in a preview. */
  readonly own?: OwnState
  /** The venue's share of the output of every fill. Missing if it takes none. */
  readonly fillBasisPoints?: number
  /** Quote that the strategy has but must not use (see `Skim`). */
  readonly setAside?: Amount
  /** Money and position with which a restarted strategy began (see `Restart`). Missing in the first run, which begins with the budget. */
  readonly means?: { readonly base: Amount; readonly quote: Amount; readonly position: Amount }
  /** Quiet hours, a loss limit or a pause prevent new orders. A scheduled time that passes now is skipped for good. */
  readonly isHeld?: boolean
  /** False while a strategy with a position waits for its own beginning (see `Period`): nothing new begins in its memory. */
  readonly mayBegin?: boolean
  /** At the first decision of a strategy that an edit has made wait: plans of which nothing has filled are made again. */
  readonly begins?: boolean
}

/** Names every field, because a view may compute some fields on demand. */
export const viewWith = (view: View, changed: Partial<View>): View => {
  const { begins, candles, depth, elsewhere, fillBasisPoints, isHeld, market, mayBegin, means, now, own, price } = view
  const { setAside, signals, slots } = view
  const state = { begins, isHeld, mayBegin, means, own, setAside, signals }
  const optional = { candles, depth, elsewhere, fillBasisPoints, ...state }
  return { now, market, price, slots, ...present(optional), ...changed }
}

/** May change whenever an order is placed, funded, filled or paid; `Bounds.onFill` then asks again. */
export interface OwnState extends SeenPosition {
  readonly openOrders: number
  /** Neither in an order nor planned for one, in smallest units. */
  readonly freeBase: Amount
  readonly freeQuote: Amount
  /** `freeQuote` is without it (see `Skim`). */
  readonly setAside?: Amount
  readonly lastFill?: { readonly price: Price; readonly at: number }
  readonly lastPlacedAt?: number
}

export const frameName = (timeframe: string, market?: string): string =>
  market === undefined ? timeframe : `${market} ${timeframe}`

/** Only the first `closed` candles have closed. Later ones in the columns are the future. */
export interface ClosedCandles {
  readonly columns: CandleColumns
  readonly closed: number
}

export const progressOf = (view: Pick<View, "slots">, slot: string): SlotProgress =>
  view.slots.get(slot) ?? untouchedSlot

/** Base of a leg that has traded it: `planned`, or less if an edit has raised the size since. */
export const wholeOf = ({ lastLeg }: Pick<SlotProgress, "lastLeg">, planned: Amount): Amount =>
  lastLeg?.isWhole === true ? min(planned, lastLeg.quantity ?? planned) : planned

/** The change of the holdings by the slot: a fee in base reduces its base, a fee in quote its proceeds. */
export const netOf = ({ bought, fees, paid, proceeds, sold }: SlotProgress) => ({
  base: bought - sold - (fees?.base ?? 0n),
  quote: proceeds - paid - (fees?.quote ?? 0n)
})

/** All trades of one side, with the fees of their output that came before their fills. */
export const tradesOf = (side: Side, slots: Iterable<SlotProgress>) => {
  const trades = { base: 0n, quote: 0n, fees: 0n }
  for (const { bought, feesBeforeFills, paid, proceeds, sold } of slots) {
    trades.base += side === "BUY" ? bought : sold
    trades.quote += side === "BUY" ? paid : proceeds
    trades.fees += feesBeforeFills?.[side === "BUY" ? "base" : "quote"] ?? 0n
  }
  return trades
}

type Fills = Pick<SlotProgress, "bought" | "fees" | "filledInLeg" | "forgone" | "lastLeg" | "live" | "sold">

/** Base that the fills of a slot have left, net of fees and of what it never trades; below zero after a sale. Zero for a leftover. */
export const baseLeft = ({ bought, fees, filledInLeg, forgone, lastLeg, live, sold }: Fills): Amount => {
  const rest = bought - sold
  const held =
    rest > 0n ? max(0n, rest - (fees?.base ?? 0n) - (forgone?.SELL ?? 0n)) : min(0n, rest + (forgone?.BUY ?? 0n))
  const whole = max(lastLeg?.quantity ?? 0n, filledInLeg + (live?.quantity ?? 0n))
  return isLeftover(magnitude(held), whole) ? 0n : held
}

/** The slot's progress before new legs begin. A completely filled leg counts as done before its payout. */
export type LegsDone = Pick<SlotProgress, "completedLegs" | "filledInLeg">

export const legsDone = (view: View, slot: string): LegsDone => {
  const { completedLegs, filledInLeg, live } = progressOf(view, slot)
  return live?.quantity === 0n ? { completedLegs: completedLegs + 1, filledInLeg: 0n } : { completedLegs, filledInLeg }
}

export const priceIn = (
  { market, price, elsewhere }: Pick<View, "market" | "price"> & { readonly elsewhere?: View["elsewhere"] | undefined },
  name: string
): TwoSidedPrice | undefined => (name === market.name ? price : elsewhere?.get(name))
