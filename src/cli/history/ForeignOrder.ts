/**
 * What a person may do with an order of the account that the journal does not know: cancel it, or adopt it, by its name. The
 * bot does neither by itself.
 */
import { Console, Effect, Schema } from "effect"
import { capitalOf, adopt as takeIn } from "../../engine/reconciliation/Adoption.ts"
import { recovered } from "../../engine/reconciliation/Recovery.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { Journal } from "../../journal/Journal.ts"
import { Venue } from "../../venue/Venue.ts"
import type * as ConfigFile from "../files/ConfigFile.ts"
import { eventsOf } from "../journal/JournalView.ts"
import * as Modes from "../Modes.ts"
import { Process } from "../Process.ts"

/** The order is not one that may be touched like this. */
class NotForeign extends Schema.TaggedError<NotForeign>()("NotForeign", { message: Schema.String }) {}

/** The order of this account with that id, which the journal does not know. */
const strangerOf = Effect.fnUntraced(function* (id: string, signerId: string, config: ConfigFile.BotConfig) {
  const bound = yield* eventsOf("Bound")
  if (bound.some(({ orderId }) => orderId === id))
    return yield* new NotForeign({ message: `${id} is an order of this journal: use limitbot cancel` })
  const { value: order } = yield* (yield* Venue).getOrder(id)
  const own = new Set([signerId, ...config.account.refundTo.values()])
  if (!own.has(order.refundTo))
    return yield* new NotForeign({ message: `${id} refunds to ${order.refundTo}, which is not this account` })
  return order
})

export const cancel = Effect.fn("ForeignOrder.cancel")(function* (
  config: ConfigFile.BotConfig,
  signerId: string,
  id: string
) {
  yield* strangerOf(id, signerId, config)
  const { value } = yield* (yield* Venue).cancelOrder(id)
  yield* Console.log(`${id}: cancel sent, the venue says ${value.fillStatus}; the refund goes to ${value.refundTo}`)
})

/** Needs the journal's lease: a running bot is ended first. */
export const adopt = Effect.fn("ForeignOrder.adopt")(function* (config: ConfigFile.BotConfig, id: string) {
  const account = yield* Modes.accountOf(config)
  const { pid } = yield* Process
  yield* Effect.gen(function* () {
    const books = yield* Bookkeeper
    yield* Journal
    const order = yield* strangerOf(id, account.signerId, config)
    const market = [...Modes.marketsByName(config.markets).values()].find(
      ({ base, quote }) => base.id === order.baseAsset && quote.id === order.quoteAsset
    )
    if (market === undefined)
      return yield* new NotForeign({ message: `${id} trades assets that are not in the configuration` })
    const found = { order, market, strategy: recovered, slot: `order-${id}` }
    yield* books.record(yield* capitalOf(found))
    const placement = yield* takeIn(found)
    yield* Console.log(`${id} is ${placement} now: the bot looks after it until its money is back`)
  }).pipe(Effect.provide(Modes.live(config, account, pid)))
})
