/** A journal that a bot left with payments of which nobody knows whether they were made. */
import { Effect, Layer, Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"

const money = { asset: "USDC", amount: 100_000_000n }

/** A payment of 100 USDC for placement `p1`, `p2` and so on, from its plan until it is sent. */
export const sent = (
  index: number,
  slot: string,
  deadline: number,
  depositAddress = `address-${index}`
): ReadonlyArray<BotEvent> => {
  const about = { strategy: "grid", slot, placement: `p${index}` }
  return [
    {
      _tag: "Planned",
      ...about,
      market: "BTC/USDC",
      side: "BUY",
      price: Decimal.make(50_000n),
      quantity: 200_000n,
      inputAsset: "USDC",
      inputAmount: 100_000_000n,
      outputAsset: "BTC",
      outputAmount: 200_000n,
      deadline,
      why: { code: "x", text: "x" }
    },
    { _tag: "CreateSent", ...about, attempt: 1 },
    {
      _tag: "Bound",
      ...about,
      orderId: `order-${index}`,
      depositAddress,
      via: "reply",
      estimatedWithdrawFee: 0n,
      estimatedRefundFee: 0n
    },
    {
      _tag: "FundingSigned",
      ...about,
      ...money,
      orderId: `order-${index}`,
      depositAddress,
      signed: Redacted.make("{}"),
      intentHash: `hash-${index}`,
      validUntil: 1
    },
    { _tag: "FundingSent", ...about, attempt: 1 }
  ]
}

/** It was sent, expired, and was never acknowledged. */
export const doubtful = (index: number, depositAddress?: string): ReadonlyArray<BotEvent> => {
  const slot = `old-${index}`
  const about = { strategy: "grid", slot, placement: `p${index}` }
  return [
    ...sent(index, slot, index * 1_000_000, depositAddress),
    { _tag: "FundingInDoubt", ...about, ...money, reason: "nobody acknowledged it" }
  ]
}

export const write = (journal: string, events: ReadonlyArray<BotEvent>) =>
  Effect.runPromise(
    Effect.flatMap(Journal, ({ append }) => append(events)).pipe(
      Effect.provide(Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: journal })))),
      Effect.scoped
    )
  )

export const budget: BotEvent = { _tag: "BudgetAllotted", strategy: "grid", asset: "USDC", amount: 1_000_000_000n }

/** `p1`, `p2` and so on, of 100 USDC each, in slots that no file names. */
export const writeDoubtful = (journal: string, count: number): Promise<unknown> =>
  write(journal, [budget, ...Array.from({ length: count }, (_, index) => doubtful(index + 1)).flat()])

/** The same with payments to these addresses. */
export const writeDoubtfulAt = (journal: string, addresses: ReadonlyArray<string>): Promise<unknown> =>
  write(journal, [budget, ...addresses.flatMap((address, index) => doubtful(index + 1, address))])
