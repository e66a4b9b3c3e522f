/**
 * All rules about missing answers, orders and deposits: how long the bot waits, and what it concludes. A request without an answer may have
 * been executed, an order that is missing from a list may exist, and a deposit may appear late. So nothing is concluded from a single read,
 * and nothing about a payment from reads alone.
 *
 * A rule concludes one of three things. `abandoned`: nothing was signed, so no money is at risk. `never`: the payment was not made and can
 * no longer be made. `doubt`: the payment may have been made, so its money stays reserved. The bot waits without limit for a placement that
 * has no rule. Pure.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Order } from "../../domain/Order.ts"
import * as Payload from "../../domain/Payload.ts"
import type { Settings } from "../EngineSettings.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import { about, type Funding, type Placement } from "../state/Placement.ts"
import { firstOf, type TableRow } from "./TableRow.ts"

/** Our deposit has reached the order, even if the order has since ended. */
export const hasArrived = ({ depositedAmount, refund }: Order): boolean =>
  depositedAmount > 0n || refund?.status === "COMPLETED"

/** The venue knows of a transfer, although the order shows no deposit yet. */
export const isOnItsWay = ({ fillStatus }: Order): boolean =>
  fillStatus === "KNOWN_DEPOSIT_TX" || fillStatus === "PROCESSING"

export interface Seen {
  /** Since the last event of the placement. */ readonly quietMillis?: number
  /** Since the start of this process. */ readonly runMillis?: number
  /** Since its payload expired, by the venue's clock. */ readonly expiredMillis?: number
  /** Reads after the expiry that showed no deposit. */ readonly emptyReads?: number
  /** Time for which its order has been shown as ended and empty. */ readonly overMillis?: number
  /** The order's status, or the error of the venue or the signer. */ readonly answer?: string
}

export type SilenceTerms = Pick<
  Settings,
  "resolveAfterMillis" | "takeoverMillis" | "visibilityMillis" | "paymentVisibilityMillis" | "doubtMillis"
>

type IsLong = (seen: Required<Seen>, terms: SilenceTerms) => boolean
type Because = (placement: Placement, seen: Required<Seen>, terms: SilenceTerms) => string
type Conclusion = readonly [isLong: IsLong, means: "never" | "doubt" | "abandoned", because: Because]

/** The first row about a placement counts, even before its waiting time is over. */
export type SilenceRow = TableRow<Placement["state"], [placement: Placement], Conclusion>

/** One read may miss a deposit, so a conclusion needs two. */
const emptyReadsNeeded = 2

const certaintyOf = ({ funding }: Placement): Payload.Certainty | undefined => funding && Payload.certaintyOf(funding)
const isByWallet = ({ funding }: Placement): boolean => funding?.payment !== undefined

/**
 * True if an order that ended and stays empty proves that it was not paid. Three cases prove nothing: an unpaid swap never changes its
 * status, a payment on another chain never expires, and an acknowledged payload was executed.
 */
export const endsBySilence = (placement: Placement): boolean =>
  placement.by === undefined && !isByWallet(placement) && certaintyOf(placement) !== "executed"

const isSwap = ({ by }: Placement): boolean => by === "swap"
const isOrderPaidByPerson = ({ by, funding }: Placement): boolean =>
  funding?.payment?.wallet === "manual" && by === undefined
const isUnpaid = (placement: Placement): boolean =>
  certaintyOf(placement) === "unsent" || certaintyOf(placement) === "refused"
const isDoubtful = (placement: Placement): boolean => certaintyOf(placement) === "doubtful"

const atOnce: IsLong = () => true
const isTakenOver: IsLong = ({ runMillis }, { takeoverMillis }) => runMillis >= takeoverMillis
const isQuiet: IsLong = ({ quietMillis }, { resolveAfterMillis }) => quietMillis >= resolveAfterMillis
const isOver: IsLong = ({ overMillis }, { paymentVisibilityMillis }) => overMillis >= paymentVisibilityMillis
const isExpired: IsLong = ({ emptyReads, expiredMillis }, { visibilityMillis }) =>
  expiredMillis >= visibilityMillis && emptyReads >= emptyReadsNeeded
const isLongOver: IsLong = ({ expiredMillis, overMillis }, { doubtMillis }) =>
  Math.min(overMillis, expiredMillis) >= doubtMillis

const ofEarlierProcess: Because = () =>
  "an earlier process started it, and the journal does not say whether it paid; no deposit showed"
const unquoted: Because = () => "the venue's answer to its quote is unknown"
const unpaid: Because = () => "it was not paid before its order ended"
const unlisted: Because = (_, __, { resolveAfterMillis }) =>
  `no answer to its create, and no order of its kind in the list for ${Math.round(resolveAfterMillis / 1000)} s`
const walletAnswer: Because = ({ funding }) => {
  const txHash = funding?.payment?.txHash
  const paymentText = txHash === undefined ? "it can no longer be paid" : `the wallet paid with transaction ${txHash}`
  return `${paymentText}, and no deposit showed`
}
const neverMade: Because = ({ funding }) => {
  if (funding === undefined) return ""
  if (funding.attempts === 0) return `its payload was never sent and has expired${lastAnswer(funding)}`
  const cause = Payload.isStale(funding) ? ", the last time because the verifier had changed its salt," : ""
  return `its payload was refused each time${cause} and has expired without a deposit${lastAnswer(funding)}`
}
const unacknowledged: Because = ({ funding }) =>
  `its payload was sent and has expired, the venue never acknowledged it, and no deposit shows${lastAnswer(funding)}`
const endedEmpty: Because = (_, { answer }) =>
  `the venue ended its order (${answer}) without a deposit, and none showed since`
const lastAnswer = (funding: Funding | undefined): string =>
  funding?.lastAnswer === undefined ? "" : `; the venue had answered ${funding.lastAnswer}`

const beforeFunding = ["planned", "creating", "created"] as const
const creating = ["creating"] as const
const created = ["created"] as const
const funding = ["funding"] as const
const doubt = ["in doubt"] as const

export const rows: ReadonlyArray<SilenceRow> = [
  [
    beforeFunding,
    "an earlier process started it, and may have paid",
    [mayBePaidEarlier],
    [isTakenOver, "abandoned", ofEarlierProcess]
  ],
  // An unpaid quote has no effect, and the venue lists none.
  [creating, "a quote was not answered", [isSwap], [atOnce, "abandoned", unquoted]],
  // If the order appears later, it is not paid.
  [creating, "a create was not answered", [], [isQuiet, "abandoned", unlisted]],
  [created, "no payload arrives, or it is not signed", [], [isQuiet, "abandoned", (_, { answer }) => answer]],
  [funding, "a person was asked to pay, and did not", [isOrderPaidByPerson], [isOver, "never", unpaid]],
  // A wallet program that reports a payment is believed, and the venue never confirms that a swap was not paid.
  [funding, "a wallet was asked", [isByWallet], [isOver, "doubt", walletAnswer]],
  [funding, "a payload never left, or every attempt was clearly refused", [isUnpaid], [isExpired, "never", neverMade]],
  [funding, "a payload was sent, and never acknowledged", [isDoubtful], [isExpired, "doubt", unacknowledged]],
  [doubt, "a payment in doubt, and its order is over", [endsBySilence], [isLongOver, "never", endedEmpty]]
]

const nothing: Required<Seen> = {
  quietMillis: 0,
  runMillis: 0,
  expiredMillis: 0,
  emptyReads: 0,
  overMillis: 0,
  answer: ""
}

export const concluded = (
  placement: Placement,
  seen: Seen,
  terms: SilenceTerms,
  table = rows
): ReadonlyArray<BotEvent> => {
  const silenceFacts = { ...nothing, ...seen }
  const conclusion = firstOf(table, placement.state, placement)
  if (conclusion === undefined) return []
  const [isLong, means, because] = conclusion
  if (!isLong(silenceFacts, terms)) return []
  const reason = because(placement, silenceFacts, terms)
  if (means === "abandoned") return [{ _tag: "Abandoned", ...about(placement), reason }]
  const money = { asset: placement.inputAsset, amount: placement.funding?.amount ?? placement.inputAmount }
  return [{ _tag: means === "never" ? "FundingDead" : "FundingInDoubt", ...about(placement), ...money, reason }]
}
