/** Which operations of a life fail, and how: each alone, each outcome of a write with each fault of a record, and all pairs. */
import { type Fault, goesOnMillis, type Policy, recordFaults, requestFaults } from "./Boundary.ts"

export interface Counts {
  readonly records: number
  readonly requests: number
  /** Numbers of the requests that change something at the venue. */
  readonly writes: ReadonlyArray<number>
  /** When each record was written. */
  readonly recordedAt: ReadonlyArray<number>
}

/**
 * Records that are lost after the disk promised them are asked for only where deposits show some day: the venue chooses a new
 * nonce for each payload, so one that was signed, executed and forgotten, and whose deposit never shows, nobody can know of.
 */
const applies = (policy: Policy, what: Fault["what"]): boolean => what !== "lost" || policy !== "never"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

const ofRecords = (policy: Policy, { records }: Counts): ReadonlyArray<Fault> =>
  recordFaults
    .filter((what) => applies(policy, what))
    .flatMap((what) => numbers(records).map((number): Fault => ({ on: "record", number, what })))

/** Before each record, as many of those before it as the disk loses at most. */
const ofTails = (policy: Policy, { recordedAt }: Counts): ReadonlyArray<Fault> =>
  policy === "never"
    ? []
    : recordedAt.flatMap((at, index) => {
        const lost = recordedAt.slice(0, index).filter((other) => other >= at - goesOnMillis).length
        return numbers(lost).map((what): Fault => ({ on: "integrity", number: index + 1, what }))
      })

/** How far back copies are that somebody puts back, in records. */
const ages = [1, 2, 3, 5, 8, 13, 21, 34]

/**
 * A journal that is put back as it was some records before, without its head and with it. Where deposits are slow and the whole
 * folder is put back within seconds, nothing that a bot can see tells it of the payment that it made: only prompt ones count.
 */
const ofCopies = (policy: Policy, { records }: Counts): ReadonlyArray<Fault> =>
  (["copy", "folder"] as const)
    .filter((on) => policy !== "never" && (on === "copy" || policy === "prompt"))
    .flatMap((on) =>
      numbers(records).flatMap((number) =>
        ages.filter((what) => what < number - 1).map((what): Fault => ({ on, number, what }))
      )
    )

const ofRequests = (among: ReadonlyArray<number>): ReadonlyArray<Fault> =>
  requestFaults.flatMap((what) => among.map((number): Fault => ({ on: "request", number, what })))

/**
 * `each`: every operation fails once. `copies`: old copies of the journal are put back. `matrix`: outcomes of writes with faults of
 * records. `pairs`: any two operations.
 */
export const extents = ["each", "copies", "matrix", "pairs"] as const
export type Extent = (typeof extents)[number]

export const casesOf = (extent: Extent, policy: Policy, counts: Counts): ReadonlyArray<ReadonlyArray<Fault>> => {
  if (extent === "copies") return ofCopies(policy, counts).map((fault) => [fault])
  const records = ofRecords(policy, counts)
  if (extent === "matrix")
    return ofRequests(counts.writes).flatMap((request) => records.map((record) => [request, record]))
  const all = [...records, ...ofRequests(numbers(counts.requests))]
  return extent === "each"
    ? [...all, ...ofTails(policy, counts)].map((fault) => [fault])
    : all.flatMap((one, index) =>
        all.slice(index + 1).flatMap((other) => (isSameOperation(one, other) ? [] : [[one, other]]))
      )
}

/** An operation goes wrong in one way at a time. */
const isSameOperation = (one: Fault, other: Fault): boolean => one.on === other.on && one.number === other.number

export const tell = (faults: ReadonlyArray<Fault>): string =>
  faults.map(({ number, on, what }) => `${on} ${number} ${what}`).join(", ")
