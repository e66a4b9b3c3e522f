/** Reads trading from the journal for accounts and reports: a pure fold over every event in order. */
import type { Amount } from "../domain/Amount.ts"
import type { Of, PlacementEvent, Recorded, Tag } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { feeOfMove, feesOfMove } from "../domain/Ledger.ts"
import type { Side } from "../domain/Market.ts"
import { byHand, exitSlotOf } from "../domain/Placement.ts"
import { present } from "../domain/Present.ts"
import { kinds } from "../strategy/kinds.ts"
import * as Capital from "./Capital.ts"
import { type About, type OrderLife, wholeLives } from "./OrderLife.ts"

export interface Trade extends About {
  readonly fillId: string
  readonly orderId?: string
  readonly side: Side
  readonly baseAmount: Amount
  readonly quoteAmount: Amount
  /** Its slot buys and sells by turns, so the trade is matched with this slot alone (see `Rounds`). */
  readonly byTurns?: true
  /** `given up`: the operator recorded the money as lost. `found`: it arrived after all, which undoes that. */
  readonly loss?: "given up" | "found"
  readonly isFee?: true
  /** Base that its leg left unsold. It moves to the dust slot at its cost, so the trade has no amounts. */
  readonly setAside?: Amount
}

export interface Round extends About {
  readonly isTakenBack?: true
}

const kindsByTurns: ReadonlySet<string> = new Set(kinds.filter(({ takesTurns }) => takesTurns).map(({ name }) => name))

export interface Fee extends About {
  readonly kind: "payout" | "refund"
  readonly asset: string
  readonly amount: Amount
  /** The venue's estimate before the order was funded, per payment. Missing if it named none. */
  readonly estimated?: Amount
  /** In quote smallest units at the price of its order, rounded up; the estimate likewise. */
  readonly inQuote: Amount
  readonly estimatedInQuote?: Amount
  readonly received: Amount
  readonly txHashes: ReadonlyArray<string>
}

export interface TradingRecord {
  readonly trades: ReadonlyArray<Trade>
  /**
   * Amounts that left without a trade. A written-off loss counts as sold, or paid, for nothing; money that arrives after all undoes that.
   * Base that a fee took counts as sold at the fee's value, because it is no longer held.
   */
  readonly losses: ReadonlyArray<Trade>
  readonly fees: ReadonlyArray<Fee>
  readonly flows: ReadonlyArray<Capital.Flow>
  readonly rounds: ReadonlyArray<Round>
  readonly markets: ReadonlyMap<string, string>
  readonly orders: ReadonlyArray<OrderLife>
  /** The last price that a decision or a fill saw, by market; quote per base. */
  readonly lastPrices: ReadonlyMap<string, { readonly price: Decimal.Decimal; readonly at: number }>
}

type PlannedTerms = Pick<Of<"Planned">, "deadline" | "isPart" | "side" | "inputAmount" | "outputAmount">
type BoundTo = Pick<Of<"Bound">, "estimatedRefundFee" | "estimatedWithdrawFee" | "orderId">

/** Lists that only grow. The fold never reads them again, so they may be taken out and stored elsewhere. */
export interface Grown {
  readonly trades: Array<Trade>
  readonly losses: Array<Trade>
  readonly fees: Array<Fee>
  readonly rounds: Array<Round>
  readonly lives: Array<OrderLife>
}

export interface TradesBooks extends Capital.CapitalBooks, Grown {
  readonly planned: Map<string, { readonly event: PlannedTerms; readonly life: OrderLife; readonly bound?: BoundTo }>
  readonly kinds: Map<string, string>
  /** By slot with fills: the number of legs that have ended and wait for their opposite (purchases above zero), and their details. */
  readonly legs: Map<string, { waiting: number; readonly about: Omit<About, "at"> }>
  readonly lastPrices: Map<string, { readonly price: Decimal.Decimal; readonly at: number }>
}

export const emptyBooks = (): TradesBooks => ({
  ...Capital.emptyCapital(),
  trades: [],
  losses: [],
  fees: [],
  rounds: [],
  lives: [],
  planned: new Map(),
  kinds: new Map(),
  legs: new Map(),
  lastPrices: new Map()
})

export const tags: ReadonlyArray<Tag> = [
  ...Capital.capitalTags,
  "Decided",
  "Planned",
  "Bound",
  "FeesEstimated",
  "FeeEchoed",
  "CancelRequested"
]

const legKey = (strategy: string, slot: string): string => `${strategy}\u0000${slot}`

/**
 * Continues from `books`, which it changes in place. The money of swaps by hand comes from outside and returns there, so they are no
 * strategy's trading. They count only `withByHand`, in the books of the whole account. The fee of a move always counts.
 */
export const make = (
  decimals: (symbol: string) => number | undefined,
  books: TradesBooks = emptyBooks(),
  withByHand = false
) => {
  const { markets, kinds, lastPrices } = books
  const see = (entry: Recorded): void => {
    const { at, event } = entry
    Capital.see(books, entry)
    if (event._tag === "StrategyLoaded") kinds.set(event.strategy, event.kind)
    else if (event._tag === "Decided") {
      const { ask, bid, elsewhere = [], priceAt } = event
      const first = markets.get(event.strategy)
      const own = first === undefined ? [] : [{ market: first, bid, ask, at: priceAt }]
      for (const { market, ...quote } of [...own, ...elsewhere]) {
        const price = Decimal.midpoint(quote.bid, quote.ask)
        lastPrices.set(market, { price, at: quote.at })
        Capital.value(books, market, price)
      }
    } else if (event._tag === "LegClosed") {
      endLeg(books, at, event)
      setAside(books, at, event)
    } else if ("placement" in event) ofPlacement({ books, withByHand }, event, at)
  }

  return { see, result: () => recordOf(books, decimals) }
}

export const recordOf = (
  { trades, losses, fees, flows, rounds, lives, planned, markets, lastPrices }: TradesBooks,
  decimals: (symbol: string) => number | undefined
): TradingRecord => {
  const orders = wholeLives([...lives, ...[...planned.values()].map(({ life }) => life)])
  const lifeFrom = new Map(orders.map((life) => [life.placement, life.lifeFrom]))
  const all = {
    ...{ trades: trades.toSorted((a, b) => a.at - b.at), losses, fees, rounds, markets, lastPrices },
    flows: flows.map((flow) => Capital.valued(flow, decimals)),
    orders: orders.filter((life) => !isMove(life))
  }
  return only(all, (each) => each.loss !== undefined || each.lifeFrom === lifeFrom.get(each.placement))
}

const only = (record: TradingRecord, is: (each: About & Pick<Trade, "loss">) => boolean): TradingRecord => ({
  ...record,
  trades: record.trades.filter(is),
  losses: record.losses.filter(is),
  fees: record.fees.filter(is),
  orders: record.orders.filter(is)
})

/** The fee of a move stays. */
export const withoutByHand = (record: TradingRecord): TradingRecord =>
  only(record, (each) => each.strategy !== byHand || isMove(each))

interface Reading {
  readonly books: TradesBooks
  readonly withByHand: boolean
}

const isNobodys = ({ withByHand }: Reading, strategy: string): boolean => strategy === byHand && !withByHand

/** The sale in which a strategy ends closes what all slots bought. Taking it back opens its own slot only. */
const turnsOf = (
  { kinds }: TradesBooks,
  { side, slot, strategy }: Pick<Trade, "side" | "slot" | "strategy">
): Pick<Trade, "byTurns"> => {
  const isEnd = side === "SELL" && slot === exitSlotOf(slot)
  return kindsByTurns.has(kinds.get(strategy) ?? "") && !isEnd ? { byTurns: true } : {}
}

/** A leg opposite to the waiting ones ends a round. A slot without a fill has not started a round. */
const endLeg = (
  { legs, rounds }: TradesBooks,
  at: number,
  { strategy, side, slot }: Pick<About, "strategy" | "slot"> & Pick<PlannedTerms, "side">
): void => {
  const legState = legs.get(legKey(strategy, slot))
  if (legState === undefined) return
  const leg = side === "BUY" ? 1 : -1
  const isBack = legState.waiting * leg < 0
  legState.waiting = isBack ? 0 : legState.waiting + leg
  if (isBack) rounds.push({ at, ...legState.about })
}

const setAside = ({ legs, losses }: TradesBooks, at: number, { rest, side, slot, strategy }: Of<"LegClosed">): void => {
  const about = legs.get(legKey(strategy, slot))?.about
  if (about === undefined || side === "BUY" || rest === 0n) return
  const { base, market, quote } = about
  const nothing = { fillId: "rest", side, baseAmount: 0n, quoteAmount: 0n } as const
  losses.push({ at, strategy, slot, placement: "", market, base, quote, ...nothing, setAside: rest })
}

const charge = (books: TradesBooks, fee: Fee): void => {
  const { fees, losses } = books
  fees.push(fee)
  const { amount, asset, at, base, inQuote: quoteAmount, kind, market, placement, quote, slot, strategy } = fee
  if (asset !== base || asset === quote || amount <= 0n) return
  const about = { at, strategy, slot, placement, market, base, quote, ...present({ lifeFrom: fee.lifeFrom }) }
  const side = "SELL"
  const loss = { ...about, fillId: `${kind} fee`, side, baseAmount: amount, quoteAmount, isFee: true } as const
  losses.push({ ...loss, ...turnsOf(books, { side, slot, strategy }) })
}

/** Takes back the end of a leg. The fees of the earlier life are reversed, because some readers keep only sums. */
const takeBack = (books: TradesBooks, event: Of<"TakenBack">, about: About): void => {
  const { fees, legs, rounds } = books
  const legsBack = [
    { kind: "payout", asset: event.outputAsset, amount: -event.payoutFee - feesOfMove(event) },
    { kind: "refund", asset: event.inputAsset, amount: -event.refundFee }
  ] as const
  for (const leg of legsBack) {
    if (leg.amount === 0n) continue
    const inQuote = leg.asset === about.quote ? leg.amount : -worth(event, -leg.amount)
    fees.push({ ...about, ...leg, inQuote, received: 0n, txHashes: [] })
  }
  const slotLeg = legs.get(legKey(about.strategy, about.slot))
  if (event.ended !== "FILLED" || event.isPart === true || slotLeg === undefined) return
  const leg = event.side === "SELL" ? -1 : 1
  // If no leg waits, this leg had ended a round, and the leg that it closed waits again.
  if (slotLeg.waiting === 0) rounds.push({ ...about, isTakenBack: true })
  slotLeg.waiting -= leg
}

const lose = (
  reading: Reading,
  { _tag, amount, asset, market, placement, slot, strategy }: Of<"WrittenOff" | "Found">,
  at: number
) => {
  const [base = "", quote = ""] = market.split("/")
  if (isNobodys(reading, strategy) || base === quote || (asset !== base && asset !== quote)) return
  const loss = _tag === "WrittenOff" ? "given up" : "found"
  const about = { at, strategy, slot, placement, market, base, quote, fillId: loss, loss } as const
  const side = (asset === base) === (loss === "given up") ? "SELL" : "BUY"
  const [baseAmount, quoteAmount] = asset === base ? [amount, 0n] : [0n, amount]
  reading.books.losses.push({
    ...about,
    side,
    baseAmount,
    quoteAmount,
    ...turnsOf(reading.books, { ...about, side })
  })
}

const remember = (reading: Reading, event: Of<"Planned"> | Of<"TakenBack">, at: number): void => {
  const { strategy, slot, placement, market, side, price, deadline, inputAmount, inputAsset, isPart, outputAmount } =
    event
  if (isNobodys(reading, strategy) && inputAsset !== event.outputAsset) return
  const [base, quote] = side === "SELL" ? [inputAsset, event.outputAsset] : [event.outputAsset, inputAsset]
  const about = { at, strategy, slot, placement, market, base, quote }
  const plan = { deadline, side, inputAmount, outputAmount, ...present({ isPart }) }
  reading.books.planned.set(placement, { event: plan, life: { ...about, side, price, plannedAt: at } })
}

const boundTo = ({ estimatedRefundFee, estimatedWithdrawFee, orderId }: BoundTo): BoundTo => ({
  estimatedRefundFee,
  estimatedWithdrawFee,
  orderId
})

const ofPlacement = (reading: Reading, event: PlacementEvent, at: number): void => {
  const { books } = reading
  const { fees, lastPrices, legs, lives, planned, trades } = books
  if (event._tag === "Planned") return remember(reading, event, at)
  if (event._tag === "WrittenOff" || event._tag === "Found") return lose(reading, event, at)
  if (event._tag === "TakenBack" && !planned.has(event.placement)) remember(reading, event, at)
  const plan = planned.get(event.placement)
  if (plan === undefined) return
  const { bound, life } = plan
  const { strategy, slot, placement, market, base, quote, lifeFrom } = life
  const note = (change: Partial<OrderLife>) => void planned.set(placement, { ...plan, life: { ...life, ...change } })
  const about = { strategy, slot, placement, market, base, quote, ...present({ lifeFrom }) }
  switch (event._tag) {
    case "Bound":
      return void planned.set(placement, { ...plan, bound: boundTo(event) })
    case "Settled":
      planned.delete(placement)
      lives.push(life)
      return
    case "FeesEstimated": {
      const { estimatedRefundFee, estimatedWithdrawFee } = event
      if (bound === undefined) return
      return void planned.set(placement, { ...plan, bound: { ...bound, estimatedRefundFee, estimatedWithdrawFee } })
    }
    case "FeeEchoed":
      return note({ echoedBasisPoints: event.basisPoints })
    case "DepositSeen":
      return note({ restingAt: life.restingAt ?? at })
    case "CancelRequested":
      return note({ wasRequoted: event.why.code === "requote" })
    case "Closed":
      note({ closedAt: at, status: event.status })
      if (event.status === "FILLED" && plan.event.isPart !== true)
        endLeg(books, at, { strategy, side: plan.event.side, slot })
      return
    case "FillSeen": {
      if (isMove(life)) {
        const fee = feeOfMove(event)
        const payout = { kind: "payout", asset: base, amount: fee, inQuote: fee, received: 0n, txHashes: [] } as const
        return void fees.push({ ...about, at: event.filledAt, ...payout })
      }
      const isSale = event.side === "SELL"
      const legsKey = legKey(strategy, slot)
      if (!legs.has(legsKey)) legs.set(legsKey, { waiting: 0, about })
      trades.push({
        ...about,
        at: event.filledAt,
        fillId: event.fillId,
        ...present({ orderId: bound?.orderId }),
        side: event.side,
        baseAmount: isSale ? event.amountIn : event.amountOut,
        quoteAmount: isSale ? event.amountOut : event.amountIn,
        ...turnsOf(books, { ...about, side: event.side })
      })
      if (strategy !== byHand) lastPrices.set(market, { price: event.price, at: event.filledAt })
      return note({ firstFillAt: Math.min(life.firstFillAt ?? event.filledAt, event.filledAt) })
    }
    case "PaidOut":
    case "Refunded": {
      const inQuote = (fee: Amount) => (event.asset === quote ? fee : worth(plan.event, fee))
      const estimated = event._tag === "PaidOut" ? bound?.estimatedWithdrawFee : bound?.estimatedRefundFee
      return charge(books, {
        ...about,
        at,
        kind: event._tag === "PaidOut" ? "payout" : "refund",
        asset: event.asset,
        amount: event.fee,
        inQuote: inQuote(event.fee),
        ...(estimated === undefined ? {} : { estimated, estimatedInQuote: inQuote(estimated) }),
        received: event.amount,
        txHashes: event.txHashes
      })
    }
    case "TakenBack":
      planned.set(placement, { ...plan, bound: boundTo(event), life: { ...life, lifeFrom: at } })
      return takeBack(books, event, { at, ...about })
  }
}

const isMove = ({ base, quote }: About): boolean => base === quote

/** A fee in base counts at the price of its order. */
const worth = ({ side, inputAmount, outputAmount }: PlannedTerms, fee: Amount): Amount => {
  const [quote, base] = side === "BUY" ? [inputAmount, outputAmount] : [outputAmount, inputAmount]
  return base === 0n ? 0n : Decimal.divideInteger(fee * quote, base, "up")
}
