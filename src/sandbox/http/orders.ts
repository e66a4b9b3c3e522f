/** The order endpoints. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import type { CreateOrderRequest } from "../../venue/api/OrdersApi.ts"
import { nextMeta, orderError } from "../../venue/wire/WireError.ts"
import { type Command, ownOrder } from "../core/Commands.ts"
import { isPayoutFinal } from "../core/Payouts.ts"
import type { SandboxOrder, State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { ownerOf } from "./callers.ts"
import { Faults } from "./Faults.ts"
import { asOrderError } from "./refusals.ts"
import { toWire } from "./wire/wireOrder.ts"

const defaultPageSize = 50

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const faults = yield* Faults
    const present = (order: SandboxOrder) => Effect.map(nextMeta, (meta) => ({ data: toWire(order), meta }))

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const command = createCommand(ownerOf(yield* Caller), payload.data.attributes)
        const order = yield* sandbox.change(command).pipe(asOrderError)
        if (yield* faults.duplicatesCreate) yield* sandbox.change(command).pipe(asOrderError)
        return yield* present(order)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const owner = ownerOf(yield* Caller)
        const size = query["page[size]"] ?? defaultPageSize
        const after = readCursor(query["page[after]"])
        const isKnown = yield* sandbox
          .read(({ orders }) => after !== undefined && (after <= orders.size || after === Number.POSITIVE_INFINITY))
          .pipe(asOrderError)
        if (after === undefined || !isKnown)
          return yield* orderError("validation-failed", [{ detail: "page[after] is not a cursor" }])
        const page = yield* sandbox
          .read((state) => pageOf(state, { owner, after, size, filters: query, listLagMillis: faults.listLagMillis }))
          .pipe(asOrderError)
        const meta = yield* nextMeta
        if (page.nextCursor === undefined) return { data: page.orders.map(toWire), links: { next: null }, meta }
        const { nextCursor } = page
        const next = nextLink(query, nextCursor)
        return { data: page.orders.map(toWire), links: { next }, meta: { ...meta, nextCursor } }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const owner = ownerOf(yield* Caller)
        const order = yield* sandbox.read((state) => ownOrder(state, owner, params.orderId)).pipe(asOrderError)
        return yield* order === undefined ? orderError("order-not-found") : present(order)
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        const payload = { owner: ownerOf(yield* Caller), orderId: params.orderId }
        return yield* sandbox.change({ tag: "CancelOrder", payload }).pipe(asOrderError, Effect.flatMap(present))
      })
    })
  })
)

const createCommand = (owner: string, attributes: CreateOrderRequest["data"]["attributes"]): Command<"CreateOrder"> => {
  const { deadline, orderType: _, timeInForce: __, ...request } = attributes
  const parsed = deadline === undefined ? undefined : Timestamp.parse(deadline)
  return { tag: "CreateOrder", payload: { ...request, owner, ...present({ deadline: parsed }) } }
}

interface PageRequest {
  readonly owner: string
  readonly after: number
  readonly size: number
  readonly filters: {
    readonly "filter[fillStatus]"?: ReadonlyArray<string>
    readonly "filter[isPayoutStatusFinal]"?: "true" | "false"
  }
  readonly listLagMillis: number
}

/** Newest first, from the cursor on. New orders appear only at the head, so pages neither lose nor repeat one. */
const pageOf = (state: State, { owner, after, size, filters, listLagMillis }: PageRequest) => {
  const statuses = filters["filter[fillStatus]"]
  const final = filters["filter[isPayoutStatusFinal]"]
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

const readCursor = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return Number.POSITIVE_INFINITY
  const [, digits] = /^order (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const nextLink = (query: Readonly<Record<string, unknown>>, cursor: string): string => {
  const parameters = Object.entries({ ...query, "page[after]": cursor }).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`
    )
  )
  return `/v0/orders?${parameters.join("&")}`
}
