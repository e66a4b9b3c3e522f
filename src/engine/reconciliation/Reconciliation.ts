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
import type { OddTransaction, Transaction } from "../../venue/wire/HistoryEntry.ts"
import { unclearPayment } from "../funding/Paying.ts"
import type { OperatorAnswer } from "../funding/Problems.ts"
import type { Placement, PlacementIn } from "../state/Placement.ts"
import { orderName } from "../state/RunState.ts"
import * as SwapHistory from "../state/swaps/SwapHistory.ts"
import { isBareSuccess } from "../tracking/amounts/BareSuccess.ts"
import { receivedBy, spentBy } from "../tracking/Contradictions.ts"
import { type Comparison, type ComparisonVerdict, type Evidence, noEvidence, texts } from "./Comparison.ts"
import type { JournalOrder } from "./JournalOrders.ts"

export interface HistoryLine
  extends Pick<Transaction, "amountIn" | "amountOut" | "createdAt" | "depositAddress" | "depositMemo" | "status"> {
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

type OddLine = Pick<OddTransaction, "depositAddress" | "depositMemo" | "problem" | "status">

interface Address {
  readonly depositAddress: string | undefined
  readonly depositMemo?: string | undefined
}

export const addressKey = ({ depositAddress, depositMemo }: Address & { readonly depositAddress: string }): string =>
  JSON.stringify([depositAddress, depositMemo ?? null])

export const addressKeys = ({ depositAddress, depositMemo }: Address): ReadonlyArray<string> =>
  depositAddress === undefined ? [] : [addressKey({ depositAddress, depositMemo })]

export const compare = (witnesses: Witnesses): ReadonlyArray<Comparison> => [
  ...witnesses.orders.filter(({ orderId }) => orderId !== undefined).map((order) => compareOrder(order, witnesses)),
  ...witnesses.swaps.map((swap) => compareSwap(swap, witnesses)),
  ...foreign(witnesses),
  ...witnesses.oddLines.map(oddLine)
]

type Statement = readonly [Exclude<ComparisonVerdict, "agrees">, string]

const unlisted: Statement = ["explained", "not in the history, which lags and omits masked records"]

const unfinal = ({ status }: HistoryLine): Statement => [
  "explained",
  `the history still shows ${status}, whose amounts are zero`
]

const noted = (contradiction: string | undefined): ReadonlyArray<Statement> =>
  contradiction === undefined ? [] : [["contradiction", `the journal notes: ${contradiction}`]]

const differing = (what: string, ours: Amount, theirs: Amount, text = String(ours)): ReadonlyArray<Statement> =>
  ours === theirs ? [] : [["contradiction", `${what}: the journal has ${text}, the history ${theirs}`]]

const gravest = (statements: ReadonlyArray<Statement>, agreed: string): Pick<Comparison, "verdict" | "text"> => {
  const contradictions = statements.filter(([verdict]) => verdict === "contradiction")
  const decisive = contradictions.length > 0 ? contradictions : statements
  const text = decisive.length === 0 ? agreed : decisive.map((statement) => statement[1]).join("; ")
  return { verdict: decisive[0]?.[0] ?? "agrees", text }
}

const isFinal = (status: string): boolean => status === "SUCCESS" || status === "REFUNDED" || status === "FAILED"

const compareOrder = (order: JournalOrder, { history, unreadOrders, venueOrders }: Witnesses): Comparison => {
  const { depositAddress, depositMemo, orderId } = order
  const { deposited, filledIn, filledOut, paidOut, payoutFee, refunded, refundFee, signed, status } = order
  const venueOrder = orderId === undefined ? undefined : venueOrders.get(orderId)
  const unread = orderId === undefined ? undefined : unreadOrders.get(orderId)
  const [line] = addressKeys(order).map((key) => history?.get(key))
  const statements = [
    ...noted(order.contradiction),
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
        ...{ order: orderId, status, signed, deposited, filledIn, filledOut },
        ...{ paidOut, payoutFee, refunded, refundFee }
      }),
      venue: venueOrder && orderTexts(venueOrder),
      history: line && lineTexts(line),
      correlationIds: order.correlationIds,
      hashes: [...new Set([...order.hashes, ...venueHashes(venueOrder), ...(line?.hashes ?? [])])],
      timeline: order.timeline
    }
  }
}

const orderTexts = (order: Order) =>
  texts({
    status: order.fillStatus,
    deposited: order.depositedAmount,
    filledIn: spentBy(order),
    filledOut: receivedBy(order),
    payoutIsFinal: String(order.payoutIsFinal)
  })

const venueHashes = (order: Order | undefined): ReadonlyArray<string> =>
  order === undefined ? [] : [...order.withdrawals, order.refund].flatMap((leg) => leg?.txHash ?? [])

const againstVenue = (order: JournalOrder, found: Order | undefined): ReadonlyArray<Statement> => {
  if (found === undefined) {
    return order.deposited > 0n
      ? [["contradiction", `the venue does not list the order, in which the journal has ${order.deposited}`]]
      : [["explained", "the venue does not list the order; it was never funded"]]
  }
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
    ...differ("filled input", order.filledIn, spentBy(found)),
    ...differ("filled output", order.filledOut, receivedBy(found))
  ]
  if (found.depositedAmount > order.signed)
    statements.push(["contradiction", `${found.depositedAmount} was deposited, ${order.signed} was signed for`])
  if (order.isOver && order.deposited > 0n && !isTerminal(found.fillStatus))
    statements.push(["contradiction", `settled in the journal, ${found.fillStatus} at the venue`])
  if (order.isOver && order.deposited > 0n && !found.payoutIsFinal)
    statements.push(["contradiction", "settled in the journal, but its payout is not final at the venue"])
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
  const { deposited, filledIn, filledOut, isOver, paidOut } = order
  if (line === undefined) return deposited === 0n ? [] : [unlisted]
  if (!isFinal(line.status)) return !isOver || deposited === 0n ? [] : [unfinal(line)]
  if (!isOver) return [["explained", `the history already shows ${line.status}, the bot has not seen its end yet`]]
  // An order that never filled may be reported with its deposit, or with nothing.
  const isDeposit = filledIn === 0n && line.amountIn === deposited
  const received = `${filledOut} (${paidOut} after fees)`
  return [
    ...(isDeposit ? [] : differing("spent", filledIn, line.amountIn)),
    ...(line.amountOut === paidOut ? [] : differing("received", filledOut, line.amountOut, received))
  ]
}

const compareSwap = (swap: SwapHistory.SwapHistory, { history }: Witnesses): Comparison => {
  const { agreed, id, placement, steps } = swap
  const { contradiction, report } = placement
  const end = SwapHistory.endOf(swap)
  const line = history?.get(addressKey(agreed))
  const { input, received } = SwapHistory.moneyOf(swap)
  const statements: ReadonlyArray<Statement> = [
    ...noted(contradiction),
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
      journal: texts({ phase: SwapHistory.phaseOf(swap), outcome: end?.outcome, ...input, received }),
      venue: report && reportTexts(report),
      history: line && lineTexts(line),
      correlationIds: SwapHistory.correlationIdsOf(swap),
      hashes: [...new Set([...SwapHistory.hashesOf(swap), ...(line?.hashes ?? [])])],
      timeline: steps.map(({ at, event }) => ({ at, what: event._tag }))
    }
  }
}

/** A swap's order is a quote, which no list shows. */
const historyUnread = "not compared: the history was not read, and swaps have no other witness"

const reportTexts = ({ amountIn, amountOut, deposited, refunded, status }: SwapReport) =>
  texts({ deposited, amountIn, amountOut, refunded, status })

const swapAgainstHistory = (swap: SwapHistory.SwapHistory, line: HistoryLine | undefined): ReadonlyArray<Statement> => {
  const phase = SwapHistory.phaseOf(swap)
  const end = SwapHistory.endOf(swap)
  const { input, received } = SwapHistory.moneyOf(swap)
  const isUnfunded = phase === "dropped" || end?.outcome === "unfunded"
  if (line === undefined) return isUnfunded || phase === "agreed" ? [] : [unlisted]
  const { amountIn, amountOut, status } = line
  if (isUnfunded)
    return status === "PENDING_DEPOSIT"
      ? []
      : [["contradiction", `never funded in the journal, ${status} in the history`]]
  if (!isFinal(status)) return end === undefined ? [] : [unfinal(line)]
  if (end === undefined) return [["explained", `the history already shows ${status}: resume the swap to book it`]]
  return [
    ...(status === "SUCCESS" ? differing("spent", input.spent, amountIn) : []),
    ...differing("received", received, amountOut)
  ]
}

const foreign = (witnesses: Witnesses): ReadonlyArray<Comparison> => {
  const { history, orders, own, settled = new Set(), swaps, venueOrders } = witnesses
  const ownAddresses = new Set([
    ...settled,
    ...orders.flatMap(addressKeys),
    ...swaps.map(({ agreed }) => addressKey(agreed))
  ])
  const isKnown = (at: Order | HistoryLine): boolean => ownAddresses.has(addressKey(at))
  const unknownOrders = [...venueOrders.values()].filter(
    (order) => !isKnown(order) && own.has(order.refundTo) && order.depositedAmount > 0n
  )
  const orderAddresses = new Set(unknownOrders.map(addressKey))
  const unknownLines = [...(history?.values() ?? [])].filter(
    (line) =>
      line.refundTo !== undefined &&
      own.has(line.refundTo) &&
      !isKnown(line) &&
      line.status !== "PENDING_DEPOSIT" &&
      !orderAddresses.has(addressKey(line))
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

const oddLine = (line: OddLine): Comparison => {
  const text = `a record of the history is unusable and was not compared: ${line.problem}`
  const evidence = { history: texts({ status: line.status }) }
  return foreignEntry("history", line.depositAddress ?? "no address", line, "explained", text, evidence)
}

const foreignEntry = (
  kind: Comparison["kind"],
  subject: string,
  { depositAddress, depositMemo }: Address,
  verdict: ComparisonVerdict,
  text: string,
  evidence: Partial<Evidence>
): Comparison => ({
  ...{ kind, subject, depositAddress, depositMemo, verdict, text },
  evidence: { ...noEvidence, ...evidence }
})

const lineTexts = ({ amountIn, amountOut, status }: HistoryLine) => texts({ status, amountIn, amountOut })

const accepted: ReadonlySet<string> = new Set(["PROCESSING", "SUCCESS", "REFUNDED"])

/**
 * Payments in doubt, and swaps that the venue ended without amounts, that the partner's history proves. Its line proves a payment by our
 * payload's hash or by money at the order's own address. It never proves that none was made, because lines lag and masked ones are left
 * out. Balances prove neither: a payout, a refund or the owner may move an equal amount at the same time.
 */
export const provenPaid = (
  placements: Iterable<Placement>,
  history: ReadonlyMap<string, HistoryLine>
): ReadonlyArray<OperatorAnswer> =>
  [...placements].flatMap((placement) => {
    const line = placement.order && history.get(addressKey(placement.order))
    if (isBareSuccess(placement) && line?.status === "SUCCESS" && line.amountOut > 0n) {
      const { amountOut: received } = line
      return [{ placement: placement.id, word: "paid", received, text: `the history shows ${received} received` }]
    }
    if (placement.state !== "in doubt") return []
    const proof = line === undefined ? undefined : proofIn(line, placement)
    return proof === undefined ? [] : [{ placement: placement.id, word: "paid", text: `the history shows ${proof}` }]
  })

const proofIn = (
  { amountIn, hashes, status }: HistoryLine,
  { funding: { intentHash }, order }: PlacementIn<"in doubt">
): string | undefined => {
  if (intentHash !== "" && hashes.some((hash) => hash.split(",").includes(intentHash)))
    return `its payload ${intentHash} as executed`
  if (amountIn > 0n || accepted.has(status)) return `money at ${order.depositAddress}, status ${status}`
  return undefined
}
