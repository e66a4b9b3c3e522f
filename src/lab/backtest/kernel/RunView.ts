/** Builds the strategy's view at the run's current time. Unchanged slots and candles stay the same objects. */
import { exactPrice } from "../../../candles/Candles.ts"
import { closeTime } from "../../../candles/TimeAxis.ts"
import type { Amount } from "../../../domain/Amount.ts"
import { bottomless, type Depth } from "../../../domain/Book.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import type { BidAsk, Market, Price, TwoSidedPrice } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Signals } from "../../../domain/Signal.ts"
import { isSameList } from "../../../strategy/expression/Same.ts"
import { type ClosedCandles, frameName, type OwnState, type SlotProgress, type View } from "../../../strategy/View.ts"
import { type FillRules, quotedAt } from "./FillRules.ts"
import type { MarketRun, Runs } from "./MarketRun.ts"
import { none } from "./orders/OrderTable.ts"

class Quoted implements TwoSidedPrice {
  declare readonly at: number
  declare readonly mid: Price
  declare private readonly rules: FillRules
  private quotes: BidAsk | undefined = undefined

  constructor({ clock, conditions, lastClose }: MarketRun) {
    this.at = clock.now
    this.mid = exactPrice(lastClose.before(clock.nextBar))
    this.rules = conditions.rules
  }

  get bid(): Price {
    return this.both.bid
  }

  get ask(): Price {
    return this.both.ask
  }

  private get both(): BidAsk {
    this.quotes ??= quotedAt(this.rules, this.mid)
    return this.quotes
  }
}

const slotsOf = (runs: Runs): ReadonlyMap<string, SlotProgress> =>
  runs.length === 1 ? runs[0].orders.progress() : new Map(runs.flatMap(({ orders }) => [...orders.progress()]))

const candlesOf = (runs: Runs, now: number): ReadonlyMap<string, ClosedCandles> | undefined => {
  const [run] = runs
  const own = run.frames.closedAt(now)
  if (runs.length === 1) return run.conditions.timeframes === undefined ? undefined : own
  const all = new Map(own)
  for (const { frames, conditions } of runs.slice(1))
    for (const [timeframe, closed] of frames.closedAt(now))
      all.set(frameName(timeframe, conditions.market.name), closed)
  return run.conditions.timeframes === undefined && all.size === 0 ? undefined : all
}

const silence: Signals = new Map()

/** Getters are on the prototype, because own getters would have to be created for each view. */
class RunView implements View {
  declare readonly now: number
  declare readonly market: Market
  declare readonly price: TwoSidedPrice
  declare readonly elsewhere?: ReadonlyMap<string, TwoSidedPrice>
  declare readonly slots: ReadonlyMap<string, SlotProgress>
  declare readonly candles?: ReadonlyMap<string, ClosedCandles>
  declare private readonly runs: Runs

  constructor(runs: Runs) {
    const [run] = runs
    const { now } = run.clock
    this.runs = runs
    this.now = now
    this.market = run.conditions.market
    this.price = new Quoted(run)
    this.slots = slotsOf(runs)
    const candles = candlesOf(runs, now)
    if (candles !== undefined) this.candles = candles
    if (runs.length > 1)
      this.elsewhere = new Map(runs.slice(1).map((other) => [other.conditions.market.name, new Quoted(other)]))
  }

  get depth(): Depth {
    return bottomless(this.price)
  }

  get fillBasisPoints(): number {
    return this.runs[0].conditions.rules.feeBasisPoints
  }

  get signals(): Signals {
    return this.runs[0].conditions.signals?.at(this.now) ?? silence
  }

  get isHeld(): boolean {
    return this.runs[0].guard?.account.closedBy(this.now) !== undefined
  }

  get own(): OwnState {
    const [run, ...others] = this.runs
    return ownOf(run, others)
  }
}

const unsettled = ({ orders }: MarketRun): number => {
  let open = 0
  for (const { order } of orders.slots) if (order !== none) open++
  return open
}

type SeenState = ReadonlyArray<number | Amount | CostBasis.HeldPosition>

const cache = new WeakMap<MarketRun, { readonly ground: SeenState; readonly own: OwnState }>()

/** Shows a strategy its own trading, as in live trading. Returns the same object until something in it changes. */
const ownOf = (run: MarketRun, others: ReadonlyArray<MarketRun>): OwnState => {
  const { trading, orders, wallet } = run
  const { log, placedBar } = orders
  trading.see()
  for (const other of others) other.trading.see()
  trading.fold()
  let openOrders = unsettled(run)
  for (const other of others) openOrders += unsettled(other)
  const { freeBase, freeQuote } = wallet
  const ground = [openOrders, freeBase, freeQuote, trading.position, log.count, placedBar]
  const before = cache.get(run)
  if (before !== undefined && isSameList(before.ground, ground)) return before.own
  const own = buildState(run, openOrders)
  cache.set(run, { ground, own })
  return own
}

const buildState = ({ trading: { position }, orders, candles, wallet }: MarketRun, openOrders: number): OwnState => {
  const { table, log, placedBar } = orders
  const last = log.count - 1
  const filled = last < 0 ? undefined : table.rows[log.orders[last] ?? none]
  return present({
    openOrders,
    freeBase: wallet.freeBase,
    freeQuote: wallet.freeQuote,
    ...CostBasis.seenPosition(position, table.market),
    lastFill: filled && { price: filled.price, at: closeTime(candles.time, log.bars[last] ?? 0) },
    lastPlacedAt: placedBar < 0 ? undefined : closeTime(candles.time, placedBar - 1)
  })
}

export const of = (runs: Runs): View => new RunView(runs)
