/**
 * Everything that limitbot reads from outside, with real examples of it. A reader answers with a value or with a problem, never
 * with an exception, and soon.
 */
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Option, Result, Schema } from "effect"
import * as CandleChecks from "../../src/candles/csv/CandleChecks.ts"
import { StoredEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as StrictJson from "../../src/domain/StrictJson.ts"
import * as Grammar from "../../src/strategy/expression/Grammar.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { accountEntryOf, entryOf, isOdd } from "../../src/venue/wire/HistoryEntry.ts"
import { fromList, OrderListReply } from "../../src/venue/wire/WireOrder.ts"
import { QuoteResponse } from "../../src/venue/wire/WireQuote.ts"
import { SwapStatusResponse, toSwap, toWithdrawals, WithdrawalsReply } from "../../src/venue/wire/WireSwap.ts"
import { assets } from "../world/bot/market.ts"
import { quoteAnswer, wireOrder } from "../world/service/answers.ts"

/** Far more of the processor than any input needs. */
export const longestMillis = 2_000

const folder = resolve(import.meta.dirname, "../../strategies")
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(join(folder, name), "utf8"))
const candles = `timestamp,open,high,low,close,volume
2024-01-01T00:00:00Z,1.5,2,1,1.75,10
2024-01-01T00:01:00Z,1.75,2.5,1.5,2,12
1704067320000,2,2,2,2,0
`
const answer = JSON.stringify({
  data: [{ id: "1", attributes: { depositedAmount: "12", price: "1.5", partialFills: [{ id: "f", amountIn: "1" }] } }],
  meta: { timestamp: "2026-01-01T00:00:00.000Z" }
})

const expressions = [
  "sma(close, 20) > ema(close, 50) and rsi(close, 14) < 30",
  "max(high, 10) * (1 + 2%) - atr(14) / 3 >= price and not (hour == 5 or position > 0.5)"
]

/** What is read as text: real examples, and its reader. */
export const texts: Readonly<Record<string, readonly [ReadonlyArray<string>, (text: string) => unknown]>> = {
  "strategy files": [files, (text) => StrategyFile.parse(text, "fuzz.yaml", { assets, ticks: new Map() })],
  JSON: [[answer], (text) => StrictJson.parseJson(text)],
  decimals: [["12.50", "-0.000001", "100000000"], (text) => Decimal.parse(text)],
  candles: [
    [candles],
    (text) => CandleChecks.parse(new TextEncoder().encode(text), { file: "fuzz.csv", repair: new Set() })
  ],
  expressions: [
    expressions,
    (text) => {
      const read = Grammar.parse(text)
      if (Result.isFailure(read)) assert.ok(read.failure.start <= text.length, text)
    }
  ]
}

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
  for (const amount of amounts) assert.ok(amount === undefined || (typeof amount === "bigint" && amount >= 0n))
}
const decoded = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownOption(schema)
const [list, status, quote, paid, journal] = [
  decoded(OrderListReply),
  decoded(SwapStatusResponse),
  decoded(QuoteResponse),
  decoded(WithdrawalsReply),
  decoded(StoredEvent)
]

/** Reads JSON first, where a value is read from text. */
export const fromJson =
  (read: (said: unknown) => void) =>
  (text: string): void => {
    const json = StrictJson.parseJson(text)
    if (Result.isSuccess(json)) read(json.success)
  }

/** What is read as a value: a real example, and a reader that asserts that what it lets through is exact. */
export const values: Readonly<Record<string, readonly [example: unknown, read: (said: unknown) => void]>> = {
  "orders of a list": [
    wireOrder,
    (said) => {
      const read = fromList(said, 0)
      if (Result.isFailure(read)) return assert.equal(typeof read.failure.why, "string")
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
