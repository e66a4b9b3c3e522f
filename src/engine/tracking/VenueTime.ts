/** Our clock against the venue's, which judges when a payload expires. If the clocks differ too much, no new money leaves. */
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { mostSkewMillis } from "../../venue/Venue.ts"
import type { BotState } from "../state/BotState.ts"

const warnMillis = 2_000
const notedMillis = 1_000

export const compared = ({ clock }: BotState, skewMillis: number | undefined): ReadonlyArray<BotEvent> => {
  if (skewMillis === undefined) return []
  const ok = Math.abs(skewMillis) <= warnMillis
  const isSame = clock?.ok === ok && Math.abs(clock.skewMillis - skewMillis) < notedMillis
  return isSame ? [] : [{ _tag: "ClockCompared", skewMillis, ok }]
}

export const problem = ({ clock }: BotState): string | undefined => problemOf(clock?.skewMillis)

export const problemOf = (skewMillis: number | undefined): string | undefined =>
  skewMillis === undefined || Math.abs(skewMillis) <= mostSkewMillis
    ? undefined
    : `this machine's clock differs from the venue's by ${Math.round(Math.abs(skewMillis) / 1000)} s`

/** Time by which payloads expire. It is unknown which clock is wrong, but bytes that expired by the earlier time expired by both. */
export const of = ({ clock }: BotState, millis: number): number =>
  clock === undefined || clock.ok ? millis : millis - Math.max(0, clock.skewMillis)

export const now = (state: BotState): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (millis) => of(state, millis))
