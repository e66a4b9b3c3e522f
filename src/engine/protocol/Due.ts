/**
 * What is to be done for a placement now: the life of an order on one page, as a table of which the first row that holds counts.
 * Pure. The driver does what it says, one call at a time, writes it to the journal before and after, and asks again; whatever
 * it could not do is due again at the next go. So a process may die anywhere, and the next one continues from the journal.
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
import { backoffMillis, marginMillis, type Settings } from "../EngineSettings.ts"
import { unclear, unclearPayment } from "../funding/Paying.ts"
import type { Step } from "../holds/Holds.ts"
import { isDoubted } from "../restart/JournalTail.ts"
import type { Placement } from "../state/Placement.ts"
import { tooDear } from "../tracking/amounts/Fees.ts"
import { editedSince } from "../tracking/MoneyPath.ts"
import { givenUp, shared, sharing } from "./Meaning.ts"
import type { Seen } from "./Silence.ts"
import type { Tries } from "./Tries.ts"

/** What an order, or the venue, is read for. */
export type Why = "taking over" | "before payment" | "payload" | "no deposit" | "doubt" | "payment" | "paying again"

export type CallName = "create" | "sign" | "send" | "pay" | "report"

export type Todo =
  | { readonly do: "wait" }
  | { readonly do: "record"; readonly events: ReadonlyArray<BotEvent> }
  /** Whether this step may be taken: asked as late as possible, and again after each call. */
  | { readonly do: "ask"; readonly gate: Step }
  | { readonly do: "read"; readonly why: Why }
  | { readonly do: CallName }

/** What was done in this go: each call once. */
export type Done = CallName | Why

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
  readonly mayGoOn: boolean
  readonly mayBegin: boolean
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
  readonly wallet: "manual" | "command"
  /** The gate's answer, if it was asked since the last call: `undefined` inside is open. */
  readonly gate: { readonly why: string | undefined } | undefined
  readonly done: ReadonlySet<Done>
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
const read = (why: Why): Todo => ({ do: "read", why })
const ask = (gate: Step): Todo => ({ do: "ask", gate })
const record = (events: ReadonlyArray<BotEvent>): Todo => (events.length === 0 ? wait : { do: "record", events })
const giveUp =
  (why: (placement: Placement, facts: DueFacts) => string | undefined): Outcome =>
  (placement, facts) =>
    record(givenUp(placement, why(placement, facts) ?? ""))

const always: Test = () => true
const not =
  (test: Test): Test =>
  (...known) =>
    !test(...known)
const both =
  (...tests: ReadonlyArray<Test>): Test =>
  (...known) =>
    tests.every((test) => test(...known))

const isUnasked: Test = (_, { gate }) => gate === undefined
const isClosed: Test = (_, { gate }) => gate?.why !== undefined
const has =
  (...done: ReadonlyArray<Done>): Test =>
  (_, facts) =>
    done.some((each) => facts.done.has(each))

const runMillis = ({ now, runStartedAt }: DueFacts): number => elapsedMillis(runStartedAt, now)
const quietMillis = ({ changedAt }: Placement, { now }: DueFacts): number => elapsedMillis(changedAt, now)

const isSigned: Test = ({ by: _, inputAsset: __, side, swap }, { market, settings }) =>
  market !== undefined &&
  (swap?.depositType ?? depositTypeOf(settings.account, inputAsset(market, side))) !== "ORIGIN_CHAIN"
const isChecked = has("before payment")
const dear = (placement: Placement) => (placement.order === undefined ? undefined : tooDear(placement, placement.order))
const edited = ({ path, side }: Placement, { market, settings }: DueFacts) =>
  path && market && editedSince(side, path, market, settings.account)
const unless = (why: string | undefined): string | undefined => (why === undefined ? undefined : `not funded: ${why}`)

/** Whether the bytes are due to be sent, again as well: by the clock that the last sending was read from. */
const isToBeSent: Test = ({ funding }, { done, now, settings, venueNow }) => {
  if (funding === undefined || funding.payment !== undefined || done.has("send")) return false
  if (venueNow >= funding.validUntil) return false
  const { acknowledged, attempts, lastSentAt } = funding
  // One that was refused for its salt each time waits until it has expired.
  if (Payload.isStale(funding) && Payload.fateOf(funding) === "refused") return false
  const pause = backoffMillis(settings, attempts)
  return elapsedMillis(lastSentAt, now) >= (acknowledged ? Math.max(pause, settings.visibilityMillis) : pause)
}
const isExpired: Test = ({ funding }, { settings, venueNow }) =>
  funding !== undefined && venueNow >= funding.validUntil + settings.visibilityMillis
const isByPayload: Test = ({ funding }) => funding !== undefined && funding.payment === undefined
const hasExecuted: Test = ({ funding }) => funding !== undefined && Payload.fateOf(funding) === "executed"
/** Somebody waits for a deposit that may never come: now and then is enough. */
const isToBeWatched: Test = (_, { done, monotonicNow, settings }, { readAt }) =>
  !hasRead(done) && monotonicNow - readAt >= settings.retryMaxMillis
const hasRead = (done: DueFacts["done"]): boolean =>
  (["no deposit", "doubt", "payment", "paying again"] as const).some((why) => done.has(why))

/** The process that asked is gone, and the wallet's answer with it. */
const isForgotten: Test = ({ funding }, _, { isAtWork }) =>
  funding?.payment?.wallet === "command" && funding.payment.state === "asked" && !isAtWork
const isWantedAgain: Test = (placement, { market, now, payAgain, settings, wallet }, { isAtWork }) =>
  market !== undefined &&
  payAgain.has(unclearPayment(placement) ?? "") &&
  !isAtWork &&
  wallet === "command" &&
  placement.deadline - now >= marginMillis(placement, settings)
const isToBeReported: Test = ({ funding }, { done, now, settings }, { reportedAt, reports }) =>
  funding?.payment?.txHash !== undefined &&
  !funding.payment.isReported &&
  !done.has("report") &&
  now - reportedAt >= backoffMillis(settings, reports)
/** Nobody confirmed it, and it may be over: a person was asked, or a program that has answered. */
const isUnpaidByNow: Test = ({ cancel, funding }, { done, venueNow }, { isAtWork }) =>
  funding?.payment !== undefined &&
  funding.payment.isConfirmed !== true &&
  !isAtWork &&
  !hasRead(done) &&
  (cancel !== undefined || venueNow >= funding.validUntil)

const begun = ["planned", "creating", "created"] as const
const paid = ["funding", "in doubt"] as const

export const rows: ReadonlyArray<DueRow> = [
  // What an earlier process began, and may have paid.
  {
    state: begun,
    when: "it may have been paid, and that could still show",
    holds: (placement, facts) =>
      isDoubted(placement) && facts.concluded(placement, { runMillis: runMillis(facts) }).length === 0,
    todo: wait
  },
  {
    state: begun,
    when: "it may have been paid",
    holds: both(isDoubted, not(has("taking over"))),
    todo: read("taking over")
  },
  { state: begun, when: "it may have been paid, and was looked at", holds: isDoubted, todo: wait },
  {
    state: begun,
    when: "the venue was not yet asked what the journal has forgotten",
    holds: (_, { mayGoOn }) => !mayGoOn,
    todo: wait
  },
  // From a plan to an order of ours.
  { state: ["planned"], when: "nobody has looked whether it may begin", holds: isUnasked, todo: ask("create") },
  { state: ["planned"], when: "something holds it", holds: isClosed, todo: giveUp((_, { gate }) => gate?.why) },
  { state: ["planned"], when: "no more begin in this turn", holds: (_, { mayBegin }) => !mayBegin, todo: wait },
  {
    state: ["planned"],
    when: "its market is gone",
    holds: (_, { market }) => market === undefined,
    todo: giveUp(() => "its market is not configured")
  },
  { state: ["planned"], when: "it may begin", holds: always, todo: { do: "create" } },
  { state: ["creating"], when: "it was created in this go", holds: has("create"), todo: wait },
  {
    state: ["creating"],
    when: "its create has no answer",
    holds: always,
    todo: (placement, facts) => record(facts.concluded(placement, { quietMillis: quietMillis(placement, facts) }))
  },
  // From an order to a payment.
  {
    state: ["created"],
    when: "too little time is left",
    holds: (placement, facts, tries) =>
      !isChecked(placement, facts, tries) && placement.deadline - facts.now < marginMillis(placement, facts.settings),
    todo: giveUp(() => "too little time is left until its deadline")
  },
  {
    state: ["created"],
    when: "its fees are too high",
    holds: both(not(isChecked), (placement) => dear(placement) !== undefined),
    todo: giveUp((placement) => unless(dear(placement)))
  },
  {
    state: ["created"],
    when: "there is nothing to sign yet",
    holds: both(isChecked, isSigned, (_, { hasPayload }) => !hasPayload),
    todo: (_, { done }) => (done.has("payload") ? wait : read("payload"))
  },
  { state: ["created"], when: "nobody has looked whether it may be paid", holds: isUnasked, todo: ask("fund") },
  { state: ["created"], when: "something holds it", holds: isClosed, todo: giveUp((_, { gate }) => unless(gate?.why)) },
  {
    state: ["created"],
    when: "its market is gone",
    holds: (_, { market }) => market === undefined,
    todo: giveUp(() => "not funded: its market is not configured")
  },
  {
    state: ["created"],
    when: "money is wanted elsewhere by now",
    holds: both(not(isChecked), (placement, facts) => edited(placement, facts) !== undefined),
    todo: giveUp((placement, facts) => unless(edited(placement, facts)))
  },
  {
    state: ["created"],
    when: "another order has its address",
    holds: both(not(isChecked), (placement, { placements }) => sharing(placements.values(), placement) !== undefined),
    todo: (placement, { placements }) => record(shared(placements.values(), placement))
  },
  { state: ["created"], when: "it was not read once more", holds: not(isChecked), todo: read("before payment") },
  { state: ["created"], when: "its payment is signed here", holds: isSigned, todo: { do: "sign" } },
  { state: ["created"], when: "its payment is made elsewhere", holds: always, todo: { do: "pay" } },
  // From a payment to its deposit.
  { state: paid, when: "it was paid in this go", holds: has("sign", "pay"), todo: wait },
  {
    state: ["funding"],
    when: "nobody has looked whether its bytes may go",
    holds: both(isToBeSent, isUnasked),
    todo: ({ funding }) => ask(funding?.attempts === 0 ? "fund" : "resend")
  },
  { state: ["funding"], when: "its bytes may go", holds: both(isToBeSent, not(isClosed)), todo: { do: "send" } },
  { state: ["funding"], when: "its deposit may take so long", holds: both(isByPayload, not(isExpired)), todo: wait },
  {
    state: ["funding"],
    when: "it has executed, and shows no deposit",
    holds: both(isByPayload, hasExecuted),
    todo: (...known) => (isToBeWatched(...known) ? read("doubt") : wait)
  },
  {
    state: ["funding"],
    when: "its payload has expired",
    holds: isByPayload,
    todo: (_, { done }) => (hasRead(done) ? wait : read("no deposit"))
  },
  {
    state: paid,
    when: "the wallet's answer is lost",
    holds: isForgotten,
    todo: (placement) => record(unclear(placement, "limitbot was interrupted while the wallet was at work"))
  },
  {
    state: ["in doubt"],
    when: "the operator wants it paid again",
    holds: both(isWantedAgain, not(has("paying again"))),
    todo: read("paying again")
  },
  {
    state: ["in doubt"],
    when: "it waits to be paid again, and nobody has looked whether it may be",
    holds: both(isWantedAgain, isUnasked, (_, { isStillUnpaid }) => isStillUnpaid),
    todo: ask("fund")
  },
  {
    state: ["in doubt"],
    when: "it waits to be paid again",
    holds: both(isWantedAgain, not(isClosed), (_, { isStillUnpaid }) => isStillUnpaid),
    todo: { do: "pay" }
  },
  { state: paid, when: "the venue does not know the transaction", holds: isToBeReported, todo: { do: "report" } },
  { state: ["funding"], when: "it was not paid by its end", holds: isUnpaidByNow, todo: read("payment") },
  { state: ["in doubt"], when: "nobody knows whether it was paid", holds: isToBeWatched, todo: read("doubt") }
]

/** What is in no row waits: for the venue's list, for a cancel, or for nothing any more. */
export const due = (placement: Placement, tries: Tries, facts: DueFacts, table = rows): Todo => {
  const row = table.find(({ holds, state }) => state.includes(placement.state) && holds(placement, facts, tries))
  if (row === undefined) return wait
  return typeof row.todo === "function" ? row.todo(placement, facts, tries) : row.todo
}
