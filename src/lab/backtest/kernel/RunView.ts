/** Builds the strategy's view at the run's current time. Unchanged slots and candles stay the same objects. */
import { exactPrice } from "../../../candles/Candles.ts"
import { bottomless, type Depth } from "../../../domain/Book.ts"
import type { BidAsk, Market, Price, TwoSidedPrice } from "../../../domain/Market.ts"
import type { Signals } from "../../../domain/Signal.ts"
import {
  type ClosedCandles,
  frameName,
  type OwnState as Own,
  type SlotProgress,
  type View
} from "../../../strategy/View.ts"
import { type FillRules, quotedAt } from "./FillRules.ts"
import type { MarketRun, Runs } from "./MarketRun.ts"
import * as OwnState from "./OwnState.ts"

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

const slotsOf = ([run, ...others]: Runs): ReadonlyMap<string, SlotProgress> => {
  const slots = run.orders.progress()
  return others.length === 0
    ? slots
    : new Map([slots, ...others.map(({ orders }) => orders.progress())].flatMap((all) => [...all]))
}

const candlesOf = ([run, ...others]: Runs, now: number): ReadonlyMap<string, ClosedCandles> | undefined => {
  const own = run.frames.closedAt(now)
  if (others.length === 0) return run.conditions.timeframes === undefined ? undefined : own
  const all = new Map(own)
  for (const { frames, conditions } of others)
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
    const [run, ...others] = runs
    const { now } = run.clock
    this.runs = runs
    this.now = now
    this.market = run.conditions.market
    this.price = new Quoted(run)
    this.slots = slotsOf(runs)
    const candles = candlesOf(runs, now)
    if (candles !== undefined) this.candles = candles
    if (others.length > 0)
      this.elsewhere = new Map(others.map((other) => [other.conditions.market.name, new Quoted(other)]))
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

  get own(): Own {
    const [run, ...others] = this.runs
    return OwnState.of(run, others)
  }
}

export const of = (runs: Runs): View => new RunView(runs)
