/**
 * Lets a person handle an order of the account that the journal does not know: cancel it, or adopt it, by its name. The bot does neither by
 * itself.
 */
import { Console, Effect, Schema } from "effect"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { capitalOf, adopt as takeIn } from "../../engine/reconciliation/Adoption.ts"
import { isPaid } from "../../engine/reconciliation/Reconciliation.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { Process } from "../../process/Process.ts"
import { Venue } from "../../venue/Venue.ts"
import { eventsOf } from "../journal/JournalView.ts"

class NotAForeignOrder extends Schema.TaggedError<NotAForeignOrder>()("NotAForeignOrder", { message: Schema.String }) {}

/** Returns the order of this account with that id. Fails if the journal knows it. */
const foreignOrderOf = Effect.fnUntraced(function* (id: string, signerId: string, config: ConfigFile.BotConfig) {
  const bound = yield* eventsOf("Bound")
  if (bound.some(({ orderId }) => orderId === id))
    return yield* new NotAForeignOrder({ message: `${id} is an order of this journal: use limitbot cancel` })
  const { value: order } = yield* (yield* Venue).getOrder(id)
  const { recipients, refundTo } = config.account
  if (order.refundTo !== signerId && ![...refundTo.values()].includes(order.refundTo))
    return yield* new NotAForeignOrder({ message: `${id} refunds to ${order.refundTo}, which is not this account` })
  return { order, isPaidToUs: order.recipient === signerId || [...recipients.values()].includes(order.recipient) }
})

export const cancel = Effect.fn("ForeignOrder.cancel")(function* (
  config: ConfigFile.BotConfig,
  signerId: string,
  id: string
) {
  yield* foreignOrderOf(id, signerId, config)
  const { value } = yield* (yield* Venue).cancelOrder(id)
  yield* Console.log(`${id}: cancel sent, the venue reports ${value.fillStatus}; the refund goes to ${value.refundTo}`)
})

/** Needs the journal's lease, so a running bot must be stopped first. */
export const adopt = Effect.fn("ForeignOrder.adopt")(function* (config: ConfigFile.BotConfig, id: string) {
  const account = yield* Layers.accountOf(config)
  const { pid } = yield* Process
  yield* Effect.gen(function* () {
    const books = yield* Bookkeeper
    const { isPaidToUs, order } = yield* foreignOrderOf(id, account.signerId, config)
    // The bot pays for orders of its journal, and books what they pay out as its own.
    if (order.depositedAmount === 0n)
      return yield* new NotAForeignOrder({ message: `${id} holds no money: there is nothing to track` })
    if (isPaid(order)) return yield* new NotAForeignOrder({ message: `${id} has ended, and its money is already back` })
    if (!isPaidToUs)
      return yield* new NotAForeignOrder({ message: `${id} pays out to ${order.recipient}, which is not this account` })
    const market = [...Layers.marketsByName(config.markets).values()].find(
      ({ base, quote }) => base.id === order.baseAsset && quote.id === order.quoteAsset
    )
    if (market === undefined)
      return yield* new NotAForeignOrder({ message: `${id} trades assets that are not in the configuration` })
    const foreignOrder = {
      order,
      market,
      strategy: recovered,
      slot: slotOfFound(id),
      because: "adopted by the operator"
    }
    yield* books.record(yield* capitalOf(foreignOrder))
    const placement = yield* takeIn(foreignOrder)
    yield* Console.log(`${id} is ${placement} now: the bot tracks it until its money is back`)
  }).pipe(Effect.provide(Layers.live(config, account, pid)))
})
