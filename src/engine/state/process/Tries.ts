/** Notes of a process about its requests and observations, beside the journal. A restart costs a request or a wait, never money. */
import type { BotState } from "../BotState.ts"
import type { Placement } from "../Placement.ts"
import * as PlacementNotes from "./PlacementNotes.ts"

/**
 * `odd`: its questions are answered with other orders. `over`: its order has ended and is empty. `ended`: it is shown as
 * ended. All count by the monotonic clock, so that a jump of the clock ends no doubt.
 */
type Held = "alive" | "vanished" | "lacking" | "missing" | "odd" | "over" | "ended"

export interface Sent {
  readonly attempts: number
  readonly at: number
}

export interface Tries {
  readonly since: { readonly [What in Held]?: number | undefined }
  readonly overMillis: number
  /** Last read of its order while its payment is unconfirmed, by the monotonic clock. */
  readonly readAt: number
  readonly emptyReads: number
  readonly isAtWork: boolean
  readonly reported: Sent
  readonly spare: ReadonlyMap<string, Sent>
  readonly cancelled: Sent
  /** The venue clearly refused its cancel; asking again soon gets an equal answer. */
  readonly isRefused: boolean
  /** The life that ended: nothing is left to cancel, though its money may still be on its way back. */
  readonly endedLife: string | undefined
  readonly isAlive: boolean
  readonly listedAt: number
  readonly endReadAt: number
  readonly unpaidReadAt: number
}

const never: Sent = { attempts: 0, at: Number.NEGATIVE_INFINITY }
export const none: Tries = {
  ...{ since: {}, overMillis: 0, readAt: Number.NEGATIVE_INFINITY, emptyReads: 0, isAtWork: false, reported: never },
  ...{ spare: new Map(), cancelled: never, isRefused: false, endedLife: undefined, isAlive: false },
  ...{ listedAt: 0, endReadAt: Number.NEGATIVE_INFINITY, unpaidReadAt: Number.NEGATIVE_INFINITY }
}

/** An order whose end was taken back gets a new life, so that it is cancelled again. */
export const lifeOf = (orderId: string, placement?: Placement): string => `${orderId} ${placement?.lives ?? 0}`

export type TriesMemory = ReturnType<typeof make>

export const make = ({ ended, placements, integrity }: Pick<BotState, "ended" | "placements" | "integrity">) => {
  const placementIndex = {
    has: (id: string) => placements.has(id) || ended.byId.has(id) || integrity.forgotten.has(id),
    get size() {
      return placements.size + ended.alive.size + integrity.forgotten.size
    }
  }
  const notes = PlacementNotes.make<Tries>({ placements: placementIndex })
  const of = (id: string): Tries => notes.get(id) ?? none
  const note = (id: string, change: Partial<Tries>): void => notes.set(id, { ...of(id), ...change })
  let hurriedAt = Number.NEGATIVE_INFINITY
  return {
    of,
    note,
    revive: (id: string) => note(id, { isAlive: true, endedLife: undefined }),
    hurry: (now: number) => {
      hurriedAt = now
    },
    hurriedAt: () => hurriedAt,
    heldMillis: (what: Held, id: string, holds: boolean, now: number) => {
      const { since } = of(id)
      const first = holds ? (since[what] ?? now) : undefined
      if (first !== since[what]) note(id, { since: { ...since, [what]: first } })
      return first === undefined ? 0 : now - first
    }
  }
}
