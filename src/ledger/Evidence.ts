/**
 * Everything that the journal knows of one order, for a support ticket: requests, answers, correlation ids, amounts, hashes, and what does
 * not add up. Signatures are left out, because nobody needs them to find a payment.
 */
import type { Amount } from "../domain/Amount.ts"
import type { PlacementEvent, Recorded } from "../domain/BotEvent.ts"
import type { ContradictionKind } from "../domain/EventValues.ts"

export interface EvidenceMoment {
  readonly sequence: number
  readonly at: number
  readonly event: PlacementEvent
}

export interface PlacementHistory {
  readonly placement: string
  readonly moments: ReadonlyArray<EvidenceMoment>
}

const isNamed = (event: PlacementEvent, name: string): boolean =>
  event.placement === name ||
  ("orderId" in event && event.orderId === name) ||
  ("depositAddress" in event && event.depositAddress === name) ||
  ("intentHash" in event && event.intentHash === name)

export const make = (name: string) => {
  const byPlacement = new Map<string, Array<EvidenceMoment>>()
  const placements = new Set<string>()
  return {
    see: ({ sequence, at, event }: Recorded): void => {
      if (!("placement" in event)) return
      if (isNamed(event, name)) placements.add(event.placement)
      const moments = byPlacement.get(event.placement) ?? []
      moments.push({ sequence, at, event })
      byPlacement.set(event.placement, moments)
    },
    result: (): ReadonlyArray<PlacementHistory> =>
      [...placements].map((placement) => ({ placement, moments: byPlacement.get(placement) ?? [] }))
  }
}

const valuesOf = (moments: ReadonlyArray<EvidenceMoment>, read: (event: PlacementEvent) => ReadonlyArray<string>) => [
  ...new Set(moments.flatMap(({ event }) => read(event)))
]

export const correlationIds = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> =>
  valuesOf(moments, (event) =>
    "correlationId" in event && event.correlationId !== undefined ? [event.correlationId] : []
  )

export const quoteSignatures = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> =>
  valuesOf(moments, (event) =>
    "quoteSignature" in event && event.quoteSignature !== undefined ? [event.quoteSignature] : []
  )

export const hashes = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<string> =>
  valuesOf(moments, (event) => [
    ...("intentHash" in event ? [event.intentHash] : []),
    ...("txHashes" in event ? event.txHashes : []),
    ...("txHash" in event ? [event.txHash] : [])
  ])

const requests = new Set(["CreateSent", "FundingSent", "CancelSent", "PaymentAsked", "PaymentAskedAgain"])

export const requestsOf = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<EvidenceMoment> =>
  moments.filter(({ event }) => requests.has(event._tag))

export interface EvidenceFinding {
  readonly kind: ContradictionKind | "contradiction" | "failed-leg" | "deposit-unseen"
  readonly text: string
}

/** Returns the events after the last `TakenBack`, because earlier ones no longer count. */
export const standing = (events: ReadonlyArray<PlacementEvent>): ReadonlyArray<PlacementEvent> =>
  events.slice(events.findLastIndex(({ _tag }) => _tag === "TakenBack") + 1)

export const findings = (moments: ReadonlyArray<EvidenceMoment>): ReadonlyArray<EvidenceFinding> => {
  const all = moments.map(({ event }) => event)
  const isDeposited = all.some(({ _tag }) => _tag === "DepositSeen")
  const events = standing(all)
  const sum = (read: (event: PlacementEvent) => Amount): Amount =>
    events.reduce((total, event) => total + read(event), 0n)
  const filledOut = sum((event) => (event._tag === "FillSeen" ? event.amountOut : 0n))
  const payoutTotal = sum((event) => (event._tag === "PaidOut" ? event.amount + event.fee : 0n))
  const refunded = sum((event) => (event._tag === "Refunded" ? event.amount + event.fee : 0n))
  const closed = events.findLast((event) => event._tag === "Closed")
  const has = (tag: PlacementEvent["_tag"]) => events.some(({ _tag }) => _tag === tag)
  const isSuccess = closed !== undefined && (closed.status === "FILLED" || closed.status === "SUCCESS")
  const isWholly = isSuccess && closed.unspent === 0n
  const candidates: ReadonlyArray<readonly [EvidenceFinding["kind"], boolean, string]> = [
    [
      "filled-unpaid",
      filledOut > 0n && payoutTotal === 0n && !has("Settled"),
      "filled, payout pending: nothing was paid out yet"
    ],
    [
      "amounts-do-not-match",
      payoutTotal > 0n && payoutTotal !== filledOut,
      `amounts do not match fills: filled ${filledOut}, paid ${payoutTotal}`
    ],
    [
      "success-without-amounts",
      isSuccess && filledOut === 0n,
      `it ended ${closed?.status}, but no fill shows an amount`
    ],
    [
      "success-but-refunded",
      isWholly && refunded > 0n && filledOut === 0n,
      `it ended ${closed?.status}, but was fully refunded`
    ],
    ["refund-of-filled", isWholly && refunded > 0n && filledOut > 0n, "a filled order was refunded"],
    [
      "deposit-unseen",
      (has("FundingAcknowledged") || has("PaymentMade")) && !isDeposited && !has("Settled"),
      "the payment was acknowledged, but the order shows no deposit"
    ]
  ]
  const noted = all.flatMap((event): ReadonlyArray<EvidenceFinding> => {
    if (event._tag === "Contradiction")
      return [{ kind: event.kind ?? "contradiction", text: `contradiction: ${event.what} (${event.evidence})` }]
    if (event._tag === "LegFailed")
      return [{ kind: "failed-leg", text: `failed leg: ${event.leg} of ${event.amount}: ${event.reason}` }]
    return []
  })
  // A finding that the bot recorded itself is not repeated.
  const isNew = (kind: EvidenceFinding["kind"]) => !noted.some((finding) => finding.kind === kind)
  return [...noted, ...candidates.flatMap(([kind, isSo, text]) => (isSo && isNew(kind) ? [{ kind, text }] : []))]
}
