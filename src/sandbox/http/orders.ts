/** The order endpoints. An order is encoded as the contract demands, with the lie that a test may have chosen for it. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Amount from "../../domain/Amount.ts"
import { isTerminal } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import type { CreateOrderRequest } from "../../venue/api/OrdersApi.ts"
import { nextMeta, orderError } from "../../venue/wire/WireError.ts"
import type { WireOrder, WireOrderAttributes } from "../../venue/wire/WireOrder.ts"
import { type Command, ownOrder } from "../core/Commands.ts"
import { isPayoutFinal, payoutStatus } from "../core/orders/OrderLife.ts"
import type { Lie, SandboxOrder, State } from "../core/State.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { ownerOf } from "./callers.ts"
import { Faults } from "./Faults.ts"
import { sandboxForOrders } from "./refusals.ts"

const defaultPageSize = 50

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForOrders
    const faults = yield* Faults
    const answerOf = (order: SandboxOrder) => Effect.map(nextMeta, (meta) => ({ data: toWire(order), meta }))

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const command = createCommand(ownerOf(yield* Caller), payload.data.attributes)
        const order = yield* sandbox.change(command)
        if (yield* faults.duplicatesCreate) yield* sandbox.change(command)
        return yield* answerOf(order)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const owner = ownerOf(yield* Caller)
        const page = yield* sandbox.read((state) => pageOf(state, owner, query, faults.listLagMillis))
        if (page === undefined)
          return yield* orderError("validation-failed", [{ detail: "page[after] is not a cursor" }])
        const { nextCursor, orders } = page
        const next = nextCursor === undefined ? null : nextLink(query, nextCursor)
        return { data: orders.map(toWire), links: { next }, meta: { ...(yield* nextMeta), ...present({ nextCursor }) } }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const owner = ownerOf(yield* Caller)
        const order = yield* sandbox.read((state) => ownOrder(state, owner, params.orderId))
        return yield* order === undefined ? orderError("order-not-found") : answerOf(order)
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        const payload = { owner: ownerOf(yield* Caller), orderId: params.orderId }
        return yield* sandbox.change({ tag: "CancelOrder", payload }).pipe(Effect.flatMap(answerOf))
      })
    })
  })
)

const createCommand = (owner: string, attributes: CreateOrderRequest["data"]["attributes"]): Command<"CreateOrder"> => {
  const { deadline, orderType: _, timeInForce: __, ...request } = attributes
  const parsed = deadline === undefined ? undefined : Timestamp.parse(deadline)
  return { tag: "CreateOrder", payload: { ...request, owner, ...present({ deadline: parsed }) } }
}

interface ListQuery {
  readonly "filter[fillStatus]"?: ReadonlyArray<string>
  readonly "filter[isPayoutStatusFinal]"?: "true" | "false"
  readonly "page[size]"?: number
  readonly "page[after]"?: string
}

/**
 * Newest first, from the cursor on. New orders appear only at the head, so pages neither lose nor repeat one. `undefined` for a cursor that
 * is not of this list.
 */
const pageOf = (state: State, owner: string, query: ListQuery, listLagMillis: number) => {
  const statuses = query["filter[fillStatus]"]
  const final = query["filter[isPayoutStatusFinal]"]
  const size = query["page[size]"] ?? defaultPageSize
  const after = query["page[after]"] === undefined ? Number.POSITIVE_INFINITY : readCursor(query["page[after]"])
  if (after === undefined || (after > state.orders.size && Number.isFinite(after))) return undefined
  const isListed = (order: SandboxOrder) =>
    order.owner === owner &&
    order.sequence < after &&
    order.createdAt + listLagMillis <= state.now &&
    (statuses === undefined || statuses.includes(order.status)) &&
    (final === undefined || isPayoutFinal(order) === (final === "true"))
  const matching = [...state.orders.values()].filter(isListed).reverse()
  const orders = matching.slice(0, size)
  const last = orders.at(-1)
  return { orders, nextCursor: last !== undefined && matching.length > size ? writeCursor(last.sequence) : undefined }
}

const writeCursor = (sequence: number): string => Buffer.from(`order ${sequence}`).toString("base64url")

const readCursor = (cursor: string): number | undefined => {
  const [, digits] = /^order (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const nextLink = (query: Readonly<Record<string, unknown>>, cursor: string): string => {
  const parameters = Object.entries({ ...query, "page[after]": cursor }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)])
  )
  return `/v0/orders?${new URLSearchParams(parameters)}`
}

interface Change {
  readonly always?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
  readonly atEnd?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
}

const nothingPaid = { withdrawal: null, allWithdrawals: [], refund: null }
const invented = { status: "COMPLETED", txHash: "invented" }
const withoutFills: Change["always"] = () => ({ partialFills: [] })

const halved = (amount = "0"): string => String(BigInt(amount) / 2n)

const changes: Readonly<Record<Lie, Change>> = {
  "success-without-amounts": { always: withoutFills, atEnd: () => ({ payouts: nothingPaid }) },
  "success-but-refunded": { always: withoutFills, atEnd: () => ({ payouts: { ...nothingPaid, refund: invented } }) },
  "filled-unpaid": { atEnd: () => ({ payouts: nothingPaid }) },
  "refund-of-filled": { atEnd: ({ payouts }) => ({ payouts: { ...payouts, refund: invented } }) },
  "amounts-do-not-match": {
    always: ({ partialFills = [] }) => ({
      partialFills: partialFills.map((fill) => ({
        ...fill,
        amountIn: halved(fill.amountIn),
        amountOut: halved(fill.amountOut)
      }))
    })
  },
  "deposit-unseen": {
    always: () => ({
      fillStatus: "AWAITING_DEPOSIT",
      depositedAmount: "0",
      depositedAmountFormatted: "0",
      partialFills: [],
      payouts: nothingPaid,
      payoutStatus: "NOT_STARTED",
      isPayoutStatusFinal: false
    })
  }
}

const withLie = ({ lie, status }: SandboxOrder, said: WireOrderAttributes): WireOrderAttributes => {
  if (lie === undefined) return said
  const { always, atEnd } = changes[lie]
  return { ...said, ...always?.(said), ...(isTerminal(status) ? atEnd?.(said) : {}) }
}

const toWire = (order: SandboxOrder): WireOrder => ({
  type: "orders",
  id: order.id,
  attributes: withLie(order, attributesOf(order)),
  links: { self: `/v0/orders/${order.id}` }
})

const attributesOf = (order: SandboxOrder): WireOrderAttributes => {
  const { origin: input, destination: output } = order
  return {
    orderType: "LIMIT",
    depositAddress: order.depositAddress,
    ...present({ depositMemo: order.depositMemo }),
    depositMode: order.depositMemo === undefined ? "SIMPLE" : "MEMO",
    depositType: order.depositType,
    fillStatus: order.status,
    payoutStatus: payoutStatus(order),
    isPayoutStatusFinal: isPayoutFinal(order),
    payouts: payoutsOf(order),
    depositedAmount: String(order.deposited),
    depositedAmountFormatted: Amount.format(order.deposited, input.decimals),
    baseAsset: order.market.base.id,
    quoteAsset: order.market.quote.id,
    quantity: String(order.quantity),
    swapView: swapViewOf(order, input.id, output.id),
    side: order.side,
    price: order.priceText,
    appFees: order.appFees,
    recipient: order.recipient,
    recipientType: order.recipientType,
    refundTo: order.refundTo,
    refundType: order.refundType,
    estimatedWithdrawFee: String(order.withdrawFee),
    estimatedWithdrawFeeFormatted: Amount.format(order.withdrawFee, output.decimals),
    estimatedRefundFee: String(order.refundFee),
    estimatedRefundFeeFormatted: Amount.format(order.refundFee, input.decimals),
    confidentiality: order.confidentiality,
    timeInForce: "GTC",
    deadline: Timestamp.format(order.deadline),
    createdAt: Timestamp.format(order.createdAt),
    partialFills: order.fills.map(({ id, amountIn, amountOut, at }) => ({
      id,
      amountIn: String(amountIn),
      amountOut: String(amountOut),
      createdAt: Timestamp.format(at),
      updatedAt: Timestamp.format(at)
    }))
  }
}

const payoutsOf = ({ refund, withdrawal }: SandboxOrder) => ({
  withdrawal: withdrawal ?? null,
  allWithdrawals: withdrawal === undefined ? [] : [withdrawal],
  refund: refund ?? null
})

const swapViewOf = (order: SandboxOrder, originAsset: string, destinationAsset: string) => {
  const assets = { originAsset, destinationAsset }
  const input = String(order.inputAmount)
  const output = String(order.outputAmount)
  return order.side === "SELL"
    ? { swapType: "EXACT_INPUT", ...assets, amountIn: input, minAmountOut: output }
    : { swapType: "EXACT_OUTPUT", ...assets, maxAmountIn: input, amountOut: output }
}
