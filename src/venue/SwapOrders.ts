/**
 * A swap as the engine's kind of order: quoted instead of created, funded like any other, and executed as soon as it is funded. Its id is
 * its deposit address, and the swap status is its whole state. An unpaid quote never executes, is in no list of orders, and needs no
 * cancel. So if an answer is lost, the quote is requested again. A paid swap either executes at no less than the quote's least output, or
 * the money comes back.
 */
import { Clock, Effect, Result } from "effect"
import { type Amount, max, min } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { Fill, Order, OrderTerm, PayoutLeg } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import type { SwapReport } from "../domain/SwapRecord.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { unusable } from "./http/Reply.ts"
import { Swaps } from "./Swaps.ts"
import type { Answer, CreateSwap } from "./Venue.ts"
import { factsOf, partiesOf, pathOf, termsOf, type VenueAccount, VenueConfig } from "./VenueConfig.ts"
import { quoteRefused, refusal, type VenueError } from "./VenueError.ts"
import { canonicalAssetId } from "./wire/AssetId.ts"
import { foreignFees } from "./wire/WireOrder.ts"
import type { QuoteRequest, ShownQuote } from "./wire/WireQuote.ts"
import type { Swap } from "./wire/WireSwap.ts"
import { parseAmount } from "./wire/WireValue.ts"

const calls = { quote: { operation: "quote a swap" }, status: { operation: "read swap status" } } as const

/** Tolerances are in basis points. */
const whole = 10_000n

export const make = Effect.gen(function* () {
  const venue = yield* VenueConfig
  const { account } = venue
  const { settlementHashes } = factsOf(venue)
  const swaps = yield* Swaps

  const quote = (request: QuoteRequest) =>
    swaps
      .quote(request)
      .pipe(Effect.catchTag("QuoteRefused", ({ why, ...trace }) => quoteRefused(calls.quote.operation, why, trace)))

  /** A dry quote shows the excess over the limit; 9/10 of it become the tolerance of the real quote. The rest covers price moves. */
  const createSwap = Effect.fn("Venue.createSwap")(function* (swap: CreateSwap) {
    const least = swap.outputAmount
    const looked = yield* quote(requestOf(account, swap, true, 0))
    const output = amountOf(looked.value.quote.amountOut)
    if (output < least) return yield* worse(output, least, looked)
    const tolerance = ((output - least) * whole * 9n) / (output * 10n)
    const answer = yield* quote(requestOf(account, swap, false, Number(tolerance)))
    const promised = amountOf(answer.value.quote.minAmountOut)
    if (promised < least) return yield* worse(promised, least, answer)
    const now = yield* Clock.currentTimeMillis
    return yield* exact(calls.quote.operation, answer, toOrder(venue, answer.value, now, undefined, swap))
  })

  const getSwap = Effect.fn("Venue.getSwap")(function* (depositAddress: string, depositMemo?: string) {
    const answer = yield* swaps.status(depositAddress, depositMemo)
    const now = yield* Clock.currentTimeMillis
    const { shown, ...swap } = answer.value
    const settledBy = settlementHashes ? swap.ledgerTxHashes : []
    return yield* exact(calls.status.operation, answer, toOrder(venue, shown, now, { ...swap, settledBy }))
  })

  return { createSwap, getSwap }
})

const worse = (promised: Amount, least: Amount, trace: Answer<unknown>): VenueError =>
  refusal(calls.quote.operation, "worse-price", worsePrice(promised, least), trace)

export const worsePrice = (promised: Amount, least: Amount): string => {
  const missing = Decimal.divide(Decimal.make((least - promised) * 100n), Decimal.make(max(1n, least)), 2, "up")
  return `the swap would bring ${Decimal.format(missing)} % less than allowed`
}

const exact = <A>(
  operation: string,
  { value: _, ...trace }: Answer<unknown>,
  order: Result.Result<A, string>
): Effect.Effect<Answer<A>, VenueError> =>
  Result.isFailure(order)
    ? unusable(operation, `the answered swap is unusable: ${order.failure}`, trace)
    : Effect.succeed({ ...trace, value: order.success })

/** A missing value, or one that is not an amount, counts as zero, which no order can promise. */
const amountOf = (text: string | undefined): Amount => parseAmount(text ?? "") ?? 0n

const requestOf = (account: VenueAccount, swap: CreateSwap, dry: boolean, slippageTolerance: number): QuoteRequest => {
  const path = pathOf(account, swap)
  const { destinationAsset, originAsset, refundType } = path
  return {
    dry,
    swapType: "EXACT_INPUT",
    slippageTolerance,
    originAsset,
    destinationAsset,
    amount: String(swap.inputAmount),
    ...partiesOf(path),
    deadline: Timestamp.format(swap.deadline),
    ...termsOf(account, refundType, swap.terms),
    quoteWaitingTimeMs: 0,
    insured: false
  }
}

interface ReadSwap extends Swap {
  /** Hashes on the home ledger, except hashes of transfers to another ledger and back. */
  readonly settledBy: ReadonlyArray<string>
}

const needed: ReadonlyArray<OrderTerm> = ["originAsset", "destinationAsset", "inputAmount"]

/** `swap`: the known facts of the swap, none right after its quote. `asked`: the requested terms of the quote. */
const toOrder = (
  { account, assetSpellings: spellings }: VenueConfig["Service"],
  { quote = {}, quoteRequest: echo = {}, timestamp, signature: quoteSignature }: ShownQuote,
  now: number,
  swap: ReadSwap | undefined,
  asked?: CreateSwap
): Result.Result<Order, string> => {
  const { depositAddress, depositMemo } = quote
  if (!depositAddress) return Result.fail("depositAddress is missing")
  const unsaid: Array<OrderTerm> = []
  const term = (name: OrderTerm, value: string | undefined): string => {
    if (!value) unsaid.push(name)
    return value ?? ""
  }
  const path = {
    originAsset: canonicalAssetId(spellings, term("originAsset", echo.originAsset)),
    destinationAsset: canonicalAssetId(spellings, term("destinationAsset", echo.destinationAsset)),
    recipient: term("recipient", echo.recipient),
    recipientType: term("recipientType", echo.recipientType),
    refundTo: term("refundTo", echo.refundTo),
    refundType: term("refundType", echo.refundType)
  }
  const inputAmount = amountOf(term("inputAmount", quote.amountIn))
  const outputAmount = amountOf(term("outputAmount", quote.minAmountOut))
  const depositType = term("depositType", echo.depositType)
  const until = Timestamp.parse(term("deadline", echo.deadline))
  const missing = swap === undefined ? needed.find((name) => unsaid.includes(name)) : undefined
  if (missing !== undefined) return Result.fail(`${missing} is missing`)
  // `amountOf` returns zero for a missing amount, which must not become the amount of a deposit.
  const isKnown = swap?.depositedAmount !== undefined || (swap !== undefined && !withDeposit.has(swap.status))
  if (inputAmount === 0n && !isKnown) return Result.fail("it does not say what is to be deposited")
  // A swap that is read alone has no sides: it counts as a sale of its origin.
  const terms = asked ?? {
    side: "SELL" as const,
    baseAsset: path.originAsset,
    quoteAsset: path.destinationAsset,
    quantity: inputAmount,
    price: Decimal.zero,
    deadline: until ?? 0
  }
  const { side, baseAsset, quoteAsset, quantity, price, deadline } = terms
  return Result.succeed({
    id: depositAddress,
    ...(unsaid.length === 0 ? {} : { unsaid }),
    side,
    baseAsset,
    quoteAsset,
    ...path,
    quantity,
    price,
    inputAmount,
    outputAmount,
    depositAddress,
    ...present({ depositMemo: depositMemo === "" ? undefined : depositMemo, quoteSignature }),
    depositType,
    appFeeBasisPoints: Decimal.sumOf(foreignFees(echo, account.signerId)),
    // The output is what arrives, so its fee is already taken.
    estimatedWithdrawFee: 0n,
    deadline,
    createdAt: Timestamp.parse(timestamp ?? "") ?? now,
    ...present({ report: swap === undefined ? undefined : reportOf(swap) }),
    ...progressOf(swap, inputAmount, parseAmount(quote.refundFee ?? ""), {
      now,
      isLate: until !== undefined && now > until
    })
  })
}

const reportOf = (swap: Swap): SwapReport => {
  const { amountIn, amountOut, depositedAmount: deposited, refundedAmount: refunded, refundReason, withdrawFee } = swap
  const { destinationTxHashes, intentHashes, ledgerTxHashes, originTxHashes, status } = swap
  const figures = Object.keys(swap.figures).length === 0 ? undefined : swap.figures
  return {
    status,
    ...present({ deposited, amountIn, amountOut, refunded, withdrawFee, refundReason, figures }),
    ...{ intentHashes, ledgerTxHashes, originTxHashes, destinationTxHashes }
  }
}

type Progress = Pick<
  Order,
  "fillStatus" | "depositedAmount" | "fills" | "withdrawals" | "refund" | "payoutIsFinal" | "estimatedRefundFee"
>

const started: Omit<Progress, "estimatedRefundFee"> = {
  fillStatus: "AWAITING_DEPOSIT",
  depositedAmount: 0n,
  fills: [],
  withdrawals: [],
  payoutIsFinal: false
}

const withDeposit: ReadonlySet<string> = new Set(["INCOMPLETE_DEPOSIT", "PROCESSING", "SUCCESS", "REFUNDED", "FAILED"])

/**
 * Amounts may be missing, even at the end. If the status implies a deposit, it counts as the whole input, because that was signed. An
 * unreported output is not proven, so the swap is not over. A swap that nobody paid in time never executes: a later payment is sent back.
 */
const progressOf = (
  swap: ReadSwap | undefined,
  inputAmount: Amount,
  estimatedRefundFee: Amount | undefined,
  { isLate, now }: { readonly now: number; readonly isLate: boolean }
): Progress => {
  const fresh = { ...started, ...present({ estimatedRefundFee }) }
  if (swap === undefined) return fresh
  const { status, amountOut = 0n } = swap
  const depositedAmount = swap.depositedAmount ?? (withDeposit.has(status) ? inputAmount : 0n)
  const progress = { ...fresh, depositedAmount }
  if (status === "PENDING_DEPOSIT" && depositedAmount === 0n)
    return isLate ? { ...progress, fillStatus: "EXPIRED" } : progress
  if (status === "PENDING_DEPOSIT" || status === "INCOMPLETE_DEPOSIT" || status === "PROCESSING") {
    return { ...progress, fillStatus: "OPEN" }
  }
  if (status === "FAILED") return { ...progress, ...failed(swap) }
  const isOver = status === "REFUNDED" || (status === "SUCCESS" && amountOut > 0n)
  // Not over: a transfer that is known but not confirmed, and a SUCCESS without an output. They keep the venue's word as their status.
  return isOver ? { ...progress, ...over(swap, depositedAmount, now) } : { ...progress, fillStatus: status }
}

const over = (swap: ReadSwap, depositedAmount: Amount, now: number): Partial<Progress> => {
  const { depositAddress = "", amountOut = 0n, updatedAt = now, settledBy, destinationTxHashes, refundedAmount } = swap
  const amountIn = amountOut === 0n ? 0n : (swap.amountIn ?? depositedAmount)
  const unspent = max(0n, depositedAmount - amountIn)
  const [txHash] = [...destinationTxHashes, ...settledBy]
  const leg: PayoutLeg = { status: "COMPLETED", ...present({ txHash }) }
  const fill: Fill = { id: `${depositAddress}-swap`, amountIn, amountOut, at: updatedAt }
  return {
    fillStatus: amountOut > 0n && unspent === 0n ? "FILLED" : "CANCELED",
    fills: amountOut === 0n ? [] : [fill],
    withdrawals: amountOut === 0n ? [] : [leg],
    ...(unspent === 0n ? {} : { refund: leg }),
    ...(refundedAmount === undefined ? {} : { estimatedRefundFee: unspent - min(unspent, refundedAmount) }),
    payoutIsFinal: true
  }
}

const failed = ({ refundReason }: Swap): Partial<Progress> => ({
  fillStatus: "CANCELED",
  refund: { status: "FAILED", reason: refundReason ?? "the venue gave the swap up" },
  payoutIsFinal: true
})
