/**
 * Three things stop a strategy until somebody has looked and says `resume`; the same could happen to anything else that it
 * funds. Missing money: an order ended, and what came out is not what went in. Payments that were refused one after the other:
 * either the account has less than the strategy counts on, or the venue executes what it says it refuses, and would be paid
 * again and again. And orders that end before their time, one after the other, with nothing filled and no cancel of ours:
 * somebody else cancels them, or the venue says of living orders that they are over and refunded, and would be paid again.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState } from "../state/StrategyState.ts"
import { pauseLimit } from "../tracking/EarlyEnd.ts"

/** So many payments in a row, without any deposit of the strategy between them. */
const mostRefused = 3
/** So many ends in a row, without any fill of the strategy between them. */
const mostEarlyEnds = 3

/** Asked directly before money leaves; the recorded pause follows at the next turn. */
export const closesGate = ({
  endedEarly,
  refused,
  unexplained
}: Pick<StrategyState, "endedEarly" | "refused" | "unexplained">): string | undefined => {
  if (unexplained !== undefined) return `order ${unexplained.order} of its strategy ended with money unexplained`
  if (isRefused(refused)) return `${refused.times} payments of its strategy in a row were refused`
  if (isAtLeast(endedEarly, mostEarlyEnds))
    return `${endedEarly.times} orders of its strategy in a row ended before their time`
  return undefined
}

/** Records the pause once; a strategy that is already paused funds nothing new. */
export const check = ({ slots, strategies }: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const known = strategies.get(strategy.name)
  if (known === undefined || known.paused !== undefined) return []
  const { endedEarly, refused, unexplained } = known
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
  if (isRefused(refused)) {
    const { answer, isLie, times } = refused
    const what =
      isLie === true
        ? `A payment was refused and made (${answer})`
        : `${times} payments in a row were refused (${answer})`
    const reason = `${what}: see what the account holds, then resume`
    return [pause("refused-payments", reason)]
  }
  if (!isAtLeast(endedEarly, mostEarlyEnds)) return []
  const { how, times } = endedEarly
  const reason = `${times} orders in a row ended before their time, unfilled, and nobody here cancelled them (${how}): see what the venue has and what the account holds (limitbot reconcile), then resume`
  return [pause(pauseLimit, reason)]
}

/** One that was made all the same says enough. */
const isRefused = (refused: StrategyState["refused"]): refused is NonNullable<typeof refused> =>
  refused?.isLie === true || isAtLeast(refused, mostRefused)

const isAtLeast = <C extends { readonly times: number }>(count: C | undefined, least: number): count is C =>
  count !== undefined && count.times >= least

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
