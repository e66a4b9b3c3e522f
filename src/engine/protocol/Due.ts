/**
 * What is to be done for a placement now: the life of an order on one page, as a table of which the first row that holds counts.
 * Pure. The driver does what it says, one call at a time, writes it to the journal before and after, and asks again; whatever
 * it could not do is due again at the next go. So a process may die anywhere, and the next one continues from the journal.
 * How orders leave again is a table of its own (`DueCancels`): that waits for nothing that is due here.
 *
 * The rules that make funding happen at most once:
 * - an order is inert until funded, so a create without an answer is only looked for, never assumed absent and never repeated;
 *   a quote without an answer is given up at once, because an unpaid quote is nothing and appears in no list;
 * - an order is read once more, and checked, in the go that pays it; a gate that was asked before a call is asked again after it;
 * - one payload is signed for a placement, and only its bytes are ever sent, again and again, until they have expired;
 * - a wallet is asked once, and again only on the operator's word;
 * - what a missing deposit means is said by `Silence` alone.
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

/** What an order, or the venue, is read for. */
export type ReadPurpose =
  | "taking over"
  | "before payment"
  | "payload"
  | "no deposit"
  | "doubt"
  | "payment"
  | "paying again"

export type CallName = "create" | "sign" | "send" | "pay" | "report"

export type Todo =
  | { readonly do: "wait" }
  | { readonly do: "record"; readonly events: ReadonlyArray<BotEvent> }
  /** Whether this step may be taken: asked as late as possible, and again after each call. */
  | { readonly do: "ask"; readonly gate: Step }
  | { readonly do: "read"; readonly why: ReadPurpose }
  | { readonly do: CallName }

/** What was done in this pass: each call once. */
export type DoneInPass = CallName | ReadPurpose

/** What is known besides the journal. */
export interface DueFacts {
  readonly now: number
  /** By which payloads expire. */
  readonly venueNow: number
  readonly monotonicNow: number
  readonly runStartedAt: number
  readonly settings: Settings
  /** What it means that nothing came. */
  readonly concluded: (placement: Placement, seen: Seen) => ReadonlyArray<BotEvent>
  /** Missing when it is no longer configured. */
  readonly market: Market | undefined
  /** All placements: no two may share a deposit address. */
  readonly placements: ReadonlyMap<string, Placement>
  /** Whether what an earlier process began may go on, and whether a new order may begin. */
  readonly mayContinue: boolean
  readonly mayBegin: boolean
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
  readonly wallet: "manual" | "command"
  /** The gate's answer, if it was asked since the last call: `undefined` inside is open. */
  readonly gate: { readonly why: string | undefined } | undefined
  readonly done: ReadonlySet<DoneInPass>
  /** There is a payload to sign, and an order that waits to be paid again. */
  readonly hasPayload: boolean
  readonly isStillUnpaid: boolean
}

type Test = (placement: Placement, facts: DueFacts, tries: Tries) => boolean
type Outcome = Todo | ((placement: Placement, facts: DueFacts, tries: Tries) => Todo)

export interface DueRow {
  readonly state: ReadonlyArray<Placement["state"]>
  readonly when: string
  readonly holds: Test
  readonly todo: Outcome
}

const wait: Todo = { do: "wait" }
const read = (why: ReadPurpose): Todo => ({ do: "read", why })
const ask = (gate: Step): Todo => ({ do: "ask", gate })
const record = (events: ReadonlyArray<BotEvent>): Todo => (events.length === 0 ? wait : { do: "record", events })
const giveUp =
  (why: (placement: Placement, facts: DueFacts) => string | undefined): Outcome =>
  (placement, facts) =>
    record(abandoned(placement, why(placement, facts) ?? ""))

/** Once in a pass. */
const once =
  (why: ReadPurpose): Outcome =>
  (_, { done }) =>
    done.has(why) ? wait : read(why)
const tellShared: Outcome = (placement, { placements }) => record(shared(placements.values(), placement))

const always: Test = () => true
const not =
  (test: Test): Test =>
  (...known) =>
    !test(...known)
const both =
  (...tests: ReadonlyArray<Test>): Test =>
  (...known) =>
    tests.every((test) => test(...known))

const has =
  (...done: ReadonlyArray<DoneInPass>): Test =>
  (_, facts) =>
    done.some((each) => facts.done.has(each))

const isUnasked: Test = (_, { gate }) => gate === undefined
const isClosed: Test = (_, { gate }) => gate?.why !== undefined
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
const dearness = (placement: Placement) => placement.order && unless(tooDear(placement, placement.order))
const isDear: Test = (placement) => dearness(placement) !== undefined
const edit = ({ path, side }: Placement, { market, settings }: DueFacts) =>
  path && market && unless(editedSince(side, path, market, settings.account))
const isEdited: Test = (placement, facts) => edit(placement, facts) !== undefined
const isShared: Test = (placement, { placements }) => sharing(placements.values(), placement) !== undefined
const held = (_: Placement, { gate }: DueFacts) => unless(gate?.why)
const unless = (why: string | undefined): string | undefined => (why === undefined ? undefined : `not funded: ${why}`)
const isSigned: Test = ({ side, swap }, { market, settings }) =>
  market !== undefined &&
  (swap?.depositType ?? depositTypeOf(settings.account, inputAsset(market, side))) !== "ORIGIN_CHAIN"
const lacksPayload: Test = (_, { hasPayload }) => !hasPayload

/** Whether the bytes are due to be sent, again as well: by the clock that the last sending was read from. */
const isToBeSent: Test = ({ funding }, { done, now, settings, venueNow }) => {
  if (funding === undefined || funding.payment !== undefined || done.has("send")) return false
  if (venueNow >= funding.validUntil) return false
  const { acknowledged, attempts, lastSentAt } = funding
  // One that was refused for its salt each time waits until it has expired.
  if (Payload.isStale(funding) && Payload.certaintyOf(funding) === "refused") return false
  const pause = backoffMillis(settings, attempts)
  return elapsedMillis(lastSentAt, now) >= (acknowledged ? Math.max(pause, settings.visibilityMillis) : pause)
}
const isUnsent: Test = ({ funding }) => funding?.attempts === 0
const isExpired: Test = ({ funding }, { settings, venueNow }) =>
  funding !== undefined && venueNow >= funding.validUntil + settings.visibilityMillis
const isByPayload: Test = ({ funding }) => funding !== undefined && funding.payment === undefined
const hasExecuted: Test = ({ funding }) => funding !== undefined && Payload.certaintyOf(funding) === "executed"
/** Somebody waits for a deposit that may never come: now and then is enough. */
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
  now - reported.at >= backoffMillis(settings, reported.attempts)
/** Nobody confirmed it, and it may be over: a person was asked, or a program that has answered. */
const isUnpaidByNow: Test = ({ cancel, funding }, { done, venueNow }, { isAtWork }) =>
  funding?.payment !== undefined &&
  funding.payment.isConfirmed !== true &&
  !isAtWork &&
  !hasRead(done) &&
  (cancel !== undefined || venueNow >= funding.validUntil)

/** Its create may be in the journal already: it has not left. */
const isUncreated: Test = ({ state }, _, { isAnnounced }) =>
  state === "planned" || (state === "creating" && isAnnounced)

const begun = ["planned", "creating", "created"] as const
const planned = ["planned", "creating"] as const
const creating = ["creating"] as const
const created = ["created"] as const
const funding = ["funding"] as const
const doubt = ["in doubt"] as const
const paid = ["funding", "in doubt"] as const

const table: ReadonlyArray<readonly [DueRow["state"], string, Test, Outcome]> = [
  // What an earlier process began, and may have paid.
  [begun, "it may have been paid, and that could still show", mayStillShow, wait],
  [begun, "it may have been paid", both(mayBePaidEarlier, not(has("taking over"))), read("taking over")],
  [begun, "it may have been paid, and was looked at", mayBePaidEarlier, wait],
  [begun, "the venue was not yet asked what the journal has forgotten", mayNotContinue, wait],
  // From a plan to an order of ours.
  [planned, "nobody has looked whether it may begin", both(isUncreated, isUnasked), ask("create")],
  [planned, "something holds it", both(isUncreated, isClosed), giveUp((_, { gate }) => gate?.why)],
  [planned, "no more begin in this turn", both(isUncreated, mayNotBegin), wait],
  [planned, "its market is gone", both(isUncreated, hasNoMarket), giveUp(() => "its market is not configured")],
  [planned, "it may begin", isUncreated, { do: "create" }],
  [creating, "it was created in this go", has("create"), wait],
  [creating, "its create has no answer", always, (placement, facts) => record(ofSilence(placement, facts))],
  // From an order to a payment.
  [created, "its fees are too high", both(isUnchecked, isDear), giveUp(dearness)],
  [created, "there is nothing to sign yet", both(not(isUnchecked), isSigned, lacksPayload), once("payload")],
  [created, "nobody has looked whether it may be paid", isUnasked, ask("fund")],
  [created, "something holds it", isClosed, giveUp(held)],
  [created, "its market is gone", hasNoMarket, giveUp(() => "not funded: its market is not configured")],
  [created, "money is wanted elsewhere by now", both(isUnchecked, isEdited), giveUp(edit)],
  [created, "another order has its address", both(isUnchecked, isShared), tellShared],
  [created, "it was not read once more", isUnchecked, read("before payment")],
  [created, "its payment is signed here", isSigned, { do: "sign" }],
  [created, "its payment is made elsewhere", always, { do: "pay" }],
  // From a payment to its deposit.
  [paid, "it was paid in this go", has("sign", "pay"), wait],
  [
    funding,
    "nobody has looked whether its bytes may go, for the first time",
    both(isToBeSent, isUnsent, isUnasked),
    ask("fund")
  ],
  [funding, "nobody has looked whether its bytes may go again", both(isToBeSent, isUnasked), ask("resend")],
  [funding, "its bytes may go", both(isToBeSent, not(isClosed)), { do: "send" }],
  [funding, "its deposit may take so long", both(isByPayload, not(isExpired)), wait],
  [funding, "it has executed, and shows no deposit", both(isByPayload, hasExecuted, isToBeWatched), read("doubt")],
  [funding, "it has executed, and was read of late", both(isByPayload, hasExecuted), wait],
  [funding, "its payload has expired", isByPayload, once("no deposit")],
  [paid, "the wallet's answer is lost", isForgotten, (placement) => record(interrupted(placement))],
  [doubt, "the operator wants it paid again", both(isWantedAgain, not(has("paying again"))), read("paying again")],
  [doubt, "nobody has looked whether it may be paid again", both(isWantedAgain, isStillUnpaid, isUnasked), ask("fund")],
  [doubt, "it may be paid again", both(isWantedAgain, isStillUnpaid, not(isClosed)), { do: "pay" }],
  [paid, "the venue does not know the transaction", isToBeReported, { do: "report" }],
  [funding, "it was not paid by its end", isUnpaidByNow, read("payment")],
  [doubt, "nobody knows whether it was paid", isToBeWatched, read("doubt")]
]

export const rows: ReadonlyArray<DueRow> = table.map(([state, when, holds, todo]) => ({ state, when, holds, todo }))

/** The states for which anything can be due. */
export const statesWithRows: ReadonlySet<Placement["state"]> = new Set(rows.flatMap(({ state }) => state))

/** What is in no row waits: for the venue's list, for a cancel, or for nothing any more. */
export const due = (placement: Placement, tries: Tries, facts: DueFacts, by = rows): Todo => {
  const row = by.find(({ holds, state }) => state.includes(placement.state) && holds(placement, facts, tries))
  if (row === undefined) return wait
  return typeof row.todo === "function" ? row.todo(placement, facts, tries) : row.todo
}
