/**
 * A placement is one attempt to fill a slot, from the wish to the last unit of money back. Its states and legal
 * transitions are data, so that the fold refuses a history that cannot have happened and tests can enumerate them.
 *
 *   planned → creating → created → funding → open → closing → settled
 *
 * `abandoned` is an attempt that was never signed: nothing can be in it, whatever the venue made of it.
 * `dead` is a signed payment that provably can never execute and has not.
 */
export const placementStates = [
  "planned",
  "creating",
  "created",
  "funding",
  "open",
  "closing",
  "settled",
  "abandoned",
  "dead"
] as const

export type PlacementState = (typeof placementStates)[number]

export const placementTransitions: Readonly<Record<PlacementState, ReadonlyArray<PlacementState>>> = {
  planned: ["creating", "abandoned"],
  // `open` from `creating`: a deposit seen on a twin of a lost create is adopted, never ignored.
  creating: ["creating", "created", "abandoned", "open"],
  created: ["funding", "abandoned", "open", "closing"],
  funding: ["open", "closing", "dead"],
  open: ["closing"],
  closing: ["settled"],
  settled: [],
  abandoned: ["open"],
  dead: ["open"]
}

/** No money of ours is or can come to be in it, and the slot may be filled anew. */
export const isFinished = (state: PlacementState): boolean =>
  state === "settled" || state === "abandoned" || state === "dead"

/** Signed but not settled: money is or may be outside the wallet. */
export const isFunded = (state: PlacementState): boolean =>
  state === "funding" || state === "open" || state === "closing"
