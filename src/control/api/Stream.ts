/** The live stream. A reader that reconnects names the sequence number of its last event and misses nothing. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { LineView } from "../../views/Events.ts"
import { PriceView } from "../../views/Prices.ts"

export const StreamMessage = Schema.TaggedUnion({
  Event: LineView.fields,
  Prices: { at: Schema.Int, prices: Schema.Array(PriceView) },
  /** Sent at least every five seconds. `sequence` is the newest event: a reader with a lower number has missed something. */
  Alive: { at: Schema.Int, sequence: Schema.Int, turnedAt: Schema.Int }
})
export type StreamMessage = typeof StreamMessage.Type

export const EventStream = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    id: Schema.optional(Schema.String),
    event: Schema.Literals(["Event", "Prices", "Alive"]),
    data: Schema.fromJsonString(StreamMessage)
  })
})
