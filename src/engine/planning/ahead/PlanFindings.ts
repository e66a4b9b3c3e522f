/** Finds unsafe parts of a plan. Each finding has a name, so a person can allow exactly that one. */
import { type Amount, type Asset, bySymbol, formatWithSymbol, magnitude, min } from "../../../domain/Amount.ts"
import type { Book } from "../../../domain/Book.ts"
import type { Of } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { feesOf, roundOf } from "../../../domain/fees/RoundCost.ts"
import * as Ledger from "../../../domain/Ledger.ts"
import { type Market, quoteAmount, type TradeCosts } from "../../../domain/Market.ts"
import { exitSlotOf } from "../../../domain/Placement.ts"
import { countText } from "../../../domain/Text.ts"
import { leftText } from "../../../report/text/EventLine.ts"
import { type DesiredSlot, type Leg, slotsIn } from "../../../strategy/Decision.ts"
import { costOf } from "../../../strategy/kinds/CostFloor.ts"
import { isOfEnd } from "../../../strategy/kinds/StopExit.ts"
import { budgets, marketNames, marketsOf, marketsSeen, type Strategy } from "../../../strategy/Strategy.ts"
import { baseLeft, type View } from "../../../strategy/View.ts"
import type { Placement } from "../../state/Placement.ts"
import { keyOf, progressOf } from "../../state/SlotFold.ts"
import { leftPositions } from "../../state/strategies/LeftPosition.ts"
import { isEndUnbelieved } from "../../tracking/EarlyEnd.ts"
import { progress } from "../DecisionRecord.ts"
import type { PlannedAhead } from "./PlanAhead.ts"
import { type Fees, isResting, type Locked, orderOf, type PlannedChange } from "./PlanReport.ts"

export const findingNames = [
  "crossing",
  "over-commit",
  "below-minimum",
  "fee-floor",
  "no-price",
  "unconfirmed-price",
  "fills-at-once",
  "below-cost",
  "left-position",
  "unfit",
  "candles"
] as const
export type FindingName = (typeof findingNames)[number]

export interface PlanFinding {
  readonly name: FindingName
  readonly strategies: ReadonlyArray<string>
  readonly slots: ReadonlyArray<string>
  readonly text: string
}

export interface FindingInputs {
  readonly strategies: ReadonlyArray<Strategy>
  readonly planned: PlannedAhead
  readonly changes: ReadonlyArray<PlannedChange>
  readonly fees: Fees
  /** The account's balance at the venue, by asset; `undefined` when it could not be read. */
  readonly balances: ReadonlyMap<string, Amount> | undefined
  /** By strategy and symbol: what its living orders still pay. Any other strategy needs all of its free money. */
  readonly needs: ReadonlyMap<string, ReadonlyMap<string, Amount>>
  /** USD for one unit of an asset, by symbol. */
  readonly usd: ReadonlyMap<string, Decimal.Decimal>
  readonly minimumIn: (market: Market) => Minimum | undefined
  readonly locked: ReadonlyArray<Locked>
  /** By symbol: the most that the configuration lets all strategies together have outside the wallet. */
  readonly exposure: ReadonlyMap<string, Amount>
  readonly books: ReadonlyMap<string, Book>
}

export const findingsOf = (ground: FindingInputs): ReadonlyArray<PlanFinding> => [
  ...unpriced(ground),
  ...unconfirmed(ground),
  ...crossings(ground),
  ...overCommitted(ground),
  ...ground.strategies.flatMap((strategy) => {
    const slots = ground.planned.decisions.get(strategy.name)?.desired ?? []
    return marketsOf(strategy).flatMap((market) => {
      const own = slots.filter((slot) => (slot.market ?? strategy.market).name === market.name)
      const { name } = strategy
      return [...belowMinimum({ name, market }, own, ground), ...belowFees({ name, market }, own, ground)]
    })
  }),
  ...ground.strategies.flatMap((strategy) => unwantedPrices(strategy, ground.planned)),
  ...ground.strategies.flatMap((strategy) => unfit(strategy, ground.planned)),
  ...ground.strategies.flatMap((strategy) => besideLeft(strategy, ground.planned))
]

/** A strategy with a new name would open a position again that an old name still holds in its market. */
const besideLeft = (strategy: Strategy, { ran, state }: PlannedAhead): ReadonlyArray<PlanFinding> => {
  const { name } = strategy
  if (ran.has(name)) return []
  const assets = bySymbol(marketsOf(strategy).flatMap(({ base, quote }) => [base, quote]))
  const markets = new Set(marketsOf(strategy).map((market) => market.name))
  return leftPositions(state)
    .filter(({ market }) => markets.has(market))
    .map((left) => {
      const text = `${left.strategy} ${leftText(left, assets)}, but no file has its name now: ${name} would trade on ${left.market} beside it. Name the file ${left.strategy} again, or run: limitbot resume ${left.strategy}`
      return { name: "left-position", strategies: [name], slots: [], text }
    })
}

const unfit = (strategy: Strategy, planned: PlannedAhead): ReadonlyArray<PlanFinding> => {
  const { before, ran, state } = planned
  const { initialMemory, name } = strategy
  const own = before.filter((placement) => placement.strategy === name)
  const slots = progress(state, name, own)
  const text =
    strategy.unfit?.(slots, ran.get(name)?.memory ?? initialMemory) ??
    otherMarket(strategy, state) ??
    droppedExit(strategy, planned, slots)
  return text === undefined ? [] : [{ name: "unfit", strategies: [name], slots: [], text }]
}

/**
 * Returns a text if a slot with a position waits for its exit, and the file has no such slot or no exit for it, so the exit would be lost.
 * Also if the end of the strategy has sold a part and the file no longer ends: its slots would sell that part again.
 */
const droppedExit = (
  strategy: Strategy,
  { decisions, ran }: PlannedAhead,
  slots: View["slots"]
): string | undefined => {
  const { initialMemory, market, name, others = [] } = strategy
  const decision = decisions.get(name)
  const last = ran.get(name)
  if (decision === undefined || last?.decision === undefined) return undefined
  const plannedSlots = new Set(slotsIn(decision))
  const { absent, desired } = last.decision
  const isEnding = [...absent, ...desired].some(isOfEnd)
  const isLost = ([slot, { sold }]: readonly [string, { readonly sold: Amount }]) =>
    slot === exitSlotOf(slot) && sold > 0n && !plannedSlots.has(slot)
  if (isEnding && [...slots].some(isLost))
    return "its end has sold a part of the position: leave the end in the file until all is sold"
  const memory = last.memory ?? initialMemory
  const [before, now] = [last.earlier?.positions?.(slots, memory), strategy.positions?.(slots, memory)]
  const isSameKind = last.decidedBy === undefined || last.decidedBy.kind === strategy.kind
  // After an end that keeps the position, nothing waits for an exit.
  const over = new Set(absent.filter(({ why }) => why.code === "period-over").map(({ slot }) => slot))
  for (const [slot, held] of [...exitsIn(desired, slots), ...(before ?? [])]) {
    const isInFile = plannedSlots.has(slot)
    const isKept = isInFile && (now?.has(slot) === true || (isSameKind && before?.has(slot) !== true))
    if (isKept || over.has(slot)) continue
    const { base } = others.find((other) => other.name === desired.find((each) => each.slot === slot)?.market) ?? market
    const waits = `${slot} waits to ${held > 0n ? "sell" : "buy back"} ${formatWithSymbol(magnitude(held), base)}`
    return isInFile
      ? `${waits}, but the file has no exit for it now: keep its exit until then`
      : `${waits}, but the file no longer has this slot: keep it until then, or its exit is lost`
  }
  return undefined
}

/** The positions that the recorded orders, or the legs after them, exit. */
const exitsIn = (desired: Of<"Decided">["desired"], slots: View["slots"]) =>
  desired.flatMap(({ legs = [], side, slot }) => {
    const slotProgress = slots.get(slot)
    const held = slotProgress === undefined ? 0n : baseLeft(slotProgress)
    const exit = held > 0n ? "SELL" : held < 0n ? "BUY" : undefined
    return side === exit || legs.some((leg) => leg.side === exit) ? [[slot, held] as const] : []
  })

/** Trades on another market do not count on this one, but the slots would continue as if they did. */
const otherMarket = (strategy: Strategy, { strategies }: PlannedAhead["state"]): string | undefined => {
  if (strategy.unfit === undefined) return undefined
  const markets = new Set(marketsOf(strategy).map(({ name }) => name))
  const trading = [...(strategies.get(strategy.name)?.trading ?? [])]
  const other = trading.find(([market, { lastFill }]) => lastFill !== undefined && !markets.has(market))
  if (other === undefined) return undefined
  return `${strategy.name} has traded on ${other[0]} and cannot continue on ${marketNames(strategy)}: to start over, give the file another name`
}

const unpriced = ({ books, strategies, planned }: FindingInputs): ReadonlyArray<PlanFinding> =>
  strategies
    .filter(({ name }) => !planned.decisions.has(name))
    .map((strategy) => {
      const problem = marketsSeen(strategy).flatMap(({ name }) => books.get(name)?.problem ?? [])[0]
      const why = problem === undefined ? "" : ` (${problem})`
      const text = `the venue quotes no usable price for ${marketNames(strategy)}: this strategy is not planned${why}`
      return { name: "no-price", strategies: [strategy.name], slots: [], text }
    })

/** The plan uses an unconfirmed price; a bot would wait. */
const unconfirmed = ({ books, strategies }: FindingInputs): ReadonlyArray<PlanFinding> =>
  strategies.flatMap((strategy) =>
    marketsSeen(strategy).flatMap(({ name }) => {
      const { price, problem } = books.get(name) ?? {}
      return price === undefined || problem === undefined
        ? []
        : [{ name: "unconfirmed-price", strategies: [strategy.name], slots: [], text: `${name}: ${problem}` } as const]
    })
  )

/** Only its payout or refund is outstanding, so nothing trades with it. */
const isOver = (placement: Placement): boolean => placement.state === "closing" && !isEndUnbelieved(placement)

/**
 * Two own orders cross if each would take what the other gives: a pays in₁ of X for out₁ of Y, b pays in₂ of Y for out₂ of X, and in₁ × in₂
 * ≥ out₁ × out₂. This covers a market and its inverse exactly.
 */
const crosses = (a: PlannedChange, b: PlannedChange): boolean =>
  a.input.asset === b.output.asset &&
  a.output.asset === b.input.asset &&
  a.input.amount * b.input.amount >= a.output.amount * b.output.amount

const byPricePriority = (a: PlannedChange, b: PlannedChange): number => {
  const difference = b.input.amount * a.output.amount - a.input.amount * b.output.amount
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

const mostPairs = 1_000

const crossings = ({ changes, planned }: FindingInputs): ReadonlyArray<PlanFinding> => {
  const over = new Set(planned.before.filter(isOver).map(keyOf))
  const live = changes.filter((change) => isResting(change) && !over.has(keyOf(change)))
  const byPair = Map.groupBy(live, ({ input, output }) => `${input.asset}>${output.asset}`)
  const crossingPairs: Array<readonly [PlannedChange, PlannedChange]> = []
  for (const [pair, orders] of byPair) {
    const [input = "", output = ""] = pair.split(">")
    const others = input > output ? [] : (byPair.get(`${output}>${input}`) ?? []).toSorted(byPricePriority)
    for (const a of orders.toSorted(byPricePriority)) {
      for (const b of others) {
        if (!crosses(a, b) || crossingPairs.length >= mostPairs) break
        crossingPairs.push([a, b])
      }
    }
  }
  const owners = ([a, b]: readonly [PlannedChange, PlannedChange]) => [a.strategy, b.strategy].sort().join(" ")
  return [...Map.groupBy(crossingPairs, owners).values()].map(crossing)
}

const crossing = (pairs: ReadonlyArray<readonly [PlannedChange, PlannedChange]>): PlanFinding => {
  const examples = pairs.slice(0, 1).map(([a, b]) => `${sayOrder(a)} meets ${sayOrder(b)}`)
  const more = pairs.length > 1 ? `, and ${pairs.length - 1} more pairs` : ""
  return {
    name: "crossing",
    strategies: [...new Set(pairs.flatMap(([a, b]) => [a.strategy, b.strategy]))].sort(),
    slots: [...new Set(pairs.flatMap(([a, b]) => [keyOf(a), keyOf(b)]))],
    text: `own orders would trade with each other and pay fees twice: ${examples}${more}`
  }
}

const sayOrder = (change: PlannedChange): string =>
  `${keyOf(change)} ${change.side} ${change.market} at ${Decimal.format(change.price)}`

const assetsOf = (strategies: ReadonlyArray<Strategy>) =>
  bySymbol(strategies.flatMap((strategy) => budgets(strategy).map(({ asset }) => asset)))

type AccountGround = Pick<FindingInputs, "strategies" | "planned" | "balances" | "needs">

const promisesOf = ({ needs, planned, strategies }: AccountGround, symbol: string) =>
  strategies.flatMap(({ name }) => {
    const [free, own] = [Ledger.freeOf(planned.state.ledger, name, symbol), needs.get(name)]
    const amount = own === undefined ? free : min(free, own.get(symbol) ?? 0n)
    return amount > 0n ? [{ name, amount }] : []
  })

/** The account's balances less what the strategies count on, by symbol: negative if it is too little, missing if unknown. */
export const uncommittedOf = (ground: AccountGround): ReadonlyMap<string, Amount> =>
  new Map(
    [...assetsOf(ground.strategies).keys()].flatMap((symbol) => {
      const available = ground.balances?.get(symbol)
      const promised = promisesOf(ground, symbol).reduce((sum, { amount }) => sum + amount, 0n)
      return available === undefined ? [] : [[symbol, available - promised] as const]
    })
  )

/** Compares what the strategies count on with the account, their own budgets, and what the configuration allows all of them together. */
const overCommitted = (ground: FindingInputs): ReadonlyArray<PlanFinding> => {
  const { strategies, planned, changes } = ground
  const assets = assetsOf(strategies)
  const account = [...uncommittedOf(ground)].flatMap(([symbol, spare]): ReadonlyArray<PlanFinding> => {
    const [asset, available] = [assets.get(symbol), ground.balances?.get(symbol)]
    if (spare >= 0n || asset === undefined || available === undefined) return []
    const names = promisesOf(ground, symbol).map(({ name }) => name)
    const text = `${names.join(", ")} need ${formatWithSymbol(available - spare, asset)}, the account has ${formatWithSymbol(available, asset)}`
    return [{ name: "over-commit", strategies: names, slots: [], text }]
  })
  const ownBudget = strategies.flatMap(({ name }): ReadonlyArray<PlanFinding> => {
    const denied = changes.filter(({ strategy, limit }) => strategy === name && limit === "budget")
    const [first] = denied
    if (first === undefined) return []
    const text = `${denied.length} of its orders do not fit into its budget: ${first.slot}: ${first.reason.text}`
    return [{ name: "over-commit", strategies: [name], slots: denied.map(keyOf), text }]
  })
  return [...account, ...ownBudget, ...overdrawn(strategies, planned), ...overExposed(ground, [...assets.values()])]
}

const overdrawn = (strategies: ReadonlyArray<Strategy>, { state: { ledger } }: PlannedAhead) =>
  strategies.flatMap((strategy) =>
    budgets(strategy).flatMap(({ asset, amount }): ReadonlyArray<PlanFinding> => {
      const free = Ledger.freeOf(ledger, strategy.name, asset.symbol)
      if (free >= 0n) return []
      const [out, allowed] = [formatWithSymbol(amount - free, asset), formatWithSymbol(amount, asset)]
      const text = `${strategy.name} has ${out} in orders and refunds, but its budget is ${allowed} now`
      return [{ name: "over-commit", strategies: [strategy.name], slots: [], text }]
    })
  )

const overExposed = ({ locked, changes, exposure }: FindingInputs, assets: ReadonlyArray<Asset>) =>
  assets.flatMap((asset): ReadonlyArray<PlanFinding> => {
    const most = exposure.get(asset.symbol)
    const own = locked.filter((each) => each.asset === asset.symbol)
    const others = changes.filter(
      (change) =>
        change.input.asset === asset.symbol &&
        isResting(change) &&
        !locked.some(({ strategy }) => strategy === change.strategy)
    )
    const sum =
      own.reduce((total, { worst }) => total + worst, 0n) +
      others.reduce((total, { input }) => total + input.amount, 0n)
    if (most === undefined || sum <= most) return []
    const names = [...new Set([...own.filter(({ worst }) => worst > 0n), ...others].map(({ strategy }) => strategy))]
    const text = `${names.join(", ")} may lock up to ${formatWithSymbol(sum, asset)} together, but limits.exposure of the configuration allows ${formatWithSymbol(most, asset)}: the last ones will be held back`
    return [{ name: "over-commit", strategies: names, slots: [], text }]
  })

export interface Minimum {
  readonly usd: Decimal.Decimal
  readonly chain?: string
}

type Traded = Pick<Strategy, "name" | "market">

const valueUsd = (market: Market, leg: Leg, usd: FindingInputs["usd"]): Decimal.Decimal | undefined => {
  const worth = (asset: Asset, amount: Amount) => {
    const price = usd.get(asset.symbol)
    return price === undefined ? undefined : Decimal.multiply(Decimal.make(amount, asset.decimals), price)
  }
  return worth(market.quote, quoteAmount(market, leg.quantity, leg.price, "up")) ?? worth(market.base, leg.quantity)
}

const belowMinimum = (
  { name, market }: Traded,
  slots: ReadonlyArray<DesiredSlot>,
  { minimumIn, usd }: FindingInputs
): ReadonlyArray<PlanFinding> => {
  const minimum = minimumIn(market)
  if (minimum === undefined) return []
  const small = slots.flatMap(({ slot, legs }) => {
    const values = legs.map((leg) => valueUsd(market, leg, usd)).filter((value) => value !== undefined)
    const [first, ...others] = values
    const least = first === undefined ? undefined : others.reduce(Decimal.min, first)
    return least !== undefined && Decimal.isLess(least, minimum.usd) ? [{ slot, least }] : []
  })
  const [worst] = small.toSorted((a, b) => Decimal.compare(a.least, b.least))
  if (worst === undefined) return []
  const value = Decimal.format(Decimal.divide(worst.least, Decimal.one, 2, "down"))
  const text = `${small.length} of ${slots.length} slots hold orders below the venue's minimum of ${Decimal.format(minimum.usd)} USD${minimum.chain === undefined ? "" : ` for ${minimum.chain}`}, the smallest (${worst.slot}) of ${value} USD`
  return [{ name: "below-minimum", strategies: [name], slots: small.map(({ slot }) => `${name}/${slot}`), text }]
}

/** Costs as the venue estimated them for our newest orders; without an estimate, from its schedule. */
const costsIn = ({ costs }: Market, fees: Fees): TradeCosts => {
  const estimated = [...fees].flatMap(([symbol, { withdraw }]) =>
    withdraw === undefined ? [] : [[symbol, withdraw] as const]
  )
  return { fillBasisPoints: costs?.fillBasisPoints ?? 0, payouts: new Map([...(costs?.payouts ?? []), ...estimated]) }
}

const cycleOf = (market: Market, slot: string, legs: ReadonlyArray<Leg>, costs: TradeCosts) => {
  const buy = legs.find(({ side }) => side === "BUY")
  const sell = legs.find(({ side }) => side === "SELL")
  if (buy === undefined || sell === undefined) return undefined
  const { fees, gain: profit, spent } = roundOf(market, buy, sell, costs)
  if (spent === 0n) return undefined
  /** Smallest distance between a cycle's two prices that pays for its fees, as percent of the lower price. */
  const breakEven = Decimal.divide(Decimal.make(fees * 100n), Decimal.make(spent), 2, "up")
  return { slot, profit, fees, breakEven }
}

/** Each slot with two legs is a cycle. Slots with one leg on both sides form one cycle of the innermost pair. */
const cyclesOf = (market: Market, slots: ReadonlyArray<DesiredSlot>, costs: TradeCosts) => {
  const own = slots.filter(({ legs }) => legs.length === 2).map(({ slot, legs }) => cycleOf(market, slot, legs, costs))
  const single = slots.filter(({ legs, cycle }) => legs.length === 1 && cycle)
  const by = (side: Leg["side"]) =>
    single
      .filter(({ legs }) => legs[0].side === side)
      .sort((a, b) => Decimal.compare(a.legs[0].price, b.legs[0].price) * (side === "BUY" ? -1 : 1))[0]
  const [buy, sell] = [by("BUY"), by("SELL")]
  const pair = buy && sell && cycleOf(market, `${buy.slot} and ${sell.slot}`, [buy.legs[0], sell.legs[0]], costs)
  // A stop exits at a loss on purpose.
  return [...own, pair].filter((cycle) => cycle !== undefined).filter(({ profit }) => profit >= 0n)
}

const belowFees = ({ name, market }: Traded, slots: ReadonlyArray<DesiredSlot>, { fees }: FindingInputs) => {
  const costs = costsIn(market, fees)
  const cycles = cyclesOf(market, slots, costs)
  const losing = cycles.filter(({ profit, fees }) => profit < fees)
  const [worst] = losing.toSorted((a, b) => Number(a.profit - a.fees - (b.profit - b.fees)))
  const eaten = slots.filter(({ legs }) =>
    legs.some((leg) => {
      const { asset, amount } = orderOf(market, leg).output
      return amount > 0n && 2n * feesOf(costs, asset, amount) >= amount
    })
  )
  const quote = (amount: Amount) => formatWithSymbol(amount, market.quote)
  const finding = (own: ReadonlyArray<{ readonly slot: string }>, text: string): ReadonlyArray<PlanFinding> =>
    own.length === 0
      ? []
      : [{ name: "fee-floor", strategies: [name], slots: own.map(({ slot }) => `${name}/${slot}`), text }]
  const lossText =
    worst &&
    `${worst.slot} earns ${quote(worst.profit)} and pays about ${quote(worst.fees)}; a step of ${Decimal.format(worst.breakEven)}% breaks even`
  return [
    ...finding(losing, `${losing.length} of ${cycles.length} cycles earn less than their fees: ${lossText}`),
    ...finding(eaten, `${eaten.length} of ${slots.length} slots hold orders of which fees take half or more`)
  ]
}

/**
 * Finds planned orders whose price is probably a mistake. A level that the market has passed fills at once, and a sale below the purchase
 * price of its base makes a loss. Both come from editing a file whose orders have traded. Kinds that place such orders on purpose (to chase
 * the market or stop a loss) and the purchase of a grid's base are not checked.
 */
const unwantedPrices = (strategy: Strategy, planned: PlannedAhead): ReadonlyArray<PlanFinding> => {
  if (!strategy.restsAtWrittenPrices) return []
  const orders = planned.events.filter(
    (event): event is Of<"Planned"> => event._tag === "Planned" && event.strategy === strategy.name
  )
  const lastDecision = planned.events.findLast(
    (event): event is Of<"Decided"> => event._tag === "Decided" && event.strategy === strategy.name
  )
  const findingOf = (name: FindingName, slots: ReadonlyArray<Of<"Planned">>, problem: string) => {
    const [first] = slots
    if (first === undefined) return []
    const example = `${first.slot} ${first.side} at ${Decimal.format(first.price)}`
    const text = `${countText(slots.length, "order")} would ${problem}: ${example}`
    return [{ name, strategies: [strategy.name], slots: slots.map(keyOf), text }]
  }
  const atOnce = lastDecision === undefined ? [] : orders.filter((order) => isBeyond(order, lastDecision))
  const losing = orders.filter((order) => isBelowCost(strategy, planned, order))
  return [
    ...findingOf("fills-at-once", atOnce, "fill at once, the market is past their price"),
    ...findingOf("below-cost", losing, "sell below the base's purchase price")
  ]
}

const isBeyond = ({ side, price, why }: Of<"Planned">, { bid, ask }: Of<"Decided">): boolean =>
  why.code !== "grid-base" && (side === "BUY" ? !Decimal.isLess(price, ask) : !Decimal.isGreater(price, bid))

const isBelowCost = ({ market }: Strategy, { state }: PlannedAhead, order: Of<"Planned">): boolean => {
  const slotState = state.slots.get(keyOf(order))
  const cost = slotState && costOf(market, progressOf(slotState, undefined))
  return order.side === "SELL" && cost !== undefined && Decimal.isLess(order.price, cost)
}
