/**
 * The calls about a payment on another chain: asking the wallet, and telling the venue of its transaction. The journal has the request
 * before the wallet gets it. The bot waits for a working wallet in the background, and does not interrupt it when it leaves.
 */
import { Clock, Effect } from "effect"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { type AskedPayment, notPaid, unclear } from "../funding/Paying.ts"
import { about, type PlacementIn } from "../state/Placement.ts"
import type { FundingInputs, Means } from "./Calls.ts"

/** Asks the wallet and records its answer. A deposit seen at the venue outweighs the wallet's answer. */
const ask = Effect.fnUntraced(function* ({ books, named, wallet }: Means, placement: AskedPayment, market: Market) {
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

/** Records that a wallet is to be asked, for the first time or again, and asks it unless the gate has closed meanwhile. */
export const pay = Effect.fnUntraced(function* (
  means: Means,
  placement: PlacementIn<"created" | "in doubt">,
  { gate, market }: FundingInputs & { readonly market: Market }
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
  yield* ask(means, placementNow, market).pipe(
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
