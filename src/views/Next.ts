/** The coming events of a strategy: its orders and its end by time, then its conditions. Slots that wait for one thing share a line. */
import { Schema } from "effect"
import type { Of } from "../domain/BotEvent.ts"
import { utc } from "../domain/Text.ts"
import { turningPoints } from "../strategy/expression/Checks.ts"
import type { Inputs } from "../strategy/Strategy.ts"
import { Time } from "./AsOf.ts"

/** `slot` is null for the whole strategy or several slots; `at` is null for a condition. */
export const NextView = Schema.Struct({
  slot: Schema.NullOr(Schema.String),
  text: Schema.String,
  at: Schema.NullOr(Time)
})
type NextView = typeof NextView.Type
export interface NextOf extends NextView {
  readonly strategy: string
}

const maxLines = 4

/** `checks`: the conditions now; default: those recorded with the last decision. */
export const nextOf = (
  { absent, inputs = [] }: Pick<Of<"Decided">, "absent" | "inputs">,
  now: number,
  checks: Inputs = new Map(inputs.map((each) => [each.slot, each.checks])),
  endsAt = 0
): ReadonlyArray<NextView> => {
  const due = [
    ...absent.map(({ at = 0, slot, why }) => ({ slot, text: why.text, at })),
    { slot: null, text: `ends at ${utc(endsAt)}`, at: endsAt }
  ].filter(({ at }) => at > now && (endsAt === 0 || at <= endsAt))
  const conditions = [...checks].flatMap(([slot, each]) =>
    turningPoints(each).map((text) => ({ slot, text, at: null }))
  )
  const all = [...due.toSorted((a, b) => a.at - b.at), ...conditions]
  return [...Map.groupBy(all, ({ text }) => text).values()]
    .flatMap(([first, second]) =>
      first === undefined ? [] : [second === undefined ? first : { ...first, slot: null }]
    )
    .slice(0, maxLines)
}
