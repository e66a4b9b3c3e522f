/** A fill, as it is shown as it happens: what was exchanged, and at which price. */
import { Schema } from "effect"
import type { Of } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { priceOf } from "../report/text/FillsText.ts"
import * as Money from "../report/text/Money.ts"
import { asOf, Side, Time } from "./AsOf.ts"

const Text = Schema.String

export const FillView = Schema.Struct({
  sequence: Schema.Int,
  at: Time,
  slot: Text,
  /** Fills of one order have the same. */
  placement: Text,
  market: Text,
  side: Side,
  price: Text,
  paid: Text,
  paidAsset: Text,
  received: Text,
  receivedAsset: Text,
  fillId: Text
})
export type FillView = typeof FillView.Type
export const Fills = Schema.Struct({ ...asOf, fills: Schema.Array(FillView) })

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
