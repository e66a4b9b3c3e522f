/**
 * Profit and loss by average cost, event by event. It equals `Profit.report` over all trades but keeps only a sum for each slot and day, so
 * it can be stored and continued. Trades count in the order of their time but may be recorded in another, so the newest of each pool are
 * kept. A trade that comes even later makes `isExact` false: the caller then reads everything again and keeps all trades.
 */
import type { Of, Recorded } from "../../domain/BotEvent.ts"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import * as Lots from "../../ledger/Lots.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as Rounds from "../../ledger/Rounds.ts"
import * as Trades from "../../ledger/Trades.ts"

export const method = "average"

export interface RunningProfit {
  sequence: number
  isExact: boolean
  readonly keptTrades: number
  readonly books: Trades.TradesBooks
  readonly pools: Map<string, Pool>
  readonly counted: Map<string, Profit.Item>
  readonly flows: Map<string, Profit.Item>
  readonly quotes: Set<string>
  /** Attempts that ended without money, with the time after which they cannot appear again. */
  readonly ended: Map<string, number>
  lookedAt: number
}

interface Pool {
  lots: Lots.LotBooks
  readonly turns: Rounds.TurnBooks
  countedUntil: number
  kept: Array<Trades.Trade>
}

const emptyPool = (): Pool => ({
  lots: Lots.emptyBooks,
  turns: Rounds.emptyBooks(),
  countedUntil: Number.NEGATIVE_INFINITY,
  kept: []
})

export const make = (keptTrades = 500): RunningProfit => ({
  sequence: 0,
  isExact: true,
  keptTrades,
  books: Trades.emptyBooks(),
  pools: new Map(),
  counted: new Map(),
  flows: new Map(),
  quotes: new Set(),
  ended: new Map(),
  lookedAt: Number.NEGATIVE_INFINITY
})

export const tags = [...Trades.tags, "Abandoned"] as const

export const see = (profit: RunningProfit, entries: ReadonlyArray<Recorded>): void => {
  const fold = Trades.make(() => undefined, profit.books)
  for (const entry of entries) {
    fold.see(entry)
    forget(profit, entry)
    profit.sequence = entry.sequence
    if (entry.event._tag !== "TakenBack") continue
    collect(profit)
    takeBack(profit, entry.event)
  }
  collect(profit)
  for (const pool of profit.pools.values()) settle(profit, pool)
}

const collect = (profit: RunningProfit): void => {
  const { trades, losses, fees, flows, lives, rounds } = profit.books
  lives.length = 0
  for (const flow of flows.splice(0)) count(profit.flows, Profit.itemOfFlow(flow))
  for (const fee of fees.splice(0)) {
    profit.quotes.add(fee.quote)
    count(profit.counted, Profit.itemOfFee(fee))
  }
  for (const round of rounds.splice(0)) count(profit.counted, Profit.itemOfRound(round))
  for (const trade of [...trades.splice(0), ...losses.splice(0)]) take(profit, trade)
}

/** Drops the trades and base fees of an order. If some of them are in the sums already, everything has to be read again. */
const takeBack = (profit: RunningProfit, event: Of<"TakenBack">): void => {
  const { fills, payoutFee, placement, refundFee, side } = event
  const pool = profit.pools.get(Profit.poolOf(event))
  if (pool === undefined) return
  const isTakenBack = (trade: Trades.Trade) => trade.placement === placement && trade.loss === undefined
  let missing = side === "SELL" ? refundFee : payoutFee
  for (const { amountIn, amountOut } of fills) missing += side === "SELL" ? amountIn : amountOut
  for (const { baseAmount } of pool.kept.filter(isTakenBack)) missing -= baseAmount
  if (missing !== 0n && profit.keptTrades < Number.POSITIVE_INFINITY) profit.isExact = false
  pool.kept = pool.kept.filter((trade) => !isTakenBack(trade))
}

/** A settled order never appears again. An order that was given up may still turn out to be paid. */
const forget = (profit: RunningProfit, { at, event }: Recorded): void => {
  const { books, ended, lookedAt } = profit
  const { planned } = books
  if (event._tag === "Settled") planned.delete(event.placement)
  else if (event._tag === "Abandoned" || event._tag === "FundingDead") {
    const deadline = planned.get(event.placement)?.event.deadline ?? at
    ended.set(event.placement, Math.max(deadline, at) + hourMillis)
  } else if (event._tag === "Planned") {
    // Many attempts may have deadlines months away, so this pass runs at most once an hour.
    if (at - lookedAt < hourMillis) return
    profit.lookedAt = at
    for (const [placement, until] of ended) {
      if (at <= until) continue
      ended.delete(placement)
      planned.delete(placement)
    }
  } else if ("placement" in event) ended.delete(event.placement)
}

const take = ({ pools, quotes }: RunningProfit, trade: Trades.Trade): void => {
  const key = Profit.poolOf(trade)
  const pool = pools.get(key) ?? emptyPool()
  pools.set(key, pool)
  pool.kept.push(trade)
  quotes.add(trade.quote)
}

const settle = (profit: RunningProfit, pool: Pool): void => {
  if (pool.kept.some(({ at }) => at < pool.countedUntil)) profit.isExact = false
  if (pool.kept.length <= profit.keptTrades) return
  pool.kept.sort(byTime)
  const older = pool.kept.splice(0, pool.kept.length - Math.floor(profit.keptTrades / 2))
  const { gains, ...lots } = Lots.match(older, method, pool.lots)
  for (const gain of gains) count(profit.counted, Profit.itemOfGain(gain))
  for (const trade of older) count(profit.counted, Profit.itemOfTurn(trade, Rounds.take(pool.turns, trade).earned))
  pool.lots = lots
  pool.countedUntil = older.at(-1)?.at ?? pool.countedUntil
}

const byTime = (a: Trades.Trade, b: Trades.Trade): number => a.at - b.at

const count = (items: Map<string, Profit.Item>, item: Profit.Item): void => {
  const day = Math.floor(item.at / dayMillis)
  const key = [item.strategy, item.slot, item.asset, item.quote, day].join("\u0000")
  const existingItem = items.get(key)
  const figures = Profit.plus(Profit.plus(Profit.nothing, existingItem?.figures ?? {}), item.figures)
  items.set(key, { ...item, at: existingItem?.at ?? item.at, figures })
}

export const items = (profit: RunningProfit, mark: Profit.Mark, now: number): ReadonlyArray<Profit.Item> => {
  const open = [...profit.pools.values()].flatMap(({ kept, lots, turns }) => {
    const newest = kept.toSorted(byTime)
    const matched = Lots.match(newest, method, lots)
    return [
      ...matched.gains.map(Profit.itemOfGain),
      ...Profit.itemsOfLots(matched.open, mark, now),
      ...Profit.itemsOfTurns(newest, turns, mark, now)
    ]
  })
  return [...profit.counted.values(), ...open, ...Profit.flowsIn([...profit.flows.values()], profit.quotes)]
}
