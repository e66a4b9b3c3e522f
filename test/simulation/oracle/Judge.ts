/** What every judge of a simulated world is given, and how it objects. */
export class Violation extends Error {
  readonly invariant: string
  constructor(invariant: string, text: string) {
    super(`${invariant}: ${text}`)
    this.invariant = invariant
  }
}

export interface Court {
  readonly now: () => number
  /** Ends the episode; the number is that of the reliability notes. */
  violated(invariant: string, text: string): never
  /** Counts that something came up. */
  note(what: string): void
}
