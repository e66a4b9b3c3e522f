/**
 * Funds a placement from an account on another chain: a wallet is asked once, and the order is watched until the
 * deposit shows.
 *
 * The journal records the request before the wallet gets it. If the process dies before the answer is recorded,
 * nobody knows whether the wallet paid. It is then asked again only when the operator says so for this one attempt
 * and the venue still shows no deposit. A working wallet does not hold up other placements: the bot waits for it in
 * the background and does not interrupt it when it leaves.
 */

import { Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { monotonicMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Venue } from "../../venue/Venue.ts"
import { backoffMillis, EngineSettings, marginMillis } from "../EngineSettings.ts"
import { concluded, hasArrived } from "../protocol/Silence.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import * as PlacementNotes from "../state/PlacementNotes.ts"
import { readOrder } from "../tracking/OrderReads.ts"
import { observe } from "../tracking/OrderTracker.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import type { FundingInputs } from "./FundingInputs.ts"
import { Wallet } from "./Wallet.ts"

/** The most transactions that a process remembers. */
const mostNamed = 10_000

/** Statuses of orders and swaps in which not even a transfer is known. */
const waitsForDeposit: ReadonlySet<string> = new Set(["AWAITING_DEPOSIT", "PENDING_DEPOSIT"])

/**
 * The name of a payment of which nobody knows whether the wallet program made it. No other attempt has this name, and
 * the operator needs it to have the wallet asked again.
 */
export const unclearPayment = ({ cancel, funding, id, state }: Placement): string | undefined => {
  const { payment } = funding ?? {}
  const isUnclear = payment?.wallet === "command" && (payment.state === "asked" || payment.state === "unclear")
  const isOpen = (state === "funding" || state === "in doubt") && payment?.isConfirmed !== true
  return isUnclear && isOpen && cancel === undefined ? `${id}-${funding?.attempts}` : undefined
}

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const wallet = yield* Wallet
  const scope = yield* Effect.scope
  /** Asked by this process, and still working. */
  const working = new Set<string>()
  /** Transactions of this process's payments, one for each. */
  const named = new Map<string, string>()
  /** Not journaled: after a restart the only cost of forgetting is to wait or to read once more. */
  const overSince = PlacementNotes.make<number>(books.state)
  const reports = PlacementNotes.make<{ readonly attempts: number; readonly at: number }>(books.state)

  const record = (...events: ReadonlyArray<BotEvent>) => books.recordIfFits(...events)
  const noteDeposit = (placement: Placement, order: Order, correlationId: string | undefined) =>
    books.recordFrom(({ placements }) => {
      const current = placements.get(placement.id)
      return current === undefined ? [] : observe(current, order, correlationId, { waits: true })
    })

  /** The payment that a transaction was named for. One that is named again proves nothing of a second payment. */
  const payerOf = (txHash: string): string | undefined =>
    named.get(txHash) ??
    [...books.state.placements.values()].find(({ funding }) => funding?.payment?.txHash === txHash)?.id

  const pay = Effect.fnUntraced(function* (placement: Asked, market: Market) {
    const { deadline, funding, inputAmount: amount, order } = placement
    const { attempts: attempt } = funding
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
      const other = payerOf(txHash)
      if (other === undefined || other === placement.id) {
        named.set(txHash, placement.id)
        const [oldest] = named.keys()
        if (named.size > mostNamed && oldest !== undefined) named.delete(oldest)
        return yield* record({ _tag: "PaymentMade", ...about(placement), txHash, ...present({ sender }) })
      }
      const text = `it named ${txHash}, the transaction of ${other}`
      return yield* books.recordFrom(({ placements }) =>
        unclear(placement, text, placements.get(placement.id)?.state === "funding")
      )
    }
    const { _tag, message, text } = paid.failure
    // What the venue has seen outweighs what the wallet says.
    yield* books.recordFrom(({ placements }) => {
      const isUntouched = placements.get(placement.id)?.state === "funding"
      const money = { ...about(placement), asset: placement.inputAsset, amount }
      return _tag === "WalletRefused" && isUntouched
        ? [{ _tag: "FundingDead", ...money, reason: message, by: "wallet" }]
        : unclear(placement, text, isUntouched)
    })
  })

  /** Asks the wallet, unless the gate has closed while the request was being recorded. */
  const begin = Effect.fnUntraced(function* (placement: Asked, market: Market, gate: FundingInputs["gate"]) {
    const hold = yield* gate(placement, "fund")
    if (hold !== undefined) return yield* record(...withheld(placement, hold))
    working.add(placement.id)
    yield* pay(placement, market).pipe(
      Effect.ensuring(Effect.sync(() => working.delete(placement.id))),
      // A failing journal stops the bot at its next turn anyway.
      Effect.catch((error) => Effect.logError(error.message)),
      Effect.uninterruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )
  })

  const ask = Effect.fnUntraced(function* (
    placement: PlacementIn<"created">,
    market: Market,
    { gate }: Pick<FundingInputs, "gate">
  ) {
    const { deadline, inputAmount: amount, inputAsset: asset, order } = placement
    const { depositAddress, depositMemo, id: orderId } = order
    const memo = depositMemo === undefined ? {} : { depositMemo }
    const payment = { orderId, depositAddress, ...memo, asset, amount, wallet: wallet.kind, validUntil: deadline }
    yield* record({ _tag: "PaymentAsked", ...about(placement), ...payment })
    const asked = books.state.placements.get(placement.id)
    if (asked?.state === "funding") yield* begin(asked, market, gate)
  })

  /** Asks the wallet once more, on the operator's word, if the order still waits for its deposit. */
  const askAgain = Effect.fnUntraced(function* (placement: Asked, now: number, { gate, market }: FundingInputs) {
    const { deadline, funding, order } = placement
    if (wallet.kind !== "command" || deadline - now < marginMillis(placement, settings)) return
    const read = yield* readOrder(venue, placement.by, order)
    if (hasArrived(read.value)) return yield* noteDeposit(placement, read.value, read.correlationId)
    // A known transfer without a deposit is reason enough to wait.
    if (!waitsForDeposit.has(read.value.fillStatus)) return
    if ((yield* gate(placement, "fund")) !== undefined) return
    yield* record({ _tag: "PaymentAskedAgain", ...about(placement), attempt: funding.attempts + 1 })
    const current = books.state.placements.get(placement.id)
    if (current?.state === "funding" && market !== undefined) yield* begin(current, market, gate)
  })

  /** Tells the venue of the transaction; this only makes it look sooner. */
  const report = Effect.fnUntraced(function* (placement: Asked, now: number) {
    const { funding, order } = placement
    const { payment } = funding
    if (payment?.txHash === undefined || payment.isReported) return
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

  /**
   * When the order has been over for as long as a payment may take to show, a person who has not paid by then will
   * not. A program that said it paid is believed: only the operator can say what became of that payment, and says it once.
   */
  const giveUp = Effect.fnUntraced(function* (placement: PlacementIn<"funding">) {
    const { cancel, funding, order } = placement
    if (funding.payment === undefined || funding.payment.isConfirmed === true || working.has(placement.id)) return
    if (cancel === undefined && (yield* VenueTime.now(books.state)) < funding.validUntil) return
    const read = yield* readOrder(venue, placement.by, order)
    if (hasArrived(read.value)) return yield* noteDeposit(placement, read.value, read.correlationId)
    if (!isTerminal(read.value.fillStatus)) return
    const now = yield* monotonicMillis
    const since = overSince.get(placement.id) ?? now
    overSince.set(placement.id, since)
    const events = concluded(placement, { overMillis: now - since }, settings)
    if (events.length > 0) overSince.delete(placement.id)
    yield* record(...events)
  })

  /** The process that asked is gone, and the wallet's answer with it. */
  const noteForgotten = Effect.fnUntraced(function* (placement: Asked) {
    const { payment } = placement.funding
    if (payment?.wallet !== "command" || payment.state !== "asked" || working.has(placement.id)) return
    yield* record(...unclear(placement, "limitbot was interrupted while the wallet was at work"))
  })

  const follow = Effect.fnUntraced(function* (placement: Asked, now: number, inputs: FundingInputs) {
    yield* noteForgotten(placement)
    const isWanted = inputs.payAgain.has(unclearPayment(placement) ?? "")
    const noted = books.state.placements.get(placement.id)
    if (isWanted && noted?.state === "in doubt" && !working.has(placement.id)) {
      yield* askAgain(noted, now, inputs)
    }
    yield* report(placement, now)
    const current = books.state.placements.get(placement.id)
    if (current?.state === "funding") yield* giveUp(current)
  })

  return { ask, follow }
})

type Asked = PlacementIn<"funding" | "in doubt">

/** The wallet was not asked this time. What came of an earlier request, nobody knows any better. */
const withheld = (placement: Asked, hold: string): ReadonlyArray<BotEvent> => {
  const { funding, inputAsset: asset } = placement
  const reason = `the wallet was not asked: ${hold}`
  return funding.attempts === 1
    ? [{ _tag: "FundingDead", ...about(placement), asset, amount: funding.amount, reason }]
    : unclear(placement, reason)
}

/** Nobody knows whether the wallet paid: the money is in doubt, unless more is known by now. */
const unclear = (
  placement: Asked,
  text: string,
  isUntouched = placement.state === "funding"
): ReadonlyArray<BotEvent> => [
  { _tag: "PaymentUnclear", ...about(placement), text },
  ...(isUntouched
    ? [
        {
          _tag: "FundingInDoubt",
          ...about(placement),
          asset: placement.inputAsset,
          amount: placement.funding.amount,
          reason: `nobody knows whether the wallet paid: ${text}`
        } as const
      ]
    : [])
]
