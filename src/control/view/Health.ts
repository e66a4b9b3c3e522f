/**
 * Whether the bot is well, for supervisors. Live: its turns end; a bot that is not live should be restarted. Ready:
 * it can also trade. An absent venue makes the bot unready, never dead, because a restart brings no venue back.
 */
import type { BotState } from "../../engine/state/BotState.ts"
import { age } from "../../report/text/Words.ts"

export interface Pulse {
  readonly turnedAt: () => number
  readonly pollMaxMillis: number
  readonly leaving: () => string | undefined
}

/** A turn that takes longer than this is late: several polls, or the longest answer of a slow service. */
export const lateAfterMillis = (pollMaxMillis: number): number => Math.max(60_000, 6 * pollMaxMillis)

/** While the venue is away no turn ends, and the bot is still well. */
export const live = (state: BotState, { turnedAt, pollMaxMillis }: Pulse, now: number): ReadonlyArray<string> => {
  const since = Math.max(turnedAt(), state.runStartedAt)
  const isLate = state.venueDownSince === undefined && now - since > lateAfterMillis(pollMaxMillis)
  return isLate ? [`no turn has ended for ${age(now - since)}`] : []
}

export const ready = (state: BotState, pulse: Pulse, now: number): ReadonlyArray<string> => [
  ...live(state, pulse, now),
  ...(pulse.turnedAt() === 0 ? ["the first turn has not ended yet"] : []),
  ...(state.venueDownSince === undefined ? [] : [`the venue has not answered for ${age(now - state.venueDownSince)}`]),
  ...(state.diskFullSince === undefined ? [] : ["the disk is full"]),
  ...(state.leaseLost === undefined ? [] : ["the journal's file is another one now"]),
  ...(state.broken === undefined ? [] : ["the journal is not what was written"]),
  ...(state.killed === undefined ? [] : ["the kill switch is on"]),
  ...(pulse.leaving() === undefined ? [] : ["the bot is leaving"])
]
