/**
 * What stops a strategy until somebody has looked and says `resume`, because the same could happen to anything else that it
 * funds. Missing money: an order ended, and what came out is not what went in. Payments that were refused one after the other:
 * either the account has less than the strategy counts on, or the venue executes what it says it refuses, and would be paid
 * again and again. Orders that end before their time, one after the other, not filled whole and with no cancel of ours:
 * somebody else cancels them, or the venue says of living orders that they are over and refunded, and would be paid again.
 * And orders that live on after their end: what the venue said of their refunds was not true, so free money is not free.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState } from "../state/StrategyState.ts"
import { pauseLimit } from "../tracking/EarlyEnd.ts"

/** So many payments in a row, without any deposit of the strategy between them. */
const mostRefused = 3
/** So many ends in a row, without any order of the strategy that is filled whole between them. */
const mostEarlyEnds = 3
/** One may be an old view of the venue's; two are a habit. */
const mostRevived = 2

type Known = Pick<StrategyState, "endedEarly" | "refused" | "revived" | "unexplained">

interface Row {
  readonly limit: string
  /** Why nothing is funded, said of one payment; `undefined` while it may be. */
  readonly gate: (known: Known) => string | undefined
  /** The same to whoever is to look. */
  readonly reason: (known: Known, strategy: Strategy) => string
}

const rows: ReadonlyArray<Row> = [
  {
    limit: "unexplained",
    gate: ({ unexplained }) =>
      unexplained === undefined ? undefined : `order ${unexplained.order} of its strategy ended with money unexplained`,
    reason: ({ unexplained }, strategy) => (unexplained === undefined ? "" : missing(strategy, unexplained))
  },
  {
    limit: "refused-payments",
    // One that was made all the same says enough.
    gate: ({ refused }) =>
      refused !== undefined && (refused.isLie === true || refused.times >= mostRefused)
        ? `${refused.times} payments of its strategy in a row were refused`
        : undefined,
    reason: ({ refused: { answer, isLie, times } = { answer: "", times: 0 } }) => {
      const what =
        isLie === true
          ? `A payment was refused and made (${answer})`
          : `${times} payments in a row were refused (${answer})`
      return `${what}: see what the account holds, then resume`
    }
  },
  {
    limit: pauseLimit,
    gate: ({ endedEarly }) =>
      endedEarly !== undefined && endedEarly.times >= mostEarlyEnds
        ? `${endedEarly.times} orders of its strategy in a row ended before their time`
        : undefined,
    reason: ({ endedEarly: { how, times } = { how: "", times: 0 } }) =>
      `${times} orders in a row ended before their time, not filled whole, and nobody here cancelled them (${how}): see what the venue has and what the account holds (limitbot reconcile), then resume`
  },
  {
    limit: "revived-orders",
    gate: ({ revived = [] }) =>
      revived.length >= mostRevived
        ? `${revived.length} orders of its strategy live on after the venue had said that they were over and paid back`
        : undefined,
    reason: ({ revived = [] }) =>
      `${revived.length} orders live on after the venue had said that they were over and paid back (${revived.join(", ")}), so money that counts as free is in them: cancel them at the venue or say resolve, see what the account holds (limitbot reconcile), then resume`
  }
]

/** Asked directly before money leaves; the recorded pause follows at the next turn. */
export const closesGate = (known: Known): string | undefined => {
  for (const { gate } of rows) {
    const why = gate(known)
    if (why !== undefined) return why
  }
  return undefined
}

/** Records the pause once; a strategy that is already paused funds nothing new. */
export const check = ({ slots, strategies }: BotState, strategy: Strategy): ReadonlyArray<BotEvent> => {
  const known = strategies.get(strategy.name)
  if (known === undefined || known.paused !== undefined) return []
  const row = rows.find(({ gate }) => gate(known) !== undefined)
  if (row === undefined) return []
  const { unexplained } = known
  const isTold =
    unexplained !== undefined &&
    [...slots.values()].some(
      ({ freeze }) => freeze?.kind === "contradiction" && freeze.placement === unexplained.placement
    )
  const pause = { _tag: "Paused", strategy: strategy.name, limit: row.limit, action: "pause" } as const
  return [{ ...pause, reason: row.reason(known, strategy), ...(isTold ? { follows: "contradiction" } : {}) }]
}

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
