/**
 * Everything that the journal knows of one order, ready for a support ticket: what was asked and answered when, under which
 * correlation ids, which amounts and hashes, where the money is now, and what does not add up. Signatures are left out:
 * nobody needs them to find a payment.
 */
import type { Amount } from "../domain/Amount.ts"
import type { PlacementEvent, Recorded } from "../domain/BotEvent.ts"

export interface EvidenceMoment {
  readonly sequence: number
  readonly at: number
  readonly event: PlacementEvent
}

export interface PlacementHistory {
  readonly placement: string
  readonly moments: ReadonlyArray<EvidenceMoment>
}

/** What people call an order by: the venue's id, our placement, its deposit address, or an intent's hash. */
const isNamed = (event: PlacementEvent, name: string): boolean =>
  event.placement === name ||
  ("orderId" in event && event.orderId === name) ||
  ("depositAddress" in event && event.depositAddress === name) ||
  ("intentHash" in event && event.intentHash === name)

export const make = (name: string) => {
  const byPlacement = new Map<string, Array<EvidenceMoment>>()
  const named = new Set<string>()
  return {
    see: ({ sequence, at, event }: Recorded): void => {
      if (!("placement" in event)) return
      if (isNamed(event, name)) named.add(event.placement)
      const moments = byPlacement.get(event.placement) ?? []
      moments.push({ sequence, at, event })
      byPlacement.set(event.placement, moments)
    },
    result: (): ReadonlyArray<PlacementHistory> =>
      [...named].map((placement) => ({ placement, moments: byPlacement.get(placement) ?? [] }))
  }
}

const valuesOf = (moments: ReadonlyArray<EvidenceMoment>, read: (event: PlacementEvent) => ReadonlyArray<string>) => [
  ...new Set(moments.flatMap(({ event }) => read(event)))
]

export const correlationIds = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> =>
  valuesOf(moments, (event) =>
    "correlationId" in event && event.correlationId !== undefined ? [event.correlationId] : []
  )

export const hashes = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> =>
  valuesOf(moments, (event) => [
    ...("intentHash" in event ? [event.intentHash] : []),
    ...("txHashes" in event ? event.txHashes : []),
    ...("txHash" in event ? [event.txHash] : [])
  ])

/** Requests that changed something at the venue, or asked it to. */
const requests = new Set(["CreateSent", "FundingSent", "CancelSent", "PaymentAsked", "PaymentAskedAgain"])

export const requestsOf = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<EvidenceMoment> =>
  moments.filter(({ event }) => requests.has(event._tag))

/** What does not add up, in words, with the event that shows it. */
export const contradictions = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> => {
  const events = moments.map(({ event }) => event)
  const sum = (tag: "FillSeen" | "PaidOut" | "Refunded", read: (event: PlacementEvent) => Amount): Amount =>
    events.filter(({ _tag }) => _tag === tag).reduce((total, event) => total + read(event), 0n)
  const filledOut = sum("FillSeen", (event) => (event._tag === "FillSeen" ? event.amountOut : 0n))
  const paid = sum("PaidOut", (event) => (event._tag === "PaidOut" ? event.amount + event.fee : 0n))
  const status = events.findLast(({ _tag }) => _tag === "Closed")
  const isSettled = events.some(({ _tag }) => _tag === "Settled")
  const refunded = events.some(({ _tag }) => _tag === "Refunded")
  return [
    ...events.flatMap((event) => {
      if (event._tag === "Contradiction") return [`contradiction: ${event.what} (${event.evidence})`]
      if (event._tag === "LegFailed") return [`failed leg: ${event.leg} of ${event.amount}: ${event.reason}`]
      return []
    }),
    ...(filledOut > 0n && paid === 0n && !isSettled ? ["filled, payout pending: nothing of it was paid out yet"] : []),
    ...(paid > 0n && paid !== filledOut ? [`amounts do not match fills: filled ${filledOut}, paid ${paid}`] : []),
    ...(status?._tag === "Closed" && status.status === "FILLED" && status.unspent === 0n && refunded
      ? ["a filled order was refunded"]
      : [])
  ]
}
