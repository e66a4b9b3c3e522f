/** One order of a slot, from its plan to its end: what the venue could report of it, and the books that follow. */
import { assert } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Order } from "../../../src/domain/Order.ts"
import type { Expectations } from "../../../src/engine/EngineSettings.ts"
import * as JournalOrders from "../../../src/engine/reconciliation/JournalOrders.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { bind } from "../../../src/engine/tracking/OrderTracker.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"

export const market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
export const expected: Expectations = { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
const about = { strategy: "s", slot: "a", placement: "p1" }
export const budget = { base: 1_000_000_000n, quote: 1_000_000_000_000n }

export interface Life {
  readonly side: "BUY" | "SELL"
  /** Base quantity of each fill, and whether the order is cancelled with a rest. */
  readonly fills: ReadonlyArray<bigint>
  readonly rest: bigint
  readonly withdrawFee: bigint
  readonly refundFee: bigint
}

const price = Decimal.make(50_000n)
export const quoteOf = (base: bigint) => (base * 50_000n * 1_000_000n) / 100_000_000n

/** Every report that the venue could give, oldest first. */
export const reports = (life: Life): ReadonlyArray<Order> => {
  const quantity = life.fills.reduce((sum, fill) => sum + fill, life.rest)
  const isSell = life.side === "SELL"
  const [inputAmount, outputAmount] = isSell ? [quantity, quoteOf(quantity)] : [quoteOf(quantity), quantity]
  const fresh: Order = {
    id: "o1",
    side: life.side,
    baseAsset: "btc",
    quoteAsset: "usdc",
    originAsset: isSell ? "btc" : "usdc",
    destinationAsset: isSell ? "usdc" : "btc",
    quantity,
    price,
    inputAmount,
    outputAmount,
    depositAddress: "deposit",
    depositType: "INTENTS",
    recipient: "me",
    recipientType: "INTENTS",
    refundTo: "me",
    refundType: "INTENTS",
    appFeeBasisPoints: 0,
    fillStatus: "AWAITING_DEPOSIT",
    depositedAmount: 0n,
    fills: [],
    withdrawals: [],
    payoutIsFinal: false,
    estimatedWithdrawFee: life.withdrawFee,
    estimatedRefundFee: life.refundFee,
    deadline: 604_800_001,
    createdAt: 1
  }
  const open: Order = { ...fresh, fillStatus: "OPEN", depositedAmount: inputAmount }
  const filled = life.fills.map((base, index) =>
    isSell
      ? { id: `f${index}`, amountIn: base, amountOut: quoteOf(base), at: index }
      : { id: `f${index}`, amountIn: quoteOf(base), amountOut: base, at: index }
  )
  const partial = filled.map(
    (_, index): Order => ({
      ...open,
      fillStatus: index === filled.length - 1 && life.rest === 0n ? "FILLED" : "PARTIALLY_FILLED",
      fills: filled.slice(0, index + 1)
    })
  )
  const last = partial.at(-1) ?? open
  const ended: Order = life.rest === 0n ? last : { ...last, fillStatus: "CANCELED" }
  const leg = (status: string) => ({ status, txHash: "hash" })
  const paying: Order = {
    ...ended,
    withdrawals: filled.length > 0 ? [leg("IN_PROGRESS")] : [],
    ...(life.rest > 0n ? { refund: leg("IN_PROGRESS") } : {})
  }
  const paid: Order = {
    ...ended,
    payoutIsFinal: true,
    withdrawals: filled.length > 0 ? [leg("COMPLETED")] : [],
    ...(life.rest > 0n ? { refund: leg("COMPLETED") } : {})
  }
  const cancelling: ReadonlyArray<Order> = life.rest > 0n ? [{ ...last, fillStatus: "PENDING_CANCEL" }] : []
  return [open, ...partial, ...cancelling, ended, paying, paid]
}

export const start = (life: Life) => {
  const state = BotState.make()
  const inJournal = new Map<string, JournalOrders.JournalOrder>()
  let sequence = 0
  const record = (...events: ReadonlyArray<BotEvent>) => {
    for (const event of events) {
      sequence += 1
      BotState.apply(state, { sequence, at: sequence, event })
      JournalOrders.apply(inJournal, { sequence, at: sequence, event })
      for (const [asset, sum] of LedgerFaults.sums(state.ledger))
        assert.strictEqual(sum, 0n, `${asset} after ${event._tag}`)
      assert.deepStrictEqual(LedgerFaults.overdrawn(state.ledger), [], event._tag)
    }
  }
  const fresh = { ...(reports(life)[0] as Order), fillStatus: "AWAITING_DEPOSIT", depositedAmount: 0n }
  const { side, quantity, inputAmount, outputAmount, deadline } = fresh
  const [inputAsset, outputAsset] = side === "SELL" ? ["BTC", "USDC"] : ["USDC", "BTC"]
  record(
    { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: budget.base },
    { _tag: "BudgetAllotted", strategy: "s", asset: "USDC", amount: budget.quote },
    {
      _tag: "Planned",
      ...about,
      market: market.name,
      side,
      price,
      quantity,
      inputAsset,
      inputAmount,
      outputAsset,
      outputAmount,
      deadline,
      why: { code: "test", text: "test" }
    },
    { _tag: "CreateSent", ...about, attempt: 1 }
  )
  const placement = () => state.placements.get("p1")
  const planned = placement()
  assert.isDefined(planned)
  if (planned !== undefined) record(...bind(planned, market, fresh, expected, "reply", undefined))
  record({
    _tag: "FundingSigned",
    ...about,
    orderId: "o1",
    depositAddress: "deposit",
    asset: inputAsset,
    amount: inputAmount,
    signed: Redacted.make("{}"),
    intentHash: "h",
    validUntil: 1000
  })
  return { state, record, placement, inJournal, inputAsset, outputAsset, inputAmount }
}
