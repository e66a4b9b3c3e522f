/**
 * Deals: a base order, safety orders below it, and an exit for each target: above the average entry of all fills, or at a stop below it.
 * With `trail` and one target no exit is open: from the take-profit on, the deal exits at that distance behind the best price. Each of
 * several targets takes its part; once one begins to fill, the deal enters no more. After `exitAfter` it exits as at a stop. When all is
 * sold, the safety orders are cancelled and the next deal may begin.
 *
 * The exit sells the base that the budget holds at that time, so a pending payout joins it on arrival. Fills during its cancel are sold as
 * well: a deal ends when none of its orders is open and nothing is held. A partly filled purchase is cancelled when the price reaches the
 * exit, so that it is paid out. With `side: sell` all is mirrored: sales further and further above, one purchase below their average.
 */
import { type Amount, formatWithSymbol, magnitude, max, min } from "../../../domain/Amount.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { netOfFills } from "../../../domain/fees/RoundCost.ts"
import { baseQuantity, type Market, mid, opposite, type Price } from "../../../domain/Market.ts"
import { countText } from "../../../domain/Text.ts"
import { timeframeMillis } from "../../../domain/Timeframe.ts"
import { type Decision, type DesiredSlot, LateReason, type Leg, type Memory } from "../../Decision.ts"
import { inputsOf } from "../../expression/Checks.ts"
import { notePrice } from "../../expression/Crossing.ts"
import { boundsOf, momentOf, positionIn, truth } from "../../expression/Judge.ts"
import { neededBy } from "../../expression/Scope.ts"
import { consultCandles, type Moment } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import { form, type Kind, reasons } from "../../Kind.ts"
import * as Ask from "../../Setup.ts"
import { baseLeft, legsDone, type OwnState, progressOf, tradesOf, type View, wholeOf } from "../../View.ts"
import { orderText } from "../Execution.ts"
import { type Notes, notes } from "../Memory.ts"
import { valueOf } from "../OrderCheck.ts"
import { ahead, behind, isAsGood, isBetter, orderPrice } from "../PriceLevels.ts"
import { amountsOf, quantityAt } from "../Size.ts"
import { followStep, type Left, leave, stopsOf } from "../StopExit.ts"
import { averagePrice, turnedText } from "../Total.ts"
import { distanceAt } from "../Volatility.ts"
import * as State from "./DealState.ts"
import { type Deals, dealsKeys, dealsOf, mostDeals, mostSafetyOrders } from "./DealsSection.ts"

const baseOrder = "base"

const purchasesOf = (answer: Ask.AnswerOf): number => Number(answer("orders")) + 1

export const deals: Kind = {
  name: "deals",
  about: "purchases further and further below, one exit above their average",
  setup: ({ quote, ...market }) =>
    Ask.setupOf(dealsKeys({ quote, ...market }), {
      asks: [
        Ask.total(quote, "that it may use in all"),
        Ask.text("How many safety orders below the first order of a deal", "5")(
          "orders",
          Read.integer(1, mostSafetyOrders)
        ),
        "size",
        Ask.text("Distance from one safety order to the next", "1.5%")("distance", Read.ratio),
        Ask.text("Profit at which all is sold", "1.5%")("profit", Read.ratio)
      ],
      budget: (answer) => ({ quote: Ask.totalOf(quote, answer, purchasesOf(answer)) }),
      lines: {
        size: {
          ask: Ask.share(quote, "for that order, and for each safety order", purchasesOf),
          is: Ask.quoteSize,
          note: "the base order"
        },
        reach: { is: "0.1%", note: "it may pay this much more than the mid, so that it fills at once" },
        safety: {
          is: (answer) =>
            `{ orders: ${answer("orders")}, size: { quote: ${answer("size")} }, distance: ${answer("distance")} }`,
          note: ""
        },
        takeProfit: { is: (answer) => answer("profit"), note: "above the average entry" },
        expireAfter: { is: "30m", note: "cancels the base order if nothing has filled by then" },
        stop: { hint: "15%", note: "exits this far below the average entry" },
        cooldown: { hint: "1h" }
      }
    }),
  ...form(dealsKeys, (settings, section) => {
    const whole = dealsOf(settings, section)
    const { when, needs, market, side } = whole
    const dealNotes = notesOf(whole)
    const held = (slots: View["slots"], memory: Memory) => heldBefore(dealNotes.read(memory).deal, slots)
    return {
      ...neededBy(needs),
      decide: (view, memory) => decide(whole, dealNotes, view, memory),
      unfit: (slots, memory) => {
        const amount = held(slots, memory)
        const isTurned = side === "BUY" ? amount < 0n : amount > 0n
        return isTurned ? turnedText(market.base, baseOrder, opposite(side), magnitude(amount)) : undefined
      },
      positions: (slots, memory) => {
        const amount = held(slots, memory)
        return new Map(amount === 0n ? [] : [[baseOrder, amount]])
      },
      inputs: (view) => {
        const moment = momentOf(market, view)
        const holds = (at: Moment) => when === undefined || truth(when, at) === "yes"
        return new Map([[baseOrder, inputsOf([when], moment, holds)]])
      }
    }
  })
}

const entriesOf = ({ steps }: Deals): ReadonlyArray<string> => [baseOrder, ...steps.map(({ slot }) => slot)]
const slotsOf = (whole: Deals): ReadonlyArray<string> => [...entriesOf(whole), ...whole.exits]

const openIn = ({ side }: Deals, view: View): Amount => max(0n, side === "BUY" ? positionIn(view) : -positionIn(view))

/** True for less than one percent of the base order and of what safety orders have traded. */
const isLeftoverOf = ({ market, size, steps }: Deals, view: View, deal: State.Deal, amount: Amount): boolean => {
  const entered = [{ slot: baseOrder, size }, ...steps].reduce((sum, { slot, size }) => {
    const planned = quantityAt(market, size, deal.price)
    if (State.isComplete(deal, slot, view)) return sum + wholeOf(progressOf(view, slot), planned)
    return sum + (slot === baseOrder ? planned : State.filledIn(deal, slot, view))
  }, 0n)
  return CostBasis.isLeftover(amount, entered)
}

/**
 * Base that can be sold now, at most what was bought and what is there. After sales: base that has to be bought back, and while a sale is
 * open or unpaid at most what the proceeds pay for. A leftover is not exited.
 */
const heldIn = (whole: Deals, view: View, deal: State.Deal): Amount => {
  const { side, market } = whole
  const open = openIn(whole, view)
  const resting = whole.exits.reduce((sum, exit) => {
    const { live } = progressOf(view, exit)
    return live !== undefined && live.side !== side ? sum + live.quantity : sum
  }, 0n)
  const free = (own: OwnState) =>
    side === "BUY" ? own.freeBase : baseQuantity(market, own.freeQuote, exitPrice(whole, deal, view), "down")
  // Once no sale may bring in more, the budget refuses what its money does not cover, and the alarm names it.
  const isAllIn = side === "SELL" && entriesOf(whole).every((slot) => progressOf(view, slot).live === undefined)
  const there = view.own === undefined || isAllIn ? open : free(view.own) + resting
  const positionAmount = min(open, there)
  // Moving the exit for so little would cost as much again.
  const isEnough = positionAmount < resting && isLeftoverOf(whole, view, deal, resting - positionAmount)
  return isLeftoverOf(whole, view, deal, positionAmount) ? 0n : isEnough ? resting : positionAmount
}

const exitPrice = (whole: Deals, deal: State.Deal, view: View, target?: Decimal.Decimal): Price =>
  deal.left === undefined ? profitPrice(whole, deal, view, target) : whole.leaving.price(deal.left)

const notesOf = (whole: Deals): Notes<State.DealState> => {
  const { market } = whole
  const slots = slotsOf(whole)
  return notes(
    (memory) => State.stateIn(market, slots, memory),
    (state) => State.remember(market, state),
    Object.is
  )
}

/** Base that the deal has yet to exit, whichever slots have traded it; below zero after sales. */
const heldBefore = (deal: State.Deal | undefined, slots: View["slots"]): Amount => {
  if (deal === undefined || !State.isTouched(deal, baseOrder, { slots })) return 0n
  const all = [...slots.values()]
  const [bought, sold] = [tradesOf("BUY", all).base, tradesOf("SELL", all).base]
  const fees = { base: all.reduce((sum, { fees }) => sum + (fees?.base ?? 0n), 0n), quote: 0n }
  return baseLeft({ ...progressOf({ slots }, baseOrder), bought, sold, fees })
}

const decide = (whole: Deals, known: Notes<State.DealState>, view: View, memory: Memory): Decision => {
  const { market, needs, keys, side, cooldown, exitAfter, expireAfter } = whole
  const moment = momentOf(market, view)
  const before = known.read(memory)
  const settled = afterOrders(whole, before, view, moment)
  const { state, why, key } =
    settled.deal === undefined ? begin(whole, settled, view, moment) : { state: settled, why: "", key: "when" as const }
  const { deal } = state
  const idle = [{ slot: baseOrder, why: { code: "no-deal", text: why, source: keys(key) } }]
  const times = [
    ...(deal === undefined && state.endedAt !== undefined ? [state.endedAt + cooldown] : []),
    ...(deal === undefined ? [] : [expireAfter, exitAfter].flatMap((after) => (after ? [deal.startedAt + after] : []))),
    ...moment.found.times
  ]
  return {
    ...(deal === undefined ? { desired: [], absent: idle } : ordersOf(whole, deal, view)),
    memory: known.write(state),
    reasons: [],
    until: boundsOf(needs, moment, times),
    ...(deal === undefined || deal.left !== undefined ? {} : { stops: stopsOf(side, stopsIn(whole, deal, view)) })
  }
}

const afterOrders = (whole: Deals, state: State.DealState, view: View, moment: Moment): State.DealState => {
  const { deal } = state
  if (deal === undefined) return state
  const dealPosition = heldIn(whole, view, deal)
  const isLive = slotsOf(whole).some((slot) => progressOf(view, slot).live !== undefined)
  const touched = entriesOf(whole).some((slot) => State.isTouched(deal, slot, view))
  const isRest = () => isLeftoverOf(whole, view, deal, openIn(whole, view))
  const isSold = whole.exits.some(
    (exit) =>
      (State.isTouched(deal, exit, view) && isRest()) || (dealPosition === 0n && State.isComplete(deal, exit, view))
  )
  const isReached = [...deal.exits.keys()].some((exit) => State.tradedIn(deal, exit, whole.side, view) > 0n)
  const isAtProfit = () => isAt(whole, mid(view.price), profitPrice(whole, deal, view), moment)
  const isClosing = deal.isClosing || isSold || isReached || (isPartly(whole, deal, view) && isAtProfit())
  const isTooLate = whole.expireAfter !== undefined && view.now >= deal.startedAt + whole.expireAfter
  const isPutOff = !touched && view.begins === true
  const isExpired = !touched && (deal.isExpired || isTooLate || isPutOff)
  const best = touched && deal.left === undefined ? bestIn(whole, deal, view, moment) : deal.best
  const isBreakeven = touched && (deal.isBreakeven || isAtBreakeven(whole, deal, view, moment))
  const exitStart = touched ? leaving(whole, { ...deal, best, isBreakeven }, view, moment) : undefined
  if (!isLive && dealPosition === 0n && (isClosing || isExpired || (exitStart !== undefined && isRest()))) {
    // A deal without any fill does not count.
    const endedAt = isPutOff ? state.endedAt : view.now
    return { begun: state.begun - (touched ? 0 : 1), endedAt, deal: undefined }
  }
  // Exits that an edit has added begin now.
  const added = whole.exits.length > 1 && whole.exits.some((exit) => !deal.exits.has(exit))
  const exits = added ? new Map([...State.tradedNow(whole.exits, whole.side, view), ...deal.exits]) : deal.exits
  const after = { ...deal, isExpired, isClosing, isBreakeven, best, exits, left: exitStart }
  return changing.every((key) => after[key] === deal[key]) ? state : { ...state, deal: after }
}

const changing = ["isExpired", "isClosing", "isBreakeven", "best", "exits", "left"] as const

const isPartly = (whole: Deals, deal: State.Deal, view: View): boolean =>
  entriesOf(whole).some((slot) => {
    const { live } = progressOf(view, slot)
    return live !== undefined && live.quantity > 0n && State.isTouched(deal, slot, view)
  })

const isAt = ({ side }: Deals, price: Price, at: Price, moment: Moment): boolean => {
  notePrice(moment, Decimal.toNumber(at))
  return isAsGood(side, price, at)
}

/** The best price to which the market has come, by its mid and by the fills of the deal's exits. */
const reachedIn = (whole: Deals, deal: State.Deal, view: View): Price => {
  const isOnly = whole.exits.length === 1 && deal.exits.size === 0
  const exits = isOnly
    ? whole.exits.filter((exit) => State.isTouched(deal, exit, view))
    : [...deal.exits.keys()].filter((exit) => State.tradedIn(deal, exit, whole.side, view) > 0n)
  const fills = exits.flatMap((exit) => progressOf(view, exit).filledAt ?? [])
  return fills.reduce(whole.side === "BUY" ? Decimal.max : Decimal.min, mid(view.price))
}

const isAtBreakeven = (whole: Deals, deal: State.Deal, view: View, moment: Moment): boolean => {
  if (whole.breakevenAt === undefined) return false
  const at = ahead(whole.side, averageOf(whole, deal, view), whole.breakevenAt)
  return isAt(whole, reachedIn(whole, deal, view), at, moment)
}

const averageOf = ({ market, side }: Deals, { before, price }: State.Deal, { own, slots }: View): Price =>
  (before && averagePrice(market, side, slots.values(), before)) ?? own?.averageEntry ?? price

/** The price of the target, or else of the nearest one. */
const profitPrice = (whole: Deals, deal: State.Deal, view: View, target = whole.takeProfit[0]?.at): Price => {
  const at = ahead(whole.side, averageOf(whole, deal, view), target ?? Decimal.zero)
  return orderPrice(whole.market, opposite(whole.side), netOfFills(whole.side === "BUY", at, view.fillBasisPoints))
}

const bestIn = (whole: Deals, deal: State.Deal, view: View, moment: Moment): Price | undefined => {
  const { side, trail } = whole
  if (trail === undefined) return undefined
  const price = reachedIn(whole, deal, view)
  const next = deal.best === undefined ? profitPrice(whole, deal, view) : ahead(side, deal.best, followStep)
  const best = isAsGood(side, price, next) ? price : deal.best
  notePrice(moment, Decimal.toNumber(best === undefined ? next : ahead(side, best, followStep)))
  return best
}

const stopsIn = (whole: Deals, deal: State.Deal, view: View): ReadonlyArray<Price> => [
  ...(whole.stop === undefined ? [] : [behind(whole.side, averageOf(whole, deal, view), whole.stop)]),
  ...(deal.isBreakeven ? [averageOf(whole, deal, view)] : []),
  ...(whole.trail === undefined || deal.best === undefined ? [] : [behind(whole.side, deal.best, whole.trail)])
]

const isTooOld = ({ exitAfter }: Deals, { startedAt }: State.Deal, { now }: View): boolean =>
  exitAfter !== undefined && now >= startedAt + exitAfter

const leaving = (whole: Deals, deal: State.Deal, view: View, moment: Moment): Left | undefined => {
  const { side } = whole
  const price = mid(view.price)
  const leaves = (from: Price): Left => leave(whole.leaving, moment, price, from, deal.left)
  if (deal.left !== undefined) return leaves(price)
  const stops = stopsIn(whole, deal, view)
  for (const at of stops) notePrice(moment, Decimal.toNumber(at))
  if (isTooOld(whole, deal, view)) return leaves(price)
  const passed = stops.filter((at) => !isBetter(side, price, at))
  return passed.length === 0 ? undefined : leaves(passed.reduce(side === "BUY" ? Decimal.max : Decimal.min))
}

const begin = (whole: Deals, state: State.DealState, view: View, moment: Moment) => {
  const { market, side, reach, times = mostDeals, cooldown, when, whenText } = whole
  const waits = (why: string, key: Key) => ({ state, why, key })
  if (view.mayBegin === false) return waits("waits until its strategy begins", "when")
  if (state.begun >= times) return waits(`it has had all its ${countText(times, "deal")}`, "times")
  const verdict = when === undefined ? "yes" : truth(when, moment)
  if (state.endedAt !== undefined && view.now < state.endedAt + cooldown)
    return waits("waits until its cooldown is over", "cooldown")
  if (typeof verdict === "object") return waits(verdict.text, "when")
  if (verdict === "no") return waits(`its condition does not hold: ${whenText}`, "when")
  const price = orderPrice(market, side, ahead(side, mid(view.price), reach))
  if (quantityAt(market, whole.size, price) === 0n) {
    notePrice(moment, moment.mid)
    return waits("its size is too small for an order at this price", "size")
  }
  const { follows } = whole.spacing
  const spacing = follows === undefined ? undefined : distanceAt(whole.spacing, view)
  if (follows !== undefined && spacing === undefined) {
    consultCandles(moment.found, timeframeMillis(follows.series.timeframe) ?? 0)
    return waits("needs more candles for the distance of its safety orders", "safety.distance")
  }
  const legs = new Map(slotsOf(whole).map((slot) => [slot, legsDone(view, slot)]))
  const before = positionIn(view) === 0n ? undefined : tradesOf(side, view.slots.values())
  const start = { price, startedAt: view.now, legs, before, isExpired: false, isClosing: false, isBreakeven: false }
  const exits = State.tradedNow(whole.exits, side, view)
  const deal: State.Deal = { ...start, exits, spacing, best: undefined, left: undefined }
  return { state: { ...state, begun: state.begun + 1, deal }, why: "", key: "when" as const }
}

type Key = Parameters<Deals["keys"]>[0]

const exitText = (
  { average, leg: { price, quantity, side } }: { readonly leg: Leg; readonly average: Price },
  { base }: Market
): string => {
  const [verb, entered] = side === "SELL" ? ["sells", "bought"] : ["buys back", "sold"]
  const amount = `${formatWithSymbol(quantity, base)}, ${entered} at ${Decimal.short(average)} on average`
  return `${verb} ${amount}, at ${Decimal.format(price)}`
}

const ordersOf = (whole: Deals, deal: State.Deal, view: View): Pick<Decision, "desired" | "absent"> => {
  const { market, side, size, steps, active, keys } = whole
  const because = reasons(keys)
  const enters = (slot: string, price: Price, quantity: Amount, code: string, key: Key): DesiredSlot => {
    const leg = { side, price, quantity }
    const why = new LateReason(code, keys(key), orderText, leg, market)
    return { slot, legs: [leg], cycle: false, after: State.legsBefore(deal, slot), why }
  }
  const isEntering = !deal.isClosing && !deal.isExpired && deal.left === undefined
  const isIn = State.isTouched(deal, baseOrder, view)
  const distances = whole.distancesFrom(deal.spacing ?? whole.spacing.widest)
  const waiting = steps.flatMap(({ slot, size }, index) =>
    State.isComplete(deal, slot, view) ? [] : [{ slot, size, distance: distances[index] ?? Decimal.zero }]
  )
  const placed = isEntering && isIn ? waiting.slice(0, active) : []
  const safety = placed.flatMap(({ slot, distance, size: own }) => {
    const price = orderPrice(market, side, behind(side, deal.price, distance))
    const quantity = quantityAt(market, own, price)
    return quantity === 0n ? [] : [enters(slot, price, quantity, "safety-order", "safety.distance")]
  })
  const base = isEntering
    ? [enters(baseOrder, deal.price, quantityAt(market, size, deal.price), "base-order", "size")]
    : []
  const emptySlots = isEntering ? [] : [baseOrder]
  const ends = deal.left !== undefined ? leavesBy(whole, deal, view) : deal.isExpired ? "expireAfter" : "takeProfit"
  const [code, text, key]: readonly [string, string, Key] = isEntering
    ? isIn
      ? ["safety-order", `only ${active} of them rest at once`, "safety.active"]
      : ["safety-order", "waits until the base order fills", "size"]
    : ["deal-ends", "the deal ends", ends]
  const safetySlots = new Set(safety.map(({ slot }) => slot))
  const absentSlots = waiting.filter(({ slot }) => !safetySlots.has(slot)).map(({ slot }) => slot)
  return {
    desired: [...base, ...safety, ...exitOrders(whole, deal, view)],
    absent: [
      ...[...emptySlots, ...absentSlots].map((slot) => ({ slot, why: because(code, text, key) })),
      ...exitWaits(whole, deal, view)
    ]
  }
}

const leavesBy = (whole: Deals, deal: State.Deal, view: View): "exitAfter" | "trail" | "breakevenAt" | "stop" => {
  if (isTooOld(whole, deal, view)) return "exitAfter"
  if (deal.best !== undefined) return "trail"
  return deal.isBreakeven ? "breakevenAt" : "stop"
}

/**
 * Base for each exit, in parts of all that the deal has held. A part too small for an order joins the next part; the last one has the rest.
 */
const partsOf = (whole: Deals, deal: State.Deal, view: View, held: Amount): ReadonlyArray<Amount> => {
  const { market, minOrder, side, takeProfit } = whole
  if (takeProfit.length === 1) return [held]
  const traded = whole.exits.map((exit) => (deal.exits.size === 0 ? 0n : State.tradedIn(deal, exit, side, view)))
  const parts = takeProfit.map(({ part }) => part)
  const all = traded.reduce((sum, amount) => sum + amount, held)
  const wholes = amountsOf(all, parts, market.base)
  let [left, joined] = [held, 0n]
  return wholes.map((part, index) => {
    const sold = traded[index] ?? 0n
    if (index === wholes.length - 1) return left
    const due = min(left, max(0n, part + joined - sold))
    const price = exitPrice(whole, deal, view, takeProfit[index]?.at)
    // After a stop all parts have one price, so the rest of one part exits with the next.
    const isWhole = sold === 0n || deal.left !== undefined
    const isSmall = isWhole ? valueOf(market, { price, quantity: due }) < minOrder : CostBasis.isLeftover(due, part)
    const amount = isSmall ? 0n : due
    joined = amount === 0n ? due : 0n
    left -= amount
    return amount
  })
}

const exitWaits = (whole: Deals, deal: State.Deal, view: View): Decision["absent"] => {
  const { keys, market, side, trail } = whole
  if (trail === undefined || hasOpenExits(whole, deal) || heldIn(whole, view, deal) === 0n) return []
  const at = (price: Price): string => Decimal.format(price)
  const text =
    deal.best === undefined
      ? `waits until the price has come to ${at(profitPrice(whole, deal, view))}; then it trails the best price`
      : `trails the best price ${at(deal.best)}, exits at ${at(orderPrice(market, opposite(side), behind(side, deal.best, trail)))}`
  return whole.exits.map((slot) => ({ slot, why: { code: "trail", text, source: keys("trail") } }))
}

const hasOpenExits = ({ takeProfit, trail }: Deals, { left }: State.Deal): boolean =>
  trail === undefined || left !== undefined || takeProfit.length > 1

const exitOrders = (whole: Deals, deal: State.Deal, view: View): ReadonlyArray<DesiredSlot> => {
  const { market, side, keys, takeProfit } = whole
  const holding = heldIn(whole, view, deal)
  if (holding === 0n || !hasOpenExits(whole, deal)) return []
  const average = averageOf(whole, deal, view)
  const key = deal.left === undefined ? "takeProfit" : leavesBy(whole, deal, view)
  const code = key === "takeProfit" ? "take-profit" : key === "trail" ? key : "stop"
  return partsOf(whole, deal, view, holding).flatMap((quantity, index) => {
    const [slot, target] = [whole.exits[index], takeProfit[index]?.at]
    if (slot === undefined || quantity === 0n) return []
    const leg = { side: opposite(side), price: exitPrice(whole, deal, view, target), quantity, mayLose: true } as const
    const why = new LateReason(code, keys(key), exitText, { leg, average }, market)
    return [{ slot, legs: [leg] as const, cycle: false, after: legsDone(view, slot), why }]
  })
}
