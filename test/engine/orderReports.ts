/** Changes what a venue shows of orders, in whatever answer. */
import { Schema } from "effect"
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
