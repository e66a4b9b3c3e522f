/** Every order in the journal with the figures that another witness can check. Unlike the engine's state, it keeps settled orders. */
import { Struct } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import type { Of, PlacementEvent, Recorded, Tag } from "../../domain/BotEvent.ts"
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
  if (!("placement" in event) || event.strategy === byHand) return
  if (event._tag === "Planned") return void orders.set(event.placement, planned(event, at))
  const order = orders.get(event.placement)
  if (order === undefined) return
  const correlationIds =
    "correlationId" in event && event.correlationId !== undefined
      ? [...order.correlationIds, event.correlationId]
      : order.correlationIds
  const timeline = [...order.timeline, { at, what: event._tag }]
  const change = changesOrder(event) ? changed(order, event._tag, event) : {}
  orders.set(event.placement, { ...order, ...change, correlationIds, timeline })
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

type Change<T extends Tag> = (order: JournalOrder, event: Of<T>) => Partial<JournalOrder>

const table = {
  Bound: (_, { depositAddress, depositMemo, orderId }) => ({ orderId, depositAddress, depositMemo }),
  FundingSigned: ({ hashes, signed }, { amount, intentHash }) => ({
    signed: signed + amount,
    hashes: [...hashes, intentHash]
  }),
  PaymentAsked: ({ signed }, { amount }) => ({ signed: signed + amount }),
  PaymentMade: ({ hashes }, { txHash }) => ({ hashes: [...hashes, txHash] }),
  FundingDead: ({ signed }, { amount }) => ({ signed: signed - amount, isOver: true }),
  Abandoned: () => ({ isOver: true }),
  DepositSeen: (_, { total }) => ({ deposited: total, isOver: false }),
  FillSeen: ({ filledIn, filledOut }, { amountIn, amountOut }) => ({
    filledIn: filledIn + amountIn,
    filledOut: filledOut + amountOut
  }),
  StatusSeen: (_, { status }) => ({ status }),
  Closed: (_, { status }) => ({ status }),
  PaidOut: ({ hashes, paidOut, payoutFee }, { amount, fee, txHashes }) => ({
    paidOut: paidOut + amount,
    payoutFee: payoutFee + fee,
    hashes: [...hashes, ...txHashes]
  }),
  Refunded: ({ hashes, refunded, refundFee }, { amount, fee, txHashes }) => ({
    refunded: refunded + amount,
    refundFee: refundFee + fee,
    hashes: [...hashes, ...txHashes]
  }),
  TakenBack: () => ({ ...nothingSeen, isByWord: false }),
  Contradiction: (_, { what }) => ({ contradiction: what }),
  Resolved: (_, { word }): Partial<JournalOrder> =>
    word === "adopt" ? { contradiction: undefined } : { isByWord: word === "paid" },
  Settled: () => ({ isOver: true })
} satisfies { readonly [T in Tag]?: Change<T> }

type OrderTag = keyof typeof table
const changes: { readonly [T in OrderTag]: Change<T> } = table

export const tags: ReadonlyArray<Tag> = ["Planned", ...Struct.keys(table)]

const changesOrder = (event: PlacementEvent): event is Of<OrderTag> => event._tag in table

const changed = <T extends OrderTag>(order: JournalOrder, tag: T, event: Of<T>): Partial<JournalOrder> =>
  changes[tag](order, event)
