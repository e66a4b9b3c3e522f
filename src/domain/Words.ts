/** Wording of figures in sentences. */
import { dayMillis, hourMillis } from "./Durations.ts"

export const age = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

export const clock = (at: number): string => {
  const pad = (value: number, width = 2) => String(Math.trunc(value)).padStart(width, "0")
  const day = ((at % dayMillis) + dayMillis) % dayMillis
  return `${pad(day / hourMillis)}:${pad((day / 60_000) % 60)}:${pad((day / 1000) % 60)}.${pad(day % 1000, 3)}`
}

export const clockText = (skewMillis: number): string =>
  `this machine's clock is ${(Math.abs(skewMillis) / 1000).toFixed(1)} s ${skewMillis > 0 ? "ahead of" : "behind"} the venue's`

export const operatorLimit = "operator"

export const diskFullText = "the disk is full"

/** Without a stated reason, the reason repeats the name. Older journals have no name. */
export const pausedBy = (pause: { readonly by?: string; readonly limit: string; readonly reason: string }) => {
  const { by, limit, reason } = pause
  const who = `by ${limit === operatorLimit ? (by ?? "the operator") : `its limit ${limit}`}`
  return reason === who ? who : `${who}: ${reason}`
}
