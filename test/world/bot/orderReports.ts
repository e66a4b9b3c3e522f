/** Changes what a venue shows of orders, in whatever answer. */
import { Schema } from "effect"
import { WireOrderAttributes } from "../../../src/venue/wire/WireOrder.ts"
import type { Network } from "./botWorld.ts"

export type Attributes = Readonly<Record<string, unknown>>

const Shown = Schema.Struct({ id: Schema.String, attributes: Schema.Record(Schema.String, Schema.Unknown) })
const Answer = Schema.Struct({ data: Schema.Union([Shown, Schema.Array(Shown)]) })

export const rewriteOrders = (network: Network, change: (order: Attributes, id: string) => Attributes): void => {
  network.reply = ({ url }, body) => {
    if (!url.includes("/v0/orders") || !Schema.is(Answer)(body)) return body
    const told = (order: typeof Shown.Type) => ({ ...order, attributes: change(order.attributes, order.id) })
    return { ...body, data: "attributes" in body.data ? told(body.data) : body.data.map(told) }
  }
}

const isObject = (value: unknown): value is Attributes =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const put = (said: unknown, [name = "", ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  if (Array.isArray(said)) return said.map((each) => put(each, [name, ...rest], value))
  if (!isObject(said) || !(name in said)) return said
  const { [name]: old, ...others } = said
  if (rest.length > 0) return { ...others, [name]: put(old, rest, value) }
  return value === undefined ? others : { ...others, [name]: value }
}

/** Puts something where a field is, or takes it away; in every element where a list is on the way. */
export const withField = (said: Attributes, path: string, value: unknown): Attributes => {
  const told = put(said, path.split("."), value)
  return isObject(told) ? told : said
}

const nested = {
  swapView: ["swapType", "originAsset", "destinationAsset", "amountIn", "minAmountOut", "maxAmountIn", "amountOut"],
  payouts: ["withdrawal", "allWithdrawals", "refund", "allWithdrawals.status", "allWithdrawals.txHash"],
  "payouts.refund": ["status", "txHash"],
  partialFills: ["id", "amountIn", "amountOut", "createdAt", "updatedAt"]
}

/** Every field of an order that a venue could leave out. */
export const fieldsOfOrders: ReadonlyArray<string> = [
  ...Object.keys(WireOrderAttributes.fields),
  ...Object.entries(nested).flatMap(([holder, names]) => names.map((name) => `${holder}.${name}`))
]
