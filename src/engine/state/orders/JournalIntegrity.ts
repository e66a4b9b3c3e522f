/**
 * Tells if the journal may lack its newest events. A killed process loses none, because the machine still has them. A crashed machine,
 * another machine or a backup may lose some, and so may a database that continues on another server. Pure.
 */
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Order } from "../../../domain/Order.ts"
import { foundAtVenue, isFunded } from "../../../domain/Placement.ts"
import { countText } from "../../../domain/Text.ts"
import { isBegun, type Placement } from "../Placement.ts"

export type ForgottenOrder = Omit<Of<"JournalBehind">, "_tag"> & { readonly seenAt: number }

export interface JournalIntegrity {
  /** Common mark in the deadlines of all orders of this journal (see `Fingerprint`). */
  mark: number | undefined
  /** Drawn deadlines that have not passed. None may be drawn twice, even if its order is settled and forgotten. */
  readonly usedDeadlines: Set<number>
  /** Id of the machine since its boot; `undefined` if unknown. */ boot: string | undefined
  /** Id of the journal's server since its start; `undefined` for a file. */ database: string | undefined
  isStopped: boolean
  lastAt: number
  /** Start of the period for whose orders the venue has not been asked yet. Ends with the first planned order. */
  uncheckedSince: number | undefined
  /** Events can be missing, and the venue has not been asked yet. */ isTorn: boolean
  readonly forgotten: Map<string, ForgottenOrder>
}

export const make = (): JournalIntegrity => ({
  mark: undefined,
  usedDeadlines: new Set(),
  boot: undefined,
  database: undefined,
  isStopped: true,
  lastAt: 0,
  uncheckedSince: undefined,
  isTorn: false,
  forgotten: new Map()
})

/** Folds one event in. Returns true if events before it can be missing. */
export const apply = (integrity: JournalIntegrity, event: BotEvent, at: number): boolean => {
  const wasTorn =
    event._tag === "JournalCut" || (event._tag === "BotStarted" && integrity.lastAt > 0 && !isWhole(integrity, event))
  switch (event._tag) {
    case "BotStarted":
      // An event that is later than now was written by a wrong clock.
      if (integrity.lastAt > 0) integrity.uncheckedSince ??= integrity.lastAt > at ? at - dayMillis : integrity.lastAt
      integrity.isTorn = wasTorn || (integrity.isTorn && integrity.uncheckedSince !== undefined)
      integrity.mark = event.mark ?? integrity.mark
      integrity.boot = event.boot
      integrity.database = event.database
      integrity.isStopped = false
      break
    case "BotStopped":
      integrity.isStopped = true
      break
    case "JournalRestored":
    case "JournalCut":
      // A restored or cut journal may lack events that its original has.
      integrity.isStopped = false
      integrity.boot = undefined
      integrity.isTorn ||= integrity.uncheckedSince !== undefined
      break
    case "Planned":
      noteDrawn(integrity.usedDeadlines, event.deadline, at)
      if (event.why.code === foundAtVenue || event.swap !== undefined) break
      integrity.uncheckedSince = undefined
      integrity.isTorn = false
      break
    case "JournalBehind":
      integrity.forgotten.set(event.orderId, { ...event, seenAt: at })
      break
    case "Bound":
      integrity.forgotten.delete(event.orderId)
      break
    case "Resolved":
      integrity.forgotten.delete(event.placement)
      break
  }
  integrity.lastAt = at
  return wasTorn
}

const [fewDrawn, manyDrawn] = [100, 2_000]

const noteDrawn = (drawn: Set<number>, deadline: number, now: number): void => {
  drawn.add(deadline)
  // Removing passed deadlines costs a pass over all, so it is done less often when there are many.
  const every = drawn.size < manyDrawn ? fewDrawn : manyDrawn
  if (drawn.size % every === 0) for (const each of drawn) if (each < now) drawn.delete(each)
}

/** A database may be restored to the end of the last run, so only an unchanged server proves that nothing is missing. */
const isWhole = ({ boot, database, isStopped }: JournalIntegrity, started: Of<"BotStarted">): boolean =>
  started.database === undefined
    ? isStopped || (boot !== undefined && boot === started.boot)
    : database === started.database

/** After a start at which events can be missing, the placement may be paid, or its bytes sent more often than recorded. */
export const doubted = (placement: Placement): Placement => {
  if (isBegun(placement)) return { ...placement, mayBePaid: true }
  if (placement.state !== "funding") return placement
  return { ...placement, funding: { ...placement.funding, mayBeForgotten: true } }
}

/** An earlier process may have paid it without a record, so the bot only watches it, and creates and signs nothing for it. */
export const mayBePaidEarlier = (placement: Placement): boolean => placement.mayBePaid === true && isBegun(placement)

export const isUnsigned = (placement: Placement): boolean =>
  placement.mayBePaid !== true && placement.by === undefined && isBegun(placement)

export const unsignedIn = (placements: ReadonlyMap<string, Placement>): ReadonlySet<string> =>
  new Set([...placements.values()].flatMap((placement) => (isUnsigned(placement) ? [placement.id] : [])))

export const missingBy = ({ createAttempts, id }: Placement, order: Order): string | undefined => {
  if (order.depositedAmount > 0n) return `order ${order.id} of ${id} is paid, and the journal has no payment`
  return createAttempts === 0 ? `order ${order.id} of ${id} exists, and the journal has no create` : undefined
}

export const mayHoldMoney = (placement: Placement): boolean => isFunded(placement.state) || mayBePaidEarlier(placement)

export const whyStopped = ({ forgotten }: JournalIntegrity) => {
  const [first] = forgotten.values()
  if (first === undefined) return undefined
  const { orderId } = first
  const count = countText(forgotten.size, "order")
  const another = [...forgotten.values()].find(({ isAnothers }) => isAnothers === true)
  if (another !== undefined)
    return {
      text: `another bot runs with a copy of this journal: it made order ${another.orderId}. Stop one of the two, then: limitbot resolve`,
      sentence: `Another bot runs with a copy of this journal, nothing is funded: ${count} not in this journal`
    }
  return {
    text: `the venue has order ${orderId} of this bot, which is not in the journal: limitbot resolve`,
    sentence: `Journal behind the venue, nothing is funded: ${count} not in this journal`
  }
}
