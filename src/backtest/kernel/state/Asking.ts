/** What a strategy said last: its memory, and whether it wants to be asked after a fill. One for all of its markets. */

import type { Decision, Memory } from "../../../strategy/Decision.ts"

export class Asking {
  declare private remembered: Memory
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

  answered({ memory, until }: Decision): void {
    this.remembered = memory
    this.onFill = until.onFill
    this.answers++
  }
}
