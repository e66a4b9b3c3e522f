/**
 * The time by which a signer counts: the machine's clock at the start, plus the time that has really passed since. So setting that clock
 * makes no room in a cap, dates no payment into the past, and expires no payload. If the clock was set back before the start, time
 * continues from the last line of the record. Time that the machine sleeps is not counted, which only makes caps last longer. The signer
 * cannot know how long it did not run, so it believes the machine's clock at its start.
 */
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"

export const start = (entries: ReadonlyArray<{ readonly at: number }>) =>
  Effect.map(Clock.currentTimeMillis, (now) => entries.reduce((latest, { at }) => Math.max(latest, at), now))

export const make = Effect.fnUntraced(function* (entries: ReadonlyArray<{ readonly at: number }>) {
  const [started, begun] = [yield* start(entries), yield* monotonicMillis]
  return Effect.map(monotonicMillis, (now) => started + Math.max(0, Math.floor(now - begun)))
})
