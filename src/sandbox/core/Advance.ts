/**
 * Runs everything that happens by itself in the sandbox, in time order. The market is compared with open orders on a fixed grid, when an
 * order opens, and when a command sets prices. So the result does not depend on the times or the number of requests, and idle time costs
 * nothing.
 */
import * as OrderLife from "./orders/OrderLife.ts"
import { type State, takeDue } from "./State.ts"

export const advance = (state: State, to: number): void => {
  for (;;) {
    const step = nextStep(state)
    const due = takeDue(state, Math.min(step, to))
    if (due !== undefined) {
      state.now = Math.max(state.now, due.at)
      due.run()
    } else if (step <= to) {
      state.now = step
      for (const book of state.resting.values()) OrderLife.matchMarket(state, book)
    } else break
  }
  state.now = Math.max(state.now, to)
}

const nextStep = (state: State): number => {
  const { stepMillis } = state.settings
  for (const book of state.resting.values()) {
    if (OrderLife.mayFill(state, book)) {
      return state.startedAt + (Math.floor((state.now - state.startedAt) / stepMillis) + 1) * stepMillis
    }
  }
  return Number.POSITIVE_INFINITY
}
