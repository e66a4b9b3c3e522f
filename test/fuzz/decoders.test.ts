/**
 * What the venue, the journal and the operator say, wounded as text and as values: every decoder answers with a value or with a
 * problem, never with an exception, and what it lets through is exact. `npm run fuzz` tries as many as you like.
 */
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Grammar from "../../src/strategy/expression/Grammar.ts"
import { accountEntryOf, entryOf, isOdd } from "../../src/venue/wire/HistoryEntry.ts"
import * as StrictJson from "../../src/venue/wire/StrictJson.ts"
import { fromList, OrderListReply } from "../../src/venue/wire/WireOrder.ts"
import { QuoteResponse } from "../../src/venue/wire/WireQuote.ts"
import { SwapStatusResponse, toSwap } from "../../src/venue/wire/WireSwap.ts"
import { toWithdrawals, WithdrawalsReply } from "../../src/venue/wire/WireWithdrawals.ts"
import { quoteAnswer, wireOrder } from "../venue/answers.ts"
import { wounded, woundedValue } from "./wound.ts"

const count = Number(process.env["LIMITBOT_FUZZ"] ?? 300)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)

const swap = {
  correlationId: "c",
  quoteResponse: quoteAnswer,
  status: "SUCCESS",
  updatedAt: "2026-01-01T00:00:00.000Z",
  swapDetails: { amountIn: "7", amountOut: "5", depositedAmount: "7", intentHashes: ["h"], originChainTxHashes: [] }
}
const line = {
  originAsset: "a",
  destinationAsset: "b",
  depositAddress: "d",
  depositMemo: null,
  status: "SUCCESS",
  createdAt: "2026-01-01T00:00:00.000Z",
  amountIn: "1",
  amountOut: "2",
  senders: ["s"],
  depositType: "INTENTS"
}
const withdrawals = { asset: "a", withdrawals: [{ status: "SUCCESS", amountOut: "5", hash: "h" }] }
const event = {
  _tag: "FillSeen",
  strategy: "grid",
  slot: "cell-1",
  placement: "p1",
  fillId: "f1",
  inputAsset: "BTC",
  amountIn: "5",
  outputAsset: "USDC",
  amountOut: "7",
  filledAt: 5
}

const exactly = (...amounts: ReadonlyArray<bigint | undefined>) => {
  for (const amount of amounts) assert.isTrue(amount === undefined || (typeof amount === "bigint" && amount >= 0n))
}
const decoded = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownOption(schema)
const [list, status, quote, paid, journal] = [
  decoded(OrderListReply),
  decoded(SwapStatusResponse),
  decoded(QuoteResponse),
  decoded(WithdrawalsReply),
  decoded(BotEvent)
]

const values: Readonly<Record<string, readonly [example: unknown, read: (said: unknown) => void]>> = {
  "orders of a list": [
    wireOrder,
    (said) => {
      const read = fromList(said)
      if (Result.isFailure(read)) return assert.isString(read.failure.why)
      const { depositedAmount, fills, inputAmount, outputAmount, quantity } = read.success
      exactly(depositedAmount, inputAmount, outputAmount, quantity)
      for (const fill of fills) exactly(fill.amountIn, fill.amountOut)
    }
  ],
  "lists of orders": [{ data: [wireOrder, wireOrder], links: { next: null }, meta: { nextCursor: "c" } }, list],
  swaps: [
    swap,
    (said) => {
      const read = Option.map(status(said), toSwap)
      if (Option.isNone(read) || Result.isFailure(read.value)) return
      const { amountIn, amountOut, depositedAmount, refundedAmount } = read.value.success
      exactly(amountIn, amountOut, depositedAmount, refundedAmount)
    }
  ],
  quotes: [quoteAnswer, quote],
  "records of the history": [
    line,
    (said) => {
      const entry = entryOf(said)
      if (!isOdd(entry)) exactly(entry.amountIn, entry.amountOut)
    }
  ],
  "records of an account": [line, accountEntryOf],
  withdrawals: [
    withdrawals,
    (said) =>
      Option.map(paid(said), (reply) => exactly(...toWithdrawals(reply).withdrawals.map((one) => one.amountOut)))
  ],
  "events of the journal": [event, journal]
}

const expressions = [
  "sma(close, 20) > ema(close, 50) and rsi(close, 14) < 30",
  "max(high, 10) * (1 + 2%) - atr(14) / 3 >= price and not (hour == 5 or position > 0.5)"
]

describe("fuzz", () => {
  it.each(Object.entries(values))(
    `${count} wounded %s are read or refused`,
    { timeout: 3_600_000 },
    (_, [example, read]) => {
      read(example)
      for (let number = first; number < first + count; number += 1) {
        const said = woundedValue(example, number)
        try {
          read(said)
        } catch (cause) {
          throw new Error(`value ${number} escapes: ${JSON.stringify(said)?.slice(0, 600)}`, { cause })
        }
        const text = StrictJson.read(wounded(JSON.stringify(example), number))
        if (Result.isSuccess(text)) read(text.success)
      }
    }
  )

  it(`${count} wounded expressions are read or refused`, { timeout: 3_600_000 }, () => {
    for (let number = first; number < first + count; number += 1) {
      const text = wounded(expressions[number % expressions.length] ?? "", number)
      const read = Grammar.parse(text)
      if (Result.isFailure(read)) assert.isAtMost(read.failure.start, text.length, text)
    }
  })
})
