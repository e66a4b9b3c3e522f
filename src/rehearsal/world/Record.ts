/** Records a rehearsal: events, the alarms that a person would have got, unanswered payments, and the fall of equity from its peak. */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Overdue } from "../../engine/tracking/Overdue.ts"
import type { RequestFate } from "./Network.ts"

export interface Alert {
  readonly event: string
  readonly count: number
  readonly firstAfterMillis: number
  readonly first: string
}

const longOutageMillis = 300_000

const alertOf = (event: BotEvent): string | undefined => {
  switch (event._tag) {
    case "FundingInDoubt":
      return `${event.slot}: ${event.reason}`
    case "Contradiction":
      return `${event.slot}: ${event.what}`
    case "PaymentUnclear":
    case "OrderMissing":
      return `${event.slot}: ${event.text}`
    case "LegFailed":
      return `${event.slot}: the ${event.leg} failed: ${event.reason}`
    case "Paused":
    case "PlanFailed":
      return `${event.strategy}: ${event.reason}`
    case "VenueUp":
      return event.downMillis >= longOutageMillis
        ? `the service was away for ${Math.round(event.downMillis / 60_000)} minutes`
        : undefined
    default:
      return undefined
  }
}

export const make = (startedAt: number) => {
  const events = new Map<string, number>()
  const requests = new Map<RequestFate, number>()
  const accidents = new Map<string, number>()
  const alerts = new Map<string, Alert>()
  const unanswered = new Map<string, number>()
  let longestUnansweredMillis = 0
  let highest = 0
  let worst = { usd: 0, ratio: 0, afterMillis: 0 }
  let worth = { first: 0, last: 0 }

  const overdue = new Set<string>()

  const alert = (name: string, text: string, now: number): void => {
    const before = alerts.get(name) ?? { event: name, count: 0, firstAfterMillis: now - startedAt, first: text }
    alerts.set(name, { ...before, count: before.count + 1 })
  }

  const count = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)

  const followPayment = (event: BotEvent, now: number): void => {
    if (!("placement" in event)) return
    if (event._tag === "FundingSent" && !unanswered.has(event.placement)) unanswered.set(event.placement, now)
    // If it never left, a later payment is timed from its own start.
    if (event._tag === "FundingHeld" && event.attempt === 1) unanswered.delete(event.placement)
    const isAnswer =
      event._tag === "FundingAcknowledged" ||
      event._tag === "DepositSeen" ||
      event._tag === "FundingDead" ||
      event._tag === "Resolved"
    const since = unanswered.get(event.placement)
    if (!isAnswer || since === undefined) return
    longestUnansweredMillis = Math.max(longestUnansweredMillis, now - since)
    // An answered payment does not become unanswered again.
    unanswered.set(event.placement, Number.POSITIVE_INFINITY)
  }

  return {
    recorded: (event: BotEvent, now: number): void => {
      count(events, event._tag)
      followPayment(event, now)
      const text = alertOf(event)
      if (text !== undefined) alert(event._tag, text, now)
    },
    stuck: (found: ReadonlyArray<Overdue>, now: number): void => {
      for (const { placement, text, waitsFor } of found) {
        const step = `${placement.id} ${waitsFor}`
        if (!overdue.has(step)) alert("Stuck", `${placement.slot}: waits for ${text}`, now)
        overdue.add(step)
      }
    },
    requested: (fate: RequestFate): void => {
      count(requests, fate)
    },
    happened: (accident: "crash" | "suspension"): void => {
      count(accidents, accident)
    },
    valued: (usd: number, now: number): void => {
      worth = { first: worth.first === 0 ? usd : worth.first, last: usd }
      highest = Math.max(highest, usd)
      if (highest - usd > worst.usd)
        worst = { usd: highest - usd, ratio: (highest - usd) / highest, afterMillis: now - startedAt }
    },
    result: (now: number) => ({
      events,
      requests,
      accidents,
      worth,
      worstDrawdown: worst,
      alerts: [...alerts.values()],
      longestUnansweredMillis: [...unanswered.values()].reduce(
        (longest, since) => Math.max(longest, Number.isFinite(since) ? now - since : 0),
        longestUnansweredMillis
      )
    })
  }
}
