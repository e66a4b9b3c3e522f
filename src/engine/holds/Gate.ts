/** The gate of a placement's next step: directly before the step, asks the table of holds with the facts that only this process knows. */
import { Clock, Effect } from "effect"
import { inputAsset, type Market, outputAsset, type TwoSidedPrice } from "../../domain/Market.ts"
import { LeaseLost } from "../../journal/Lease.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { FundingHold, Venue } from "../../venue/Venue.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { marketOf, type Placement } from "../state/Placement.ts"
import { closedBecause, type Step } from "./Holds.ts"

interface GateOptions {
  readonly markets: ReadonlyMap<string, Market>
  /** Reason why no money may leave now that is not recorded yet, such as a kill switch set a moment ago. */
  readonly stopped: Effect.Effect<string | undefined>
  /** `undefined` if the strategy is not loaded. */
  readonly limitsOf: (strategy: string) => Limits | undefined
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
}

export const make = Effect.fnUntraced(function* ({ limitsOf, markets, prices, stopped }: GateOptions) {
  const { state } = yield* Bookkeeper
  const settings = yield* EngineSettings
  const { clockSkewMillis } = yield* Venue
  const incidentOf = yield* FundingHold
  const leaseLost = yield* LeaseLost

  return Effect.fnUntraced(function* (placement: Placement, step: Step) {
    const market = marketOf(placement, markets)
    const assets = market && [inputAsset(market, placement.side).id, outputAsset(market, placement.side).id]
    return closedBecause(state, placement, step, {
      incident: assets && (yield* incidentOf(assets)),
      stopped: yield* stopped,
      limits: limitsOf(placement.strategy),
      price: prices.get(placement.market),
      skewMillis: yield* clockSkewMillis,
      leaseLost: yield* leaseLost,
      settings,
      now: yield* Clock.currentTimeMillis
    })
  })
})
