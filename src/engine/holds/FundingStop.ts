/**
 * Stops a strategy until the operator has checked and says `resume`, because the cause could affect everything else that it funds. There
 * are four causes. Missing money: an order ended, and its output does not match its input. Refused payments in a row: the account may have
 * less than the strategy counts on. Or the venue executes payments that it reports as refused, and the bot would pay repeatedly. Early ends
 * in a row of orders that are not completely filled and that we did not cancel: another party may cancel them. Or the venue reports living
 * orders as ended and refunded, and the bot would pay again. Orders that live on after their end: the reported refunds were not true, so
 * free money is not free. The hold works at once (`Holds`: `funding-stopped`); the event `Paused` follows at the next turn.
 */
import { bySymbol, formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState, UnexplainedOrder } from "../state/strategies/StrategyState.ts"
import { pauseCode } from "../tracking/EarlyEnd.ts"

/** Limit of consecutive refused payments without a deposit of the strategy between them. */
const maxRefused = 3
/** Limit of consecutive early ends without a completely filled order of the strategy between them. */
const maxEarlyEnds = 3
/** One may come from an old view of the venue; two are a pattern. */
const maxRevived = 2

type Known = Pick<StrategyState, "endedEarly" | "refused" | "revived" | "unexplained">

interface Stop {
  readonly code: string
  readonly holdText: string
  readonly reason: (strategy: Strategy) => string
  readonly placements?: ReadonlyArray<string>
}

const rows: ReadonlyArray<(known: Known) => Stop | undefined> = [
  ({ unexplained }) =>
    unexplained && {
      code: "unexplained",
      holdText: `${unexplained.map(({ order }) => `order ${order}`).join(", ")} of its strategy ended with money unexplained`,
      reason: (strategy) => `${unexplained.map((each) => missing(strategy, each)).join("; ")}, then resume`,
      placements: unexplained.map(({ placement }) => placement)
    },
  ({ refused }) => {
    // One payment that was reported as refused and made all the same is enough.
    if (refused === undefined || (refused.isLie !== true && refused.times < maxRefused)) return undefined
    const { answer, isLie, times } = refused
    const [subject, what] =
      isLie === true ? ["a payment", "was refused but made"] : [`${times} payments`, "in a row were refused"]
    return {
      code: "refused-payments",
      holdText: `${subject} of its strategy ${what}`,
      reason: () => `${subject} ${what} (${answer}): check the account's balance, then resume`
    }
  },
  ({ endedEarly }) => {
    if (endedEarly === undefined || endedEarly.times < maxEarlyEnds) return undefined
    const { how, times } = endedEarly
    return {
      code: pauseCode,
      holdText: `${times} orders of its strategy in a row ended early`,
      reason: () =>
        `${times} orders in a row ended early, not fully filled and not cancelled by this bot (${how}): check the venue and the account (limitbot reconcile), then resume`
    }
  },
  ({ revived = [] }) => {
    if (revived.length < maxRevived) return undefined
    const what = "are open although the venue had reported them ended and refunded"
    return {
      code: "revived-orders",
      holdText: `${revived.length} orders of its strategy ${what}`,
      reason: () =>
        `${revived.length} orders ${what} (${revived.join(", ")}), so money booked as free is in them: cancel them at the venue or resolve them, check the account (limitbot reconcile), then resume`
    }
  }
]

const stopOf = (known: Known): Stop | undefined => rows.map((row) => row(known)).find((stop) => stop !== undefined)

export const whyStopped = (known: Known): string | undefined => stopOf(known)?.holdText

/** The end of a pause for a loss, which needs no person (`planning/LossGuard`, `StartUp`), by its limit. */
export const endOfLoss: ReadonlyMap<string, string> = new Map([
  ["daily-loss", "a new day"],
  ["drawdown", "a changed strategy file"]
])

/** Records the pause once. It takes the place of a pause for a loss, which would end without a person. */
export const check = ({ slots, strategies }: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const strategyState = strategies.get(strategy.name)
  if (strategyState === undefined) return []
  const { limit, action = "pause" } = strategyState.paused ?? {}
  if (limit !== undefined && !endOfLoss.has(limit)) return []
  const stop = stopOf(strategyState)
  if (stop === undefined) return []
  const { code, placements } = stop
  const contradictions = new Set(
    [...slots.values()].flatMap(({ freeze }) => (freeze?.kind === "contradiction" ? [freeze.placement] : []))
  )
  const isTold = placements?.every((id) => contradictions.has(id)) === true
  const pause = { _tag: "Paused", strategy: strategy.name, limit: code, action } as const
  return [{ ...pause, reason: stop.reason(strategy), ...(isTold ? { follows: "contradiction" } : {}) }]
}

const missing = (strategy: Strategy, { amounts, order, placement }: UnexplainedOrder): string => {
  const assets = bySymbol(marketsOf(strategy).flatMap(({ base, quote }) => [base, quote]))
  const money = [...amounts].map(([symbol, amount]) => {
    const asset = assets.get(symbol)
    return asset === undefined ? `${amount} smallest units of ${symbol}` : formatWithSymbol(amount, asset)
  })
  return `order ${order} ended with ${money.join(" and ")} unexplained: limitbot orders ${placement} --out FILE`
}
