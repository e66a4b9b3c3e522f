/** Keeps a strategy's last answer for all of its markets. */
import type { Decision, Memory, PriceBounds } from "../../../../strategy/Decision.ts"

/** `not-known`: the rule could not be decided, or its price could not be computed. */
const unorderedCodes = ["no-order", "not-known"] as const

export interface Unordered {
  readonly slot: string
  readonly code: (typeof unorderedCodes)[number]
  readonly times: number
  readonly text: string
}

export class Asking {
  declare memory: Memory
  declare private readonly mayLackOrders: boolean
  private last: Decision | undefined
  asksOnFill = true
  stops: PriceBounds | undefined
  decisions = 0
  private readonly without = new Map<string, Unordered>()

  constructor(initial: Memory, mayLackOrders: boolean) {
    this.memory = initial
    this.mayLackOrders = mayLackOrders
  }

  get unordered(): ReadonlyArray<Unordered> {
    return [...this.without.values()]
  }

  /** Returns true if the answer is the last answer's object. */
  answered(decision: Decision): boolean {
    const isAgain = decision === this.last
    this.last = decision
    this.memory = decision.memory
    this.asksOnFill = decision.until.onFill
    this.stops = decision.stops
    this.decisions++
    // Only for kinds that set it, because reading `absent` of other kinds makes a list of, for example, all cells of a grid.
    if (!isAgain && this.mayLackOrders)
      for (const { slot, why } of decision.absent)
        for (const code of unorderedCodes) if (code === why.code) this.note(slot, code, why.text)
    return isAgain
  }

  private note(slot: string, code: Unordered["code"], text: string): void {
    const key = `${code} ${slot}`
    this.without.set(key, { slot, code, text, times: (this.without.get(key)?.times ?? 0) + 1 })
  }
}
