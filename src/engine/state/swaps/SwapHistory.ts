/**
 * One swap by hand for people and programs. Unlike the engine's state, it keeps ended swaps. Only amounts prove where the money is; a
 * status of the venue alone moves nothing.
 *
 * agreed → funding → deposited → ended (or `dropped` before anything was signed)
 */
import { Effect } from "effect"
import { type Amount, max, min } from "../../../domain/Amount.ts"
import type { PlacementEvent, Recorded } from "../../../domain/BotEvent.ts"
import { byHand } from "../../../domain/Placement.ts"
import type { AgreedSwap, SwapReport } from "../../../domain/SwapRecord.ts"
import { eachPage, Journal } from "../../../journal/Journal.ts"
import type { Placement } from "../Placement.ts"
import { placementAfter, planned } from "../PlacementFold.ts"

export interface SwapStep extends Recorded {
  readonly event: PlacementEvent
}

export interface SwapHistory {
  readonly id: string
  readonly agreed: AgreedSwap
  readonly placement: Placement
  readonly steps: ReadonlyArray<SwapStep>
}

export const apply = (swaps: Map<string, SwapHistory>, { at, event, sequence }: Recorded): void => {
  if (!("placement" in event) || event.strategy !== byHand) return
  const id = event.placement
  const step = { sequence, at, event }
  if (event._tag === "Planned") {
    if (event.swap !== undefined)
      swaps.set(id, { id, agreed: event.swap, placement: planned(event, at), steps: [step] })
    return
  }
  const storedSwap = swaps.get(id)
  if (storedSwap === undefined) return
  swaps.set(id, {
    ...storedSwap,
    placement: placementAfter(storedSwap.placement, event, at),
    steps: [...storedSwap.steps, step]
  })
}

export const all = Effect.gen(function* () {
  const { events } = yield* Journal
  const swaps = new Map<string, SwapHistory>()
  yield* eachPage(events({ strategy: byHand }), (page) => {
    for (const entry of page) apply(swaps, entry)
  })
  return [...swaps.values()]
})

export type Phase = "agreed" | "funding" | "deposited" | "ended" | "dropped"

export const phaseOf = ({ placement: { payout, refund, state } }: SwapHistory): Phase => {
  switch (state) {
    case "planned":
    case "creating":
    case "created":
      return "agreed"
    case "funding":
    case "in doubt":
      return "funding"
    case "open":
    case "closing":
      return payout === "failed" || refund === "failed" ? "ended" : "deposited"
    case "abandoned":
      return "dropped"
    default:
      return "ended"
  }
}

export const isOver = (swap: SwapHistory): boolean => {
  const phase = phaseOf(swap)
  return phase === "ended" || phase === "dropped"
}

/** `paid` and `refunded` are proven by amounts; `unproven` is an end that the venue claims without proof. */
export interface End {
  readonly outcome: "paid" | "refunded" | "failed" | "unproven" | "unfunded"
  readonly text: string
}

/** `undefined` before the end, or if the swap was dropped before anything was signed. */
export const endOf = (swap: SwapHistory): End | undefined => {
  if (phaseOf(swap) !== "ended") return undefined
  for (const { event } of swap.steps.toReversed()) {
    if (event._tag === "FundingDead") return { outcome: "unfunded", text: event.reason }
    if (event._tag === "LegFailed") return { outcome: "failed", text: `the venue gave it up: ${event.reason}` }
    if (event._tag === "Settled") return conclusion(swap.agreed, swap.placement.report, arrivedOf(swap))
    if (event._tag !== "Resolved") continue
    if (event.word === "not-paid") return { outcome: "unfunded", text: event.text }
    if (event.word === "forget") return { outcome: "unproven", text: event.text }
  }
  return undefined
}

const arrivedOf = ({ steps }: SwapHistory): Amount | undefined =>
  steps.reduce<Amount | undefined>(
    (arrived, { event }) => (event._tag === "Resolved" ? (event.received ?? arrived) : arrived),
    undefined
  )

export const conclusion = (agreed: AgreedSwap, report = nothing, arrived?: Amount): End => {
  if (arrived !== undefined)
    return { outcome: "paid", text: `${arrived} arrived, as was said; the venue shows no amounts` }
  const { amountIn = 0n, amountOut = 0n, refunded = 0n, refundReason, status = "nothing" } = report
  const why = refundReason === undefined ? "" : ` (${refundReason})`
  if (status === "FAILED") return { outcome: "failed", text: `the venue gave it up${why}` }
  if (amountOut > 0n) {
    if (status === "REFUNDED") return { outcome: "unproven", text: "it is said to be refunded, but names an output" }
    if (amountIn === 0n) return { outcome: "unproven", text: "it is said to be paid, but for no input" }
    const least = agreed.minAmountOut ?? 0n
    if (agreed.swapType !== "FLEX_INPUT" && amountOut < least)
      return { outcome: "unproven", text: `it paid ${amountOut}, less than the least of ${least}` }
    return { outcome: "paid", text: "amount received verified" }
  }
  if (refunded > 0n) return { outcome: "refunded", text: `the input came back${why}` }
  return { outcome: "unproven", text: `the venue says ${status} without an amount that proves it${why}` }
}

export const swapPlaces = ["deposit in flight", "in doubt", "in swap", "spent", "refunded", "fees", "residual"] as const

export interface SwapMoney {
  /** Places of all input that left us; the parts add up to it. */
  readonly input: Readonly<Record<(typeof swapPlaces)[number], Amount>>
  readonly received: Amount
}

const nowhere = {
  "deposit in flight": 0n,
  "in doubt": 0n,
  "in swap": 0n,
  spent: 0n,
  refunded: 0n,
  fees: 0n,
  residual: 0n
}

const nothing: Partial<SwapReport> = {}

export const moneyOf = (swap: SwapHistory): SwapMoney => {
  const { agreed, placement } = swap
  const { amountIn = 0n, amountOut = 0n, deposited = 0n, refunded: back = 0n } = placement.report ?? nothing
  /** The amount that was signed for or asked of the wallet may be on its way. */
  const committed = placement.funding?.amount ?? 0n
  const end = endOf(swap)
  if (end === undefined) {
    const place = placement.state === "in doubt" ? "in doubt" : "deposit in flight"
    return { input: { ...nowhere, [place]: max(0n, committed - deposited), "in swap": deposited }, received: 0n }
  }
  if (end.outcome === "unfunded") return { input: nowhere, received: 0n }
  const inputTotal = max(deposited, committed)
  const arrived = arrivedOf(swap)
  if (arrived !== undefined) return { input: { ...nowhere, spent: inputTotal }, received: arrived }
  const spent = min(inputTotal, amountIn)
  const refunded = min(inputTotal - spent, back)
  const unexplained = inputTotal - spent - refunded
  const fees = refunded > 0n ? min(unexplained, agreed.refundFee ?? 0n) : 0n
  return { input: { ...nowhere, spent, refunded, fees, residual: unexplained - fees }, received: amountOut }
}

export const correlationIdsOf = ({ steps }: SwapHistory): ReadonlyArray<string> => [
  ...new Set(steps.flatMap(({ event }) => ("correlationId" in event ? (event.correlationId ?? []) : [])))
]

export const hashesOf = ({ placement: { report } }: SwapHistory): ReadonlyArray<string> =>
  report === undefined
    ? []
    : [...report.intentHashes, ...report.ledgerTxHashes, ...report.originTxHashes, ...report.destinationTxHashes]
