/** Advances a placement: asks `Due` for the next step, makes its call (`Calls`), and asks again, until the placement has to wait. */
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { IntentGuard } from "../../signing/IntentGuard.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { EngineSettings } from "../EngineSettings.ts"
import * as Nonces from "../funding/Nonces.ts"
import { Wallet } from "../funding/Wallet.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import * as Calls from "./Calls.ts"
import * as CancelCalls from "./CancelCalls.ts"
import { type CallName, type DoneInPass, type DueFacts, due, type ReadPurpose } from "./Due.ts"
import { type CancelFacts, dueCancel, type OrderThere, ordersOf, othersIn } from "./DueCancels.ts"
import { concluded, endsBySilence, type Seen } from "./Silence.ts"
import * as WalletCalls from "./WalletCalls.ts"

export interface PassInputs extends Calls.FundingInputs {
  readonly mayContinue?: boolean
  readonly mayBegin?: (now: number) => boolean
}

interface Pass {
  readonly done: Set<DoneInPass>
  gateAnswer: DueFacts["gateAnswer"]
  payload: Effect.Success<ReturnType<typeof Calls.readPayload>>
  isStillUnpaid: boolean
}

const factsOf = Effect.fnUntraced(function* ({ books, settings, wallet }: Calls.Means, inputs: PassInputs, pass: Pass) {
  const now = yield* Clock.currentTimeMillis
  const { market, mayBegin = () => true, mayContinue = true, payAgain } = inputs
  const { placements, runStartedAt } = books.state
  return {
    ...pass,
    now,
    venueNow: VenueTime.of(books.state, now),
    monotonicNow: yield* monotonicMillis,
    concluded: (placement: Placement, seen: Seen) => concluded(placement, seen, settings),
    runStartedAt,
    settings,
    market,
    placements,
    payAgain,
    wallet: wallet.kind,
    mayContinue,
    mayBegin: mayBegin(now),
    hasPayload: pass.payload !== undefined
  } satisfies DueFacts
})

type Called = Effect.Effect<unknown, VenueError | JournalError>

const readOrderFor = (
  means: Calls.Means,
  placement: Placement,
  why: ReadPurpose,
  market: Market | undefined,
  pass: Pass
): Called => {
  const isPaid = placement.state === "funding" || placement.state === "in doubt"
  if (why === "taking over") return Calls.checkTakenOver(means, placement, market)
  if (placement.state === "created" && why === "before payment" && market !== undefined)
    return Calls.readBeforePayment(means, placement, market)
  if (placement.state === "created" && why === "payload")
    return Effect.map(Calls.readPayload(means, placement), (payload) => {
      pass.payload = payload
    })
  if (placement.state === "funding" && why === "no deposit") return Calls.readForDeposit(means, placement)
  if (placement.state === "funding" && why === "payment") return Calls.readForPayment(means, placement)
  if (isPaid && why === "doubt") return Calls.readInDoubt(means, placement)
  if (isPaid && why === "paying again")
    return Effect.map(Calls.readBeforePayingAgain(means, placement), (isStillUnpaid) => {
      pass.isStillUnpaid = isStillUnpaid
    })
  return Effect.void
}

const call = (means: Calls.Means, placement: Placement, what: CallName, inputs: PassInputs, pass: Pass): Called => {
  const { gate, market } = inputs
  const { payload } = pass
  if (what === "send" && placement.state === "funding") return Calls.send(means, placement, gate)
  if (what === "report" && (placement.state === "funding" || placement.state === "in doubt"))
    return WalletCalls.report(means, placement)
  if (market === undefined) return Effect.void
  if (what === "create") return Calls.create(means, placement, { ...inputs, market })
  if (what === "sign" && placement.state === "created" && payload !== undefined)
    return Calls.signAndSend(means, placement, { ...inputs, market }, payload)
  if (what === "pay" && (placement.state === "created" || placement.state === "in doubt"))
    return WalletCalls.pay(means, placement, { ...inputs, market })
  return Effect.void
}

const advanceWith = Effect.fnUntraced(function* (means: Calls.Means, { id }: Placement, inputs: PassInputs) {
  const { books } = means
  const pass: Pass = { done: new Set(), gateAnswer: undefined, payload: undefined, isStillUnpaid: false }
  for (;;) {
    const placement = books.state.placements.get(id)
    if (placement === undefined) return
    const todo = due(placement, books.tries.of(id), yield* factsOf(means, inputs, pass))
    if (todo.do === "wait") return
    if (todo.do === "record") return yield* books.recordIfFits(...todo.events)
    if (todo.do === "ask") {
      pass.gateAnswer = { holdReason: yield* inputs.gate(placement, todo.step) }
      continue
    }
    // The gate's answer is outdated after a call.
    pass.gateAnswer = undefined
    const what = todo.do === "read" ? todo.why : todo.do
    if (pass.done.has(what)) return
    pass.done.add(what)
    const step =
      todo.do === "read"
        ? readOrderFor(means, placement, todo.why, inputs.market, pass)
        : call(means, placement, todo.do, inputs, pass)
    const { order, slot, strategy } = placement
    const attributes = present({ placement: id, order: order?.id, strategy, slot })
    yield* Effect.withSpan(step, `order: ${what}`, { root: true, attributes })
  }
})

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const means: Calls.Means = {
    venue: yield* Venue,
    guard: yield* IntentGuard,
    wallet: yield* Wallet,
    ...{ books, settings },
    nonces: Nonces.make(books.state),
    named: Nonces.namedTransactions(),
    scope: yield* Effect.scope,
    unclear: { at: Number.NEGATIVE_INFINITY }
  }

  /** True if the order ended long ago and no silence ends the wait for its deposit: only the operator can know more. */
  const isHopeless = (placement: Placement): boolean =>
    (placement.state === "in doubt" || placement.state === "funding") &&
    !endsBySilence(placement) &&
    books.tries.of(placement.id).overMillis >= settings.paymentVisibilityMillis

  return {
    /** Fails only when the bot must stop or cannot reach the venue. */
    advance: (placement: Placement, inputs: PassInputs) => advanceWith(means, placement, inputs),
    isHopeless,
    unclearAt: () => means.unclear.at
  }
})

/** Returns the due cancels. If the venue takes few requests, never-sent cancels go first, and those of inert spare orders last. */
export const leaving = (
  means: CancelCalls.CancelMeans,
  placements: Iterable<Placement>,
  situation: Omit<CancelFacts, "settings" | "hurriedAt">
) => {
  const { state, tries } = means.books
  const facts = { ...situation, settings: means.settings, hurriedAt: tries.hurriedAt() }
  const idOf = ({ orderId, placement }: OrderThere) => placement?.id ?? orderId
  const due = [...placements]
    .flatMap(ordersOf)
    .concat(othersIn(state))
    .filter((order) => dueCancel(order, tries.of(idOf(order)), facts) === "cancel")
  const attempts = ({ placement }: OrderThere) => placement?.cancel?.attempts ?? 0
  const of = (wanted: OrderThere["which"]) => due.filter(({ which }) => which === wanted)
  const own = of("own").toSorted((one, another) => attempts(one) - attempts(another))
  return [...own, ...of("other"), ...of("spare")].map((order) => ({
    orderId: order.orderId,
    about: idOf(order),
    cancel: Effect.withSpan(CancelCalls.cancel(means, order, facts), "order: cancel", {
      root: true,
      attributes: present({ placement: order.placement?.id, order: order.orderId })
    })
  }))
}
