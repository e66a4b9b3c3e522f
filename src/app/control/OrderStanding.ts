/** Where each order by hand stands, by the files beside the journal and the bot's state. */
import { Effect } from "effect"
import type { OrderStanding } from "../../control/api/Order.ts"
import { bySymbol } from "../../domain/Amount.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { slotsOf } from "../../views/Slots.ts"
import { isOver } from "./OrderBudget.ts"
import { sentenceOf } from "./OrderRule.ts"

type Kept = Pick<BotSettings, "journal" | "markets">

export const standingIn = (state: BotState, { markets }: Kept, slot: string) => {
  const row = slotsOf(state, bySymbol(markets.assets), new Map()).find((each) => each.slot === slot)
  const [strategy = "", id = ""] = slot.split("/")
  const filled = row?.filled ?? ""
  if (!isOver(state, strategy, id))
    return { filled, state: row?.state.replace("empty", "waits") ?? "waits", why: row?.why ?? "not planned yet" }
  return (state.slots.get(slot)?.completedLegs ?? 0) > 0
    ? { filled: "100 %", state: "filled", why: "it is done, and its money is in the account" }
    : { filled, state: "expired", why: "nothing of it filled in time, and its money is back" }
}

export const listed = Effect.fn("OrderStanding.listed")(function* (config: Kept, state: BotState) {
  const rows = yield* Effect.forEach(Layers.marketsByName(config.markets).values(), (market) =>
    Effect.map(ByHand.textOf(ByHand.fileOf(config.journal, market)), (text) =>
      [...ByHand.ordersIn(text)].map(([order, rule]): OrderStanding => {
        const standing = standingIn(state, config, slotKey(ByHand.strategyOf(market), order))
        return { order, terms: sentenceOf(market, rule), ...standing }
      })
    )
  )
  return rows.flat()
})
