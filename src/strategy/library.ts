/**
 * For authors of their own strategies: `import type { Own } from "limitbot/strategy"` in the code, and `trialOf` in its tests. Its types
 * are stable from 1.0 on; until then the release notes name every change.
 *
 * @module limitbot/strategy
 */
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Result, Schema } from "effect"
import { toDecimal } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { present } from "../domain/Present.ts"
import type { Bounds, Decision } from "./Decision.ts"
import type { OwnMemory, OwnSignal } from "./own/OwnStrategy.ts"
import { render } from "./Problem.ts"
import type { Strategy } from "./Strategy.ts"
import * as StrategyFile from "./StrategyFile.ts"
import { type ClosedCandles, untouchedSlot, type View } from "./View.ts"

export type * from "./own/OwnStrategy.ts"

/** One closed candle. Lists of candles are ordered from the oldest. */
export interface TrialCandle {
  /** Quote per base. */ readonly open: number
  /** Quote per base. */ readonly high: number
  /** Quote per base. */ readonly low: number
  /** Quote per base. */ readonly close: number
  /** In base; `NaN` if left out. */ readonly volume?: number
}

/** The input of one trial decision. Bid and ask default to the mid. */
export interface TrialView {
  /** Quote per base. */ readonly mid: number
  /** Quote per base; default: the mid. */ readonly bid?: number
  /** Quote per base; default: the mid. */ readonly ask?: number
  /** Epoch milliseconds; default: the beginning of 2026. */
  readonly now?: number
  /** Closed candles by timeframe, such as `5m`. */
  readonly candles?: Readonly<Record<string, ReadonlyArray<TrialCandle>>>
  /** The last value of each signal. A plain number arrived now. */
  readonly signals?: Readonly<Record<string, number | OwnSignal>>
  /** The number of finished legs of a slot. */
  readonly done?: Readonly<Record<string, number>>
}

/** The answer of the strategy, after rounding. Prices and quantities are exact text. */
export interface TrialAnswer {
  /** One for each slot that should hold an order. */ readonly orders: ReadonlyArray<{
    readonly slot: string
    readonly legs: ReadonlyArray<{ readonly side: "buy" | "sell"; readonly price: string; readonly quantity: string }>
    readonly why: string
  }>
  /** Slots that should be empty, and why. */
  readonly waiting: ReadonlyArray<{ readonly slot: string; readonly why: string }>
  /** JSON for the next decision. */ readonly memory: OwnMemory
  /** The bounds within which this answer stays valid. */ readonly until: {
    readonly below?: string
    readonly above?: string
    readonly time?: number
    readonly candle?: string
    /** A signal has a new value. Always set if the strategy reads one. */
    readonly signal?: true
    readonly fill: boolean
  }
}

/** A strategy that a test can call. */
export interface Trial {
  /** The mistakes that the bot would report in the file, each with its place. Empty: the bot would accept it. */
  readonly problems: ReadonlyArray<string>
  /** Throws the mistake in the answer, or in the file. */
  readonly decide: (view: TrialView, memory?: OwnMemory | object) => TrialAnswer
}

const startMillis = Date.UTC(2026, 0, 1)

/** Reads a strategy file and the code beside it, but no package, as the bot does. Here assets have 18 decimals. */
export const trialOf = (file: string): Trial => {
  const text = readFileSync(file, "utf8")
  const code = StrategyFile.codeWanted(text)
  const whole =
    code === undefined ? text : StrategyFile.withCode(text, readFileSync(resolve(dirname(file), code), "utf8"))
  const symbols = new Set(
    [...whole.matchAll(/^market:\s*([\w.]+)\/([\w.]+)/gm)].flatMap(([, base = "", quote = ""]) => [base, quote])
  )
  const assets = Array.from(symbols, (symbol) => ({ symbol, id: symbol, decimals: 18 }))
  const parsing = StrategyFile.parse(whole, file, { assets, ticks: new Map() })
  if (Result.isFailure(parsing)) {
    const problems = parsing.failure.map((problem) => render(problem, whole))
    const decide = (): never => {
      throw new Error(problems.join("\n"))
    }
    return { problems, decide }
  }
  const strategy = parsing.success
  const problem = strategy.proof?.()
  return {
    problems: problem === undefined ? [] : [render(problem, whole)],
    decide: (view, memory = null) =>
      answerOf(strategy, strategy.decide(viewOf(strategy, view), asJson(JSON.stringify(memory))))
  }
}

const asJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

const viewOf = (
  { market }: Strategy,
  { ask, bid, candles = {}, done = {}, mid, now = startMillis, signals = {} }: TrialView
): View => ({
  now,
  market,
  price: { bid: Decimal.fromNumber(bid ?? mid), ask: Decimal.fromNumber(ask ?? mid), at: now },
  slots: new Map(Object.entries(done).map(([slot, completedLegs]) => [slot, { ...untouchedSlot, completedLegs }])),
  candles: new Map(Object.entries(candles).map(([timeframe, all]) => [timeframe, columnsOf(all)])),
  signals: new Map(
    Object.entries(signals).map(([name, sent]) => [name, typeof sent === "number" ? { value: sent, at: now } : sent])
  )
})

const columnsOf = (all: ReadonlyArray<TrialCandle>): ClosedCandles => {
  const column = (name: keyof TrialCandle) => Float64Array.from(all, (candle) => candle[name] ?? Number.NaN)
  const prices = { open: column("open"), high: column("high"), low: column("low"), close: column("close") }
  return { columns: { ...prices, volume: column("volume") }, closed: all.length }
}

const answerOf = ({ market }: Strategy, { absent, desired, memory, until }: Decision): TrialAnswer => ({
  orders: desired.map(({ legs, slot, why }) => ({
    slot,
    legs: legs.map(({ price, quantity, side }) => ({
      side: side === "BUY" ? "buy" : "sell",
      price: Decimal.format(price),
      quantity: Decimal.format(toDecimal(quantity, market.base.decimals))
    })),
    why: why.text
  })),
  waiting: absent.map(({ slot, why }) => ({ slot, why: why.text })),
  memory,
  until: boundsOf(until)
})

const boundsOf = ({ barClose, onFill, priceAbove, priceBelow, signals, time }: Bounds): TrialAnswer["until"] => {
  const [below, above] = [priceBelow, priceAbove].map((price) => price && Decimal.format(price))
  return { ...present({ below, above, time, candle: barClose, signal: signals }), fill: onFill }
}
