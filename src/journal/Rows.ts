/**
 * Stores the rows of a journal: the port below `Journal`, which knows events and their chain but no database. An implementation writes all
 * rows of an append or none, durably, and never two rows with the same sequence number.
 */
import { type Array, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Tag } from "../domain/BotEvent.ts"
import type { Link } from "./Hash.ts"
import type { Snapshots } from "./snapshots/Snapshots.ts"

/** Another process has claimed the account, so this one writes nothing more. Its last write did not happen, unless an answer was lost. */
export class OwnerChanged extends Schema.TaggedError<OwnerChanged>()("OwnerChanged", {
  account: Schema.String,
  epoch: Schema.Int
}) {
  override get message(): string {
    return `another process has taken over the account ${this.account} (this process had claim ${this.epoch}), or the database was replaced. This process stops and sends nothing more; the new owner follows the orders already sent`
  }
}

/** A row to write. Its subjects have their own columns, so that any database tool can find the row. */
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
  readonly after?: number
  readonly tags?: ReadonlyArray<Tag>
  readonly strategy?: string
}

export interface Disk {
  /** Identifies the database server since its start, because a replacement may continue from a stale copy. Absent for a file. */
  readonly database?: string
  /** Why there is no reserve, which is in use while the disk is full. Nothing new should start before it is back. */
  problem(): string | undefined
  /** Recreates the reserve file if that is possible. */
  readonly recover: Effect.Effect<void>
}

export const roomy: Disk = { problem: () => undefined, recover: Effect.void }

export interface Rows {
  /** Sequence number of the newest row; 0 if there are none. */
  readonly newest: Effect.Effect<number, SqlError.SqlError>
  readonly newestHash: Effect.Effect<string, SqlError.SqlError>
  write(
    rows: Array.NonEmptyReadonlyArray<NewRow>,
    previous: string
  ): Effect.Effect<void, SqlError.SqlError | OwnerChanged>
  after(
    sequence: number,
    which: Omit<Which, "after">,
    most: number
  ): Effect.Effect<ReadonlyArray<Link>, SqlError.SqlError>
  before(sequence: number, most: number): Effect.Effect<ReadonlyArray<Link>, SqlError.SqlError>
  readonly snapshots: Snapshots
  readonly disk: Disk
}
