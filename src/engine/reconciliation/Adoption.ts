/** Takes an order of the venue into the journal as a placement, after the journal was lost or when the operator names it. Sends nothing. */
import { Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { inputAsset } from "../../domain/Market.ts"
import { meaning } from "../protocol/Sightings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { type FoundOrder, plannedAs } from "./Recovery.ts"

export const adopt = Effect.fn("Adoption.adopt")(function* (found: FoundOrder) {
  const books = yield* Bookkeeper
  const id = `p${books.state.placementCount + 1}`
  yield* books.record(...plannedAs(found, id))
  const placement = books.state.placements.get(id)
  if (placement === undefined) return id
  const { asked, market, order } = found
  const facts = { market, expected: asked }
  yield* books.record(...meaning(placement, { order, via: "taken in" }, facts))
  const bound = books.state.placements.get(id)
  // Its deposit is recorded at once, because an order that looked unfunded would be funded again.
  if (bound !== undefined) yield* books.record(...meaning(bound, { order, via: "look" }, facts))
  return id
})

export const capitalOf = Effect.fnUntraced(function* ({ market, order, strategy }: FoundOrder) {
  const { state } = yield* Bookkeeper
  const { symbol: asset } = inputAsset(market, order.side)
  const amount = (state.strategies.get(strategy)?.budget.get(asset) ?? 0n) + order.depositedAmount
  return { _tag: "BudgetAllotted", strategy, asset, amount } satisfies BotEvent
})
