/**
 * Reports the bot's health to supervisors. Live: its turns end; a bot that is not live should be restarted. Ready: it can also trade. An
 * absent venue makes the bot unready, never dead, because a restart does not restore the venue.
 */
import { age } from "../../domain/Text.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { stopsIn } from "../../views/Problems.ts"
import { lateSince, type Pulse } from "../../views/Pulse.ts"

export const live = (state: BotState, pulse: Pulse, now: number): ReadonlyArray<string> => {
  const since = lateSince(state, pulse, now)
  return since === undefined ? [] : [`no turn has ended for ${age(now - since)}`]
}

/** Callers have no token, so the answer names the causes that stop the whole bot, and nothing about strategies or money. */
export const ready = (state: BotState, pulse: Pulse, now: number): ReadonlyArray<string> => [
  ...live(state, pulse, now),
  ...(pulse.turnedAt() === 0 ? ["the first turn is not complete yet"] : []),
  ...stopsIn(state),
  ...(pulse.leaving() === undefined ? [] : ["the bot is stopping"])
]
