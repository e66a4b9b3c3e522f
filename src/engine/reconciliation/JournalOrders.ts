/** Every order in the journal with the figures that another witness can check. Unlike the engine's state, it keeps settled orders. */
import type { Amount } from "../../domain/Amount.ts"
import type { Of, PlacementEvent, Recorded } from "../../domain/BotEvent.ts"
import { byHand, foundAtVenue } from "../../domain/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"

export interface TimelineEntry {
  readonly at: number
  readonly what: string
}

export interface JournalOrder {
  readonly placement: string
  readonly slot: string
  readonly inputAsset: string
  readonly outputAsset: string
  readonly by: "swap" | undefined
  readonly orderId: string | undefined
  readonly depositAddress: string | undefined
  readonly depositMemo: string | undefined
  readonly signed: Amount
  readonly deposited: Amount
  readonly filledIn: Amount
  readonly filledOut: Amount
  readonly paidOut: Amount
  readonly payoutFee: Amount
  readonly refunded: Amount
  readonly refundFee: Amount
  readonly status: string | undefined
  readonly isOver: boolean
  readonly contradiction: string | undefined
  readonly isByWord?: boolean
  readonly hashes: ReadonlyArray<string>
  readonly correlationIds: ReadonlyArray<string>
  readonly timeline: ReadonlyArray<TimelineEntry>
}

export const apply = (orders: Map<string, JournalOrder>, { at, event }: Recorded): void => {
  if (!("placement" in event)) return
  if (event._tag === "Planned") {
    if (event.strategy === byHand) return
    orders.set(event.placement, planned(event, at))
    return
  }
  const order = orders.get(event.placement)
  if (order === undefined) return
  const correlationIds =
    "correlationId" in event && event.correlationId !== undefined
      ? [...order.correlationIds, event.correlationId]
      : order.correlationIds
  const timeline = [...order.timeline, { at, what: event._tag }]
  orders.set(event.placement, { ...order, ...changeOf(order, event), correlationIds, timeline })
}

const nothingSeen = {
  filledIn: 0n,
  filledOut: 0n,
  paidOut: 0n,
  payoutFee: 0n,
  refunded: 0n,
  refundFee: 0n,
  status: undefined,
  isOver: false
} as const

const planned = (event: Of<"Planned">, at: number): JournalOrder => ({
  placement: event.placement,
  slot: slotKey(event.strategy, event.slot),
  inputAsset: event.inputAsset,
  outputAsset: event.outputAsset,
  by: event.by,
  orderId: undefined,
  depositAddress: undefined,
  depositMemo: undefined,
  // An adopted order was paid before this journal knew it, so it has no signature here.
  signed: event.why.code === foundAtVenue ? event.inputAmount : 0n,
  deposited: 0n,
  ...nothingSeen,
  contradiction: undefined,
  hashes: [],
  correlationIds: [],
  timeline: [{ at, what: "Planned" }]
})

const changeOf = (order: JournalOrder, event: PlacementEvent): Partial<JournalOrder> => {
  switch (event._tag) {
    case "Bound":
      return { orderId: event.orderId, depositAddress: event.depositAddress, depositMemo: event.depositMemo }
    case "FundingSigned":
      return { signed: order.signed + event.amount, hashes: [...order.hashes, event.intentHash] }
    case "PaymentAsked":
      return { signed: order.signed + event.amount }
    case "PaymentMade":
      return { hashes: [...order.hashes, event.txHash] }
    case "FundingDead":
      return { signed: order.signed - event.amount, isOver: true }
    case "Abandoned":
      return { isOver: true }
    case "DepositSeen":
      return { deposited: event.total, isOver: false }
    case "FillSeen":
      return { filledIn: order.filledIn + event.amountIn, filledOut: order.filledOut + event.amountOut }
    case "StatusSeen":
    case "Closed":
      return { status: event.status }
    case "PaidOut":
      return {
        paidOut: order.paidOut + event.amount,
        payoutFee: order.payoutFee + event.fee,
        hashes: [...order.hashes, ...event.txHashes]
      }
    case "Refunded":
      return {
        refunded: order.refunded + event.amount,
        refundFee: order.refundFee + event.fee,
        hashes: [...order.hashes, ...event.txHashes]
      }
    case "TakenBack":
      return { ...nothingSeen, isByWord: false }
    case "Contradiction":
      return { contradiction: event.what }
    case "Resolved":
      return event.word === "adopt" ? { contradiction: undefined } : { isByWord: event.word === "paid" }
    case "Settled":
      return { isOver: true }
    default:
      return {}
  }
}
