/**
 * Sends signs of life in the style of healthchecks: `/start` at the start, the address itself in each period with turns and an answering
 * venue, `/fail` once when that stops. So an outside watcher learns within one period that the bot was killed, hangs or lost its venue.
 */
import { Clock, Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { beginOf } from "../../domain/Durations.ts"
import { age } from "../../domain/Text.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { Pulse } from "../../views/Pulse.ts"

export interface HeartbeatOptions {
  readonly url: Redacted.Redacted
  readonly everyMillis: number
}

const patience = "10 seconds"

/** Returns the reason to send no sign of life now. A turn must end within the period, even if supervisors would wait longer. */
export const silentBecause = (
  state: BotState,
  { turnedAt }: Pulse,
  now: number,
  everyMillis: number
): string | undefined => {
  if (state.venueDownSince !== undefined) return `the venue has not answered for ${age(now - state.venueDownSince)}`
  if (turnedAt() === 0) return "the first turn is not complete yet"
  const since = beginOf(turnedAt, turnedAt(), now)
  return now - since > everyMillis ? `no turn has ended for ${age(now - since)}` : undefined
}

/** Runs without end. `summary` goes with every sign, so that the watcher's page shows the bot's state. */
export const beat = Effect.fn("Heartbeat.beat")(function* (
  { everyMillis, url }: HeartbeatOptions,
  state: BotState,
  pulse: Pulse,
  summary: Effect.Effect<string>
) {
  const client = yield* HttpClient.HttpClient
  const send = (path: string, text: string) =>
    HttpClientRequest.post(`${Redacted.value(url)}${path}`).pipe(
      HttpClientRequest.bodyText(text, "text/plain"),
      client.execute,
      Effect.timeout(patience),
      Effect.catch(() => Effect.logWarning("The heartbeat's address cannot be reached"))
    )
  let hasFailed = false
  /** A bot before its first turn has not failed. */
  const isStarting = () => pulse.turnedAt() === 0 && state.venueDownSince === undefined
  yield* send("/start", "started")
  const once = Effect.gen(function* () {
    const why = silentBecause(state, pulse, yield* Clock.currentTimeMillis, everyMillis)
    if (why === undefined) yield* send("", yield* summary)
    else if (!hasFailed && !isStarting()) yield* send("/fail", why)
    hasFailed = why !== undefined
  })
  while (isStarting()) yield* Effect.sleep(200)
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep(everyMillis)))
})
