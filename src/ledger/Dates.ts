/** Days as books write them, in UTC. */
import { DateTime } from "effect"

/** "2026-03-01". */
export const utcDate = (at: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))

export const utcYear = (at: number): number => DateTime.toPartsUtc(DateTime.makeUnsafe(at)).year
