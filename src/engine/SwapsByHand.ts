/** Advances swaps by hand without a running bot. A running bot does not need this file: its turns advance every placement. */
import { Clock, Effect } from "effect"
import { isFinished } from "../domain/Placement.ts"
import type { AgreedSwap } from "../domain/SwapRecord.ts"
import { LeaseLost } from "../journal/Lease.ts"
import { Venue } from "../venue/Venue.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as Gate from "./holds/Gate.ts"
import * as Driver from "./protocol/Driver.ts"
import { meaning } from "./protocol/Sightings.ts"
import { Bookkeeper, change, noteLease } from "./state/Bookkeeper.ts"
import type { BotState } from "./state/BotState.ts"
import { marketOf, type Placement } from "./state/Placement.ts"
import { startEvents } from "./state/swaps/SwapByHand.ts"
import { isUnproven } from "./tracking/EarlyEnd.ts"
import { readOrder } from "./tracking/OrderReads.ts"

const nameAfter = ({ swapCount }: BotState): string => `s${swapCount + 1}`

export const begin = Effect.fn("SwapsByHand.begin")(function* (agreed: AgreedSwap) {
  const books = yield* Bookkeeper
  let name = ""
  yield* books.recordFrom((state) => {
    name = nameAfter(state)
    return startEvents(name, agreed)
  })
  return name
})

/** `stopped` returns a reason why no money may leave now that is not in the journal, such as the kill switch. */
export const make = Effect.fnUntraced(function* (stopped: Effect.Effect<string | undefined>) {
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const leaseLost = yield* LeaseLost
  const settings = yield* EngineSettings
  const driver = yield* Driver.make
  const gate = yield* Gate.make({ markets: new Map(), stopped, limitsOf: () => undefined, prices: new Map() })

  const look = Effect.fnUntraced(function* ({ by, id, order }: Placement) {
    if (order === undefined) return
    const { correlationId, value } = yield* readOrder(venue, by, order)
    const now = yield* Clock.currentTimeMillis
    yield* change(books, id, (current) =>
      isFinished(current.state)
        ? []
        : meaning(
            current,
            { order: value, via: "look", correlationId },
            {
              market: undefined,
              expected: settings.account,
              manner: { isEndUnbelieved: isUnproven(current, value.fillStatus, now, undefined) }
            }
          )
    )
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
