/**
 * Rules of one group share their rounds: a round begins only when all of them have ended. The parts of an entry, one for each target, fire
 * all or none, and buy nothing more once one of them leaves at its stop or begins to fill its target. Of several entries one is enough: once
 * one begins to fill, the others are cancelled. An entry that fills before its cancel takes effect also counts, and has its own exits.
 */
import * as Decimal from "../../../domain/Decimal.ts"
import { progressOf, type View } from "../../View.ts"
import { exitFill, isHolding, isTouched, type RuleState } from "./RuleState.ts"
import type { Rule } from "./RulesSection.ts"

type Grouped = ReadonlyArray<Pick<Rule, "slot" | "side" | "group" | "pauseMillis">>
type States = ReadonlyArray<RuleState>

const companions = (rules: Grouped, index: number): ReadonlyArray<number> => {
  const group = rules[index]?.group
  return group === undefined ? [index] : [...rules.keys()].filter((each) => rules[each]?.group?.of === group.of)
}

const isOfSameEntry = (rules: Grouped, a: number, b: number): boolean =>
  rules[a]?.group?.entry === rules[b]?.group?.entry

const hasFilled = (rules: Grouped, states: States, index: number, view: View): boolean => {
  const going = states[index]?.going
  return going !== undefined && isTouched(going, progressOf(view, rules[index]?.slot ?? ""))
}

export const isReplaced = (rules: Grouped, states: States, index: number, view: View): boolean =>
  companions(rules, index).some((other) => !isOfSameEntry(rules, index, other) && hasFilled(rules, states, other, view))

const isExiting = (rules: Grouped, states: States, index: number, round: number, view: View): boolean => {
  const { exited, going } = states[index] ?? {}
  if (going === undefined) return exited === round
  return going.held?.left !== undefined || exitFill(going, progressOf(view, rules[index]?.slot ?? "")) !== undefined
}

/** Cancels what is open of an entry once another part of it exits, or if it has filled in part and the strategy waits to begin. */
export const closed = (rules: Grouped, states: States, view: View): States =>
  states.map((state, index) => {
    const { fired, going } = state
    const { pauseMillis = 0, slot = "" } = rules[index] ?? {}
    const progress = progressOf(view, slot)
    if (going === undefined || isHolding(going, progress)) return state
    const parts = companions(rules, index).filter((other) => other !== index && isOfSameEntry(rules, index, other))
    const hasBegun = isTouched(going, progress)
    const isWaiting = hasBegun && view.mayBegin === false
    if (!isWaiting && !parts.some((other) => isExiting(rules, states, other, fired, view))) return state
    const { held, withdrawnAt } = going
    if (hasBegun)
      return held?.isClosing === false ? { ...state, going: { ...going, held: { ...held, isClosing: true } } } : state
    if (withdrawnAt !== undefined) return state
    const pausedUntil = view.now + pauseMillis
    return { ...state, pausedUntil, going: progress.live && { ...going, withdrawnAt: view.now } }
  })

/** The best price to which the market has come: its mid, or one at which an exit of the same entry has filled. */
export const reachedBy = (rules: Grouped, states: States, index: number, view: View, mid: number): number => {
  const fills = companions(rules, index).flatMap((other) => {
    const going = isOfSameEntry(rules, index, other) ? states[other]?.going : undefined
    const price = going && exitFill(going, progressOf(view, rules[other]?.slot ?? ""))
    return price === undefined ? [] : [Decimal.toNumber(price)]
  })
  return rules[index]?.side === "BUY" ? Math.max(mid, ...fills) : Math.min(mid, ...fills)
}

/** Between two rounds, gives all rules of a group the same number of firings and the same pause. */
export const evened = (rules: Grouped, states: States): States =>
  states.map((state, index) => {
    if (rules[index]?.group === undefined) return state
    const group = companions(rules, index).flatMap((each) => states[each] ?? [])
    if (group.some(({ going }) => going !== undefined)) return state
    const fired = Math.max(...group.map((each) => each.fired))
    const pausedUntil = Math.max(...group.map((each) => each.pausedUntil))
    return fired === state.fired && pausedUntil === state.pausedUntil ? state : { ...state, fired, pausedUntil }
  })

/** The reason why a rule without an order cannot fire yet. An entry may join a round in which no other entry has begun to fill. */
export const waitsFor = (rules: Grouped, states: States, index: number, view: View): string | undefined => {
  if (rules[index]?.group === undefined) return undefined
  const own = states[index]
  const waiting = companions(rules, index).map((other) => {
    const state = states[other]
    if (other === index || state?.going === undefined) return undefined
    if (isOfSameEntry(rules, index, other)) return "waits until its other parts have ended"
    const isOver = state.going.withdrawnAt !== undefined || hasFilled(rules, states, other, view)
    return isOver || own?.fired === state.fired ? "waits until the other entry has ended" : undefined
  })
  return waiting.find((reason) => reason !== undefined)
}

/** Drops new orders of parts if another part of their entry has none. */
export const together = <Step extends { readonly state: RuleState; readonly why?: unknown }>(
  rules: Grouped,
  states: States,
  steps: ReadonlyArray<Step>
): ReadonlyArray<Step> =>
  steps.map((step, index) => {
    if (states[index]?.going !== undefined || step.state.going === undefined) return step
    const parts = companions(rules, index).filter((other) => isOfSameEntry(rules, index, other))
    const without = parts.map((part) => steps[part]).find((each) => each?.state.going === undefined)
    return without === undefined ? step : { ...step, state: states[index], why: without.why }
  })
