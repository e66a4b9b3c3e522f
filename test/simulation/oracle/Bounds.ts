/**
 * I17: nothing grows without bound. A process has few tasks and timers, a bot has few placements under way, and what it
 * records and asks for in a minute stays within a few hundred, whatever the venue does.
 */
import type { Court } from "./Judge.ts"

export const most = {
  /** Of the whole world: two bots, a venue, and what is late on the way. */
  tasks: 500,
  timers: 400,
  unfinished: 40,
  /** A placement that is made, paid, moved and refunded has sixteen; two busy makers make forty placements. */
  recordsPerMinute: 900,
  requestsPerMinute: 900
} as const

const minute = 60_000

export interface Load {
  readonly tasks: number
  readonly timers: number
  /** Placements under way, by bot. */
  readonly unfinished: ReadonlyMap<string, number>
}

export const make = ({ now, violated }: Court) => {
  const begun = new Map<string, { at: number; count: number }>()
  const counted = (bot: string, what: "records" | "requests", limit: number): void => {
    const key = `${bot} ${what}`
    const window = begun.get(key)
    if (window === undefined || now() - window.at >= minute) {
      begun.set(key, { at: now(), count: 1 })
      return
    }
    window.count += 1
    if (window.count > limit) violated("I17", `${bot} makes more than ${limit} ${what} in a minute`)
  }
  return {
    recorded: (bot: string): void => counted(bot, "records", most.recordsPerMinute),
    departed: (bot: string): void => counted(bot, "requests", most.requestsPerMinute),
    check: ({ tasks, timers, unfinished }: Load): void => {
      if (tasks > most.tasks) violated("I17", `${tasks} tasks wait`)
      if (timers > most.timers) violated("I17", `${timers} timers wait`)
      for (const [bot, count] of unfinished)
        if (count > most.unfinished) violated("I17", `${bot} has ${count} placements under way`)
    }
  }
}
