/**
 * Whether the journal may be behind the world: whether its newest events, which the disk had promised to keep, can be missing.
 * A process that is killed loses none of them, because the machine still has them. A machine that crashed, another machine, or
 * a backup may; and so may a database that goes on on another server. The fold of the journal can tell these apart, and says what has to be asked and doubted then. Pure.
 */
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Order } from "../../../domain/Order.ts"
import { foundAtVenue, isFunded } from "../../../domain/Placement.ts"
import { counted } from "../../../domain/Words.ts"
import type { Placement } from "../Placement.ts"

/** An order of this journal that the journal does not know. */
export type ForgottenOrder = Omit<Of<"JournalBehind">, "_tag"> & { readonly seenAt: number }

export interface JournalIntegrity {
  /** What the deadlines of all orders of this journal have in common (see `Fingerprint`). */
  mark: number | undefined
  /** Deadlines that were drawn and are not over: none may be drawn twice, even when its order is settled and forgotten. */
  readonly usedDeadlines: Set<number>
  /** The machine, from its start on; undefined where nobody can say. */
  boot: string | undefined
  /** The server that keeps the journal, from its start on; undefined for a file. */
  database: string | undefined
  /** The last run stopped in order. */
  isStopped: boolean
  lastAt: number
  /** The venue has not been asked yet for orders made since then. Ends with the first order that is planned. */
  uncheckedSince: number | undefined
  /** Events can be missing, and the venue has not been asked yet. */
  isTorn: boolean
  /** By id, until somebody explains them. */
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

/** Folds one event in. Returns whether events before it can be missing. */
export const apply = (integrity: JournalIntegrity, event: BotEvent, at: number): boolean => {
  const wasTorn =
    event._tag === "JournalCut" || (event._tag === "BotStarted" && integrity.lastAt > 0 && !isWhole(integrity, event))
  switch (event._tag) {
    case "BotStarted":
      // An event of later than now was written by a clock that was wrong.
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
      // The copy may be older than what it was copied from had become.
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
    default:
  }
  integrity.lastAt = at
  return wasTorn
}

const [fewDrawn, manyDrawn] = [100, 2_000]

const noteDrawn = (drawn: Set<number>, deadline: number, now: number): void => {
  drawn.add(deadline)
  // Looking for those that are over costs a pass: the more there are, the seldomer.
  const every = drawn.size < manyDrawn ? fewDrawn : manyDrawn
  if (drawn.size % every === 0) for (const each of drawn) if (each < now) drawn.delete(each)
}

/** A database may be put back to when the last run had just stopped: only the server that it was on since says that nothing is missing. */
const isWhole = ({ boot, database, isStopped }: JournalIntegrity, started: Of<"BotStarted">): boolean =>
  started.database === undefined
    ? isStopped || (boot !== undefined && boot === started.boot)
    : database === started.database

/**
 * What a placement is after a start at which events can be missing: it may have been paid for, or its bytes may have been sent
 * more often than the journal says.
 */
export const doubted = (placement: Placement): Placement => {
  switch (placement.state) {
    case "planned":
    case "creating":
    case "created":
      return { ...placement, mayBePaid: true }
    case "funding":
      return { ...placement, funding: { ...placement.funding, mayBeForgotten: true } }
    default:
      return placement
  }
}

/** Begun, and not signed for as far as the journal knows. */
const isBegun = ({ state }: Placement): boolean => state === "planned" || state === "creating" || state === "created"

/** An earlier process may have paid it without a record: it is watched, and nothing is created or signed for it. */
export const mayBePaidEarlier = (placement: Placement): boolean => placement.mayBePaid === true && isBegun(placement)

/** No doubt is known of it. */
export const isUnsigned = (placement: Placement): boolean =>
  placement.mayBePaid !== true && placement.by === undefined && isBegun(placement)

/** Those of earlier processes, asked before this one begins anything. */
export const unsignedIn = (placements: ReadonlyMap<string, Placement>): ReadonlySet<string> =>
  new Set([...placements.values()].flatMap((placement) => (isUnsigned(placement) ? [placement.id] : [])))

/** What an order of such a placement shows that the journal should know and does not. */
export const missingBy = ({ createAttempts, id }: Placement, order: Order): string | undefined => {
  if (order.depositedAmount > 0n) return `order ${order.id} of ${id} is paid, and the journal has no payment`
  return createAttempts === 0 ? `order ${order.id} of ${id} exists, and the journal has no create` : undefined
}

/** Whether its order at the venue may hold our money. */
export const mayHoldMoney = (placement: Placement): boolean => isFunded(placement.state) || mayBePaidEarlier(placement)

/** Why nothing may be funded now, if so. */
export const whyStopped = ({ forgotten }: JournalIntegrity) => {
  const [first] = forgotten.values()
  if (first === undefined) return undefined
  const { orderId } = first
  const count = counted(forgotten.size, "order")
  const another = [...forgotten.values()].find(({ isAnothers }) => isAnothers === true)
  if (another !== undefined)
    return {
      text: `another bot runs with a copy of this journal: it made order ${another.orderId}. Stop one of the two, then: limitbot resolve`,
      sentence: `Another bot runs with a copy of this journal, nothing is funded: ${count} of its own not known`
    }
  return {
    text: `the venue has order ${orderId} of this bot, and the journal does not know it: limitbot resolve`,
    sentence: `Behind the venue, nothing is funded: ${count} of its own not known`
  }
}
