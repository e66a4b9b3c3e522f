/**
 * Compares our records with the venue's orders, the partner's history and the balances. Each subject agrees, differs for a nameable reason,
 * or contradicts: money is not where the journal has it. Pure.
 *
 * Four wrong ways to compare are avoided. The history is read with every status and without filters (see `HistorySync`). A record that is
 * missing there proves nothing, because masked records are hidden and reports lag. Amounts of records in flight read zero and are not
 * compared. Orders and swaps are matched by deposit address and memo, because time bounds are exclusive.
 */
import type { Amount } from "../../domain/Amount.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import type { SwapReport } from "../../domain/SwapRecord.ts"
import { unclearPayment } from "../funding/Paying.ts"
import { orderName } from "../state/RunState.ts"
import * as SwapHistory from "../state/swaps/SwapHistory.ts"
import { type Comparison, type ComparisonVerdict, type Evidence, noEvidence, texts } from "./Comparison.ts"
import type { JournalOrder } from "./JournalOrders.ts"

export interface HistoryLine {
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  readonly status: string
  readonly createdAt: number
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly refundTo: string | undefined
  readonly hashes: ReadonlyArray<string>
}

export interface Witnesses {
  readonly own: ReadonlySet<string>
  readonly orders: ReadonlyArray<JournalOrder>
  readonly swaps: ReadonlyArray<SwapHistory.SwapHistory>
  /** Addresses of ended orders of the journal, by `addressKey`. They only show that a line is not foreign. */
  readonly settled?: ReadonlySet<string>
  /** By id, as the venue shows them now. An order of the journal that is missing here was not found there. */
  readonly venueOrders: ReadonlyMap<string, Order>
  readonly unreadOrders: ReadonlyMap<string, string>
  /** By `addressKey`; `undefined` when the history was not read. */
  readonly history: ReadonlyMap<string, HistoryLine> | undefined
  readonly oddLines: ReadonlyArray<OddLine>
}

export interface OddLine {
  readonly depositAddress: string | undefined
  readonly depositMemo: string | undefined
  readonly status: string | undefined
  readonly problem: string
}

export const addressKey = (depositAddress: string, depositMemo: string | undefined): string =>
  JSON.stringify([depositAddress, depositMemo ?? null])

export const compare = (witnesses: Witnesses): ReadonlyArray<Comparison> => [
  ...witnesses.orders.filter(({ orderId }) => orderId !== undefined).map((order) => compareOrder(order, witnesses)),
  ...witnesses.swaps.map((swap) => compareSwap(swap, witnesses)),
  ...foreign(witnesses),
  ...witnesses.oddLines.map(oddLine)
]

type Statement = readonly [Exclude<ComparisonVerdict, "agrees">, string]

const gravest = (statements: ReadonlyArray<Statement>, agreed: string): Pick<Comparison, "verdict" | "text"> => {
  const contradictions = statements.filter(([verdict]) => verdict === "contradiction")
  const decisiveStatements = contradictions.length > 0 ? contradictions : statements
  const verdict = contradictions.length > 0 ? "contradiction" : statements.length > 0 ? "explained" : "agrees"
  return {
    verdict,
    text: decisiveStatements.length === 0 ? agreed : decisiveStatements.map(([, text]) => text).join("; ")
  }
}

const isFinal = (status: string): boolean => status === "SUCCESS" || status === "REFUNDED" || status === "FAILED"

const sumOf = (order: Order, side: "amountIn" | "amountOut"): Amount =>
  order.fills.reduce((sum, fill) => sum + fill[side], 0n)

const compareOrder = (order: JournalOrder, { history, unreadOrders, venueOrders }: Witnesses): Comparison => {
  const { depositAddress, depositMemo, orderId } = order
  const venueOrder = orderId === undefined ? undefined : venueOrders.get(orderId)
  const unread = orderId === undefined ? undefined : unreadOrders.get(orderId)
  const line = depositAddress === undefined ? undefined : history?.get(addressKey(depositAddress, depositMemo))
  const statements = [
    ...(order.contradiction === undefined
      ? []
      : [["contradiction", `the journal notes: ${order.contradiction}`] as const]),
    ...(unread === undefined ? againstVenue(order, venueOrder) : [["explained", `not compared: ${unread}`] as const]),
    ...(history === undefined ? [] : orderAgainstHistory(order, line))
  ]
  return {
    kind: "order",
    subject: orderName(order),
    depositAddress,
    depositMemo,
    ...(unread === undefined ? {} : { isUndecided: true }),
    ...gravest(
      statements,
      history === undefined ? "journal and order agree; the history was not read" : "journal, order and history agree"
    ),
    evidence: {
      journal: texts({
        order: orderId,
        status: order.status,
        signed: order.signed,
        deposited: order.deposited,
        filledIn: order.filledIn,
        filledOut: order.filledOut,
        paidOut: order.paidOut,
        payoutFee: order.payoutFee,
        refunded: order.refunded,
        refundFee: order.refundFee
      }),
      venue:
        venueOrder === undefined
          ? undefined
          : texts({
              status: venueOrder.fillStatus,
              deposited: venueOrder.depositedAmount,
              filledIn: sumOf(venueOrder, "amountIn"),
              filledOut: sumOf(venueOrder, "amountOut"),
              payoutIsFinal: String(venueOrder.payoutIsFinal)
            }),
      history: line === undefined ? undefined : lineTexts(line),
      correlationIds: order.correlationIds,
      hashes: [...new Set([...order.hashes, ...venueHashes(venueOrder), ...(line?.hashes ?? [])])],
      timeline: order.timeline
    }
  }
}

const venueHashes = (order: Order | undefined): ReadonlyArray<string> =>
  order === undefined ? [] : [...order.withdrawals, order.refund].flatMap((leg) => leg?.txHash ?? [])

const againstVenue = (order: JournalOrder, found: Order | undefined): ReadonlyArray<Statement> => {
  if (found === undefined) {
    return order.deposited > 0n
      ? [["contradiction", `the venue does not list the order, in which the journal has ${order.deposited}`]]
      : [["explained", "the venue does not list the order; it was never funded"]]
  }
  const filledIn = sumOf(found, "amountIn")
  const filledOut = sumOf(found, "amountOut")
  const isNotYet = !order.isOver
  const differ = (what: string, ours: Amount, theirs: Amount): ReadonlyArray<Statement> => {
    if (ours === theirs) return []
    const text = `${what}: the journal has ${ours}, the venue ${theirs}`
    return theirs > ours && isNotYet
      ? [["explained", `${text}; the bot has not seen it yet`]]
      : [["contradiction", text]]
  }
  const statements = [
    ...differ("deposited", order.deposited, found.depositedAmount),
    ...differ("filled input", order.filledIn, filledIn),
    ...differ("filled output", order.filledOut, filledOut)
  ]
  if (found.depositedAmount > order.signed) {
    statements.push(["contradiction", `${found.depositedAmount} was deposited, ${order.signed} was signed for`])
  }
  if (order.isOver && order.deposited > 0n && !isTerminal(found.fillStatus)) {
    statements.push(["contradiction", `settled in the journal, ${found.fillStatus} at the venue`])
  }
  if (order.isOver && order.deposited > 0n && !found.payoutIsFinal) {
    statements.push(["contradiction", "settled in the journal, but its payout is not final at the venue"])
  }
  return [...statements, ...legsAgainstVenue(order, found)]
}

/** Payouts and refunds that the venue does not confirm. Swaps are left out, because their status may omit them. */
const legsAgainstVenue = (order: JournalOrder, found: Order): ReadonlyArray<Statement> => {
  if (order.by !== undefined || !order.isOver || order.isByWord === true || !found.payoutIsFinal) return []
  const legs = [
    ["paid out", order.paidOut + order.payoutFee, found.withdrawals],
    ["refunded", order.refunded + order.refundFee, found.refund === undefined ? [] : [found.refund]]
  ] as const
  return legs.flatMap(([what, ours, theirs]): ReadonlyArray<Statement> => {
    const open = theirs.find(({ status }) => status !== "COMPLETED")
    if (ours === 0n || (theirs.length > 0 && open === undefined)) return []
    return [["contradiction", `${what} in the journal, ${open?.status ?? "not"} at the venue`]]
  })
}

const orderAgainstHistory = (order: JournalOrder, line: HistoryLine | undefined): ReadonlyArray<Statement> => {
  if (line === undefined) {
    return order.deposited === 0n ? [] : [["explained", "not in the history, which lags and omits masked records"]]
  }
  if (!isFinal(line.status)) {
    if (!order.isOver || order.deposited === 0n) return []
    return [["explained", `the history still shows ${line.status}, whose amounts are zero`]]
  }
  if (!order.isOver)
    return [["explained", `the history already shows ${line.status}, the bot has not seen its end yet`]]
  const statements: Array<Statement> = []
  // An order that never filled may be reported with its deposit, or with nothing.
  if (line.amountIn !== order.filledIn && !(order.filledIn === 0n && line.amountIn === order.deposited)) {
    statements.push(["contradiction", `spent: the journal has ${order.filledIn}, the history ${line.amountIn}`])
  }
  if (line.amountOut !== order.filledOut && line.amountOut !== order.paidOut) {
    const ours = `${order.filledOut} (${order.paidOut} after fees)`
    statements.push(["contradiction", `received: the journal has ${ours}, the history ${line.amountOut}`])
  }
  return statements
}

const compareSwap = (swap: SwapHistory.SwapHistory, { history }: Witnesses): Comparison => {
  const { agreed, id, placement, steps } = swap
  const { contradiction, report } = placement
  const end = SwapHistory.endOf(swap)
  const line = history?.get(addressKey(agreed.depositAddress, agreed.depositMemo))
  const money = SwapHistory.moneyOf(swap)
  const statements: ReadonlyArray<Statement> = [
    ...(contradiction === undefined ? [] : [["contradiction", `the journal notes: ${contradiction}`] as const]),
    ...(end?.outcome === "unproven" || end?.outcome === "failed"
      ? [["contradiction", `it ended ${end.outcome}: ${end.text}`] as const]
      : []),
    ...(unclearPayment(placement) === undefined
      ? []
      : [["explained", "unclear whether the wallet paid; no deposit shows"] as const]),
    ...(history === undefined ? [] : swapAgainstHistory(swap, line))
  ]
  const isAlone = history === undefined && statements.length === 0
  return {
    kind: "swap",
    subject: id,
    depositAddress: agreed.depositAddress,
    depositMemo: agreed.depositMemo,
    ...gravest(isAlone ? [["explained", historyUnread]] : statements, "journal and history agree"),
    evidence: {
      journal: texts({
        phase: SwapHistory.phaseOf(swap),
        outcome: end?.outcome,
        ...money.input,
        received: money.received
      }),
      venue: report === undefined ? undefined : texts(amountsOf(report)),
      history: line === undefined ? undefined : lineTexts(line),
      correlationIds: SwapHistory.correlationIdsOf(swap),
      hashes: [...new Set([...SwapHistory.hashesOf(swap), ...(line?.hashes ?? [])])],
      timeline: steps.map(({ at, event }) => ({ at, what: event._tag }))
    }
  }
}

/** A swap's order is a quote, which no list shows. */
const historyUnread = "not compared: the history was not read, and swaps have no other witness"

const amountsOf = ({ amountIn, amountOut, deposited, refunded, status }: SwapReport) => ({
  deposited,
  amountIn,
  amountOut,
  refunded,
  status
})

const swapAgainstHistory = (swap: SwapHistory.SwapHistory, line: HistoryLine | undefined): ReadonlyArray<Statement> => {
  const phase = SwapHistory.phaseOf(swap)
  const end = SwapHistory.endOf(swap)
  const money = SwapHistory.moneyOf(swap)
  if (line === undefined) {
    const isEmpty = phase === "dropped" || phase === "agreed" || end?.outcome === "unfunded"
    return isEmpty ? [] : [["explained", "not in the history, which lags and omits masked records"]]
  }
  const isUnfunded = phase === "dropped" || end?.outcome === "unfunded"
  if (!isFinal(line.status)) {
    if (isUnfunded && line.status !== "PENDING_DEPOSIT") {
      return [["contradiction", `never funded in the journal, ${line.status} in the history`]]
    }
    return end === undefined || isUnfunded
      ? []
      : [["explained", `the history still shows ${line.status}, whose amounts are zero`]]
  }
  if (isUnfunded) return [["contradiction", `never funded in the journal, ${line.status} in the history`]]
  if (end === undefined) return [["explained", `the history already shows ${line.status}: resume the swap to book it`]]
  const statements: Array<Statement> = []
  if (line.status === "SUCCESS" && line.amountIn !== money.input.spent) {
    statements.push(["contradiction", `spent: the journal has ${money.input.spent}, the history ${line.amountIn}`])
  }
  if (line.amountOut !== money.received) {
    statements.push(["contradiction", `received: the journal has ${money.received}, the history ${line.amountOut}`])
  }
  return statements
}

const foreign = ({
  own,
  history,
  orders,
  settled = new Set(),
  swaps,
  venueOrders
}: Witnesses): ReadonlyArray<Comparison> => {
  const ownAddresses = new Set([
    ...settled,
    ...orders.flatMap(({ depositAddress, depositMemo }) =>
      depositAddress === undefined ? [] : [addressKey(depositAddress, depositMemo)]
    ),
    ...swaps.map(({ agreed }) => addressKey(agreed.depositAddress, agreed.depositMemo))
  ])
  const isKnown = (at: { readonly depositAddress: string; readonly depositMemo?: string | undefined }) =>
    ownAddresses.has(addressKey(at.depositAddress, at.depositMemo))
  const unknownOrders = [...venueOrders.values()].filter(
    (order) => !isKnown(order) && own.has(order.refundTo) && order.depositedAmount > 0n
  )
  const orderAddresses = new Set(unknownOrders.map((order) => addressKey(order.depositAddress, order.depositMemo)))
  const unknownLines = [...(history?.values() ?? [])].filter(
    (line) =>
      line.refundTo !== undefined &&
      own.has(line.refundTo) &&
      !isKnown(line) &&
      line.status !== "PENDING_DEPOSIT" &&
      !orderAddresses.has(addressKey(line.depositAddress, line.depositMemo))
  )
  return [
    ...unknownOrders.map((order) => {
      const [verdict, text] = isPaid(order)
        ? (["explained", "of this account, but not of this journal; it ended empty"] as const)
        : (["contradiction", "contains money of this account, but is not in the journal"] as const)
      const venue = texts({ status: order.fillStatus, deposited: order.depositedAmount })
      return foreignEntry("order", order.id, order, verdict, text, { venue })
    }),
    ...unknownLines.map((line) =>
      foreignEntry("swap", line.depositAddress, line, "explained", "of this account, but not of this journal", {
        history: lineTexts(line),
        hashes: line.hashes
      })
    )
  ]
}

/** True if everything that an order held has left it. Money of a leg that the venue gave up has not. */
export const isPaid = (order: Order): boolean =>
  isTerminal(order.fillStatus) &&
  order.payoutIsFinal &&
  [...order.withdrawals, order.refund].every((leg) => leg === undefined || leg.status === "COMPLETED")

const oddLine = ({ depositAddress, depositMemo, problem, status }: OddLine): Comparison =>
  foreignEntry(
    "history",
    depositAddress ?? "no address",
    { depositAddress, depositMemo },
    "explained",
    `a record of the history is unusable and was not compared: ${problem}`,
    { history: texts({ status }) }
  )

const foreignEntry = (
  kind: Comparison["kind"],
  subject: string,
  {
    depositAddress,
    depositMemo
  }: { readonly depositAddress: string | undefined; readonly depositMemo?: string | undefined },
  verdict: ComparisonVerdict,
  text: string,
  evidence: Partial<Evidence>
): Comparison => ({
  kind,
  subject,
  depositAddress,
  depositMemo,
  verdict,
  text,
  evidence: { ...noEvidence, ...evidence }
})

const lineTexts = ({ amountIn, amountOut, status }: HistoryLine) => texts({ status, amountIn, amountOut })
