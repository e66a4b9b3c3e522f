/**
 * Moves one placement a step further: create, find, fund, send again. Every step is written to the journal before it
 * is taken, so the process may die between any two lines and the next start continues from the journal.
 *
 * The rules that make funding happen at most once:
 * - an order is inert until funded, so a create without an answer is only looked for, never assumed absent and never
 *   repeated; a swap without an answer is given up at once, because an unpaid quote is nothing and appears in no list;
 * - exactly one order is bound to a placement, after its whole echo was checked;
 * - one payload is signed per placement and only its bytes are ever sent (see `Funding`); silence alone never
 *   releases money that may have been paid (see `Payload`);
 * - money on another chain is paid by a wallet that is asked once, and again only on the operator's word (see
 *   `Paying`).
 */
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Venue } from "../../venue/Venue.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { concluded } from "../protocol/Silence.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { about, type Placement } from "../state/Placement.ts"
import { askedFor } from "../tracking/MoneyPath.ts"
import { bind } from "../tracking/OrderTracker.ts"
import * as Funding from "./Funding.ts"
import type { FundingInputs } from "./FundingInputs.ts"
import * as Paying from "./Paying.ts"
import { refusalOf } from "./Refusal.ts"

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const paying = yield* Paying.make
  const funding = yield* Funding.make(paying)
  /** When a create was last left without a clear answer. */
  let unclearAt = Number.NEGATIVE_INFINITY

  const record = (...events: ReadonlyArray<BotEvent>) => books.recordIfFits(...events)
  const fresh = (placement: Placement): Placement | undefined => books.state.placements.get(placement.id)
  const abandon = (placement: Placement, reason: string) => record({ _tag: "Abandoned", ...about(placement), reason })

  const create = Effect.fnUntraced(function* (placement: Placement, { market }: FundingInputs) {
    if (market === undefined) return yield* abandon(placement, "its market is not configured")
    const isSwap = placement.by === "swap"
    const path = askedFor(placement.side, market, settings.account)
    const attempt = placement.createAttempts + 1
    yield* record({ _tag: "CreateSent", ...about(placement), attempt, ...(isSwap ? {} : { path }) })
    const { side, quantity, price, deadline, inputAmount, outputAmount, terms } = placement
    const [baseAsset, quoteAsset] = [market.base.id, market.quote.id]
    const order = { side, quantity, price, deadline, baseAsset, quoteAsset, path, ...present({ terms }) }
    const answer = yield* Effect.result(
      isSwap ? venue.createSwap({ ...order, inputAmount, outputAmount }) : venue.createOrder(order)
    )
    if (answer._tag === "Success") {
      const { value, correlationId } = answer.success
      const current = fresh(placement)
      if (current === undefined) return
      if (!isSwap && isOfAnother(current, value)) {
        unclearAt = yield* Clock.currentTimeMillis
        return yield* Effect.logDebug(`The answer to the create of ${current.id} is that of another order`)
      }
      return yield* record(...bind(current, market, value, settings.account, "reply", correlationId))
    }
    const refusal = yield* refusalOf(answer.failure)
    if (answer.failure.reason._tag === "OutcomeUnknown") unclearAt = yield* Clock.currentTimeMillis
    // Unless the create was clearly refused, the order may exist; the list will show it by its unique deadline.
    if (!refusal.certain && answer.failure.reason._tag !== "RetryLater" && !isSwap) return
    const { code, text } = refusal
    const reason = isSwap ? `no swap: ${text}` : `the venue refused to create it: ${code}: ${text}`
    const refused = { _tag: "CreateRefused", ...about(placement), code, text } as const
    yield* record(
      { ...refused, ...present({ correlationId: answer.failure.reason.correlationId }) },
      { _tag: "Abandoned", ...about(placement), reason }
    )
  })

  /** A connection may deliver an answer twice, and so the answer to one create as that to the next. */
  const isOfAnother = (placement: Placement, { deadline, id }: Order): boolean =>
    [...books.state.placements.values()].some(
      (other) =>
        other.id !== placement.id &&
        (other.order?.id === id || (deadline !== placement.deadline && deadline === other.deadline))
    )

  /** One step, or several that need no wait in between. Fails only when the bot must stop or cannot reach the venue. */
  const advance = Effect.fn("Placing.advance")(function* (placement: Placement, inputs: FundingInputs) {
    const now = yield* Clock.currentTimeMillis
    if (placement.state === "planned") yield* create(placement, inputs)
    const quietMillis = elapsedMillis(placement.changedAt, now)
    if (placement.state === "creating") yield* record(...concluded(placement, { quietMillis }, settings))
    const bound = fresh(placement)
    if (bound?.state === "created") yield* funding.begin(bound, inputs)
    if (placement.state === "funding" || placement.state === "in doubt") {
      if (placement.funding.payment !== undefined) yield* paying.follow(placement, now, inputs)
      yield* funding.follow(placement, inputs)
    }
  })

  return { advance, isHopeless: funding.isHopeless, unclearAt: () => unclearAt }
})
