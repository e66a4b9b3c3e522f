/** Explains why a slot has its order or none at a time: its rule, inputs, limits and latest events, and what would change it. Pure. */
import { Schema } from "effect"
import type { Of, Reason, Recorded } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { SeenConditions } from "../domain/EventValues.ts"
import { gainOfMoving, mid, quoteAmount, type TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { age, countText, utc } from "../domain/Text.ts"
import { refusalPauseMillis, type Settings } from "../engine/EngineSettings.ts"
import { holdsOnSlot, liftedBy, unsentBecause } from "../engine/holds/Holds.ts"
import { type LimitInputs, orderLimits, sized } from "../engine/planning/OrderLimits.ts"
import { limitInputsOf } from "../engine/planning/Placing.ts"
import { replacementCost } from "../engine/planning/ReplacementCost.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { openQuantity, type Placement, type PlacementIn } from "../engine/state/Placement.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import type { StrategyState } from "../engine/state/strategies/StrategyState.ts"
import { doubtOf, isEndUnbelieved } from "../engine/tracking/EarlyEnd.ts"
import * as EventLine from "../report/text/EventLine.ts"
import * as Money from "../report/text/Money.ts"
import type { DesiredOrder, PriceBounds } from "../strategy/Decision.ts"
import { turningPoints } from "../strategy/expression/Checks.ts"
import { marketsOf, type Strategy } from "../strategy/Strategy.ts"
import { Time } from "./AsOf.ts"
import type { SeenInputs } from "./explain/PastInputs.ts"
import { Touched, textOf } from "./explain/Touched.ts"
import { doneText, type SlotWish, wishesOf } from "./explain/Wishes.ts"
import { breakEvens, breakEvenText } from "./Levels.ts"

const Text = Schema.String

/** Fields are added, never changed or removed. */
export const Explanation = Schema.Struct({
  slot: Text,
  verdict: Text,
  because: Schema.Array(Text),
  wouldChange: Schema.Array(Text),
  at: Time,
  rule: Schema.NullOr(Text),
  ruleText: Schema.NullOr(Text),
  inputs: Schema.NullOr(
    Schema.Struct({
      bid: Text,
      ask: Text,
      mid: Text,
      priceAgeMillis: Schema.Int,
      decidedAt: Time,
      checks: SeenConditions.fields.checks,
      checkedAt: Schema.NullOr(Time)
    })
  ),
  /** Null without an open order. */
  touched: Schema.NullOr(Touched),
  /** The verdict of each limit. `unknown`: the limits of that time are lost, because their file can no longer be read. */
  guards: Schema.Array(
    Schema.Struct({ guard: Text, verdict: Schema.Literals(["passes", "refuses", "unknown"]), text: Text })
  ),
  lately: Schema.Array(Text)
})
export type Explanation = typeof Explanation.Type

export interface ExplainedMoment {
  readonly state: BotState
  readonly assets: Money.Assets
  readonly now: number
  readonly strategies: ReadonlyMap<string, Strategy>
  readonly seen: ReadonlyMap<string, SeenInputs>
  readonly removed: ReadonlyMap<string, Recorded>
  readonly stopped: Recorded | undefined
  readonly settings: Settings
  readonly touched: ReadonlyMap<string, Touched>
  readonly lately: ReadonlyMap<string, ReadonlyArray<Recorded>>
}

/** Explains every slot that is or should be in use. A slot that was given up is explained only on request by name. */
export const explain = (moment: ExplainedMoment, keys: ReadonlyArray<string> = []): ReadonlyArray<Explanation> => {
  const { state } = moment
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  return [...state.strategies.values()].flatMap((strategy) => {
    const wishes = wishesOf(state, strategy, moment.strategies.get(strategy.name))
    const former = [...state.slots.values()].filter(
      ({ strategy: owner, slot }) => owner === strategy.name && keys.includes(slotKey(owner, slot))
    )
    const names = [...new Set([...slotsOf(strategy, live), ...former.map(({ slot }) => slot)])]
    return names.map((name) =>
      explainSlot(moment, strategy, name, live.get(slotKey(strategy.name, name)), wishes.get(name))
    )
  })
}

const priceDecidedOn = ({ bid, ask, priceAt, elsewhere }: Of<"Decided">, market: string | undefined): TwoSidedPrice =>
  elsewhere?.find((price) => price.market === market) ?? { bid, ask, at: priceAt }

const slotsOf = ({ name, decision }: StrategyState, live: ReadonlyMap<string, Placement>): ReadonlyArray<string> => {
  const decided = decision === undefined ? [] : [...decision.desired, ...decision.absent].map(({ slot }) => slot)
  const liveSlots = [...live.values()].filter(({ strategy }) => strategy === name).map(({ slot }) => slot)
  return [...new Set([...decided, ...liveSlots])].sort()
}

const explainSlot = (
  moment: ExplainedMoment,
  strategy: StrategyState,
  name: string,
  placement: Placement | undefined,
  wish: SlotWish | undefined
): Explanation => {
  const { assets, now } = moment
  const key = slotKey(strategy.name, name)
  const { decision } = strategy
  const market = decision?.desired.find(({ slot }) => slot === name)?.market ?? placement?.market
  const absent = decision?.absent.find((other) => other.slot === name)
  const wished = wish === undefined ? undefined : "done" in wish ? wish.done : wish.desired.why
  const judged = wish === undefined || "done" in wish ? [] : judge(moment, strategy, wish.desired, placement)
  const flips = placement === undefined ? judged.filter(({ verdict }) => verdict === "refuses") : []
  const rule = wished?.source ?? absent?.why.source ?? placement?.why.source ?? null
  const slotInputs = moment.seen.get(strategy.name)?.get(name)
  const checks = slotInputs?.checks ?? []
  return {
    slot: key,
    verdict: verdict(placement, assets, now),
    because: because(moment, strategy, name, placement, wish),
    wouldChange: [
      ...flips.map(({ guard, flips }) => `${flips ?? "another order"}, for the limit ${guard}`),
      ...turningPoints(checks),
      ...(decision === undefined ? [] : wouldChange(decision, placement))
    ],
    at: now,
    rule,
    ruleText: rule === null ? null : lineOf(strategy, rule),
    inputs:
      decision === undefined
        ? null
        : {
            ...inputsOf(priceDecidedOn(decision, market), strategy.decidedAt),
            checks,
            checkedAt: checks.length === 0 ? null : (slotInputs?.at ?? null)
          },
    touched: (placement && moment.touched.get(placement.id)) ?? null,
    guards: judged.map(({ guard, verdict, text }) => ({ guard, verdict, text })),
    lately: (moment.lately.get(key) ?? [])
      .map((entry) => EventLine.logLine(entry, assets))
      .filter((line) => line !== undefined)
  }
}

const lineOf = ({ loaded }: StrategyState, rule: string): string | null => {
  const line = Number(/:(\d+)$/.exec(rule)?.[1])
  return loaded?.text?.split(/\r?\n/)[line - 1]?.replace(/\s+/g, " ").trim() ?? null
}

const inputsOf = ({ bid, ask, at }: TwoSidedPrice, decidedAt: number) => ({
  bid: Decimal.format(bid),
  ask: Decimal.format(ask),
  mid: Decimal.format(mid({ bid, ask })),
  priceAgeMillis: decidedAt - at,
  decidedAt
})

type Judged = Explanation["guards"][number] & { readonly flips?: string }

const judge = (
  { state, now, strategies, settings, lately }: ExplainedMoment,
  { name, decision, decidedAt }: StrategyState,
  desired: DesiredOrder,
  placement: Placement | undefined
): ReadonlyArray<Judged> => {
  const strategy = strategies.get(name)
  if (strategy === undefined || decision === undefined) {
    const text = "the limits of that time are unknown: neither the journal nor the file has them"
    return [{ guard: "limits", verdict: "unknown", text }]
  }
  // The price is as old as it was when the strategy decided.
  const decidedOn = priceDecidedOn(decision, desired.market?.name)
  const judgedOn = lastJudged(lately.get(slotKey(name, desired.slot)) ?? [], decidedAt)
  const price = { ...decidedOn, ...judgedOn, at: now - (decidedAt - decidedOn.at) }
  const at = limitInputsOf(state, settings, strategy, desired, price, now)
  const order = sized(desired, at.market)
  const inputs = placement === undefined ? at : without(placement, at)
  const limits = orderLimits.map(({ flips, name: guard, refuses, stateText }): Judged => {
    const refusal = refuses(order, inputs)
    const verdict = refusal === undefined ? "passes" : "refuses"
    const reversal = present({ flips: flips(order, inputs, refusal === undefined) })
    return { guard, verdict, text: refusal ?? stateText(order, inputs), ...reversal }
  })
  return [backoff(state, settings, name, desired.slot, now), ...limits]
}

const lastJudged = (lately: ReadonlyArray<Recorded>, since: number) => {
  const mids = lately.flatMap(({ at, event }) =>
    (event._tag === "Planned" || event._tag === "Denied") && event.mid !== undefined && at >= since ? [event.mid] : []
  )
  const last = mids.at(-1)
  return last === undefined ? {} : { bid: last, ask: last }
}

const without = (placement: Placement, at: LimitInputs): LimitInputs => ({
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

const backoff = (state: BotState, settings: Settings, strategy: string, name: string, now: number): Judged => {
  const slot = state.slots.get(slotKey(strategy, name))
  if (slot === undefined || slot.failures === 0) return { guard: "retry", verdict: "passes", text: "no failed attempt" }
  const due = slot.failedAt + refusalPauseMillis(settings, slot)
  const why = slot.failedWhy === undefined ? "" : ` (${slot.failedWhy})`
  const text = `${countText(slot.failures, "attempt")} failed${why}; tried again from ${utc(due)}`
  return { guard: "retry", verdict: now < due ? "refuses" : "passes", text, flips: `the time ${utc(due)}` }
}

const cause = ({ code, text, source }: Reason): string =>
  `${text} [${code}${source === undefined ? "" : `, ${source}`}]`

const verdict = (placement: Placement | undefined, assets: Money.Assets, now: number): string => {
  if (placement === undefined) return "has no order"
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  const phrase = isOver(placement) ? "order ended, waiting for its money:" : "has"
  return `${phrase} ${placement.side} ${Money.withSymbol(assets, base, placement.quantity)} at ${Decimal.format(placement.price)}, ${placement.state}, planned ${age(now - placement.plannedAt)} ago`
}

const because = (
  { assets, now, removed, state, stopped, strategies, touched }: ExplainedMoment,
  strategy: StrategyState,
  name: string,
  placement: Placement | undefined,
  wish: SlotWish | undefined
): ReadonlyArray<string> => {
  const slot = state.slots.get(slotKey(strategy.name, name))
  const { decision } = strategy
  const absent = decision?.absent.find((other) => other.slot === name)
  const refusal = strategy.refusals.get(name)
  const removal = removed.get(strategy.name)
  const touches = placement && touched.get(placement.id)
  const unsent = placement && unsentBecause(state, placement)
  return [
    stopped?.event._tag === "BotStopped" && `the bot has not run since ${utc(stopped.at)}: ${stopped.event.reason}`,
    removal?.event._tag === "StrategyRemoved" &&
      `its strategy was removed at ${utc(removal.at)}, its orders ${removal.event.orders}`,
    ...(wish === undefined && absent === undefined && removal === undefined && decision !== undefined
      ? ["the strategy no longer has this slot"]
      : []),
    wish &&
      ("done" in wish
        ? `${doneText}: ${cause(wish.done)}`
        : `the strategy plans ${order(wish.desired)}: ${cause(wish.desired.why)}`),
    ...keptBecause(state, strategies.get(strategy.name), decision, placement, wish, now),
    ...overBecause(placement),
    absent && `the strategy plans ${placement === undefined ? "no order" : "to cancel it"}: ${cause(absent.why)}`,
    placement === undefined && refusal !== undefined && `refused: ${refusal}`,
    placement?.cancel && `it is being cancelled: ${cause(placement.cancel.why)}`,
    placement?.status !== undefined && `status at the venue: ${placement.status}`,
    unsent,
    touches && textOf(touches),
    placement?.funding?.lastAnswer !== undefined && `last answer to the funding: ${placement.funding.lastAnswer}`,
    ...holdsOnSlot(state, strategy.name, name).map((hold) => {
      const { scope, since, text } = hold
      const whole = scope === "bot" ? "nothing new is paid: " : ""
      const lasting = since === undefined ? "" : `, since ${utc(since)}`
      const lifted = liftedBy(hold)
      return `${whole}${text}${lasting}${lifted === undefined ? "" : ` (${lifted})`}`
    }),
    state.venueDownSince !== undefined && `the venue has not answered since ${utc(state.venueDownSince)}`,
    slot && `${countText(slot.completedLegs, "leg")} completed so far`,
    ...breakEvens(strategy, assets).map(breakEvenText),
    ...(decision === undefined
      ? []
      : [
          ...decision.reasons.map(cause),
          `decided ${utc(strategy.decidedAt)} at bid ${Decimal.short(decision.bid)}, ask ${Decimal.short(decision.ask)}`
        ])
  ].filter((line) => typeof line === "string")
}

/** True if the order has left the market. Nothing new is placed before its money is back. */
const isOver = (placement: Placement | undefined): placement is PlacementIn<"closing"> => placement?.state === "closing"

const overBecause = (placement: Placement | undefined): ReadonlyArray<string> => {
  if (!isOver(placement)) return []
  if (isEndUnbelieved(placement)) return [`its order is not in the market: ${doubtOf(placement)}`]
  return [`its order ended ${placement.status}; a new one is placed once its money is back`]
}

const keptBecause = (
  state: BotState,
  strategy: Strategy | undefined,
  decision: Of<"Decided"> | undefined,
  placement: Placement | undefined,
  wish: SlotWish | undefined,
  now: number
): ReadonlyArray<string> => {
  if (strategy === undefined || decision === undefined || placement === undefined) return []
  if (wish === undefined || "done" in wish || placement.cancel !== undefined || isOver(placement)) return []
  const { desired } = wish
  const { price, side, slot } = placement
  if (desired.side !== side || Decimal.equals(desired.price, price)) return []
  const market = marketsOf(strategy).find(({ name }) => name === placement.market) ?? strategy.market
  const { ask } = priceDecidedOn(decision, market === strategy.market ? undefined : market.name)
  const { fees, outOfMarketBasisPoints, text } = replacementCost(state, market, placement, { ask, now })
  const own = { price, quantity: openQuantity(placement) }
  const refusal = state.strategies.get(strategy.name)?.refusals.get(slot)
  if (refusal !== undefined && gainOfMoving(market, own, desired, outOfMarketBasisPoints) > fees)
    return [`kept at ${Decimal.format(price)} until the better price is allowed: ${refusal}`]
  return [`kept at ${Decimal.format(price)}: moving costs more than the better price gains (${text})`]
}

const order = ({ side, price }: DesiredOrder): string => `${side} at ${Decimal.format(price)}`

const wouldChange = (decision: Of<"Decided">, placement: Placement | undefined): ReadonlyArray<string> => {
  const { until } = decision
  const bounds = ({ priceBelow, priceAbove }: PriceBounds, market?: string): ReadonlyArray<string> => {
    const of = market === undefined ? "" : ` of ${market}`
    const now = Decimal.short(mid(priceDecidedOn(decision, market)))
    return [
      ...(priceBelow === undefined ? [] : [`mid${of} ≤ ${Decimal.short(priceBelow)} (was ${now})`]),
      ...(priceAbove === undefined ? [] : [`mid${of} ≥ ${Decimal.short(priceAbove)} (was ${now})`])
    ]
  }
  return [
    ...bounds(until),
    ...(until.elsewhere ?? []).flatMap((elsewhere) => bounds(elsewhere, elsewhere.market)),
    ...(until.time === undefined ? [] : [`the time ${utc(until.time)}`]),
    ...(until.barClose === undefined ? [] : [`the close of a ${until.barClose} candle`]),
    ...(until.signals === undefined ? [] : ["a new value of a signal"]),
    isOver(placement)
      ? "the refund of its order"
      : until.onFill
        ? "a fill"
        : "a fill of this slot, which places its next leg; other fills change nothing"
  ]
}

export const shownEvents = 6

/** A slot shown alone lists every limit with its numbers; in a list, limits that pass are only named. */
export const lines = (
  { slot, verdict, because, rule, ruleText, inputs, guards, wouldChange, lately }: Explanation,
  isAlone: boolean
): ReadonlyArray<string> => {
  const refusing = guards.filter(({ verdict }) => verdict !== "passes")
  const passing = guards.filter(({ verdict, text }) => verdict === "passes" && text !== "not set")
  return [
    `${slot} ${verdict}`,
    ...because.map((line) => `  because ${line}`),
    ...(rule === null
      ? []
      : [`  by the rule at ${rule}${ruleText === null || ruleText.endsWith(":") ? "" : `: ${ruleText}`}`]),
    ...(inputs === null ? [] : [`  at mid price ${inputs.mid}, ${inputs.priceAgeMillis} ms old`]),
    ...(inputs === null ? [] : conditionLines(inputs)),
    ...refusing.map(({ guard, verdict, text }) => `  limit ${guard} ${verdict}: ${text}`),
    ...(isAlone
      ? passing.map(({ guard, text }) => `  ${guard}: ok, ${text}`)
      : passing.length === 0
        ? []
        : [`  limits, all ok: ${passing.map(({ guard }) => guard).join(", ")}`]),
    ...wouldChange.map((line) => `  would change it: ${line}`),
    ...lately.slice(-shownEvents).map((line) => `  history ${line}`)
  ]
}

const conditionLines = ({ checks, checkedAt }: NonNullable<Explanation["inputs"]>): ReadonlyArray<string> => [
  ...(checks.length === 0 || checkedAt === null ? [] : [`  conditions at ${utc(checkedAt)}`]),
  ...checks.map(({ text, values, holds }) => `    ${text} ${holds ? "holds" : "does not hold"}: ${values}`)
]
