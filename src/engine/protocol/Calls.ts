/**
 * The calls that a placement may need, one function each. The journal gets the announcement before the request, and the meaning of the
 * answer after it. No function decides whether its call is due (`Due`), and none repeats itself.
 */
import { Clock, Effect, Fiber, type Scope, Stream } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis, monotonicMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { GeneratedIntent, IntentGuard, IntentRefused } from "../../signing/IntentGuard.ts"
import type { Answer, Venue } from "../../venue/Venue.ts"
import type { Settings } from "../EngineSettings.ts"
import type * as Nonces from "../funding/Nonces.ts"
import { type AskedPayment, notPaid, unclear } from "../funding/Paying.ts"
import type { WalletPort } from "../funding/Wallet.ts"
import type { Step } from "../holds/Holds.ts"
import { type Bookkeeper, change } from "../state/Bookkeeper.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import { askedFor } from "../tracking/MoneyPath.ts"
import { orderPages, readOrder } from "../tracking/OrderReads.ts"
import { isFromOurCreate, type Manner, refuseToFund } from "../tracking/OrderTracker.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import * as Answers from "./Answers.ts"
import { meaning } from "./Sightings.ts"
import { concluded, hasArrived, isOnItsWay } from "./Silence.ts"

export interface Means {
  readonly venue: Venue["Service"]
  readonly guard: IntentGuard["Service"]
  readonly wallet: WalletPort
  readonly books: Bookkeeper["Service"]
  readonly settings: Settings
  readonly nonces: ReturnType<typeof Nonces.make>
  readonly named: ReturnType<typeof Nonces.namedTransactions>
  readonly scope: Scope.Scope
  readonly unclear: { at: number }
}

/** Returns the reason why the step must not be taken now, if there is one. */
export type Gate = (placement: Placement, step: Step) => Effect.Effect<string | undefined>

/** Records a report of a known order, which is checked without its market. */
const note = (
  { books, settings }: Means,
  { id }: Placement,
  { correlationId, value }: Answer<Order>,
  manner: Manner = {}
) =>
  change(books, id, (known) =>
    meaning(known, { order: value, via: "look", correlationId, market: undefined, expected: settings.account, manner })
  )

const lastGate = (asked: Effect.Effect<string | undefined>) => {
  let holdReason: string | undefined
  const hold = Effect.tap(asked, (reason) =>
    Effect.sync(() => {
      holdReason = reason
    })
  )
  return { hold, held: () => holdReason }
}

export const create = Effect.fnUntraced(function* (means: Means, placement: Placement, market: Market, gate: Gate) {
  const { books, settings, venue } = means
  const { by, deadline, inputAmount, outputAmount, price, quantity, side, terms } = placement
  const path = askedFor(side, market, settings.account)
  // A quote does not repeat the path, so a swap records none.
  const recorded = by === "swap" ? {} : { path }
  const attempt = placement.createAttempts + 1
  yield* books.recordIfFits({ _tag: "CreateSent", ...about(placement), attempt, ...recorded })
  if (books.state.placements.get(placement.id)?.state !== "creating") return
  const [baseAsset, quoteAsset] = [market.base.id, market.quote.id]
  const order = { side, quantity, price, deadline, baseAsset, quoteAsset, path, ...present({ terms }) }
  const { held, hold } = lastGate(gate(placement, "create"))
  // An unpaid quote has no effect, so its request needs no gate.
  const answer = yield* Effect.result(
    by === "swap" ? venue.createSwap({ ...order, inputAmount, outputAmount }) : venue.createOrder({ ...order, hold })
  )
  const why = held()
  if (why !== undefined) return yield* books.recordIfFits(...Answers.abandoned(placement, why))
  if (answer._tag === "Failure") {
    const { reason } = answer.failure
    const refusal = yield* Answers.refusalOf(answer.failure)
    if (reason._tag === "OutcomeUnknown") means.unclear.at = yield* Clock.currentTimeMillis
    // Unless the create was clearly refused, the order may exist; the list will show it by its unique deadline.
    if (!refusal.certain && reason._tag !== "RetryLater" && by === undefined) return
    return yield* books.recordIfFits(...Answers.createFailed(placement, refusal, reason.correlationId))
  }
  const { value, correlationId } = answer.success
  const current = books.state.placements.get(placement.id)
  if (current === undefined) return
  if (by === undefined && Answers.isOfAnother(books.state, current, value)) {
    means.unclear.at = yield* Clock.currentTimeMillis
    return yield* Effect.logDebug(`The answer to the create of ${current.id} is that of another order`)
  }
  const sighting = { order: value, via: "create", correlationId, market, expected: settings.account } as const
  yield* books.recordIfFits(...meaning(current, sighting))
})

export const readBeforePayment = Effect.fnUntraced(function* (
  means: Means,
  placement: PlacementIn<"created">,
  market: Market
) {
  const { books, settings, venue } = means
  const reply = yield* readOrder(venue, placement.by, placement.order)
  const current = books.state.placements.get(placement.id)
  if (current?.state !== "created") return
  yield* note(means, current, reply)
  const placementNow = books.state.placements.get(placement.id)
  if (placementNow?.state !== "created") return
  const events = Answers.beforePayment(placementNow, reply.value, market, settings.account, reply.correlationId)
  if (events.length > 0) yield* books.recordIfFits(...events)
})

/** Returns the payload to sign, or `undefined`. If the venue gives none for long enough, its silence is recorded. */
export const readPayload = Effect.fnUntraced(function* (means: Means, placement: PlacementIn<"created">) {
  const { books, settings, venue } = means
  const generated = yield* Effect.result(venue.generateIntent(placement.order.depositAddress))
  if (generated._tag === "Success") return generated.success
  const { code, text } = yield* Answers.refusalOf(generated.failure)
  const quietMillis = elapsedMillis(placement.changedAt, yield* Clock.currentTimeMillis)
  const answer = `the venue generates no payload to sign: ${code}: ${text}`
  yield* books.recordIfFits(...concluded(placement, { quietMillis, answer }, settings))
  return undefined
})

const isForAnother = ({ books }: Means, { id }: Placement, { payee }: IntentRefused): boolean =>
  payee !== undefined &&
  [...books.state.placements.values()].some((other) => other.id !== id && other.order?.depositAddress === payee)

/**
 * True while an answer about another of our orders counts as no answer, because a connection may deliver an answer twice. Answers that
 * continue for `resolveAfterMillis` count and are reported.
 */
const mayBeMisdelivered = ({ books, settings }: Means, { id }: Placement) =>
  Effect.map(monotonicMillis, (now) => books.tries.heldMillis("odd", id, true, now) < settings.resolveAfterMillis)

export const signAndSend = Effect.fnUntraced(function* (
  means: Means,
  placement: PlacementIn<"created">,
  market: Market,
  gate: Gate,
  { correlationId, value }: Answer<GeneratedIntent>
) {
  const { books, guard, nonces, scope, settings } = means
  if (nonces.isKnown(value.payload)) {
    if (yield* mayBeMisdelivered(means, placement)) return
    return yield* books.recordIfFits(...Answers.nonceKnown(placement, correlationId))
  }
  const forgetNonce = nonces.take(value.payload)
  const asset = inputAsset(market, placement.side)
  const signed = yield* Effect.result(
    guard.signTransfer(value, {
      depositAddress: placement.order.depositAddress,
      depositType: placement.swap?.depositType ?? depositTypeOf(settings.account, asset),
      asset: asset.id,
      amount: placement.inputAmount
    })
  )
  forgetNonce()
  if (signed._tag === "Failure") {
    const { failure } = signed
    if (failure._tag !== "SignerUnavailable") {
      const isOdd = failure._tag === "IntentRefused" && isForAnother(means, placement, failure)
      if (isOdd && (yield* mayBeMisdelivered(means, placement))) return
      return yield* books.recordIfFits(
        ...refuseToFund(placement, failure.message, `found ${failure.found}`, correlationId)
      )
    }
    // The signer may come back, so it is asked again in later turns. If it did sign, it returns the same payload again. If it declines by
    // its own caps, the order is given up; a new one follows after the pause for refusals.
    const answer = `not funded: ${failure.message}`
    if (failure.isDeclined === true) return yield* books.recordIfFits(...Answers.abandoned(placement, answer))
    const quietMillis = elapsedMillis(placement.changedAt, yield* Clock.currentTimeMillis)
    return yield* books.recordIfFits(...concluded(placement, { quietMillis, answer }, settings))
  }
  nonces.add(signed.success.body)
  // Signature and sending are recorded even while the bot stops. Otherwise it would wait until the signed but unsent bytes expire, or not
  // know whether it had paid, because a stopping bot sends nothing again.
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const events = Answers.signed(placement, signed.success, correlationId)
      const isOver = (yield* VenueTime.now(books.state)) >= signed.success.validUntil
      if (isOver || (yield* gate(placement, "fund")) !== undefined) return yield* books.recordIfFits(...events)
      // One record: bytes that leave at once count as sent as soon as they are signed.
      yield* books.recordIfFits(...events, sending(placement, 1))
      const current = books.state.placements.get(placement.id)
      if (current?.state !== "funding") return
      const submitting = yield* Effect.forkIn(submit(means, current, gate), scope, { startImmediately: true })
      yield* restore(Fiber.join(submitting))
    })
  )
})

const sending = (placement: Placement, attempt: number): BotEvent => ({
  _tag: "FundingSent",
  ...about(placement),
  attempt
})

/** Sends the journaled bytes again, or for the first time if they could not leave when they were signed. */
export const send = Effect.fnUntraced(function* (means: Means, placement: PlacementIn<"funding">, gate: Gate) {
  yield* means.books.recordIfFits(sending(placement, placement.funding.attempts + 1))
  const current = means.books.state.placements.get(placement.id)
  if (current?.state === "funding") yield* submit(means, current, gate)
})

/** Sends bytes whose sending is in the journal, unless the gate closes while they wait in the rate limiter. */
const submit = Effect.fnUntraced(function* ({ books, venue }: Means, placement: PlacementIn<"funding">, gate: Gate) {
  const { attempts: attempt, intentHash, signed: body, validUntil } = placement.funding
  const { held, hold } = lastGate(gate(placement, attempt === 1 ? "fund" : "resend"))
  const answer = yield* Effect.result(venue.submitIntent({ body, intentHash, validUntil, hold }))
  if (answer._tag === "Success") {
    const correlation = present({ correlationId: answer.success.correlationId })
    return yield* books.recordIfFits({ _tag: "FundingAcknowledged", ...about(placement), intentHash, ...correlation })
  }
  const reason = held()
  if (reason !== undefined)
    return yield* books.recordIfFits({ _tag: "FundingHeld", ...about(placement), attempt, reason })
  const { certain, code, text, verdict } = yield* Answers.refusalOf(answer.failure)
  const { correlationId } = answer.failure.reason
  const refusal = { code, text, ...present({ verdict, correlationId }) }
  // An unclear answer proves nothing, so it is not recorded.
  if (certain) yield* books.recordIfFits({ _tag: "FundingAnswered", ...about(placement), ...refusal })
})

/** Reads for a deposit after its payload has expired. Positive evidence counts: the bot waits for a transfer that was seen. */
export const readForDeposit = Effect.fnUntraced(function* (means: Means, placement: PlacementIn<"funding">) {
  const { books, settings, venue } = means
  const { tries } = books
  const expiredMillis = (yield* VenueTime.now(books.state)) - placement.funding.validUntil
  const reply = yield* readOrder(venue, placement.by, placement.order)
  if (hasArrived(reply.value)) return yield* note(means, placement, reply)
  if (isOnItsWay(reply.value)) return
  const emptyReads = tries.of(placement.id).emptyReads + 1
  const events = concluded(placement, { expiredMillis, emptyReads }, settings)
  tries.note(placement.id, { emptyReads: events.length > 0 ? 0 : emptyReads })
  yield* books.recordIfFits(...events)
})

/** Reads the order of a payment in doubt. Besides a deposit, only an end that the venue itself reports ends a doubt. */
export const readInDoubt = Effect.fnUntraced(function* (means: Means, placement: PlacementIn<"funding" | "in doubt">) {
  const { books, settings, venue } = means
  const { tries } = books
  const now = yield* monotonicMillis
  const reply = yield* readOrder(venue, placement.by, placement.order)
  if (hasArrived(reply.value)) return yield* note(means, placement, reply)
  const { fillStatus: answer } = reply.value
  const overMillis = tries.heldMillis("over", placement.id, isTerminal(answer), now)
  tries.note(placement.id, { readAt: now, overMillis })
  const expiredMillis = (yield* VenueTime.now(books.state)) - placement.funding.validUntil
  const events = concluded(placement, { overMillis, expiredMillis, answer }, settings)
  yield* books.recordIfFits(...events)
})

export const readForPayment = Effect.fnUntraced(function* (means: Means, placement: PlacementIn<"funding">) {
  const { books, settings, venue } = means
  const { tries } = books
  const reply = yield* readOrder(venue, placement.by, placement.order)
  if (hasArrived(reply.value)) return yield* note(means, placement, reply, { isEndUnbelieved: true })
  const now = yield* monotonicMillis
  const overMillis = tries.heldMillis("over", placement.id, isTerminal(reply.value.fillStatus), now)
  const events = concluded(placement, { overMillis }, settings)
  // The time after which a doubt may end is counted from the start of the doubt.
  if (events.length > 0) tries.heldMillis("over", placement.id, false, now)
  yield* books.recordIfFits(...events)
})

const waitsForDeposit: ReadonlySet<string> = new Set(["AWAITING_DEPOSIT", "PENDING_DEPOSIT"])

/** True if the order still waits for its deposit. A transfer that the venue knows is reason enough to wait. */
export const readBeforePayingAgain = Effect.fnUntraced(function* (
  means: Means,
  placement: PlacementIn<"funding" | "in doubt">
) {
  const reply = yield* readOrder(means.venue, placement.by, placement.order)
  if (!hasArrived(reply.value)) return waitsForDeposit.has(reply.value.fillStatus)
  yield* note(means, placement, reply, { isEndUnbelieved: true })
  return false
})

/** Asks the wallet and records its answer. A deposit seen at the venue outweighs the wallet's answer. */
const askWallet = Effect.fnUntraced(function* (
  { books, named, wallet }: Means,
  placement: AskedPayment,
  market: Market
) {
  const { deadline, funding, id, inputAmount: amount, order } = placement
  const { attempts: attempt } = funding
  const { depositAddress, depositMemo } = order
  const reference = `${id}-${order.id}${attempt === 1 ? "" : `-${attempt}`}`
  const asset = inputAsset(market, placement.side)
  const paymentResult = yield* Effect.result(
    wallet.pay({ reference, asset, amount, depositAddress, depositMemo, deadline })
  )
  const isUntouched = () => books.state.placements.get(id)?.state === "funding"
  if (paymentResult._tag === "Failure") {
    const { _tag, message, text } = paymentResult.failure
    return yield* books.recordFrom(() =>
      _tag === "WalletRefused" && isUntouched()
        ? notPaid(placement, message, "wallet")
        : unclear(placement, text, isUntouched())
    )
  }
  const { sender, txHash } = paymentResult.success
  if (txHash === undefined) return
  const payer = named.payerOf(txHash, books.state.placements.values())
  if (payer !== undefined && payer !== id)
    return yield* books.recordFrom(() =>
      unclear(placement, `it named ${txHash}, the transaction of ${payer}`, isUntouched())
    )
  named.note(txHash, id)
  yield* books.recordIfFits({ _tag: "PaymentMade", ...about(placement), txHash, ...present({ sender }) })
})

/**
 * Records that a wallet is to be asked, for the first time or again, and asks it unless the gate has closed meanwhile. The bot waits for a
 * working wallet in the background, and does not interrupt it when it leaves.
 */
export const pay = Effect.fnUntraced(function* (
  means: Means,
  placement: PlacementIn<"created" | "in doubt">,
  market: Market,
  gate: Gate
) {
  const { books, scope, wallet } = means
  const { tries } = books
  if (placement.state === "created") {
    const { deadline, inputAmount: amount, inputAsset: asset, order } = placement
    const { depositAddress, depositMemo, id: orderId } = order
    const memo = present({ depositMemo })
    const payment = { orderId, depositAddress, ...memo, asset, amount, wallet: wallet.kind, validUntil: deadline }
    yield* books.recordIfFits({ _tag: "PaymentAsked", ...about(placement), ...payment })
  } else {
    const attempt = placement.funding.attempts + 1
    yield* books.recordIfFits({ _tag: "PaymentAskedAgain", ...about(placement), attempt })
  }
  const placementNow = books.state.placements.get(placement.id)
  if (placementNow?.state !== "funding") return
  const hold = yield* gate(placementNow, "fund")
  if (hold !== undefined)
    return yield* books.recordIfFits(...notPaid(placementNow, `the wallet was not asked: ${hold}`))
  tries.note(placementNow.id, { isAtWork: true })
  yield* askWallet(means, placementNow, market).pipe(
    Effect.ensuring(Effect.sync(() => tries.note(placementNow.id, { isAtWork: false }))),
    // A failing journal stops the bot at its next turn anyway.
    Effect.catch((error) => Effect.logError(error.message)),
    Effect.uninterruptible,
    Effect.forkIn(scope, { startImmediately: true })
  )
})

export const report = Effect.fnUntraced(function* ({ books, venue }: Means, placement: AskedPayment) {
  const { order } = placement
  const { sender: senderAccount, txHash = "" } = placement.funding.payment ?? {}
  const { attempts } = books.tries.of(placement.id).reported
  books.tries.note(placement.id, { reported: { attempts: attempts + 1, at: yield* Clock.currentTimeMillis } })
  const { depositAddress, depositMemo: memo } = order
  const answer = yield* Effect.result(
    venue.submitDeposit({ txHash, depositAddress, ...present({ memo, senderAccount }) })
  )
  if (answer._tag === "Success")
    return yield* books.recordIfFits({ _tag: "PaymentReported", ...about(placement), txHash })
  if (answer.failure.reason._tag === "Unauthorized") return yield* answer.failure
})

/** Reads its own order and all others with its fingerprint: the money may be in a spare order, which may have ended. */
const ordersOf = Effect.fnUntraced(function* (venue: Means["venue"], placement: Placement, market: Market | undefined) {
  const { by, order, plannedAt } = placement
  const own = order === undefined ? [] : [(yield* readOrder(venue, by, order)).value]
  if (by === "swap" || market === undefined) return own
  const pages = yield* Stream.runCollect(orderPages(venue, { since: plannedAt }))
  const twins = pages.flatMap(({ orders }) => orders).filter((each) => isFromOurCreate(placement, market, each))
  return [...own, ...twins.filter(({ id }) => id !== order?.id)]
})

/**
 * Watches a placement that an earlier process had started without a recorded signature, after a start at which events can be missing (see
 * `JournalIntegrity`). That process may have signed and paid. The venue chooses a new nonce for each payload, so signing again could pay
 * twice, and nothing is created or signed for it. The watch lasts as long as a request of the dead process may have been under way and its
 * deposit may take to show. A placement with a deposit then continues. Without one it is given up and its order is cancelled as spare;
 * money that reaches a cancelled order comes back.
 *
 * Polls once, after the waiting time. Fails only if the bot must stop or cannot reach the venue.
 */
export const checkTakenOver = Effect.fn("Calls.checkTakenOver")(function* (
  { books, settings, venue }: Pick<Means, "books" | "settings" | "venue">,
  placement: Placement,
  market: Market | undefined
) {
  const recordOf = (events: (known: Placement) => ReadonlyArray<BotEvent>) =>
    change(books, placement.id, (known) => (mayBePaidEarlier(known) ? events(known) : []))
  const now = yield* Clock.currentTimeMillis
  const runMillis = elapsedMillis(books.state.runStartedAt, now)
  const orders = yield* ordersOf(venue, placement, market)
  // An order that was refunded and never showed a deposit needs no tracking.
  const fundedOrder = orders.find(({ depositedAmount }) => depositedAmount > 0n)
  if (fundedOrder !== undefined) {
    const sighting = { order: fundedOrder, via: "look", market, expected: settings.account } as const
    const learn = recordOf((known) => meaning(known, sighting))
    // The first report binds the placement to the order; the second records the facts of the order.
    return yield* Effect.andThen(learn, learn)
  }
  if (orders.some(isOnItsWay)) return
  yield* recordOf((known) => concluded(known, { runMillis }, settings))
})
