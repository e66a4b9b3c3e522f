/** What the expressions of a file are compiled in: its market, its names, and where needs and problems are collected. */
import type { Market } from "../../domain/Market.ts"
import type { KindContext } from "../Kind.ts"
import type { MarketNamed } from "../Markets.ts"
import type { Report, Span } from "../Problem.ts"
import type { Budget } from "../Strategy.ts"
import { type Needs, noNeeds } from "./Needs.ts"
import type { Term } from "./Term.ts"

/** What the expressions of one file share. */
export interface Scope {
  readonly market: Market
  /** Other markets, which expressions name. */
  readonly marketNamed: MarketNamed
  /** Missing where it could not be read. */
  readonly budget?: Budget | undefined
  /** For candles without a written timeframe: `close` means `close(timeframe)`. */
  readonly timeframe: string
  readonly names: ReadonlyMap<string, Term>
  readonly needs: Needs
  readonly to: Report
  /** Only in kinds that remember when they began. */
  readonly knowsStart?: true
  /** Only inside of a state's own expression. */
  readonly state?: OwnPast
}

/** Where the expressions of a section begin: nothing is named yet, and nothing is needed. */
export const scopeOf = ({ market, marketNamed, budget, to }: KindContext, timeframe: string): Scope => ({
  market,
  marketNamed,
  budget,
  timeframe,
  names: new Map(),
  needs: noNeeds(),
  to
})

/** A state while its next value is compiled: only its last value is known, and those of the states that need it too. */
export interface OwnPast {
  readonly previous: ReadonlyMap<string, Term>
  /** All that the expressions look at, in their order. */
  readonly leaves: Array<Term>
}

/** Bounds can be computed only for conditions whose sides are simple in the price. A price is computed just once and needs none. */
export type Use = "condition" | "price"

export interface Compiling extends Scope {
  readonly use: Use
  readonly placeOf: (at: Span) => Span
  /** The expression as written. */
  readonly text: string
}
