/**
 * Cases that only a person can decide. The money stays reserved and the slot empty until the venue proves, or the operator says, the facts.
 */
import { Result } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import { beginOf } from "../../domain/Durations.ts"
import * as Ledger from "../../domain/Ledger.ts"
import * as Payload from "../../domain/Payload.ts"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { countText, utc } from "../../domain/Text.ts"
import { disagreement, remedyOfWitness } from "../holds/Holds.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import * as EndedOrders from "../state/orders/EndedOrders.ts"
import type { ForgottenOrder } from "../state/orders/JournalIntegrity.ts"
import { about, type Funding, type Placement } from "../state/Placement.ts"
import { ofWitness } from "../state/RunState.ts"
import type { Slot } from "../state/SlotFold.ts"
import * as BareSuccess from "../tracking/amounts/BareSuccess.ts"
import { byWord, recoveryEvents } from "../tracking/amounts/Found.ts"
import { takenBack } from "../tracking/amounts/TakingBack.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import { mayStillBeMade } from "./Paying.ts"

export interface MoneyProblem {
  readonly kind: "in-doubt" | "frozen" | "contradiction" | "stuck" | "unproven"
  readonly placement: string
  readonly strategy: string
  readonly slot: string
  readonly asset: string
  readonly amount: Amount
  /** Epoch milliseconds. */
  readonly since: number
  readonly evidence: string
}

const stuckMillis = 3_600_000

export const problemsOf = (state: BotState, now: number): ReadonlyArray<MoneyProblem> => [
  // By the venue's time, so that a wrong clock of ours makes nothing stuck.
  ...unfinished(state).flatMap((placement) => ofPlacement(placement, VenueTime.of(state, now))),
  ...[...state.slots.values()].flatMap((slot) => ofSlot(slot, state)),
  ...[...state.integrity.forgotten.values()].map(ofForgotten)
]

const ofForgotten = ({ createdAt, orderId, seenAt, ...order }: ForgottenOrder): MoneyProblem => ({
  kind: "contradiction",
  placement: orderId,
  strategy: recovered,
  slot: slotOfFound(orderId),
  asset: order.asset,
  amount: order.amount,
  since: seenAt,
  evidence: `this order of the bot is not in the journal, made ${createdAt === undefined ? "at an unknown time" : utc(createdAt)} (${order.market}, ${order.status}, ${order.deposited} deposited at ${order.depositAddress})`
})

const ofPlacement = (placement: Placement, now: number): ReadonlyArray<MoneyProblem> => {
  const { id, inputAmount, inputAsset, slot, strategy } = placement
  const problem = (kind: MoneyProblem["kind"], since: number, evidence: string, amount: Amount) => [
    { kind, placement: id, strategy, slot, asset: inputAsset, amount, since, evidence }
  ]
  if (placement.state === "in doubt") {
    const { doubt, funding, order } = placement
    const doubtText = `${doubt.reason}; order ${order.id}, deposit address ${order.depositAddress}`
    const evidence = `${doubtText}, ${namedPayment(funding)}, ${tellSendings(funding)}`
    return problem("in-doubt", doubt.since, evidence, funding.amount)
  }
  if (placement.state === "funding" && now > placement.funding.validUntil + stuckMillis) {
    const { funding, order } = placement
    const what = Payload.certaintyOf(funding) === "executed" ? "the payment has executed" : "the payment was sent"
    const where = `order ${order.id}, deposit address ${order.depositAddress}`
    const evidence = `${what} (${namedPayment(funding)}) and shows no deposit: ${where}`
    return problem("stuck", funding.lastSentAt, evidence, funding.amount)
  }
  const askedSince = BareSuccess.askedSince(placement, now)
  if (askedSince !== undefined) {
    const { funding, order } = placement
    const payment = funding === undefined ? "" : `, ${namedPayment(funding)}`
    const evidence = `the venue reports SUCCESS without amounts: deposit address ${order?.depositAddress}${payment}; check what the account received`
    return problem("unproven", askedSince, evidence, placement.deposited)
  }
  if (placement.missing !== undefined) {
    const { missing, order } = placement
    const evidence = `the venue does not find our funded order ${order?.id} (${missing.text}): check that venue.apiKey made it`
    return problem("stuck", missing.since, evidence, inputAmount)
  }
  const isFailed = placement.payout === "failed" || placement.refund === "failed"
  if (placement.state === "closing" && !isFailed && now > beginOf(placement, placement.changedAt, now) + stuckMillis) {
    const evidence = `order ${placement.order.id} is ${placement.status}, but part of its money is missing`
    return problem("stuck", placement.changedAt, evidence, inputAmount)
  }
  return []
}

const namedPayment = ({ intentHash, payment }: Funding): string => {
  if (intentHash !== "") return `intent hash ${intentHash}`
  return payment?.txHash === undefined ? "no transaction known" : `transaction ${payment.txHash}`
}

const tellSendings = ({ attempts, lastAnswer, payment }: Funding): string => {
  const times = countText(attempts, "time")
  if (payment !== undefined) return `asked the wallet ${times}`
  return lastAnswer === undefined ? `sent ${times}, never answered` : `sent ${times}, last answer ${lastAnswer}`
}

const ofSlot = ({ freeze, frozen, slot, strategy }: Slot, { placements }: BotState): ReadonlyArray<MoneyProblem> => {
  if (freeze === undefined) return []
  const { amount, asset, placement, since } = freeze
  const order = placements.get(placement)?.order
  const where = order === undefined ? "" : `; order ${order.id}, deposit address ${order.depositAddress}`
  const isOfLeg = freeze.kind === "leg"
  const kind = isOfLeg ? "frozen" : "contradiction"
  const evidence = `${isOfLeg ? freeze.evidence : `${frozen} (${freeze.evidence})`}${where}`
  return [{ kind, placement, strategy, slot, asset, amount, since, evidence }]
}

export type Word = Of<"Resolved">["word"]

const words: ReadonlyArray<Word> = ["paid", "not-paid", "adopt", "forget"]

export interface OperatorAnswer {
  readonly placement: string
  readonly word: Word
  readonly text: string
  /** With `paid`: the amount received of a swap that the venue ended without amounts. */
  readonly received?: Amount
}

export const takesAmount = ({ placements }: BotState, id: string): boolean => {
  const placement = placements.get(id)
  return placement !== undefined && BareSuccess.isBareSuccess(placement)
}

export const resolve = (
  state: BotState,
  { placement: id, received, text, word }: OperatorAnswer,
  now: number
): Result.Result<ReadonlyArray<BotEvent>, string> => {
  if (id === ofWitness) return resolveWitness(state, { text, word })
  const problems = problemsOf(state, now).filter(({ placement }) => placement === id)
  const [problem] = problems
  const lost = state.placements.get(id)
  if (problem === undefined && word === "paid" && lost?.state === "given up") return Result.succeed(arrived(lost, text))
  const isWithdrawal = word === "not-paid" && lost?.state === "funding" && lost.funding.isByWord === true
  const subject = problem ?? (isWithdrawal ? lost : undefined)
  if (subject === undefined) return Result.fail(`${id} has no problem to resolve`)
  if (received !== undefined && (word !== "paid" || !takesAmount(state, id)))
    return Result.fail(`${id}: --received needs --paid and a swap that the venue ended without amounts`)
  const refused = state.integrity.forgotten.has(id)
    ? word === "forget"
      ? undefined
      : `stop the bot and add it to the journal: limitbot reconcile --adopt ${id}; or use --forget`
    : isArrival(state, id, word)
      ? undefined
      : word === "paid" && lost !== undefined && BareSuccess.isBareSuccess(lost)
        ? BareSuccess.objectionTo(lost, received)
        : objection(state.placements.get(id), problems, word, VenueTime.of(state, now))
  if (refused !== undefined) return Result.fail(`${id}: ${refused}`)
  if (lost !== undefined && received !== undefined)
    return Result.succeed(BareSuccess.arrived(lost, { received, text }, now))
  const { slot, strategy } = subject
  const resolved = { _tag: "Resolved", strategy, slot, placement: id, word, text } as const
  if (word === "adopt") return Result.succeed([resolved, ...adopted(state, id)])
  if (word === "paid" && lost?.state === "closing")
    return Result.succeed([...byWord(lost, Ledger.unexplainedOf(state.ledger, id)), resolved])
  return Result.succeed([resolved, ...writtenOff(state, resolved)])
}

/** Lets the journal continue although a witness saw more of it. Only a person who knows where the rest is may decide this. */
const resolveWitness = (
  state: BotState,
  { text, word }: Pick<OperatorAnswer, "text" | "word">
): Result.Result<ReadonlyArray<BotEvent>, string> => {
  if (disagreement(state) === undefined) return Result.fail("the witness agrees with the journal")
  if (word !== "forget")
    return Result.fail(`${ofWitness}: use --forget to continue with this journal; or ${remedyOfWitness}`)
  const place = { strategy: recovered, slot: slotOfFound(ofWitness), placement: ofWitness }
  return Result.succeed([{ _tag: "Resolved", ...place, word, text }])
}

const arrived = (given: Placement, text: string): ReadonlyArray<BotEvent> => {
  const came = [...recoveryEvents(given), ...byWord(given, given.lost ?? new Map())]
  return [...came, { _tag: "Resolved", ...about(given), word: "paid", text }, { _tag: "Settled", ...about(given) }]
}

const writtenOff = ({ ended, ledger, placements }: BotState, { placement, slot, strategy, word }: Of<"Resolved">) => {
  const own = placements.get(placement) ?? EndedOrders.ofPlacement(ended, placement)?.last
  const isGivenUp = word === "forget" || (word === "not-paid" && own?.state === "closing")
  if (!isGivenUp || own === undefined) return []
  const from = { strategy, slot, placement, market: own.market }
  return [...Ledger.holdingsOf(ledger, placement)].flatMap(
    ([asset, amount]): ReadonlyArray<BotEvent> =>
      amount === 0n ? [] : [{ _tag: "WrittenOff", ...from, asset, amount }]
  )
}

/**
 * The slot continues with the order as the venue shows it. Everything booked beyond its deposit is taken back and read again, even if its
 * books were closed with a difference. Later orders of the slot are cancelled.
 */
const adopted = (state: BotState, id: string): ReadonlyArray<BotEvent> => {
  const { ended, ledger, placements } = state
  const closed = EndedOrders.ofPlacement(ended, id)
  const isAlive = closed?.isAlive === true && closed.isForgotten !== true
  const isToOpen = closed?.last.by === undefined && (isAlive || Ledger.isUnexplained(ledger, id))
  const own = placements.get(id) ?? (isToOpen ? closed?.last : undefined)
  if (own?.order === undefined) return []
  // A swap ends by itself and never lives on.
  const isBooked = own.by === undefined && (own.state === "settled" || own.state === "closing" || own.fills.size > 0)
  const why = { code: "adopted", text: `Order ${own.order.id} of this slot is booked as open again` }
  const others = unfinished(state).filter(
    ({ cancel, id: other, slot, state: at, strategy }) =>
      other !== id && slot === own.slot && strategy === own.strategy && cancel === undefined && at !== "closing"
  )
  const { slot, strategy } = own
  return [
    ...(isBooked ? takenBack(own) : []),
    ...others.map((other) => ({ _tag: "CancelRequested", strategy, slot, placement: other.id, why }) as const)
  ]
}

/** True if the balance or the history shows the arrival of an amount that was unexplained at the end of an order. */
const isArrival = ({ ledger, placements }: BotState, placement: string, word: Word): boolean =>
  word === "paid" && !placements.has(placement) && Ledger.isUnexplained(ledger, placement)

export const acceptedWords = (state: BotState, placement: string, now: number): ReadonlyArray<Word> =>
  words.filter((word) => Result.isSuccess(resolve(state, { placement, word, text: "" }, now)))

const objection = (
  placement: Placement | undefined,
  problems: ReadonlyArray<MoneyProblem>,
  word: Word,
  now: number
): string | undefined => {
  const kinds = new Set(problems.map(({ kind }) => kind))
  const isPayment = placement?.state === "funding" || placement?.state === "in doubt"
  if (word === "adopt" && !kinds.has("contradiction")) return "not a contradiction; use --paid, --not-paid or --forget"
  if (word === "adopt" || word === "forget")
    return word === "forget" && isPayment ? stillExecutable(placement, now) : undefined
  if (isPayment) return word === "not-paid" ? stillExecutable(placement, now) : undefined
  if (kinds.has("frozen")) return undefined
  return "not about a payment; use --adopt (the venue is right) or --forget (write it off)"
}

/** A payment that may still execute must not count as not paid, even if the operator says so. */
const stillExecutable = (placement: Placement, now: number): string | undefined => {
  const { funding } = placement
  const { payment } = funding ?? {}
  if (payment?.wallet === "command" && payment.state === "asked")
    return "its wallet is still running, or the bot that started it has ended: try again when the bot has its answer"
  if (payment !== undefined) return mayStillBeMade(placement, now)
  if (funding === undefined || now > funding.validUntil) return undefined
  return `its payload can still be executed for ${Math.ceil((funding.validUntil - now) / 1000)} s; try again then`
}
