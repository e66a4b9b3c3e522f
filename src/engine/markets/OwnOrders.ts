/** Our side of the book: the bot's orders that are still open at the venue, by market. */
import type { OwnOrder } from "../../domain/Book.ts"
import { perEvent, unfinished } from "../state/BotState.ts"
import { openQuantity } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"

export const restingIn = perEvent((state): ReadonlyMap<string, ReadonlyArray<OwnOrder>> => {
  const resting = unfinished(state).filter(
    (placement) => placement.state === "open" && placement.by === undefined && openQuantity(placement) > 0n
  )
  return new Map(
    [...Map.groupBy(resting, ({ market }) => market)].map(([market, placements]) => [
      market,
      placements.map((placement) => ({
        side: placement.side,
        price: placement.price,
        quantity: openQuantity(placement),
        slot: slotKey(placement.strategy, placement.slot)
      }))
    ])
  )
})
