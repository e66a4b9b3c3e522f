/**
 * `restart` of a strategy file: a strategy that a stop or a target of the whole has ended, and that has sold, restarts after this time. It
 * begins like a new strategy with the money that it then has: at the present price, with an empty memory, and when its condition `when` is
 * true again. Each run has its own slots (`cell-07-run-2`), so no slot is mistaken for one of an earlier run.
 */
import { type Amount, type Asset, format, max } from "../../domain/Amount.ts"
import { runSuffixOf } from "../../domain/Placement.ts"
import { iso } from "../../domain/Text.ts"
import type { Decision, Memory } from "../Decision.ts"
import { amountIn, decimalIn, marking, numberIn } from "../kinds/Memory.ts"
import type { Behaviour, Budget } from "../Strategy.ts"
import { type View, viewWith } from "../View.ts"

const suffixOf = (run: number): string => (run === 1 ? "" : `-run-${run}`)

const slotsOf = (slots: View["slots"], run: number): View["slots"] => {
  const suffix = suffixOf(run)
  if (suffix === "") return slots
  const own = [...slots].filter(([slot]) => slot.endsWith(suffix))
  return new Map(own.map(([slot, progress]) => [slot.slice(0, -suffix.length), progress]))
}

const inRun = (decision: Decision, run: number): Decision => {
  const suffix = suffixOf(run)
  if (suffix === "") return decision
  const name = (slot: string) => `${slot}${suffix}`
  return {
    ...decision,
    desired: decision.desired.map((each) => ({
      ...each,
      slot: name(each.slot),
      ...(each.yieldsTo && { yieldsTo: each.yieldsTo.map(name) })
    })),
    absent: decision.absent.map((each) => ({ ...each, slot: name(each.slot) }))
  }
}

const newest = (slots: View["slots"]): number =>
  [...slots.keys()].reduce((most, slot) => Math.max(most, Number(runSuffixOf(slot).replace("-run-", "") || 1)), 1)

export const restarting =
  (waitMillis: number, source: string, budget: Pick<Budget, "base" | "quote">) =>
  (behaviour: Behaviour): Behaviour => {
    const { stands: _, unfit, inputs, positions, ...kept } = behaviour
    const mark = marking(":run")
    const runIn = (noted: Memory): number => numberIn(noted, "number") ?? 1
    const viewOf = (view: View, noted: Memory): View => {
      const run = runIn(noted)
      if (run === 1) return view
      const { base, quote } = view.market
      // An edit of the budget moves capital in or out of the run.
      const added = (asset: Asset, now: Amount, key: string) =>
        decimalIn(noted, key) === undefined ? 0n : now - amountIn(asset, noted, key)
      const means = {
        base: max(0n, amountIn(base, noted, "base") + added(base, budget.base, "budgetBase")),
        quote: max(0n, amountIn(quote, noted, "quote") + added(quote, budget.quote, "budgetQuote")),
        position: amountIn(base, noted, "position")
      }
      return viewWith(view, { slots: slotsOf(view.slots, run), means })
    }
    const budgetIn = ({ base, quote }: View["market"]) => ({
      budgetBase: format(budget.base, base.decimals),
      budgetQuote: format(budget.quote, quote.decimals)
    })
    const again = (view: View, run: number): Decision | undefined => {
      const { market, own } = view
      if (own === undefined) return undefined
      const baseText = (amount: Amount) => format(amount, market.base.decimals)
      const [base, quote] = [baseText(own.freeBase), format(own.freeQuote, market.quote.decimals)]
      const noted = { number: run, base, quote, position: baseText(own.position), ...budgetIn(market) }
      const decision = inRun(behaviour.decide(viewOf(view, noted), null), run)
      return decision.isOver ? undefined : { ...decision, memory: mark.on(decision.memory, noted) }
    }
    return {
      ...kept,
      decide: (view, memory) => {
        const noted = mark.of(memory)
        const run = runIn(noted)
        const ownView = viewOf(view, noted)
        const decision = inRun(behaviour.decide(ownView, mark.off(memory)), run)
        const { endedAt: before, ...known } = noted
        // Runs of earlier versions did not note it.
        const fields = run === 1 || "budgetBase" in known ? known : { ...known, ...budgetIn(view.market) }
        const isLive = [...ownView.slots.values()].some(({ live }) => live !== undefined)
        if (!decision.isOver || isLive) return { ...decision, memory: mark.on(decision.memory, fields) }
        const endedAt = typeof before === "number" ? before : view.now
        const isDue = view.now >= endedAt + waitMillis
        const next = isDue ? again(view, run + 1) : undefined
        if (next !== undefined) return next
        // If it would end again at once, it waits for the whole time again.
        const from = isDue ? view.now : endedAt
        const text = `begins again at ${iso(from + waitMillis)}`
        return {
          ...decision,
          memory: mark.on(decision.memory, { ...fields, endedAt: from }),
          reasons: [...decision.reasons, { code: "restart", text, source }],
          until: { ...decision.until, time: Math.min(decision.until.time ?? from + waitMillis, from + waitMillis) }
        }
      },
      ...(inputs && {
        inputs: (view, memory) => {
          const noted = mark.of(memory)
          const checks = inputs(viewOf(view, noted), mark.off(memory))
          return new Map([...checks].map(([slot, each]) => [`${slot}${suffixOf(runIn(noted))}`, each]))
        }
      }),
      ...(unfit && { unfit: (slots, memory) => unfit(slotsOf(slots, newest(slots)), mark.off(memory)) }),
      ...(positions && {
        positions: (slots, memory) => {
          const run = newest(slots)
          const own = positions(slotsOf(slots, run), mark.off(memory))
          return new Map([...own].map(([slot, held]) => [`${slot}${suffixOf(run)}`, held]))
        }
      })
    }
  }
