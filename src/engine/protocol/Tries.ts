/**
 * What a process remembers of a placement beside the journal: how often and when it has asked, and what it did not see. After a
 * restart it has forgotten, which costs a request or a wait, never money.
 */
import * as PlacementNotes from "../state/PlacementNotes.ts"

export interface Tries {
  /** Reads after its payload expired that showed no deposit. */
  readonly emptyReads: number
  /** When its order was last read while its payment is not confirmed, by the monotonic clock: a time of day that jumps ends no doubt. */
  readonly readAt: number
  /** Since when its order is shown to be over, and empty, and how long that was when it was read last. */
  readonly overSince: number | undefined
  readonly overMillis: number
  /** A wallet was asked by this process, and is still at it. */
  readonly isAtWork: boolean
  readonly reports: number
  readonly reportedAt: number
  /** Since when answers about it are those of other orders, by the monotonic clock. */
  readonly oddSince: number | undefined
}

export const none: Tries = {
  emptyReads: 0,
  readAt: Number.NEGATIVE_INFINITY,
  overSince: undefined,
  overMillis: 0,
  isAtWork: false,
  reports: 0,
  reportedAt: Number.NEGATIVE_INFINITY,
  oddSince: undefined
}

export const make = (state: Parameters<typeof PlacementNotes.make>[0]) => {
  const notes = PlacementNotes.make<Tries>(state)
  const of = (placement: string): Tries => notes.get(placement) ?? none
  return {
    of,
    note: (placement: string, change: Partial<Tries>): void => notes.set(placement, { ...of(placement), ...change })
  }
}

/** One more look at its order, which shows no deposit. */
export const looked = (
  { overSince: before }: Pick<Tries, "overSince">,
  isOver: boolean,
  now: number
): Pick<Tries, "readAt" | "overSince" | "overMillis"> => {
  const overSince = isOver ? (before ?? now) : undefined
  return { readAt: now, overSince, overMillis: overSince === undefined ? 0 : now - overSince }
}
