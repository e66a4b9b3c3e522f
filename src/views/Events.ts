/** Encodes events for people and programs by a schema that hides their signed bytes. Only the journal writes those. */
import { Schema } from "effect"
import { BotEvent, type Recorded } from "../domain/BotEvent.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { describe } from "../report/text/EventLine.ts"
import type * as Money from "../report/text/Money.ts"
import { asOf, Time } from "./AsOf.ts"

const Text = Schema.String

export const LineView = Schema.Struct({
  sequence: Schema.Int,
  at: Time,
  tag: Text,
  subject: Text,
  /** A sentence for people; empty for events that only serve recovery. */
  text: Text,
  weight: Schema.Literals(["quiet", "good", "warn", "alarm"]),
  fields: Schema.Record(Text, Schema.Json)
})
export type LineView = typeof LineView.Type
export const Lines = Schema.Struct({ ...asOf, events: Schema.Array(LineView) })

export const encoded = Schema.encodeSync(BotEvent)

export const lineOf = ({ sequence, at, event }: Recorded, assets: Money.Assets): LineView => {
  const line = describe(event, assets)
  const { _tag: tag, ...fields } = encoded(event)
  const subject = "slot" in event ? slotKey(event.strategy, event.slot) : "strategy" in event ? event.strategy : ""
  return {
    sequence,
    at,
    tag,
    subject: line?.subject ?? subject,
    text: line?.text ?? "",
    weight: line?.weight ?? "quiet",
    fields
  }
}

export const jsonOf = ({ at, fields, sequence, tag }: LineView): string =>
  JSON.stringify({ event: tag, sequence, at, ...fields })

export const mentions = (search: string): ((line: LineView) => boolean) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ subject, tag, text }) => {
    const all = `${tag} ${subject} ${text}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}
