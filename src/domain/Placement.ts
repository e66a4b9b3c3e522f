/**
 * A placement is one attempt to fill a slot, from the plan to the last unit of money back. Its states and legal transitions are data, so
 * that the fold refuses a history that cannot have happened and tests can enumerate them.
 *
 * planned → creating → created → funding → open → closing → settled
 *
 * `in doubt`: a payment has left us and it is unknown if it was made; its money stays reserved and its slot gets nothing new. `abandoned`:
 * the attempt was never signed, as far as the journal knows; a deposit that shows all the same opens it again. `dead`: the payment provably
 * was not made and never will be, or the operator has removed it from the books. `given up`: the order has ended and the operator has
 * written its money off; money that arrives after all is booked.
 */
/** Strategy name of swaps that the operator makes by hand. No file can have this name, and it has no budget. */
export const byHand = "by hand"

/** Strategy name of first orders (`limitbot first-order`) in journals of version 0.1: later ones are orders by hand. */
export const firstOrder = "first order"

/** True for orders that a person asked for: their money comes from the account and returns there, and no limit of a file binds them. */
export const hasNoBudget = (strategy: string): boolean => strategy === byHand || strategy === firstOrder

/** Strategy name of orders that were found at the venue and that no slot plans. */
export const recovered = "recovered"

export const slotOfFound = (orderId: string): string => `order-${orderId}`

export const foundAtVenue = "recovered"

export type PlacementState =
  | "planned"
  | "creating"
  | "created"
  | "funding"
  | "in doubt"
  | "open"
  | "closing"
  | "settled"
  | "abandoned"
  | "dead"
  | "given up"

export const placementTransitions: Readonly<Record<PlacementState, ReadonlyArray<PlacementState>>> = {
  planned: ["creating", "abandoned"],
  // `open` from `creating`: a deposit seen on a spare order of a lost create is adopted, never ignored.
  creating: ["creating", "created", "abandoned", "open"],
  created: ["funding", "abandoned", "open", "closing"],
  funding: ["in doubt", "open", "closing", "dead"],
  "in doubt": ["funding", "open", "closing", "dead"],
  // `settled` from `open`: the operator takes it off the books.
  open: ["closing", "settled"],
  // `open` from `closing`: it lives on after its end.
  closing: ["open", "settled", "given up"],
  // `open` from `settled`: it lives on after its books were closed.
  settled: ["open"],
  abandoned: ["open"],
  dead: ["open"],
  "given up": ["settled"]
}

/** True if the bot expects no more money of it: the slot may be filled again. */
export const isFinished = (state: PlacementState): boolean =>
  state === "settled" || state === "abandoned" || state === "dead" || state === "given up"

/** Signed but not settled: money is or may be outside the wallet. */
export const isFunded = (state: PlacementState): boolean =>
  state === "funding" || state === "in doubt" || state === "open" || state === "closing"
