/**
 * Next step for a placement: the life of an order as one table. The first row that holds counts, so a row may stand above one that happens
 * earlier in a life. Pure. The driver does the step, one call at a time, writes it to the journal before and after, and asks again. A step
 * that fails is due again in the next pass, also if the process died: the next one continues from the journal. Cancels: `DueCancels`.
 *
 * Five rules make funding happen at most once. (1) An order is inert until funded, so a create without an answer is only searched for,
 * never assumed absent and never repeated. A quote without an answer is given up at once, because an unpaid quote has no effect and is in
 * no list. (2) An order is read once more, and checked, in the pass that pays it. A gate that was asked before a call is asked again after
 * it. (3) One payload is signed for a placement, and only its bytes are ever sent, again and again, until they have expired. (4) A wallet
 * is asked once, and again only on the operator's approval. (5) Only `Silence` interprets a missing deposit.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as Payload from "../../domain/Payload.ts"
import { backoffMillis, isTooLate, type Settings } from "../EngineSettings.ts"
import { interrupted, unclearPayment } from "../funding/Paying.ts"
import type { Step } from "../holds/Holds.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import type { Tries } from "../state/process/Tries.ts"
import { tooDear } from "../tracking/amounts/Fees.ts"
import { editedSince } from "../tracking/MoneyPath.ts"
import { abandoned, shared, sharing } from "./Answers.ts"
import type { Seen } from "./Silence.ts"
import { firstOf, type TableRow } from "./TableRow.ts"

type ReadPurpose = "taking over" | "before payment" | "payload" | "no deposit" | "doubt" | "payment" | "paying again"

type CallName = "create" | "sign" | "send" | "pay" | "report"

export type Todo =
  | { readonly do: "wait" }
  | { readonly do: "record"; readonly events: ReadonlyArray<BotEvent> }
  /** Ask the gate for this step: as late as possible, and again after each call. */
  | { readonly do: "ask"; readonly step: Step }
  | { readonly do: "read"; readonly why: ReadPurpose }
  | { readonly do: CallName }

export type DoneInPass = CallName | ReadPurpose

export interface DueFacts {
  readonly now: number
  readonly venueNow: number
  readonly monotonicNow: number
  readonly runStartedAt: number
  readonly settings: Settings
  readonly concluded: (placement: Placement, seen: Seen) => ReadonlyArray<BotEvent>
  readonly market: Market | undefined
  /** All placements: no two may share a deposit address. */
  readonly placements: ReadonlyMap<string, Placement>
  readonly mayContinue: boolean
  readonly mayBegin: boolean
  readonly payAgain: ReadonlySet<string>
  readonly wallet: "manual" | "command"
  /** Missing if the gate was not asked since the last call. The gate is open if there is no reason. */
  readonly gateAnswer: { readonly holdReason: string | undefined } | undefined
  readonly done: ReadonlySet<DoneInPass>
  /** A payload is ready to sign. */ readonly hasPayload: boolean
  /** The venue has just shown that an order to be paid again still waits for its deposit. */
  readonly isStillUnpaid: boolean
}

type Test = (placement: Placement, facts: DueFacts, tries: Tries) => boolean
type Outcome = Todo | ((placement: Placement, facts: DueFacts, tries: Tries) => Todo)

export type DueRow = TableRow<Placement["state"], Parameters<Test>, Outcome>

const wait: Todo = { do: "wait" }
const readTodo = (why: ReadPurpose): Todo => ({ do: "read", why })
const ask = (step: Step): Todo => ({ do: "ask", step })
const record = (events: ReadonlyArray<BotEvent>): Todo => (events.length === 0 ? wait : { do: "record", events })
const giveUp =
  (why: (placement: Placement, facts: DueFacts) => string | undefined): Outcome =>
  (placement, facts) =>
    record(abandoned(placement, why(placement, facts) ?? ""))

const once =
  (why: ReadPurpose): Outcome =>
  (_, { done }) =>
    done.has(why) ? wait : readTodo(why)
const recordShared: Outcome = (placement, { placements }) => record(shared(placements.values(), placement))

const not =
  (test: Test): Test =>
  (...known) =>
    !test(...known)
const has =
  (...done: ReadonlyArray<DoneInPass>): Test =>
  (_, facts) =>
    done.some((each) => facts.done.has(each))

const isGateUnasked: Test = (_, { gateAnswer }) => gateAnswer === undefined
const isGateClosed: Test = (_, { gateAnswer }) => gateAnswer?.holdReason !== undefined
const hasNoMarket: Test = (_, { market }) => market === undefined
const mayNotContinue: Test = (_, { mayContinue }) => !mayContinue
const mayNotBegin: Test = (_, { mayBegin }) => !mayBegin

const ofSilence = (placement: Placement, { concluded, now, runStartedAt }: DueFacts): ReadonlyArray<BotEvent> =>
  concluded(placement, {
    quietMillis: elapsedMillis(placement.changedAt, now),
    runMillis: elapsedMillis(runStartedAt, now)
  })
const mayStillShow: Test = (placement, facts) => mayBePaidEarlier(placement) && ofSilence(placement, facts).length === 0

const isUnchecked = not(has("before payment"))
const feeReason = (placement: Placement) => placement.order && notFunded(tooDear(placement, placement.order))
const isDear: Test = (placement) => feeReason(placement) !== undefined
const editReason = ({ path, side }: Placement, { market, settings }: DueFacts) =>
  path && market && notFunded(editedSince(side, path, market, settings.account))
const isEdited: Test = (placement, facts) => editReason(placement, facts) !== undefined
const isShared: Test = (placement, { placements }) => sharing(placements.values(), placement) !== undefined
const gateText = (_: Placement, { gateAnswer }: DueFacts) => notFunded(gateAnswer?.holdReason)
const notFunded = (why?: string): string | undefined => (why === undefined ? undefined : `not funded: ${why}`)
const isSigned: Test = ({ side, swap }, { market, settings }) =>
  market !== undefined &&
  (swap?.depositType ?? depositTypeOf(settings.account, inputAsset(market, side))) !== "ORIGIN_CHAIN"
const lacksPayload: Test = (_, { hasPayload }) => !hasPayload

const isToBeSent: Test = ({ funding }, { done, now, settings, venueNow }) => {
  if (funding === undefined || funding.payment !== undefined || done.has("send")) return false
  if (venueNow >= funding.validUntil) return false
  const { acknowledged, attempts, lastSentAt } = funding
  // Not sent again if every attempt was clearly refused, and the last one for its salt.
  if (Payload.isStale(funding) && Payload.certaintyOf(funding) === "refused") return false
  // Acknowledged bytes are sent again too, more slowly: if the venue has lost them, this executes them.
  const pause = backoffMillis(settings, attempts)
  return elapsedMillis(lastSentAt, now) >= (acknowledged ? Math.max(pause, settings.visibilityMillis) : pause)
}
const isUnsent: Test = ({ funding }) => funding?.attempts === 0
const isExpired: Test = ({ funding }, { settings, venueNow }) =>
  funding !== undefined && venueNow >= funding.validUntil + settings.visibilityMillis
const isByPayload: Test = ({ funding }) => funding !== undefined && funding.payment === undefined
const hasExecuted: Test = ({ funding }) => funding !== undefined && Payload.certaintyOf(funding) === "executed"
/** The deposit may never come, so an occasional read is enough. */
const isToBeWatched: Test = (_, { done, monotonicNow, settings }, { readAt }) =>
  !hasRead(done) && monotonicNow - readAt >= settings.retryMaxMillis
const hasRead = (done: DueFacts["done"]): boolean =>
  (["no deposit", "doubt", "payment", "paying again"] as const).some((why) => done.has(why))

const isForgotten: Test = ({ funding }, _, { isAtWork }) =>
  funding?.payment?.wallet === "command" && funding.payment.state === "asked" && !isAtWork
const isWantedAgain: Test = (placement, { market, now, payAgain, settings, wallet }, { isAtWork }) =>
  market !== undefined &&
  payAgain.has(unclearPayment(placement) ?? "") &&
  !isAtWork &&
  wallet === "command" &&
  !isTooLate(placement, now, settings)
const isStillUnpaid: Test = (_, facts) => facts.isStillUnpaid
const isToBeReported: Test = ({ funding }, { done, now, settings }, { reported }) =>
  funding?.payment?.txHash !== undefined &&
  !funding.payment.isReported &&
  !done.has("report") &&
  elapsedMillis(reported.at, now) >= backoffMillis(settings, reported.attempts)
const isUnpaidByNow: Test = ({ cancel, funding }, { done, venueNow }, { isAtWork }) =>
  funding?.payment !== undefined &&
  funding.payment.isConfirmed !== true &&
  !isAtWork &&
  !hasRead(done) &&
  (cancel !== undefined || venueNow >= funding.validUntil)

const beforeFunding = ["planned", "creating", "created"] as const
const planned = ["planned"] as const
const creating = ["creating"] as const
const created = ["created"] as const
const funding = ["funding"] as const
const doubt = ["in doubt"] as const
const paymentStates = ["funding", "in doubt"] as const

export const rows: ReadonlyArray<DueRow> = [
  // Placements that an earlier process began and may have paid.
  [beforeFunding, "it may have been paid, and that could still show", [mayStillShow], wait],
  [beforeFunding, "it may have been paid", [mayBePaidEarlier, not(has("taking over"))], readTodo("taking over")],
  [beforeFunding, "it may have been paid, and was read", [mayBePaidEarlier], wait],
  [beforeFunding, "the venue was not yet asked for orders missing in the journal", [mayNotContinue], wait],
  // From a plan to an order of ours.
  [planned, "its create is not approved yet", [isGateUnasked], ask("create")],
  [planned, "something holds it", [isGateClosed], giveUp((_, { gateAnswer }) => gateAnswer?.holdReason)],
  [planned, "no more creates in this turn", [mayNotBegin], wait],
  [planned, "its market is gone", [hasNoMarket], giveUp(() => "its market is not configured")],
  [planned, "it may be created", [], { do: "create" }],
  [creating, "it was created in this pass", [has("create")], wait],
  [creating, "its create has no answer", [], (placement, facts) => record(ofSilence(placement, facts))],
  // From an order to a payment.
  [created, "its fees are too high", [isUnchecked, isDear], giveUp(feeReason)],
  [created, "there is nothing to sign yet", [not(isUnchecked), isSigned, lacksPayload], once("payload")],
  [created, "its payment is not approved yet", [isGateUnasked], ask("fund")],
  [created, "something holds it", [isGateClosed], giveUp(gateText)],
  [created, "its market is gone", [hasNoMarket], giveUp(() => "not funded: its market is not configured")],
  [created, "its money paths were edited", [isUnchecked, isEdited], giveUp(editReason)],
  [created, "another order has its address", [isUnchecked, isShared], recordShared],
  [created, "it was not read again", [isUnchecked], readTodo("before payment")],
  [created, "its payment is signed here", [isSigned], { do: "sign" }],
  [created, "its payment is made elsewhere", [], { do: "pay" }],
  // From a payment to its deposit.
  [paymentStates, "it was paid in this pass", [has("sign", "pay")], wait],
  [funding, "its first sending is not approved yet", [isToBeSent, isUnsent, isGateUnasked], ask("fund")],
  [funding, "its resending is not approved yet", [isToBeSent, isGateUnasked], ask("resend")],
  [funding, "its bytes may be sent", [isToBeSent, not(isGateClosed)], { do: "send" }],
  [funding, "its deposit is not overdue yet", [isByPayload, not(isExpired)], wait],
  [funding, "it has executed, and shows no deposit", [isByPayload, hasExecuted, isToBeWatched], readTodo("doubt")],
  [funding, "it has executed, and was read recently", [isByPayload, hasExecuted], wait],
  [funding, "its payload has expired", [isByPayload], once("no deposit")],
  [paymentStates, "the wallet's answer is lost", [isForgotten], (placement) => record(interrupted(placement))],
  [doubt, "the operator wants it paid again", [isWantedAgain, not(has("paying again"))], readTodo("paying again")],
  [doubt, "its second payment is not approved yet", [isWantedAgain, isStillUnpaid, isGateUnasked], ask("fund")],
  [doubt, "it may be paid a second time", [isWantedAgain, isStillUnpaid, not(isGateClosed)], { do: "pay" }],
  [paymentStates, "the venue does not know the transaction", [isToBeReported], { do: "report" }],
  [funding, "it was not paid by its end", [isUnpaidByNow], readTodo("payment")],
  [doubt, "it is unclear whether it was paid", [isToBeWatched], readTodo("doubt")]
]

export const statesWithRows: ReadonlySet<Placement["state"]> = new Set(rows.flatMap(([states]) => states))

/** A placement in no row waits: for the venue's list, for a cancel, or for nothing. */
export const due = (placement: Placement, tries: Tries, facts: DueFacts, by = rows): Todo => {
  const todo = firstOf(by, placement.state, placement, facts, tries) ?? wait
  return typeof todo === "function" ? todo(placement, facts, tries) : todo
}
