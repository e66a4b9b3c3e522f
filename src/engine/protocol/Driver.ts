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
import { type DoneInPass, type DueFacts, due } from "./Due.ts"
import { concluded, endsBySilence, type Seen } from "./Silence.ts"

export interface PassInputs {
  /** Missing if the market is no longer configured; nothing is then created or paid. */
  readonly market: Market | undefined
  readonly gate: Calls.Gate
  readonly payAgain: ReadonlySet<string>
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

const call = (means: Calls.Means, placement: Placement, what: DoneInPass, inputs: PassInputs, pass: Pass): Called => {
  const { gate, market } = inputs
  if (what === "taking over") return Calls.checkTakenOver(means, placement, market)
  if (what === "create" && market !== undefined) return Calls.create(means, placement, market, gate)
  if (what === "pay" && market !== undefined && (placement.state === "created" || placement.state === "in doubt"))
    return Calls.pay(means, placement, market, gate)
  if (placement.state === "created") {
    const { payload } = pass
    if (what === "payload")
      return Effect.map(Calls.readPayload(means, placement), (read) => {
        pass.payload = read
      })
    if (market === undefined) return Effect.void
    if (what === "before payment") return Calls.readBeforePayment(means, placement, market)
    if (what === "sign" && payload !== undefined) return Calls.signAndSend(means, placement, market, gate, payload)
  }
  if (placement.state === "funding") {
    if (what === "send") return Calls.send(means, placement, gate)
    if (what === "no deposit") return Calls.readForDeposit(means, placement)
    if (what === "payment") return Calls.readForPayment(means, placement)
  }
  if (placement.state === "funding" || placement.state === "in doubt") {
    if (what === "report") return Calls.report(means, placement)
    if (what === "doubt") return Calls.readInDoubt(means, placement)
    if (what === "paying again")
      return Effect.map(Calls.readBeforePayingAgain(means, placement), (isStillUnpaid) => {
        pass.isStillUnpaid = isStillUnpaid
      })
  }
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
    const { order, slot, strategy } = placement
    const attributes = present({ placement: id, order: order?.id, strategy, slot })
    yield* Effect.withSpan(call(means, placement, what, inputs, pass), `order: ${what}`, { root: true, attributes })
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
