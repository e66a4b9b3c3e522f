/**
 * I21: every anomaly raises exactly one alert. An anomaly is a lie that reached a bot and that it must not take for true;
 * the alert is the contradiction that it records of that placement. Silence is a violation after some seconds, a second alert
 * at once. A report that takes the end of a settled order back is an anomaly of its own, and so is the next lie about an order whose end
 * the bot has taken back. An absence of the venue and a full disk are told once each, until they are over.
 */
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Court } from "./Judge.ts"

export const silentMillis = 15_000
/** Reads are repeated for half a minute before a turn fails, and the turn before may have begun just then. */
export const darkMillis = 60_000

interface Anomaly {
  readonly bot: string
  readonly placement: string
  readonly lie: string
  readonly toldAt: number
}

/** States that are announced when they begin and when they end. */
const announced = {
  VenueDown: "VenueUp",
  DiskFull: "DiskFreed"
} as const

const endsItsAnomaly: ReadonlySet<string> = new Set(["Abandoned", "FundingDead", "Settled", "TakenBack"])

export const make = ({ note, now, violated }: Court) => {
  const pending = new Map<string, Anomaly>()
  const alerts = new Map<string, string>()
  const over = new Set<string>()
  const lasting = new Set<string>()
  /** What was on its way when a process ended reaches nobody. */
  const interruptedAt = new Map<string, number>()
  const keyOf = (bot: string, placement: string) => `${bot} ${placement}`

  const announce = (bot: string, tag: BotEvent["_tag"]): void => {
    for (const [begins, ends] of Object.entries(announced)) {
      const key = `${bot} ${begins}`
      if (tag === ends) lasting.delete(key)
      if (tag !== begins) continue
      if (lasting.has(key)) violated("I21", `${bot} says ${begins} again before ${ends}`)
      lasting.add(key)
    }
  }

  return {
    /** Since when the venue has been away, and this bot awake and able to say so. */
    dark: (bot: string, since: number | undefined): void => {
      if (since === undefined || now() - since <= darkMillis || lasting.has(`${bot} VenueDown`)) return
      violated("I21", `${bot}: the venue has been away for ${now() - since} ms, and nobody was told`)
    },
    recorded: (bot: string, event: BotEvent): void => {
      announce(bot, event._tag)
      // A new process has said nothing yet of the venue that it finds.
      if (event._tag === "BotStarted") for (const begins of ["VenueDown"]) lasting.delete(`${bot} ${begins}`)
      if (!("placement" in event)) return
      const key = keyOf(bot, event.placement)
      if (event._tag === "Contradiction") {
        const before = over.delete(key) ? undefined : alerts.get(key)
        if (before !== undefined) violated("I21", `${event.placement} has two alerts: ${before}, and ${event.what}`)
        alerts.set(key, event.what)
        if (pending.delete(key)) note("anomaly with its alert")
      }
      if (endsItsAnomaly.has(event._tag)) {
        over.add(key)
        pending.delete(key)
      }
    },
    /** The disk lost these: what they said was never said. */
    lost: (bot: string, events: ReadonlyArray<BotEvent>): void => {
      for (const event of events) {
        lasting.delete(`${bot} ${event._tag}`)
        if ("placement" in event) for (const known of [alerts, over]) known.delete(keyOf(bot, event.placement))
      }
    },
    /** A lie about this placement has reached the bot. */
    told: (bot: string, placement: string, lie: string): void => {
      const key = keyOf(bot, placement)
      if (interruptedAt.get(bot) === now()) return
      if (alerts.has(key) || over.has(key) || pending.has(key)) return
      pending.set(key, { bot, placement, lie, toldAt: now() })
    },
    /** The process ended, slept or could not write: it will be told again. */
    interrupted: (bot: string): void => {
      interruptedAt.set(bot, now())
      for (const [key, anomaly] of pending) if (anomaly.bot === bot) pending.delete(key)
    },
    check: (): void => {
      for (const { lie, placement, toldAt } of pending.values())
        if (now() - toldAt > silentMillis)
          violated("I21", `${placement}: no alert ${silentMillis} ms after this: ${lie}`)
    }
  }
}
