/**
 * Begins swaps by hand, and advances them without a running bot, whose turns advance every placement. A swap by hand is a placement. The
 * operator agreed to a quote, so its order exists from the beginning, without price limit or budget.
 */
import { Clock, Effect } from "effect"
import { formatWithSymbol } from "../domain/Amount.ts"
import type { BotEvent } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { monotonicMillis } from "../domain/Durations.ts"
import { isTerminal } from "../domain/Order.ts"
import { byHand, isFinished } from "../domain/Placement.ts"
import { present } from "../domain/Present.ts"
import type { AgreedSwap } from "../domain/SwapRecord.ts"
import { LeaseLost } from "../journal/Lease.ts"
import { Venue } from "../venue/Venue.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as Gate from "./holds/Gate.ts"
import * as Driver from "./protocol/Driver.ts"
import { meaning } from "./protocol/Sightings.ts"
import { Bookkeeper, change, noteLease } from "./state/Bookkeeper.ts"
import { marketOf, type Placement } from "./state/Placement.ts"
import { isUnproven } from "./tracking/EarlyEnd.ts"
import { readOrder } from "./tracking/OrderReads.ts"

/** The quoted price is only for people. */
const priceScale = 12

export const about = (swap: string) => ({ strategy: byHand, slot: swap, placement: swap })

export const startEvents = (name: string, swap: AgreedSwap): ReadonlyArray<BotEvent> => {
  const { amountIn, amountOut, deadline, depositAddress, depositMemo, destination, origin, refundFee = 0n } = swap
  const input = Decimal.make(amountIn, origin.decimals)
  const price = Decimal.divide(Decimal.make(amountOut, destination.decimals), input, priceScale, "down")
  const text = `Swap by hand: ${formatWithSymbol(amountIn, origin)} for ${formatWithSymbol(amountOut, destination)}`
  return [
    {
      _tag: "Planned",
      ...about(name),
      market: `${origin.symbol}/${destination.symbol}`,
      side: "SELL",
      price,
      quantity: amountIn,
      by: "swap",
      inputAsset: origin.symbol,
      inputAmount: amountIn,
      outputAsset: destination.symbol,
      outputAmount: promised(swap),
      deadline,
      why: { code: "by-hand", text },
      swap
    },
    { _tag: "CreateSent", ...about(name), attempt: 1 },
    {
      _tag: "Bound",
      ...about(name),
      orderId: depositAddress,
      depositAddress,
      ...present({ depositMemo }),
      via: "reply",
      estimatedWithdrawFee: 0n,
      estimatedRefundFee: refundFee,
      ...present({ correlationId: swap.correlationId })
    }
  ]
}

/** Minimum output of the whole input. For a flexible input the venue promises none. */
const promised = ({ minAmountOut = 0n, swapType }: AgreedSwap): bigint =>
  swapType === "EXACT_INPUT" || swapType === "EXACT_OUTPUT" ? minAmountOut : 0n

export const begin = Effect.fn("SwapsByHand.begin")(function* (agreed: AgreedSwap) {
  const books = yield* Bookkeeper
  let name = ""
  yield* books.recordFrom(({ swapCount }) => {
    name = `s${swapCount + 1}`
    return startEvents(name, agreed)
  })
  return name
})

/** `stopped` returns a reason why no money may leave now that is not recorded yet, such as a kill switch set a moment ago. */
export const make = Effect.fnUntraced(function* (stopped: Effect.Effect<string | undefined>) {
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const leaseLost = yield* LeaseLost
  const settings = yield* EngineSettings
  const driver = yield* Driver.make
  const gate = yield* Gate.make({ markets: new Map(), stopped, limitsOf: () => undefined, prices: new Map() })

  const look = Effect.fnUntraced(function* ({ by, id, order: bound }: Placement) {
    if (bound === undefined) return
    const { correlationId, value: order } = yield* readOrder(venue, by, bound)
    const [now, monotonic] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
    const shownMillis = books.tries.heldMillis("ended", id, isTerminal(order.fillStatus), monotonic)
    const sighting = { order, via: "look", correlationId, market: undefined, expected: settings.account } as const
    yield* change(books, id, (current) => {
      if (isFinished(current.state)) return []
      const isEndUnbelieved = isUnproven(current, order.fillStatus, { now, shownMillis }, undefined)
      return meaning(current, { ...sighting, manner: { isEndUnbelieved } })
    })
  })

  const advance = Effect.fn("SwapsByHand.advance")(function* (name: string, payAgain: ReadonlySet<string> = new Set()) {
    const placement = books.state.placements.get(name)
    if (placement === undefined || isFinished(placement.state)) return
    yield* noteLease(books, yield* leaseLost)
    yield* driver.advance(placement, { market: marketOf(placement, new Map()), gate, payAgain })
    const current = books.state.placements.get(name)
    if (current !== undefined && !isFinished(current.state)) yield* look(current)
  })

  return { advance }
})
