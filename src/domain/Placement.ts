/**
 * A placement is one attempt to fill a slot, from the plan to the last unit of money back. States and legal transitions are data: the fold
 * refuses an impossible history, and tests enumerate them.
 *
 * planned → creating → created → funding → open → closing → settled
 *
 * `in doubt`: a payment left us and may or may not have been made. Its money stays reserved, and its slot gets nothing new. `abandoned`:
 * never signed, as far as the journal knows; a deposit that shows all the same opens it again. `dead`: the payment provably was not made
 * and never will be, or the operator removed it from the books. `given up`: the order has ended and the operator wrote its money off; money
 * that arrives after all is booked.
 */
/** Strategy name of swaps that the operator makes by hand. No file can have this name, and it has no budget. */
export const byHand = "by hand"

/** Strategy name of first orders (`limitbot first-order`) in journals of version 0.1. Later versions make them by hand. */
export const firstOrder = "first order"

/** True for orders by hand: their money comes from the account and returns there, and no limit of a file binds them. */
export const hasNoBudget = (strategy: string): boolean => strategy === byHand || strategy === firstOrder

/** Strategy name of orders that were found at the venue and are in no slot's plan. */
export const recovered = "recovered"

/** Strategy name of orders that had ended before `limitbot journal recover` took them into a new journal. */
export const ended = "ended"

/** The slot in which several kinds exit. An end of a strategy cancels all other slots and sells there. */
export const exitSlot = "exit"

/** The suffix of all slots in one run of a strategy with `restart`. Empty in the first run. */
export const runSuffixOf = (slot: string): string => /-run-\d{1,9}$/.exec(slot)?.[0] ?? ""

export const exitSlotOf = (slot: string): string => `${exitSlot}${runSuffixOf(slot)}`

export const slotOfFound = (orderId: string): string => `order-${orderId}`

/** Reason code of a placement whose order was found at the venue. */
export const foundAtVenue = "recovered"

const transitions = {
  planned: ["creating", "abandoned"],
  // `open` from `creating`: a deposit seen on a spare order of a lost create is adopted, never ignored.
  creating: ["creating", "created", "abandoned", "open"],
  created: ["funding", "abandoned", "open", "closing"],
  funding: ["in doubt", "open", "closing", "dead"],
  "in doubt": ["funding", "open", "closing", "dead"],
  // `settled` from `open`: the operator removes it from the books.
  open: ["closing", "settled"],
  // `open` from `closing`: the order is active again after its end.
  closing: ["open", "settled", "given up"],
  // `open` from `settled`: the order is active again after its books were closed.
  settled: ["open"],
  abandoned: ["open"],
  dead: ["open"],
  "given up": ["settled"]
} as const

export type PlacementState = keyof typeof transitions

export const placementTransitions: Readonly<Record<PlacementState, ReadonlyArray<PlacementState>>> = transitions

/** The bot expects no more money of it, so the slot may be filled again. */
export const isFinished = (state: PlacementState): boolean =>
  state === "settled" || state === "abandoned" || state === "dead" || state === "given up"

/** Money is or may be outside the wallet. */
export const isFunded = (state: PlacementState): boolean =>
  state === "funding" || state === "in doubt" || state === "open" || state === "closing"
