/** Answers of the API that more than one part of the page needs. */
import type { Worth } from "./charts.ts"
import type { Problem, Standings } from "./panels.ts"

export interface Price {
  readonly market: string
  readonly bid: string
  readonly ask: string
  readonly mid: string
  readonly at: number
}

export interface Status {
  readonly at: number
  readonly sequence: number
  readonly mode: string
  readonly version: string
  readonly turnedAt: number
  readonly startedAt: number
  readonly leaving: string | null
  readonly fills: number
  readonly openOrders: number
  readonly prices: ReadonlyArray<Price>
  readonly problems: ReadonlyArray<Problem>
  readonly role: string
  readonly strategies: ReadonlyArray<{ readonly name: string; readonly market: string; readonly paused: unknown }>
}

export interface Profit extends Standings {
  readonly strategies: ReadonlyArray<{
    readonly worth: string
    readonly held: string
    readonly earned: string
    readonly asset: string
  }>
  readonly series: Worth & { readonly asset: string }
}
