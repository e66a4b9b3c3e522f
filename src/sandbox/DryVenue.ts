/**
 * The venue of a dry run: prices are real (every quote goes to the real venue), orders are not. Nothing is created, signed or cancelled at
 * the real venue. Orders live in this process and are "funded" without a signature. An order fills at its limit when a quote in its own
 * direction reaches the limit; a swap fills as soon as it is funded. Both end at their deadline, and pay out at once, without fees. No
 * state outlives the process, so a dry run starts with an empty journal.
 */
import { Clock, Effect, Layer } from "effect"
import type { Asset } from "../domain/Amount.ts"
import { inputAmount, type Market, outputAmount } from "../domain/Market.ts"
import type { MoneyPlaces } from "../domain/MoneyPath.ts"
import type { Order } from "../domain/Order.ts"
import { type GeneratedIntent, IntentGuard } from "../signing/IntentGuard.ts"
import { worsePrice } from "../venue/SwapOrders.ts"
import { type Answer, type CreateOrder, type CreateSwap, type DryQuote, Venue } from "../venue/Venue.ts"
import { pathOf } from "../venue/VenueConfig.ts"
import { heldBackCode, refusal } from "../venue/VenueError.ts"

const answer = <A>(value: A): Answer<A> => ({ value, correlationId: "dry-run" })

export const layer = ({ assets, account }: { readonly assets: ReadonlyArray<Asset>; readonly account: MoneyPlaces }) =>
  Layer.effect(
    Venue,
    Effect.gen(function* () {
      const live = yield* Venue
      const orders = new Map<string, Order>()
      const assetOf = new Map(assets.map((asset) => [asset.id, asset]))
      let count = 0

      const begin = Effect.fnUntraced(function* (operation: string, request: CreateOrder, kind: string) {
        const [base, quote] = [assetOf.get(request.baseAsset), assetOf.get(request.quoteAsset)]
        if (!base || !quote) return yield* refusal(operation, "validation-failed", "unknown asset")
        const now = yield* Clock.currentTimeMillis
        const market: Market = { name: `${base.symbol}/${quote.symbol}`, base, quote }
        return newOrder(market, request, account, `${kind}-${++count}`, now)
      })

      const createOrder = Effect.fnUntraced(function* (request: CreateOrder) {
        const order = yield* begin("create order", request, "dry")
        orders.set(order.id, order)
        return answer(order)
      })

      const createSwap = Effect.fnUntraced(function* (swap: CreateSwap) {
        const { id, ...order } = yield* begin("quote a swap", swap, "dry-swap")
        const { originAsset, destinationAsset, inputAmount: amount, outputAmount: least } = order
        const { amountOut } = (yield* live.dryQuote({ originAsset, destinationAsset, amount })).value
        if (amountOut < least) return yield* refusal("quote a swap", "worse-price", worsePrice(amountOut, least))
        const quoted = { ...order, id, depositAddress: id, outputAmount: amountOut }
        orders.set(id, quoted)
        return answer(quoted)
      })

      const expire = expireIn(orders)
      const find = Effect.fnUntraced(function* (operation: string, id: string) {
        yield* expire
        return orders.get(id) ?? (yield* refusal(operation, "order-not-found", id))
      })

      const cancelOrder = Effect.fnUntraced(function* (id: string) {
        const order = yield* find("cancel order", id)
        if (order.payoutIsFinal) return yield* refusal("cancel order", "order-rejected", `it is ${order.fillStatus}`)
        return answer(settle(orders, order, "CANCELED"))
      })

      return Venue.of({
        ...live,
        createOrder,
        createSwap,
        cancelOrder,
        getSwap: (depositAddress) => Effect.map(find("get swap", depositAddress), answer),
        getOrder: (id) => Effect.map(find("get order", id), answer),
        listOrders: () =>
          Effect.map(expire, () =>
            answer({ orders: [...orders.values()].filter((order) => !order.payoutIsFinal).reverse() })
          ),
        generateIntent: (depositAddress) => Effect.succeed(answer({ standard: "dry-run", payload: depositAddress })),
        submitIntent: Effect.fnUntraced(function* ({ body, hold = Effect.undefined, intentHash }) {
          const holdReason = yield* hold
          if (holdReason !== undefined) return yield* refusal("submit intent", heldBackCode, holdReason)
          const at = yield* expire
          const order = [...orders.values()].find(({ depositAddress }) => depositAddress === body)
          if (order !== undefined && order.depositedAmount === 0n) {
            const funded = { ...order, depositedAmount: order.inputAmount }
            if (order.payoutIsFinal) settle(orders, funded, order.fillStatus)
            else if (order.id === order.depositAddress) fill(orders, funded, at)
            else orders.set(order.id, { ...funded, fillStatus: "OPEN" })
          }
          return answer({ intentHash })
        }),
        dryQuote: (request) =>
          Effect.tap(live.dryQuote(request), ({ value }) =>
            Effect.map(expire, (at) => {
              for (const order of orders.values())
                if (order.fillStatus === "OPEN" && isReached(order, request, value)) fill(orders, order, at)
            })
          ),
        balances: Effect.succeed([])
      })
    })
  )

export const guardLayer: Layer.Layer<IntentGuard> = Layer.succeed(
  IntentGuard,
  IntentGuard.of({
    signTransfer: ({ payload }: GeneratedIntent, { depositAddress }) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        body: depositAddress,
        intentHash: `dry-run ${String(payload)}`,
        validUntil: now + 120_000
      }))
  })
)

const newOrder = (market: Market, request: CreateOrder, places: MoneyPlaces, id: string, createdAt: number): Order => {
  const { side, baseAsset, quoteAsset, quantity, price, deadline } = request
  const path = pathOf(places, request)
  return {
    id,
    side,
    baseAsset,
    quoteAsset,
    ...path,
    quantity,
    price,
    inputAmount: inputAmount(market, side, quantity, price),
    outputAmount: outputAmount(market, side, quantity, price),
    depositAddress: `${id}-deposit`,
    depositType: path.refundType,
    appFeeBasisPoints: 0,
    fillStatus: "AWAITING_DEPOSIT",
    depositedAmount: 0n,
    fills: [],
    withdrawals: [],
    payoutIsFinal: false,
    estimatedWithdrawFee: 0n,
    estimatedRefundFee: 0n,
    deadline,
    createdAt
  }
}

const expireIn = (orders: Map<string, Order>) =>
  Effect.map(Clock.currentTimeMillis, (at) => {
    for (const order of orders.values())
      if (!order.payoutIsFinal && order.deadline <= at) settle(orders, order, "EXPIRED")
    return at
  })

const isReached = (
  order: Order,
  { destinationAsset, originAsset }: Pick<Order, "destinationAsset" | "originAsset">,
  quote: DryQuote
): boolean =>
  order.originAsset === originAsset &&
  order.destinationAsset === destinationAsset &&
  quote.amountIn > 0n &&
  quote.amountOut * order.inputAmount >= order.outputAmount * quote.amountIn

const fill = (orders: Map<string, Order>, order: Order, at: number): void => {
  const { inputAmount: amountIn, outputAmount: amountOut } = order
  settle(orders, { ...order, fills: [{ id: `${order.id}-fill`, amountIn, amountOut, at }] }, "FILLED")
}

const settle = (orders: Map<string, Order>, order: Order, fillStatus: string): Order => {
  const leg = { status: "COMPLETED", txHash: `${order.id}-payment` }
  const isFilled = fillStatus === "FILLED"
  const settled: Order = {
    ...order,
    fillStatus,
    payoutIsFinal: true,
    withdrawals: isFilled ? [leg] : [],
    ...(isFilled || order.depositedAmount === 0n ? {} : { refund: leg })
  }
  orders.set(order.id, settled)
  return settled
}
