/** The context in which the expressions of a file are compiled. */
import type { Market } from "../../domain/Market.ts"
import type { KindContext } from "../Kind.ts"
import type { MarketNamed } from "../Markets.ts"
import type { Report, Span } from "../Problem.ts"
import type { Budget } from "../Strategy.ts"
import { type Needs, noNeeds } from "./Needs.ts"
import type { Term } from "./Term.ts"

export interface Scope {
  readonly market: Market
  readonly marketNamed: MarketNamed
  /** Missing if it could not be read. */
  readonly budget?: Budget | undefined
  /** For candles without a written timeframe. */
  readonly timeframe: string
  readonly names: ReadonlyMap<string, Term>
  readonly needs: Needs
  readonly to: Report
  readonly knowsStart?: true
  /** Set only while the next value of a `state` is compiled: the last values of this state and of the states that need it. */
  readonly state?: { readonly previous: ReadonlyMap<string, Term>; readonly leaves: Array<Term> }
}

export const scopeOf = ({ market, marketNamed, budget, to }: KindContext, timeframe: string): Scope => ({
  market,
  marketNamed,
  budget,
  timeframe,
  names: new Map(),
  needs: noNeeds(),
  to
})

/** Bounds exist only for conditions whose sides are simple in the price. A price is computed just once and needs none. */
export type Use = "condition" | "price"

export interface Compiling extends Scope {
  readonly use: Use
  readonly placeOf: (at: Span) => Span
  /** Reports a mistake at a place of the text. */
  readonly wrong: (at: Span, message: string, hint?: string) => undefined
  readonly text: string
}
