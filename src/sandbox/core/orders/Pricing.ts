/** The price that solvers quote: the mid, made worse by half the spread and by a little for size. */
import * as Amount from "../../../domain/Amount.ts"
import type { Market, Side } from "../../../domain/Market.ts"
import type { State } from "../State.ts"

export const usdOf = (state: State, asset: Amount.Asset, amount: Amount.Amount): number =>
  Amount.asNumber(amount, asset) * state.model.usd(asset, state.now)

export const distance = (state: State, usd: number): number =>
  Math.min(0.5, state.settings.spread / 2 + (usd / 1_000_000) * state.settings.impactPerMillionUsd)

export const executablePrice = (state: State, market: Market, side: Side, quantity: Amount.Amount): number => {
  const mid = state.model.mid(market.base, market.quote, state.now)
  const away = distance(state, usdOf(state, market.base, quantity))
  return side === "SELL" ? mid * (1 - away) : mid * (1 + away)
}
