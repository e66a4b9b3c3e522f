/**
 * Money that is nowhere stops its strategy: an order ended, and what came out of it is not what went in. Whatever else the
 * strategy funded could go the same way, so nothing is until somebody has looked and says `resume`.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState, StrategyState } from "../state/BotState.ts"

/** Directly before money leaves; the pause that is recorded follows at the next turn. */
export const closesGate = ({ unexplained }: Pick<StrategyState, "unexplained">): string | undefined =>
  unexplained === undefined ? undefined : `order ${unexplained.order} of its strategy ended with money unexplained`

/** The pause, once; a strategy that is paused already funds nothing new. */
export const check = ({ strategies }: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const known = strategies.get(strategy.name)
  if (known?.unexplained === undefined || known.paused !== undefined) return []
  const { amount, asset: symbol, order, placement } = known.unexplained
  const asset = marketsOf(strategy)
    .flatMap(({ base, quote }) => [base, quote])
    .find((each) => each.symbol === symbol)
  const money = asset === undefined ? `${amount} smallest units of ${symbol}` : formatWithSymbol(amount, asset)
  const reason = `order ${order} ended with ${money} unexplained: limitbot evidence ${placement} --out FILE, then resume`
  return [{ _tag: "Paused", strategy: strategy.name, limit: "unexplained", action: "pause", reason }]
}
