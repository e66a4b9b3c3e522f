/**
 * The time by which a signer counts: the machine's clock as it was at the start, and from there what has really passed. A clock that
 * is set meanwhile, ahead or back, makes no room in a cap, dates no payment into the past, and lets no payload count as expired. One
 * that was set back before the start counts on from the last line of the record. A machine that sleeps counts nothing meanwhile,
 * which only makes caps last longer.
 *
 * What it cannot know is how long it did not run: at a start it believes the machine's clock.
 */
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"

export const start = (entries: ReadonlyArray<{ readonly at: number }>) =>
  Effect.map(Clock.currentTimeMillis, (now) => entries.reduce((latest, { at }) => Math.max(latest, at), now))

export const make = Effect.fnUntraced(function* (entries: ReadonlyArray<{ readonly at: number }>) {
  const [started, begun] = [yield* start(entries), yield* monotonicMillis]
  return Effect.map(monotonicMillis, (now) => started + Math.max(0, Math.floor(now - begun)))
})
