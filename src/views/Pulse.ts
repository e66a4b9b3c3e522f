/** The signs of life of a running bot, and when they are late. */
import { beginOf } from "../domain/Durations.ts"
import type { BotState } from "../engine/state/BotState.ts"

export interface Pulse {
  /** Time at which the last complete turn ended; 0 before the first. */
  readonly turnedAt: () => number
  readonly pollMaxMillis: number
  readonly leaving: () => string | undefined
}

/** A turn that takes longer than this is late: several polls, or the longest answer of a slow service. */
const lateAfterMillis = (pollMaxMillis: number): number => Math.max(60_000, 6 * pollMaxMillis)

/** Returns the time since which no turn has ended, if that is late. While the venue is down, a long turn is healthy. */
export const lateSince = (state: BotState, { turnedAt, pollMaxMillis }: Pulse, now: number): number | undefined => {
  const since = beginOf(turnedAt, turnedAt() || state.runStartedAt, now)
  const isLate = state.venueDownSince === undefined && now - since > lateAfterMillis(pollMaxMillis)
  return isLate ? since : undefined
}
