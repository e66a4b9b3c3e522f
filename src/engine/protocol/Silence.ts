/**
 * Waiting times for answers, orders and deposits, and the conclusion when none comes. A request without an answer may have been executed,
 * an order that is missing from a list may exist, and a deposit may appear late. So nothing is concluded from a single read, and nothing
 * about a payment from reads alone.
 *
 * This table has every such rule. A rule concludes one of three things. `abandoned`: nothing was signed, so no money is at risk. `never`:
 * the payment was not made and can no longer be made. `doubt`: the payment may have been made, so its money stays reserved. A placement
 * without a rule is waited for without limit. Pure: callers pass the facts.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Order } from "../../domain/Order.ts"
import * as Payload from "../../domain/Payload.ts"
import type { Settings } from "../EngineSettings.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import { about, type Funding, type Placement } from "../state/Placement.ts"

/** Our deposit has reached the order, even if the order has since ended. */
export const hasArrived = ({ depositedAmount, refund }: Order): boolean =>
  depositedAmount > 0n || refund?.status === "COMPLETED"

/** The venue knows of a transfer, although the order shows no deposit yet. */
export const isOnItsWay = ({ fillStatus }: Order): boolean =>
  fillStatus === "KNOWN_DEPOSIT_TX" || fillStatus === "PROCESSING"

export interface Seen {
  /** Since the last event of the placement. */
  readonly quietMillis?: number
  /** Since the start of this process. */
  readonly runMillis?: number
  /** Since its payload expired, by the venue's clock. */
  readonly expiredMillis?: number
  /** Reads after the expiry that showed no deposit. */
  readonly emptyReads?: number
  /** Time for which its order has been shown as ended and empty. */
  readonly overMillis?: number
  /** The order's status, or the error of the venue or the signer. */
  readonly answer?: string
}

export type SilenceTerms = Pick<
  Settings,
  "resolveAfterMillis" | "takeoverMillis" | "visibilityMillis" | "paymentVisibilityMillis" | "doubtMillis"
>

type Conclusion = "never" | "doubt" | "abandoned"

export interface SilenceRow {
  readonly name: string
  readonly is: (placement: Placement) => boolean
  readonly isLong: (seen: Required<Seen>, terms: SilenceTerms) => boolean
  readonly means: Conclusion
  readonly because: (placement: Placement, seen: Required<Seen>, terms: SilenceTerms) => string
}

/** One read may miss a deposit, so a conclusion needs two. */
const emptyReadsNeeded = 2

const certaintyOf = ({ funding }: Placement): Payload.Certainty | undefined => funding && Payload.certaintyOf(funding)
const isByWallet = ({ funding }: Placement): boolean => funding?.payment !== undefined

/**
 * True if an order that ended and stays empty proves that it was not paid. It proves nothing in three cases: an unpaid swap never changes
 * its status, a payment on another chain never expires, and an acknowledged payload was executed.
 */
export const endsBySilence = (placement: Placement): boolean =>
  placement.by === undefined && !isByWallet(placement) && certaintyOf(placement) !== "executed"

const isExpired = ({ emptyReads, expiredMillis }: Required<Seen>, { visibilityMillis }: SilenceTerms): boolean =>
  expiredMillis >= visibilityMillis && emptyReads >= emptyReadsNeeded

export const rows: ReadonlyArray<SilenceRow> = [
  {
    name: "an earlier process started it, and may have paid",
    is: mayBePaidEarlier,
    isLong: ({ runMillis }, { takeoverMillis }) => runMillis >= takeoverMillis,
    means: "abandoned",
    because: () => "an earlier process started it, and the journal does not say whether it paid; no deposit showed"
  },
  {
    // An unpaid quote has no effect, and the venue lists none.
    name: "a quote was not answered",
    is: ({ by, state }) => state === "creating" && by === "swap",
    isLong: () => true,
    means: "abandoned",
    because: () => "the venue's answer to its quote is unknown"
  },
  {
    // If the order appears later, it is not paid.
    name: "a create was not answered",
    is: ({ state }) => state === "creating",
    isLong: ({ quietMillis }, { resolveAfterMillis }) => quietMillis >= resolveAfterMillis,
    means: "abandoned",
    because: (_, __, { resolveAfterMillis }) =>
      `no answer to its create, and no order of its kind in the list for ${Math.round(resolveAfterMillis / 1000)} s`
  },
  {
    name: "no payload arrives, or it is not signed",
    is: ({ state }) => state === "created",
    isLong: ({ quietMillis }, { resolveAfterMillis }) => quietMillis >= resolveAfterMillis,
    means: "abandoned",
    because: (_, { answer }) => answer
  },
  {
    name: "a person was asked to pay, and did not",
    is: ({ by, funding, state }) => state === "funding" && funding.payment?.wallet === "manual" && by === undefined,
    isLong: ({ overMillis }, { paymentVisibilityMillis }) => overMillis >= paymentVisibilityMillis,
    means: "never",
    because: () => "it was not paid before its order ended"
  },
  {
    // A wallet program that reports a payment is believed, and the venue never confirms that a swap was not paid.
    name: "a wallet was asked",
    is: (placement) => placement.state === "funding" && isByWallet(placement),
    isLong: ({ overMillis }, { paymentVisibilityMillis }) => overMillis >= paymentVisibilityMillis,
    means: "doubt",
    because: ({ funding }) => {
      const txHash = funding?.payment?.txHash
      const paymentText =
        txHash === undefined ? "it can no longer be paid" : `the wallet paid with transaction ${txHash}`
      return `${paymentText}, and no deposit showed`
    }
  },
  {
    name: "a payload never left, or every attempt was clearly refused",
    is: (placement) =>
      placement.state === "funding" && (certaintyOf(placement) === "unsent" || certaintyOf(placement) === "refused"),
    isLong: isExpired,
    means: "never",
    because: ({ funding }) => (funding === undefined ? "" : `${neverMade(funding)}${lastAnswer(funding)}`)
  },
  {
    name: "a payload was sent, and never acknowledged",
    is: (placement) => placement.state === "funding" && certaintyOf(placement) === "doubtful",
    isLong: isExpired,
    means: "doubt",
    because: ({ funding }) =>
      `its payload was sent and has expired, the venue never acknowledged it, and no deposit shows${funding === undefined ? "" : lastAnswer(funding)}`
  },
  {
    name: "a payment in doubt, and its order is over",
    is: (placement) => placement.state === "in doubt" && endsBySilence(placement),
    isLong: ({ expiredMillis, overMillis }, { doubtMillis }) => Math.min(overMillis, expiredMillis) >= doubtMillis,
    means: "never",
    because: (_, { answer }) => `the venue ended its order (${answer}) without a deposit, and none showed since`
  }
]

const neverMade = (funding: Funding): string => {
  if (funding.attempts === 0) return "its payload was never sent and has expired"
  return Payload.isStale(funding)
    ? "its payload was refused each time, because the verifier had changed its salt, and has expired without a deposit"
    : "its payload was refused each time and has expired without a deposit"
}

const lastAnswer = ({ lastAnswer: answer }: Funding): string =>
  answer === undefined ? "" : `; the venue had answered ${answer}`

const nothing: Required<Seen> = {
  quietMillis: 0,
  runMillis: 0,
  expiredMillis: 0,
  emptyReads: 0,
  overMillis: 0,
  answer: ""
}

const rowFor = (placement: Placement, seen: Required<Seen>, terms: SilenceTerms, table: ReadonlyArray<SilenceRow>) => {
  const row = table.find(({ is }) => is(placement))
  return row?.isLong(seen, terms) === true ? row : undefined
}

export const concluded = (
  placement: Placement,
  seen: Seen,
  terms: SilenceTerms,
  table = rows
): ReadonlyArray<BotEvent> => {
  const silenceFacts = { ...nothing, ...seen }
  const row = rowFor(placement, silenceFacts, terms, table)
  if (row === undefined) return []
  const reason = row.because(placement, silenceFacts, terms)
  if (row.means === "abandoned") return [{ _tag: "Abandoned", ...about(placement), reason }]
  const money = { asset: placement.inputAsset, amount: placement.funding?.amount ?? placement.inputAmount }
  const _tag = row.means === "never" ? "FundingDead" : "FundingInDoubt"
  return [{ _tag, ...about(placement), ...money, reason }]
}
