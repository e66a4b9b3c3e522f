/**
 * Two things stop a strategy until somebody has looked and says `resume`; the same could happen to anything else that it funds.
 * Missing money: an order ended, and what came out is not what went in. And payments that were refused one after the other:
 * either the account has less than the strategy counts on, or the venue executes what it says it refuses, and would be paid
 * again and again.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState } from "../state/StrategyState.ts"

/** So many in a row, without any deposit of the strategy between them. */
const mostRefused = 3

/** Asked directly before money leaves; the recorded pause follows at the next turn. */
export const closesGate = ({
  refused,
  unexplained
}: Pick<StrategyState, "refused" | "unexplained">): string | undefined => {
  if (unexplained !== undefined) return `order ${unexplained.order} of its strategy ended with money unexplained`
  return isTooOften(refused) ? `${refused.times} payments of its strategy in a row were refused` : undefined
}

/** Records the pause once; a strategy that is already paused funds nothing new. */
export const check = ({ slots, strategies }: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const known = strategies.get(strategy.name)
  if (known === undefined || known.paused !== undefined) return []
  const { refused, unexplained } = known
  const pause = (limit: string, reason: string) =>
    ({ _tag: "Paused", strategy: strategy.name, limit, action: "pause", reason }) as const
  if (unexplained !== undefined) {
    const isTold = [...slots.values()].some(
      ({ freeze }) => freeze?.kind === "contradiction" && freeze.placement === unexplained.placement
    )
    return [
      { ...pause("unexplained", missing(strategy, unexplained)), ...(isTold ? { follows: "contradiction" } : {}) }
    ]
  }
  if (!isTooOften(refused)) return []
  const { answer, times } = refused
  const reason = `${times} payments in a row were refused (${answer}): see what the account holds, then resume`
  return [pause("refused-payments", reason)]
}

const isTooOften = (refused: StrategyState["refused"]): refused is NonNullable<StrategyState["refused"]> =>
  refused !== undefined && refused.times >= mostRefused

const missing = (
  strategy: Strategy,
  { amount, asset: symbol, order, placement }: NonNullable<StrategyState["unexplained"]>
): string => {
  const asset = marketsOf(strategy)
    .flatMap(({ base, quote }) => [base, quote])
    .find((each) => each.symbol === symbol)
  const money = asset === undefined ? `${amount} smallest units of ${symbol}` : formatWithSymbol(amount, asset)
  return `order ${order} ended with ${money} unexplained: limitbot evidence ${placement} --out FILE, then resume`
}
