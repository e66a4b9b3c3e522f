/**
 * The journal of a bot that has been busy for a long time: orders that fill, orders that are withdrawn, decisions with many
 * slots, and one slot that the venue always refuses. Endless, the same for everybody.
 */
import { Redacted } from "effect"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { dayMillis } from "../../src/domain/Durations.ts"

const strategy = "grid"
const slots = Array.from({ length: 20 }, (_, index) => `cell-${String(index + 1).padStart(2, "0")}`)
const price = Decimal.make(60_000n)
const [quantity, value] = [200_000n, 120_000_000n]
const why = { code: "cell", text: "buys at 60000, below the mid of 60050.5", source: "grid.yaml:5:3" }

export const begin: ReadonlyArray<BotEvent> = [
  { _tag: "BotStarted", pid: 1, mark: 7, version: "0", mode: "live", account: "bot", venue: "http://127.0.0.1:1" },
  {
    _tag: "StrategyLoaded",
    strategy,
    file: "grid.yaml",
    kind: "grid",
    market: "BTC/USDC",
    hash: "a",
    text: "name: grid"
  },
  { _tag: "BudgetAllotted", strategy, asset: "USDC", amount: 10n ** 15n }
]

const decided: BotEvent = {
  _tag: "Decided",
  strategy,
  now: 1,
  bid: price,
  ask: price,
  priceAt: 1,
  desired: slots.map((slot) => ({
    slot,
    side: "BUY",
    price,
    quantity,
    legs: [
      { side: "BUY", price, quantity },
      { side: "SELL", price, quantity }
    ],
    cycle: true,
    why
  })),
  absent: [],
  reasons: [],
  until: { onFill: true },
  memory: { anchor: "60000" }
}

/** Real times: orders that never get old enough to be forgotten, or fills before everything else, are nobody's journal. */
const begunAt = 1_700_000_000_000
const orderEveryMillis = 30_000

/** When the journal says all of the order with this number. */
export const recordedAt = (number: number): number => plannedAt(number + 1)

export const payloadEndsAt = (number: number): number => plannedAt(number) + dayMillis

export const deadlineOf = (number: number): number => plannedAt(number) + 7 * dayMillis

const plannedAt = (number: number): number => begunAt + number * orderEveryMillis

/** All that is recorded of the order with this number. */
export const orderOf = (number: number): ReadonlyArray<BotEvent> => {
  const at = plannedAt(number)
  const isRefused = number % 5 === 0
  const [slot = "", placement, orderId] = [slots[number % slots.length], `p${number}`, `order-${number}`]
  const about = { strategy, slot: isRefused ? "refused" : slot, placement }
  const txHashes = [`tx-${number}-0123456789abcdef0123456789abcdef`]
  const correlationId = `correlation-${number}`
  const planned: ReadonlyArray<BotEvent> = [
    {
      _tag: "Planned",
      ...about,
      market: "BTC/USDC",
      side: "BUY",
      price,
      quantity,
      inputAsset: "USDC",
      inputAmount: value,
      outputAsset: "BTC",
      outputAmount: quantity,
      deadline: deadlineOf(number),
      why
    },
    { _tag: "CreateSent", ...about, attempt: 1 }
  ]
  if (isRefused)
    return [
      ...planned,
      { _tag: "CreateRefused", ...about, code: "no", text: "not today", correlationId },
      { _tag: "Abandoned", ...about, reason: "the venue refused to create it" }
    ]
  const funded: ReadonlyArray<BotEvent> = [
    ...planned,
    {
      _tag: "Bound",
      ...about,
      orderId,
      depositAddress: `address-${number}`,
      via: "reply",
      estimatedWithdrawFee: 10n,
      estimatedRefundFee: 10n,
      correlationId
    },
    {
      _tag: "FundingSigned",
      ...about,
      orderId,
      depositAddress: `address-${number}`,
      asset: "USDC",
      amount: value,
      signed: Redacted.make("x".repeat(600)),
      intentHash: `hash-${number}`,
      validUntil: payloadEndsAt(number)
    },
    { _tag: "FundingSent", ...about, attempt: 1 },
    { _tag: "FundingAcknowledged", ...about, intentHash: `hash-${number}`, correlationId },
    { _tag: "DepositSeen", ...about, asset: "USDC", total: value, fresh: value },
    { _tag: "StatusSeen", ...about, status: "OPEN" }
  ]
  if (number % 3 === 0)
    return [
      ...funded,
      { _tag: "CancelRequested", ...about, why: { code: "requote", text: "the price has moved" } },
      { _tag: "CancelSent", ...about, attempt: 1 },
      { _tag: "Closed", ...about, status: "CANCELLED", inputAsset: "USDC", unspent: value },
      { _tag: "Refunded", ...about, asset: "USDC", amount: value - 10n, fee: 10n, txHashes },
      { _tag: "Settled", ...about },
      decided
    ]
  return [
    ...funded,
    {
      _tag: "FillSeen",
      ...about,
      fillId: `fill-${number}`,
      side: "BUY",
      price,
      inputAsset: "USDC",
      amountIn: value,
      outputAsset: "BTC",
      amountOut: quantity,
      filledAt: at
    },
    { _tag: "Closed", ...about, status: "FILLED", inputAsset: "USDC", unspent: 0n },
    { _tag: "PayoutStarted", ...about, asset: "BTC", amount: quantity },
    { _tag: "PaidOut", ...about, asset: "BTC", amount: quantity - 10n, fee: 10n, txHashes },
    { _tag: "Settled", ...about }
  ]
}
