/** Which operations of a life fail, and how: each alone, each outcome of a write with each fault of a record, and all pairs. */
import { type Fault, type Policy, recordFaults, requestFaults } from "./Boundary.ts"

export interface Counts {
  readonly records: number
  readonly requests: number
  /** Numbers of the requests that change something at the venue. */
  readonly writes: ReadonlyArray<number>
}

/**
 * A record that is lost after the disk promised it is outside of what a payload with the service's nonce can survive, unless
 * the deposit shows before the next signature: so it is asked for only where deposits show promptly.
 */
const applies = (policy: Policy, what: Fault["what"]): boolean =>
  what !== "lost" || policy === "prompt" || policy === "doubling"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

const ofRecords = (policy: Policy, { records }: Counts): ReadonlyArray<Fault> =>
  recordFaults
    .filter((what) => applies(policy, what))
    .flatMap((what) => numbers(records).map((number): Fault => ({ on: "record", number, what })))

const ofRequests = (among: ReadonlyArray<number>): ReadonlyArray<Fault> =>
  requestFaults.flatMap((what) => among.map((number): Fault => ({ on: "request", number, what })))

/** `each`: every operation fails once. `matrix`: outcomes of writes with faults of records. `pairs`: everything twice. */
export const extents = ["each", "matrix", "pairs"] as const
export type Extent = (typeof extents)[number]

export const casesOf = (extent: Extent, policy: Policy, counts: Counts): ReadonlyArray<ReadonlyArray<Fault>> => {
  const records = ofRecords(policy, counts)
  if (extent === "matrix")
    return ofRequests(counts.writes).flatMap((request) => records.map((record) => [request, record]))
  const all = [...records, ...ofRequests(numbers(counts.requests))]
  return extent === "each" ? all.map((fault) => [fault]) : all.flatMap((one) => all.map((other) => [one, other]))
}

export const tell = (faults: ReadonlyArray<Fault>): string =>
  faults.map(({ number, on, what }) => `${on} ${number} ${what}`).join(", ")
