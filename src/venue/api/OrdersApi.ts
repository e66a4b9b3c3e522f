/** Limit orders: create, list, get, cancel. Requests are checked strictly; a create may omit attributes that have a default. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { fillStatuses } from "../../domain/Order.ts"
import { orderErrorAt } from "../wire/WireError.ts"
import { OrderListResponse, OrderResponse } from "../wire/WireOrder.ts"
import * as Wire from "../wire/WireValue.ts"
import { OrderCredential } from "./Credentials.ts"
import { OrderValidation } from "./RequestValidation.ts"

/** Defaults follow the short attribute list of the specification; our bot sends every attribute. */
const CreateOrderAttributes = Schema.Struct({
  orderType: Schema.Literals(["LIMIT"]),
  baseAsset: Wire.Identifier,
  quoteAsset: Wire.Identifier,
  /** Base asset, smallest units, for both sides. */
  quantity: Wire.PositiveAmountText,
  side: Wire.withDefault(Schema.Literals(["SELL", "BUY"]), "SELL"),
  /** Quote per one base. */
  price: Wire.PriceText,
  depositType: Wire.withDefault(Schema.Literals(Wire.depositTypes), "INTENTS"),
  refundTo: Wire.Identifier,
  refundType: Wire.withDefault(Schema.Literals(Wire.depositTypes), "INTENTS"),
  recipient: Wire.Identifier,
  recipientType: Wire.withDefault(Schema.Literals(Wire.recipientTypes), "INTENTS"),
  /** `public` orders do not exist. */
  confidentiality: Wire.withDefault(Schema.Literals(["basic", "advanced"]), "basic"),
  /** Default: seven days ahead. */
  deadline: Schema.optionalKey(Wire.TimestampText),
  depositMode: Wire.withDefault(Schema.Literals(Wire.depositModes), "SIMPLE"),
  timeInForce: Wire.withDefault(Schema.Literals(["GTC"]), "GTC"),
  appFees: Wire.withDefault(Wire.AppFees, [])
})

export const CreateOrderRequest = Schema.Struct({
  data: Schema.Struct({
    type: Schema.Literals(["orders"]),
    id: Schema.optionalKey(Schema.Never),
    attributes: CreateOrderAttributes
  })
}).annotate({ identifier: "CreateOrderRequest" })
export type CreateOrderRequest = typeof CreateOrderRequest.Type

const ListOrdersQuery = {
  "filter[fillStatus]": Schema.optionalKey(Schema.Array(Schema.Literals(fillStatuses))),
  "filter[isPayoutStatusFinal]": Schema.optionalKey(Schema.Literals(["true", "false"])),
  "page[size]": Schema.optionalKey(Wire.wholeText(50)),
  "page[after]": Schema.optionalKey(Wire.Identifier)
}

const params = { orderId: Wire.PathSegment }
const overloaded = [429, 500, 503].map(orderErrorAt)

export const OrdersApi = HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", "/v0/orders", {
      payload: CreateOrderRequest,
      success: [OrderResponse.pipe(HttpApiSchema.status(201)), OrderResponse.pipe(HttpApiSchema.status(200))],
      error: [...[400, 403, 409].map(orderErrorAt), ...overloaded]
    }),
    HttpApiEndpoint.get("list", "/v0/orders", {
      query: ListOrdersQuery,
      success: OrderListResponse,
      error: [orderErrorAt(400), ...overloaded]
    }),
    HttpApiEndpoint.get("get", "/v0/orders/:orderId", {
      params,
      success: OrderResponse,
      error: [orderErrorAt(404), ...overloaded]
    }),
    HttpApiEndpoint.post("cancel", "/v0/orders/:orderId/cancel", {
      params,
      success: [OrderResponse.pipe(HttpApiSchema.status(202)), OrderResponse.pipe(HttpApiSchema.status(200))],
      error: [...[400, 404].map(orderErrorAt), ...overloaded]
    })
  )
  .middleware(OrderValidation)
  .middleware(OrderCredential)
