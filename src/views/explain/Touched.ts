/** Explains an order that the price reached and that did not fill: how often, and how far beyond the limit earlier fills needed it. */
import { Schema } from "effect"
import type { Side } from "../../domain/Market.ts"
import { countText, utc } from "../../domain/Text.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import { Time } from "../AsOf.ts"

/** Basis points beyond the limit, in the minutes of the bot's fills in that market. */
const Needed = Schema.Struct({ count: Schema.Int, p25: Schema.Finite, p50: Schema.Finite, p90: Schema.Finite })

export const Touched = Schema.Struct({
  /** Minutes in a row count once. */
  times: Schema.Int,
  since: Time,
  /** Basis points from the limit to the nearest price; negative if it went beyond. */
  nearest: Schema.NullOr(Schema.Finite),
  needed: Schema.NullOr(Needed)
})
export type Touched = typeof Touched.Type

const distance = (side: Side, limit: number, { low, high }: Minute): number =>
  ((side === "BUY" ? low - limit : limit - high) / limit) * 10_000

/** Ignores the minute of the deposit, because the price may have been there before the order was. */
export const touchedIn = (
  order: { readonly side: Side; readonly limit: number; readonly since: number },
  minutes: ReadonlyArray<Minute>,
  needed: Touched["needed"]
): Touched => {
  let [times, nearest, wasThere] = [0, null as number | null, false]
  for (const minute of minutes) {
    if (minute.openedAt <= order.since) continue
    const away = distance(order.side, order.limit, minute)
    const isThere = away <= 0
    if (isThere && !wasThere) times += 1
    wasThere = isThere
    nearest = nearest === null ? away : Math.min(nearest, away)
  }
  return { times, since: order.since, nearest, needed: needed === null || needed.count === 0 ? null : needed }
}

const points = (value: number): string => `${value.toFixed(1)} basis points`

export const textOf = ({ times, since, nearest, needed }: Touched): string => {
  if (nearest === null) return `it has been open since ${utc(since)}; no full minute of prices since`
  if (times === 0) return `not touched since ${utc(since)}: the nearest price was ${points(nearest)} away`
  const fills =
    needed === null
      ? "none of your fills in this market has been measured yet"
      : `half of your ${countText(needed.count, "fill")} in this market needed more than ${needed.p50.toFixed(1)}, a tenth more than ${needed.p90.toFixed(1)}`
  return `touched ${countText(times, "time")} since ${utc(since)}, at most ${points(-nearest)} beyond the limit: ${fills}`
}
