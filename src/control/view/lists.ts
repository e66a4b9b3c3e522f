/** The state's lists as the API shows them: slots, orders, fills, money. Pure. */

import { places } from "../../domain/Accounts.ts"
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { filledBase, openQuantity, type Placement } from "../../engine/state/Placement.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import type { Row } from "../../ledger/Profit.ts"
import { priceOf } from "../../report/text/FillsText.ts"
import * as Money from "../../report/text/Money.ts"
import type { Book, FillView, Money as MoneyView, Orders, PriceView, Slots } from "../api/Views.ts"
import { type LiveProfit, slotEarned } from "./LiveProfit.ts"
import { slotRows } from "./SlotRows.ts"

export const priceView = (market: string, price: TwoSidedPrice): PriceView => ({
  market,
  mid: shown(mid(price)),
  ...quoteView(price)
})

export const quoteView = ({ bid, ask, at }: TwoSidedPrice) => ({ bid: shown(bid), ask: shown(ask), at })

/** Ten digits: quotes come with many more that mean nothing. */
const shown = (price: Decimal.Decimal): string => Decimal.short(price, 10)

const toneOf = { red: "alarm", green: "buy", cyan: "sell", dim: "quiet" } as const

export const slotViews = (
  state: BotState,
  assets: Money.Assets,
  prices: ReadonlyMap<string, TwoSidedPrice>,
  profit: LiveProfit["slots"]
): (typeof Slots.Type)["slots"] => {
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  return slotRows(state, assets, prices).map((row) => {
    const strategy = row.slot.slice(0, row.slot.indexOf("/"))
    const placement = live.get(row.slot)
    const market = placement?.market ?? state.strategies.get(strategy)?.loaded?.market ?? ""
    const own = profit.get(row.slot)
    return {
      slot: row.slot,
      strategy,
      market,
      side: row.side,
      price: row.price,
      quantity: row.quantity,
      filled: row.filled,
      state: row.state,
      since: placement?.changedAt ?? null,
      distance: placement === undefined ? null : distance(placement, prices.get(placement.market)),
      legs: Number(row.legs),
      earned: own === undefined ? null : earnedText(assets, own),
      inventory: own === undefined ? null : inventoryText(assets, own),
      why: row.why,
      tone: toneOf[row.colour]
    }
  })
}

const earnedText = (assets: Money.Assets, row: Row): string | null => {
  const earned = slotEarned(row)
  return earned === undefined ? null : Money.amountText(assets, row.quote, earned)
}

const inventoryText = (assets: Money.Assets, { quote, figures: { inventory } }: Row): string | null =>
  inventory === 0n ? null : Money.amountText(assets, quote, inventory)

/** Distance of the order from the mid price, as a share of it; negative below it. */
const distance = ({ price }: Placement, now: TwoSidedPrice | undefined): number | null => {
  if (now === undefined) return null
  const present = Decimal.toNumber(mid(now))
  return (Decimal.toNumber(price) - present) / present
}

const baseOf = ({ side, inputAsset, outputAsset }: Placement): string => (side === "SELL" ? inputAsset : outputAsset)

export const orderViews = (state: BotState, assets: Money.Assets): (typeof Orders.Type)["orders"] =>
  unfinished(state).map((placement) => ({
    slot: slotKey(placement.strategy, placement.slot),
    placement: placement.id,
    orderId: placement.order?.id ?? null,
    market: placement.market,
    side: placement.side,
    price: Decimal.format(placement.price),
    quantity: Money.amountText(assets, baseOf(placement), placement.quantity),
    filled: Money.amountText(assets, baseOf(placement), filledBase(placement)),
    state: placement.state,
    status: placement.status ?? null,
    deadline: placement.deadline,
    depositAddress: placement.order?.depositAddress ?? null,
    why: placement.why.text
  }))

const notInBook: ReadonlySet<Placement["state"]> = new Set(["planned", "closing"])

/** Best first on both sides, while something can fill; an order being withdrawn stays until the venue says that it has ended. */
export const bookOrders = (state: BotState, assets: Money.Assets, market: string): (typeof Book.Type)["orders"] =>
  unfinished(state)
    .filter(
      (placement) => placement.market === market && !notInBook.has(placement.state) && openQuantity(placement) > 0n
    )
    .sort((a, b) => Decimal.compare(b.price, a.price))
    .map((placement) => ({
      side: placement.side,
      price: Decimal.format(placement.price),
      quantity: Money.amountText(assets, baseOf(placement), placement.quantity),
      filled: Money.amountText(assets, baseOf(placement), filledBase(placement)),
      slot: slotKey(placement.strategy, placement.slot),
      state: placement.state
    }))

export const fillView = (sequence: number, event: Of<"FillSeen">, assets: Money.Assets): FillView => {
  const [base, quote] =
    event.side === "BUY" ? [event.outputAsset, event.inputAsset] : [event.inputAsset, event.outputAsset]
  const exchanged =
    event.side === "BUY"
      ? { baseAmount: event.amountOut, quoteAmount: event.amountIn }
      : { baseAmount: event.amountIn, quoteAmount: event.amountOut }
  return {
    sequence,
    at: event.filledAt,
    slot: slotKey(event.strategy, event.slot),
    placement: event.placement,
    market: `${base}/${quote}`,
    side: event.side,
    price: Decimal.format(priceOf({ base, quote, ...exchanged }, assets) ?? event.price),
    paid: Money.amountText(assets, event.inputAsset, event.amountIn),
    paidAsset: event.inputAsset,
    received: Money.amountText(assets, event.outputAsset, event.amountOut),
    receivedAsset: event.outputAsset,
    fillId: event.fillId
  }
}

export const moneyView = (state: BotState, assets: Money.Assets): Omit<typeof MoneyView.Type, "at" | "sequence"> => ({
  places,
  rows: Money.rows(state.ledger, assets),
  notCounted: Money.notCounted(state.ledger, assets),
  residual: Money.residual(state.ledger, assets)
})
