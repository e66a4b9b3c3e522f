/** What a strategy said last: its memory, and whether it wants to be asked after a fill. One for all of its markets. */

import type { Decision, Memory } from "../../../strategy/Decision.ts"

export class Asking {
  declare private remembered: Memory
  private last: Decision | undefined
  private onFill = true
  private answers = 0

  constructor(initial: Memory) {
    this.remembered = initial
  }

  get memory(): Memory {
    return this.remembered
  }

  get asksOnFill(): boolean {
    return this.onFill
  }

  get decisions(): number {
    return this.answers
  }

  /** Says whether it is the very answer that was given before. */
  answered(decision: Decision): boolean {
    const isAgain = decision === this.last
    this.last = decision
    this.remembered = decision.memory
    this.onFill = decision.until.onFill
    this.answers++
    return isAgain
  }
}
