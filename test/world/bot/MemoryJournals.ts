/**
 * The twin of a fleet's database in memory, for simulated worlds: the same claims and the same fence, held equal to Postgres by the
 * tests of both. Without its fence it is what a fleet must not be built on: whoever appends is written, and the simulation
 * shows what that costs.
 */
import { Array, Effect } from "effect"
import type { Links } from "../../../src/journal/Chain.ts"
import { genesis } from "../../../src/journal/Hash.ts"
import { over } from "../../../src/journal/Journal.ts"
import { type NewRow, OwnerChanged, type Rows, roomy } from "../../../src/journal/Rows.ts"

interface Account {
  epoch: number
  /** How many rows there were at each claim. */
  readonly claims: Array<number>
  /** The database goes on on another one. */
  server: number
  readonly rows: Array<NewRow>
}

/** "sequence": an append is refused only where another row has its number; "none": never, and gets the number that is next. */
export type Fence = "epoch" | "sequence" | "none"

/** What lies between a process and the database. */
type Way = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

export class MemoryJournals {
  private readonly accounts = new Map<string, Account>()
  private readonly fence: Fence
  private readonly written: (row: NewRow) => void

  constructor(fence: Fence = "epoch", written: (row: NewRow) => void = () => undefined) {
    this.fence = fence
    this.written = written
  }

  private account(name: string): Account {
    const known = this.accounts.get(name) ?? { epoch: 0, claims: [], server: 1, rows: [] }
    this.accounts.set(name, known)
    return known
  }

  links(name: string): Links {
    const { rows } = this.account(name)
    return {
      newest: Effect.sync(() => rows.length),
      after: (sequence, most) => Effect.sync(() => rows.slice(sequence, sequence + most))
    }
  }

  /** Another server goes on with a copy that is behind: so many newest rows, and the claims since, are gone. Gives how many were. */
  failOver(name: string, most: number): number {
    const account = this.account(name)
    const { claims, rows } = account
    const lost = rows.splice(Math.max(0, rows.length - most)).length
    while (lost > 0 && (claims.at(-1) ?? 0) >= rows.length && claims.length > 1) claims.pop()
    account.epoch = claims.length
    account.server += 1
    return lost
  }

  claim(name: string, way: Way = (call) => call) {
    const account = this.account(name)
    const { rows } = account
    const keep = (row: NewRow): void => {
      rows.push(row)
      this.written(row)
    }
    const write = (epoch: number, server: number, added: Array.NonEmptyReadonlyArray<NewRow>, previous: string) =>
      Effect.suspend(() => {
        const head = rows.at(-1)?.hash ?? genesis
        const isNext = Array.headNonEmpty(added).sequence === rows.length + 1 && previous === head
        const isRefused =
          this.fence === "epoch"
            ? account.epoch !== epoch || account.server !== server || !isNext
            : this.fence === "sequence" && !isNext
        if (isRefused) return Effect.fail(new OwnerChanged({ account: name, epoch }))
        for (const row of added) keep({ ...row, sequence: rows.length + 1 })
        return Effect.void
      })
    return Effect.suspend(() => {
      account.claims.push(rows.length)
      account.epoch = account.claims.length
      const { epoch, server } = account
      return over({
        ...reading(rows),
        write: (added, previous) => way(write(epoch, server, added, previous)),
        disk: { ...roomy, database: `server ${server}` }
      })
    })
  }
}

const reading = (rows: ReadonlyArray<NewRow>): Omit<Rows, "write"> => ({
  newest: Effect.sync(() => rows.length),
  newestHash: Effect.sync(() => rows.at(-1)?.hash ?? genesis),
  after: (sequence, { strategy, tags }, most) =>
    Effect.sync(() =>
      rows
        .slice(sequence)
        .filter((row) => tags?.includes(row.event) !== false && (strategy ?? row.strategy) === row.strategy)
        .slice(0, most)
    ),
  before: (sequence, most) =>
    Effect.sync(() =>
      rows
        .slice(0, sequence - 1)
        .slice(-most)
        .toReversed()
    ),
  snapshots: { newest: () => Effect.succeed(undefined), keep: () => Effect.succeed(false), forget: () => Effect.void },
  disk: roomy
})
