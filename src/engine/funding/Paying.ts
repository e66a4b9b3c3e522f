/**
 * Funds a placement from an account on another chain: a wallet is asked once, and the order is watched until the deposit shows.
 *
 * The journal says that the wallet is asked before it is. If the process dies before the answer is recorded, nobody knows
 * whether it paid, so it is not asked again, but by the operator's word for this one attempt, while the venue still shows no
 * deposit. A wallet at work does not hold up the others: it is waited for in the background, and not interrupted when the bot
 * leaves.
 */

import { Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { isTerminal } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Venue } from "../../venue/Venue.ts"
import { backoffMillis, EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { readOrder } from "../tracking/Observation.ts"
import { observe } from "../tracking/OrderTracker.ts"
import { Wallet } from "./Wallet.ts"

/** Of orders and of swaps: not even a transfer is known yet. */
const waitsForDeposit: ReadonlySet<string> = new Set(["AWAITING_DEPOSIT", "PENDING_DEPOSIT"])

/** What the engine knows beside the journal when it works on a placement. */
export interface Surroundings {
  readonly market: Market
  /** Why nothing may be signed right now, if so. */
  readonly hold: string | undefined
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
}

/**
 * The payment of a placement of which nobody knows whether a wallet program made it, by a name that no other attempt has; only
 * with it the operator can have the wallet asked again.
 */
export const unclearPayment = ({ cancel, funding, id, state }: Placement): string | undefined => {
  const { payment } = funding ?? {}
  const isUnclear = payment?.wallet === "command" && (payment.state === "asked" || payment.state === "unclear")
  return isUnclear && state === "funding" && cancel === undefined ? `${id}-${funding?.attempts}` : undefined
}

const about = ({ strategy, slot, id }: Placement) => ({ strategy, slot, placement: id })

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const wallet = yield* Wallet
  const scope = yield* Effect.scope
  /** Asked by this process, and still at work. */
  const working = new Set<string>()
  /** Not journaled: forgetting these after a restart only means to wait or to read once more. */
  const overSince = new Map<string, number>()
  const reports = new Map<string, { readonly attempts: number; readonly at: number }>()

  const record = (...events: ReadonlyArray<BotEvent>) => books.record(...events)

  const pay = Effect.fnUntraced(function* (placement: Placement, market: Market) {
    const { deadline, funding, inputAmount: amount, order } = placement
    if (order === undefined) return
    const attempt = funding?.attempts ?? 1
    const paid = yield* Effect.result(
      wallet.pay({
        reference: `${placement.id}-${order.id}${attempt === 1 ? "" : `-${attempt}`}`,
        asset: inputAsset(market, placement.side),
        amount,
        depositAddress: order.depositAddress,
        depositMemo: order.depositMemo,
        deadline
      })
    )
    if (paid._tag === "Success") {
      const { sender, txHash } = paid.success
      if (txHash === undefined) return
      yield* record({ _tag: "PaymentMade", ...about(placement), txHash, ...present({ sender }) })
      return
    }
    const { _tag, message, text } = paid.failure
    // What the venue has seen counts for more than what the wallet says.
    const isUntouched = books.state.placements.get(placement.id)?.state === "funding"
    yield* record(
      _tag === "WalletRefused" && isUntouched
        ? { _tag: "FundingDead", ...about(placement), asset: placement.inputAsset, amount, reason: message }
        : { _tag: "PaymentUnclear", ...about(placement), text }
    )
  })

  const begin = (placement: Placement, market: Market) => {
    working.add(placement.id)
    return pay(placement, market).pipe(
      Effect.ensuring(Effect.sync(() => working.delete(placement.id))),
      // A failing journal stops the bot by itself, at its next turn.
      Effect.catch((error) => Effect.logError(error.message)),
      Effect.uninterruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )
  }

  const ask = Effect.fnUntraced(function* (placement: Placement, market: Market) {
    const { deadline, inputAmount: amount, inputAsset: asset, order } = placement
    if (order === undefined) return
    const { depositAddress, depositMemo, id: orderId } = order
    const memo = depositMemo === undefined ? {} : { depositMemo }
    const payment = { orderId, depositAddress, ...memo, asset, amount, wallet: wallet.kind, validUntil: deadline }
    yield* record({ _tag: "PaymentAsked", ...about(placement), ...payment })
    yield* begin(placement, market)
  })

  /** Asks the wallet once more, as the operator says, if the order still waits for its deposit. */
  const askAgain = Effect.fnUntraced(function* (placement: Placement, now: number, { market }: Surroundings) {
    const { deadline, funding, order } = placement
    if (wallet.kind !== "command" || order === undefined || deadline - now < settings.deadlineMarginMillis) return
    const read = yield* readOrder(venue, placement.by, order)
    if (read.value.depositedAmount > 0n) return yield* record(...observe(placement, read.value, read.correlationId))
    // A transfer that is known, and not deposited yet, is enough to wait for.
    if (!waitsForDeposit.has(read.value.fillStatus)) return
    yield* record({ _tag: "PaymentAskedAgain", ...about(placement), attempt: (funding?.attempts ?? 1) + 1 })
    const current = books.state.placements.get(placement.id)
    if (current !== undefined) yield* begin(current, market)
  })

  /** Tells the venue of the transaction, which only makes it look sooner. */
  const report = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { funding, order } = placement
    const payment = funding?.payment
    if (order === undefined || payment?.txHash === undefined || payment.isReported) return
    const tried = reports.get(placement.id) ?? { attempts: 0, at: 0 }
    if (now - tried.at < backoffMillis(settings, tried.attempts)) return
    reports.set(placement.id, { attempts: tried.attempts + 1, at: now })
    const { sender, txHash } = payment
    const answer = yield* Effect.result(
      venue.submitDeposit({
        txHash,
        depositAddress: order.depositAddress,
        ...present({ memo: order.depositMemo, senderAccount: sender })
      })
    )
    if (answer._tag === "Success") yield* record({ _tag: "PaymentReported", ...about(placement), txHash })
    else if (answer.failure.reason._tag === "Unauthorized") return yield* answer.failure
  })

  /** Once its order is over, and as long again as a payment may take to show, what was not deposited will not be. */
  const giveUp = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { cancel, funding, order } = placement
    if (funding?.payment === undefined || order === undefined || working.has(placement.id)) return
    if (cancel === undefined && now < funding.validUntil) return
    const read = yield* readOrder(venue, placement.by, order)
    if (read.value.depositedAmount > 0n) return yield* record(...observe(placement, read.value, read.correlationId))
    if (!isTerminal(read.value.fillStatus)) return
    const since = overSince.get(placement.id) ?? now
    overSince.set(placement.id, since)
    if (now - since < settings.paymentVisibilityMillis) return
    overSince.delete(placement.id)
    const { amount, payment } = funding
    const lost = { ...about(placement), asset: placement.inputAsset, amount }
    if (payment.wallet === "manual") {
      return yield* record({ _tag: "FundingDead", ...lost, reason: "nobody paid it before its order was over" })
    }
    const what =
      payment.txHash === undefined
        ? "the wallet was asked and its answer is not known; no deposit showed"
        : `the wallet paid with transaction ${payment.txHash}, and no deposit showed`
    yield* record(
      { _tag: "Contradiction", ...about(placement), what, evidence: `order ${order.id} ${read.value.fillStatus}` },
      { _tag: "PaymentLost", ...lost, reason: what }
    )
  })

  /** The process that asked is gone, and with it the wallet's answer. */
  const noteForgotten = Effect.fnUntraced(function* (placement: Placement) {
    const payment = placement.funding?.payment
    if (payment?.wallet !== "command" || payment.state !== "asked" || working.has(placement.id)) return
    const text = "limitbot was interrupted while the wallet was at work"
    yield* record({ _tag: "PaymentUnclear", ...about(placement), text })
  })

  const follow = Effect.fnUntraced(function* (placement: Placement, now: number, surroundings: Surroundings) {
    yield* noteForgotten(placement)
    const isWanted = surroundings.payAgain.has(unclearPayment(placement) ?? "")
    if (isWanted && surroundings.hold === undefined && !working.has(placement.id)) {
      yield* askAgain(placement, now, surroundings)
    }
    yield* report(placement, now)
    const current = books.state.placements.get(placement.id)
    if (current?.state === "funding") yield* giveUp(current, now)
  })

  return { ask, follow }
})
