/**
 * What a process remembers of a placement, or of an order that is none, beside the journal: how often and when it has asked, and
 * since when it is shown something. After a restart it has forgotten, which costs a request or a wait, never money.
 */
import { elapsedMillis } from "../../../domain/Durations.ts"
import type { BotState } from "../BotState.ts"
import type { Placement } from "../Placement.ts"
import * as PlacementNotes from "./PlacementNotes.ts"

/** Since when something is seen of it, look after look. */
interface Since {
  /** An order that was over is shown alive. */
  readonly alive: number | undefined
  /** A living order shows less than it had. */
  readonly vanished: number | undefined
  /** An order that is over shows less than it had. */
  readonly lacking: number | undefined
  /** There is no such order. */
  readonly missing: number | undefined
  /** Answers about it are those of other orders. By the monotonic clock, as is the next. */
  readonly odd: number | undefined
  /** Its order is over, and empty. A time of day that jumps ends no doubt. */
  readonly over: number | undefined
}

export interface Sent {
  readonly attempts: number
  readonly at: number
}

export interface Tries {
  readonly since: Since
  /** How long its order had been over and empty when it was read last. */
  readonly overMillis: number
  /** When its order was last read while its payment is not confirmed, by the monotonic clock. */
  readonly readAt: number
  /** Reads after its payload expired that showed no deposit. */
  readonly emptyReads: number
  /** This process has recorded its first create with its plan, and has not sent it yet. */
  readonly isAnnounced: boolean
  /** A wallet was asked by this process, and is still at it. */
  readonly isAtWork: boolean
  /** The venue was told of its transaction. */
  readonly reported: Sent
  /** Cancels of spare orders, and of an order that is no placement. */
  readonly spare: ReadonlyMap<string, Sent>
  readonly cancelled: Sent
  /** The venue clearly refused its cancel: asking sooner gets the same answer. */
  readonly isRefused: boolean
  /** The life of its order that is over: nothing is left to cancel, though its money may still be on its way back. */
  readonly endedLife: string | undefined
  /** It is shown alive after its end: whoever said that it was over was wrong. */
  readonly isAlive: boolean
  /** When its order was last in the list, and when it was last read by itself although it counts as over. */
  readonly listedAt: number
  readonly endReadAt: number
  readonly unpaidReadAt: number
}

const never: Sent = { attempts: 0, at: Number.NEGATIVE_INFINITY }
const nothing = undefined
export const none: Tries = {
  since: { alive: nothing, vanished: nothing, lacking: nothing, missing: nothing, odd: nothing, over: nothing },
  ...{ overMillis: 0, readAt: Number.NEGATIVE_INFINITY, emptyReads: 0, reported: never },
  ...{ isAnnounced: false, isAtWork: false },
  ...{ spare: new Map(), cancelled: never, isRefused: false, endedLife: undefined, isAlive: false },
  ...{ listedAt: 0, endReadAt: Number.NEGATIVE_INFINITY, unpaidReadAt: Number.NEGATIVE_INFINITY }
}

/** An order whose end was taken back is to be cancelled anew. */
export const lifeOf = (orderId: string, placement?: Placement): string => `${orderId} ${placement?.lives ?? 0}`

export interface TriesMemory {
  of(id: string): Tries
  note(id: string, change: Partial<Tries>): void
  /** It lives on after its end: a cancel that was wanted is due again. */
  revive(id: string): void
  /** Makes every cancel due at once that was not clearly refused. */
  hurry(now: number): void
  /** When that was last. */
  hurriedAt(): number
  /** For how long this has been so, look after look. */
  heldMillis(what: keyof Since, id: string, holds: boolean, now: number): number
}

type LivePlacements = Pick<BotState, "ended" | "placements" | "integrity">

export const make = ({ ended, placements, integrity }: LivePlacements): TriesMemory => {
  const known = {
    has: (id: string) => placements.has(id) || ended.byId.has(id) || integrity.forgotten.has(id),
    get size() {
      return placements.size + ended.alive.size + integrity.forgotten.size
    }
  }
  const notes = PlacementNotes.make<Tries>({ placements: known })
  const of = (id: string): Tries => notes.get(id) ?? none
  const note = (id: string, change: Partial<Tries>): void => notes.set(id, { ...of(id), ...change })
  let hurriedAt = Number.NEGATIVE_INFINITY
  return {
    of,
    note,
    revive: (id) => note(id, { isAlive: true, endedLife: undefined }),
    hurry: (now) => {
      hurriedAt = now
    },
    hurriedAt: () => hurriedAt,
    heldMillis: (what, id, holds, now) => {
      const { since } = of(id)
      const first = holds ? (since[what] ?? now) : undefined
      if (first !== since[what]) note(id, { since: { ...since, [what]: first } })
      return first === undefined ? 0 : elapsedMillis(first, now)
    }
  }
}
