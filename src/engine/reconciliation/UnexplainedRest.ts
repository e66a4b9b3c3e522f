/**
 * Missing money stops its strategy: an order ended, and what came out is not what went in. The same could happen to
 * anything else that the strategy funds, so it funds nothing until somebody has looked and says `resume`.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState } from "../state/StrategyState.ts"

/** Asked directly before money leaves; the recorded pause follows at the next turn. */
export const closesGate = ({ unexplained }: Pick<StrategyState, "unexplained">): string | undefined =>
  unexplained === undefined ? undefined : `order ${unexplained.order} of its strategy ended with money unexplained`

/** Records the pause once; a strategy that is already paused funds nothing new. */
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
