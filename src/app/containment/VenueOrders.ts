/** Lists the account's orders at the venue that have not ended, even unknown ones. Needs the account's key. */
import { Effect, Stream } from "effect"
import { toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { partiesIn } from "../../engine/observation/SharedOrders.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { concerns, orderPages } from "../../engine/tracking/OrderReads.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import { Venue } from "../../venue/Venue.ts"
import type { Loose } from "../cluster/AccountWord.ts"

export const name = "Orders that the venue lists"

/** An operator in an emergency does not wait for a venue that is down. A contained account has a short list. */
const patience = "20 seconds"

const isOver = (order: Order): boolean =>
  isTerminal(order.fillStatus) &&
  (neverHeldMoney(order) || (order.payoutIsFinal && order.refund?.status !== "IN_PROGRESS"))

/** The venue lists such an order without limit. A valid signed payment to it is in other lists, and its deposit would come back. */
const neverHeldMoney = ({ depositedAmount, fills, refund, withdrawals }: Order): boolean =>
  depositedAmount === 0n && fills.length + withdrawals.length === 0 && refund === undefined

type Settings = Pick<ConfigFile.BotSettings, "account" | "markets" | "venue">

/** Our account and its addresses, also from before an edit. The list has the orders of all accounts of the API key. */
const partiesOf = ({ account }: Settings, signerId: string, state: BotState): ReadonlySet<string> =>
  new Set([
    ...partiesIn({ signerId, addresses: account }),
    ...[...state.placements.values()].flatMap(({ path }) => (path === undefined ? [] : [path.recipient, path.refundTo]))
  ])

const openOrdersOf = Effect.fnUntraced(function* (config: Settings, signerId: string, state: BotState) {
  const own = new Set([...state.placements.values()].flatMap(({ order }) => (order === undefined ? [] : [order.id])))
  const parties = partiesOf(config, signerId, state)
  const isOurs = (order: Order) => own.has(order.id) || concerns(parties, order)
  const pages = yield* Stream.runCollect(orderPages(yield* Venue, { unfinishedOnly: true, parties }))
  const byId = new Map(config.markets.assets.map((asset) => [asset.id, asset]))
  const orders = pages.flatMap((page) => page.orders).filter((order) => isOurs(order) && !isOver(order))
  const orderEntries = orders.map((order): Loose => {
    const base = byId.get(order.baseAsset)
    const quantity = Decimal.format(toDecimal(order.quantity, base?.decimals ?? 0))
    const whose = own.has(order.id) ? "" : ", not in the journal"
    const amount = base === undefined ? `${quantity} smallest units` : `${quantity} ${base.symbol}`
    return { id: order.id, text: `${order.side} ${order.fillStatus}${whose}`, amount, until: order.deadline }
  })
  const odd = pages.flatMap((page) => page.odd ?? []).map(({ id }) => ({ id: id ?? "?", text: "cannot be read" }))
  return [...orderEntries, ...odd]
})

export const listed = Effect.fn("VenueOrders.listed")(function* (config: Settings, signerId: string, state: BotState) {
  const openOrders = yield* openOrdersOf(config, signerId, state).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail({ message: `it did not answer within ${patience}` })
    })
  )
  return { at: `${config.venue.url}, the unfinished orders of ${signerId}`, found: openOrders }
})
