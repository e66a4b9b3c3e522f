/**
 * Where the rows of a journal are kept: the port below `Journal`, which knows of events and their chain and of no database. Whoever
 * keeps them writes all rows of an append or none, durably, and never two rows with one sequence number.
 */
import { type Array, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Tag } from "../domain/BotEvent.ts"
import type { Link } from "./Hash.ts"
import type { Snapshots } from "./snapshots/Snapshots.ts"

/** Somebody else has claimed the account. Whoever hears this writes nothing any more; what it last wanted to write is not there, unless an answer was lost. */
export class OwnerChanged extends Schema.TaggedError<OwnerChanged>()("OwnerChanged", {
  account: Schema.String,
  epoch: Schema.Int
}) {
  override get message(): string {
    return `another process has taken over the account ${this.account}, which this one had claimed as its owner number ${this.epoch}, or its database is another one since: it stops here and sends nothing more, and what it sent before is looked after by the new owner`
  }
}

/** A row to write. Its subjects have columns of their own, so that it can be found with any tool of the database. */
export type NewRow = {
  readonly sequence: number
  readonly at: number
  readonly event: Tag
  readonly strategy: string | null
  readonly slot: string | null
  readonly placement: string | null
  readonly order_id: string | null
  readonly correlation_id: string | null
  readonly body: string
  readonly hash: string
}

export interface Which {
  /** Only events behind this sequence number. */
  readonly after?: number
  /** Only events of these kinds. */
  readonly tags?: ReadonlyArray<Tag>
  /** Only events of this strategy. */
  readonly strategy?: string
}

export interface Disk {
  /** The server that keeps it, from its start on: another one may go on from a copy that is behind. None keeps a file. */
  readonly database?: string
  /** It was found full: the reserve is being used, and nothing new should begin. */
  isFull(): boolean
  /** Has the reserve again, if there is room; whether it is full no longer. */
  readonly recover: Effect.Effect<boolean>
}

/** Where others look after the room of the database. */
export const roomy: Disk = { isFull: () => false, recover: Effect.succeed(true) }

export interface Rows {
  /** Sequence number of the newest; 0 without any. */
  readonly newest: Effect.Effect<number, SqlError.SqlError>
  readonly newestHash: Effect.Effect<string, SqlError.SqlError>
  /** `previous`: the hash of the row that they follow. */
  write(
    rows: Array.NonEmptyReadonlyArray<NewRow>,
    previous: string
  ): Effect.Effect<void, SqlError.SqlError | OwnerChanged>
  /** Oldest first, at most so many. */
  after(
    sequence: number,
    which: Omit<Which, "after">,
    most: number
  ): Effect.Effect<ReadonlyArray<Link>, SqlError.SqlError>
  /** Newest first, at most so many. */
  before(sequence: number, most: number): Effect.Effect<ReadonlyArray<Link>, SqlError.SqlError>
  readonly snapshots: Snapshots
  readonly disk: Disk
}
