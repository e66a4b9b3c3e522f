/**
 * Runs everything that happens by itself in the sandbox, in time order. The market is compared with open orders on a fixed grid, when an
 * order opens, and when a command sets prices. So the result does not depend on the times or the number of requests, and idle time costs
 * nothing.
 */
import * as Deposits from "./Deposits.ts"
import * as OrderLife from "./orders/OrderLife.ts"
import * as Payouts from "./Payouts.ts"
import { type State, type Task, takeDue } from "./State.ts"
import * as Collecting from "./swaps/Collecting.ts"
import * as SwapLife from "./swaps/SwapLife.ts"

export const advance = (state: State, to: number): void => {
  for (;;) {
    const step = nextStep(state)
    const due = takeDue(state, Math.min(step, to))
    if (due !== undefined) {
      state.now = Math.max(state.now, due.at)
      run(state, due.task)
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

const run = (state: State, task: Task): void => {
  switch (task.tag) {
    case "recognise":
      return Deposits.recognise(state, task.deposit)
    case "return":
      return Deposits.giveBack(state, task.deposit)
    case "expire":
      return task.target.kind === "order" ? OrderLife.expire(state, task.target) : SwapLife.expire(state, task.target)
    case "solve":
      return OrderLife.solve(state, task.order)
    case "finishCancel":
      return OrderLife.finishCancel(state, task.order)
    case "startPayouts":
      return Payouts.start(state, task.order)
    case "finishPayout":
      return Payouts.finish(state, task.order, task.leg)
    case "collect":
      return Collecting.pay(state, task.swap, task.deposit, task.amountOut)
    case "executeSwap":
      return SwapLife.execute(state, task.swap)
    case "finishSwap":
      return SwapLife.finish(state, task.swap, task.outcome)
  }
}
