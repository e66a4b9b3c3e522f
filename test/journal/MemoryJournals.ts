/**
 * The twin of a fleet's database in memory, for simulated worlds: the same claims and the same fence, held equal to Postgres by the
 * tests of both. Without its fence it is what a fleet must not be built on: whoever appends is written, and the simulation
 * shows what that costs.
 */
import { Array, Effect } from "effect"
import type { Links } from "../../src/journal/Chain.ts"
import { genesis } from "../../src/journal/Hash.ts"
import { type Journal, over } from "../../src/journal/Journal.ts"
import { type NewRow, OwnerChanged, type Rows, roomy } from "../../src/journal/Rows.ts"

interface Account {
  epoch: number
  readonly rows: Array<NewRow>
}

export interface MemoryOptions {
  /** "sequence": an append is refused only where another row has its number. */
  readonly fence?: "epoch" | "sequence" | "none"
  /** The way to the database. */
  readonly way?: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export class MemoryJournals {
  private readonly accounts = new Map<string, Account>()
  private readonly fence: NonNullable<MemoryOptions["fence"]>
  refused = 0

  constructor(fence: MemoryOptions["fence"] = "epoch") {
    this.fence = fence
  }

  private account(name: string): Account {
    const known = this.accounts.get(name) ?? { epoch: 0, rows: [] }
    this.accounts.set(name, known)
    return known
  }

  rowsOf(name: string): ReadonlyArray<NewRow> {
    return this.account(name).rows
  }

  links(name: string): Links {
    const { rows } = this.account(name)
    return {
      newest: Effect.sync(() => rows.length),
      after: (sequence, most) => Effect.sync(() => rows.slice(sequence, sequence + most))
    }
  }

  claim(name: string, way: NonNullable<MemoryOptions["way"]> = (call) => call) {
    const account = this.account(name)
    const { rows } = account
    const take = Effect.sync(() => {
      account.epoch += 1
      return account.epoch
    })
    const write = (epoch: number, added: Array.NonEmptyReadonlyArray<NewRow>) =>
      Effect.suspend(() => {
        const isNext = Array.headNonEmpty(added).sequence === rows.length + 1
        const isOwner = account.epoch === epoch
        if (this.fence === "none") {
          for (const row of added) rows.push({ ...row, sequence: rows.length + 1 })
          return Effect.void
        }
        if (!isNext || (this.fence === "epoch" && !isOwner)) {
          this.refused += 1
          return Effect.fail(new OwnerChanged({ account: name, epoch }))
        }
        rows.push(...added)
        return Effect.void
      })
    const rowsFor = (epoch: number): Rows => ({
      newest: way(Effect.sync(() => rows.length)),
      newestHash: way(Effect.sync(() => rows.at(-1)?.hash ?? genesis)),
      write: (added) => way(write(epoch, added)),
      after: (sequence, { strategy, tags }, most) =>
        way(
          Effect.sync(() =>
            rows
              .filter(
                (row) =>
                  row.sequence > sequence &&
                  (tags === undefined || tags.includes(row.event)) &&
                  (strategy === undefined || row.strategy === strategy)
              )
              .slice(0, most)
          )
        ),
      before: (sequence, most) =>
        way(
          Effect.sync(() =>
            rows
              .filter((row) => row.sequence < sequence)
              .slice(-most)
              .toReversed()
          )
        ),
      snapshots: {
        newest: () => Effect.succeed(undefined),
        keep: () => Effect.succeed(false),
        forget: () => Effect.void
      },
      disk: roomy
    })
    return Effect.flatMap(way(take), (epoch) => over(rowsFor(epoch))) satisfies Effect.Effect<
      Journal["Service"],
      unknown
    >
  }
}
