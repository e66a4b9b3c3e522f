/**
 * Why slots hold what they hold, or nothing, at some moment: the rule with its place in the file, what it saw, what every
 * limit says, what happened to the slot lately, and the numbers that would change it. Pure.
 */
import { DateTime } from "effect"
import type { Of, Reason, Recorded } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { mid, quoteAmount, type TwoSidedPrice } from "../domain/Market.ts"
import { type BotState, type Placement, type StrategyState, slotKey, unfinished } from "../engine/BotState.ts"
import { backoffMillis, type Settings } from "../engine/EngineSettings.ts"
import { verdictsOf } from "../engine/GuardVerdicts.ts"
import { circumstances, progress } from "../engine/Planning.ts"
import type { Circumstances } from "../engine/RiskLimits.ts"
import * as EventLine from "../report/EventLine.ts"
import * as Money from "../report/Money.ts"
import { age, counted } from "../report/Words.ts"
import { armedLeg, type DesiredOrder, type PriceBounds } from "../strategy/Decision.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { untouchedSlot } from "../strategy/View.ts"

/** What one limit says. `unknown`: the limits of that time are not known, because the file has changed since. */
export interface Guard {
  readonly guard: string
  readonly verdict: "passes" | "refuses" | "unknown"
  readonly text: string
}

/** One slot's explanation; every line is a fact with its number. Fields are added, never changed or removed. */
export interface Explanation {
  readonly slot: string
  readonly verdict: string
  readonly because: ReadonlyArray<string>
  readonly wouldChange: ReadonlyArray<string>
  /** The moment that is explained, epoch milliseconds. */
  readonly at: number
  /** `file:line` of the rule. */
  readonly rule: string | null
  /** What the strategy saw when it decided. */
  readonly inputs: {
    readonly bid: string
    readonly ask: string
    readonly mid: string
    readonly priceAgeMillis: number
    readonly decidedAt: number
  } | null
  readonly guards: ReadonlyArray<Guard>
  /** The last events of the slot, oldest first. */
  readonly lately: ReadonlyArray<string>
}

export interface Moment {
  readonly state: BotState
  readonly assets: Money.Assets
  readonly now: number
  /** The strategies whose files still are what was running then. */
  readonly strategies: ReadonlyMap<string, Strategy>
  readonly settings: Settings
  /** The last events of each slot. */
  readonly lately: ReadonlyMap<string, ReadonlyArray<Recorded>>
}

export const explain = (moment: Moment): ReadonlyArray<Explanation> => {
  const { state } = moment
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  return [...state.strategies.values()].flatMap((strategy) => {
    const wishes = wishesOf(moment, strategy)
    return slotsOf(strategy, live).map((name) =>
      explainSlot(moment, strategy, name, live.get(slotKey(strategy.name, name)), wishes.get(name))
    )
  })
}

/** What a slot should hold: an order, or nothing any more because all its legs have filled. */
type Wish = { readonly desired: DesiredOrder } | { readonly done: Reason }

/**
 * Where a decision holds across fills, legs go on by themselves, and what the journal has of it may be a leg behind. Deciding
 * again inside the bounds with the memory of that decision gives the same legs, and the slot's progress says which one.
 */
const wishesOf = (
  { state, strategies }: Moment,
  { name, decision, decidedAt }: StrategyState
): ReadonlyMap<string, Wish> => {
  if (decision === undefined) return new Map()
  const strategy = strategies.get(name)
  const own = unfinished(state).filter((placement) => placement.strategy === name)
  const slots = progress(state, name, own)
  const price = priceDecidedOn(decision, undefined)
  const elsewhere = new Map(decision.elsewhere?.map(({ market, ...price }) => [market, price]))
  const isCurrent = strategy === undefined || decision.until.onFill
  const again = isCurrent
    ? []
    : strategy.decide({ now: decidedAt, market: strategy.market, price, elsewhere, slots }, decision.memory).desired
  const legs = new Map(again.map((desired) => [desired.slot, desired]))
  return new Map(
    decision.desired.map((wished): readonly [string, Wish] => {
      const desired = legs.get(wished.slot)
      if (desired === undefined) {
        const { market: name, ...order } = wished
        const market = strategy?.others?.find((other) => other.name === name)
        return [wished.slot, { desired: { ...order, ...(market === undefined ? {} : { market }), leg: 0 } }]
      }
      const armed = armedLeg(desired, slots.get(wished.slot) ?? untouchedSlot)
      return [wished.slot, armed === undefined ? { done: desired.why } : { desired: armed }]
    })
  )
}

/** Of a further market of the strategy, or of its first. */
const priceDecidedOn = ({ bid, ask, priceAt, elsewhere }: Of<"Decided">, market: string | undefined): TwoSidedPrice =>
  elsewhere?.find((price) => price.market === market) ?? { bid, ask, at: priceAt }

/** Those of the decision, and those that still hold an order nobody wants any more. */
const slotsOf = ({ name, decision }: StrategyState, live: ReadonlyMap<string, Placement>): ReadonlyArray<string> => {
  const decided = decision === undefined ? [] : [...decision.desired, ...decision.absent].map(({ slot }) => slot)
  const held = [...live.values()].filter(({ strategy }) => strategy === name).map(({ slot }) => slot)
  return [...new Set([...decided, ...held])].sort()
}

const explainSlot = (
  moment: Moment,
  strategy: StrategyState,
  name: string,
  placement: Placement | undefined,
  wish: Wish | undefined
): Explanation => {
  const { state, assets, now } = moment
  const key = slotKey(strategy.name, name)
  const { decision } = strategy
  const absent = decision?.absent.find((other) => other.slot === name)
  const wished = wish === undefined ? undefined : "done" in wish ? wish.done : wish.desired.why
  const judged = wish === undefined || "done" in wish ? [] : judge(moment, strategy, wish.desired, placement)
  const flips = placement === undefined ? judged.filter(({ verdict }) => verdict === "refuses") : []
  return {
    slot: key,
    verdict: verdict(placement, assets, now),
    because: because(state, strategy, name, placement, wish),
    wouldChange: [
      ...flips.map(({ guard, flips }) => `${flips ?? "another order"}, for the limit ${guard}`),
      ...(decision === undefined ? [] : wouldChange(decision))
    ],
    at: now,
    rule: wished?.source ?? absent?.why.source ?? placement?.why.source ?? null,
    inputs: decision === undefined ? null : inputsOf(decision, strategy.decidedAt),
    guards: judged.map(({ guard, verdict, text }) => ({ guard, verdict, text })),
    lately: (moment.lately.get(key) ?? [])
      .map((entry) => EventLine.logLine(entry, assets))
      .filter((line) => line !== undefined)
  }
}

const inputsOf = ({ bid, ask, priceAt }: Of<"Decided">, decidedAt: number): Explanation["inputs"] => ({
  bid: Decimal.format(bid),
  ask: Decimal.format(ask),
  mid: Decimal.format(mid({ bid, ask, at: priceAt })),
  priceAgeMillis: decidedAt - priceAt,
  decidedAt
})

type Judged = Guard & { readonly flips?: string }

/** What the limits say about the order that is wanted: as if it were to be placed, or placed again. */
const judge = (
  { state, now, strategies, settings }: Moment,
  { name, decision, decidedAt }: StrategyState,
  desired: DesiredOrder,
  placement: Placement | undefined
): ReadonlyArray<Judged> => {
  const strategy = strategies.get(name)
  if (strategy === undefined || decision === undefined) {
    const text = "the limits of that time are not known: the strategy file has changed since, or cannot be read here"
    return [{ guard: "limits", verdict: "unknown", text }]
  }
  // The price is as old as it was when the strategy decided on it.
  const decidedOn = priceDecidedOn(decision, desired.market?.name)
  const price = { ...decidedOn, at: now - (decidedAt - decidedOn.at) }
  const at = circumstances(state, settings, strategy, desired, price, now)
  const verdicts = verdictsOf(desired, placement === undefined ? at : without(placement, at))
  const limits = verdicts.map(({ guard, passes, text, flips }): Judged => {
    return { guard, verdict: passes ? "passes" : "refuses", text, ...(flips === undefined ? {} : { flips }) }
  })
  return [backoff(state, settings, name, desired.slot, now), ...limits]
}

/** As things would be without this order: it must not stand in its own way. */
const without = (placement: Placement, at: Circumstances): Circumstances => ({
  ...at,
  openOrders: at.openOrders - 1,
  free: at.free + placement.inputAmount,
  openNotional: at.openNotional - quoteAmount(at.market, placement.quantity, placement.price, "up"),
  overall: {
    ...at.overall,
    openOrders: at.overall.openOrders - 1,
    exposure: at.overall.exposure - placement.inputAmount
  }
})

/** After an attempt that failed the next one waits. */
const backoff = (state: BotState, settings: Settings, strategy: string, name: string, now: number): Judged => {
  const slot = state.slots.get(slotKey(strategy, name))
  if (slot === undefined || slot.refusals === 0) return { guard: "retry", verdict: "passes", text: "no failed attempt" }
  const due = slot.refusedAt + backoffMillis(settings, slot.refusals)
  const text = `${counted(slot.refusals, "failed attempt")}, the next one from ${time(due)}`
  return { guard: "retry", verdict: now < due ? "refuses" : "passes", text, flips: `the time ${time(due)}` }
}

export const time = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const cause = ({ code, text, source }: Reason): string =>
  `${text} [${code}${source === undefined ? "" : `, ${source}`}]`

const verdict = (placement: Placement | undefined, assets: Money.Assets, now: number): string => {
  if (placement === undefined) return "holds nothing"
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  return `holds ${placement.side} ${Money.withSymbol(assets, base, placement.quantity)} at ${Decimal.format(placement.price)}, ${placement.state}, for ${age(now - placement.plannedAt)}`
}

const because = (
  state: BotState,
  strategy: StrategyState,
  name: string,
  placement: Placement | undefined,
  wish: Wish | undefined
): ReadonlyArray<string> => {
  const slot = state.slots.get(slotKey(strategy.name, name))
  const { decision } = strategy
  const absent = decision?.absent.find((other) => other.slot === name)
  const refusal = strategy.refusals.get(name)
  return [
    ...(wish === undefined
      ? []
      : "done" in wish
        ? [`the strategy is done with it, all its legs have filled: ${cause(wish.done)}`]
        : [`the strategy wants ${order(wish.desired)}: ${cause(wish.desired.why)}`]),
    ...(absent === undefined ? [] : [`the strategy wants nothing: ${cause(absent.why)}`]),
    ...(placement === undefined && refusal !== undefined ? [`refused: ${refusal}`] : []),
    ...(placement?.cancel === undefined ? [] : [`it is being cancelled: ${cause(placement.cancel.why)}`]),
    ...(placement?.status === undefined ? [] : [`the venue says ${placement.status}`]),
    ...(placement?.funding?.lastAnswer === undefined ? [] : [`funding was answered ${placement.funding.lastAnswer}`]),
    ...(slot?.frozen === undefined ? [] : [`frozen: ${slot.frozen}`]),
    ...(state.killed === undefined ? [] : [`the kill switch is on: ${state.killed}`]),
    ...(slot === undefined ? [] : [`${counted(slot.completedLegs, "leg")} completed so far`]),
    ...(decision === undefined
      ? []
      : [`decided ${time(strategy.decidedAt)} at bid ${short(decision.bid)}, ask ${short(decision.ask)}`])
  ]
}

const order = ({ side, price }: DesiredOrder): string => `${side} at ${Decimal.format(price)}`

const short = (price: Decimal.Decimal): string => Decimal.format(Decimal.fromNumber(Decimal.toNumber(price), 8))

const wouldChange = (decision: Of<"Decided">): ReadonlyArray<string> => {
  const { until } = decision
  const bounds = ({ priceBelow, priceAbove }: PriceBounds, market?: string): ReadonlyArray<string> => {
    const of = market === undefined ? "" : ` of ${market}`
    const now = short(mid(priceDecidedOn(decision, market)))
    return [
      ...(priceBelow === undefined ? [] : [`a mid${of} of ${Decimal.format(priceBelow)} or less (then ${now})`]),
      ...(priceAbove === undefined ? [] : [`a mid${of} of ${Decimal.format(priceAbove)} or more (then ${now})`])
    ]
  }
  return [
    ...bounds(until),
    ...(until.elsewhere ?? []).flatMap((elsewhere) => bounds(elsewhere, elsewhere.market)),
    ...(until.time === undefined ? [] : [`the time ${time(until.time)}`]),
    ...(until.barClose === undefined ? [] : [`the close of a ${until.barClose} candle`]),
    ...(until.onFill ? ["a fill"] : ["nothing but a fill of this slot, which arms its next leg"])
  ]
}
