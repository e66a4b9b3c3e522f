/**
 * Stores the request rate that a venue allows one credential (named by its hash), and the part of it that each runner of a fleet holds. A
 * part is a lease by the database's clock. A writer that has not read the newest version writes nothing. No lock outlives a statement, so a
 * frozen runner does not block others.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { broken } from "../Journal.ts"

/** A part belongs to its runner for this time after the renewal. */
export const leaseMillis = 8_000
/** After its lease, a runner keeps its smaller `careful` part for this additional time. */
export const silenceMillis = 60_000

export interface RateHolding {
  readonly runner: string
  readonly share: number
  readonly careful: number
  readonly demand: number
  readonly isLeased: boolean
}

export interface RateOfCredential {
  readonly version: number
  readonly rate: number
  readonly lessons: number
  readonly holdings: ReadonlyArray<RateHolding>
}

export type WrittenRate = Pick<RateOfCredential, "lessons" | "rate" | "version"> & Omit<RateHolding, "isLeased">

const unusable = broken("The rate that runners share cannot be read or written")

type Row = Omit<RateOfCredential, "holdings"> & {
  readonly [Field in keyof RateHolding]: RateHolding[Field] | null
}

const make = SqlClient.SqlClient.useSync((sql) => {
  const after = (millis: number) => sql.literal(`clock_timestamp() + interval '${millis} milliseconds'`)
  const before = (millis: number) => sql.literal(`clock_timestamp() - interval '${millis} milliseconds'`)

  const rows = (credential: string) => sql<Row>`
    SELECT version::float8 AS version, rate, lessons::float8 AS lessons,
      runner, share, careful, demand, leased_until > clock_timestamp() AS "isLeased"
    FROM fleet_rates LEFT JOIN fleet_rate_shares
      ON fleet_rate_shares.credential = fleet_rates.credential AND leased_until > ${before(silenceMillis)}
    WHERE fleet_rates.credential = ${credential}`

  /** Returns `initial` as the rate if the credential has not been used yet. */
  const rateFor = Effect.fn("RateRows.read")(function* (credential: string, initial: number) {
    const rateRows = yield* rows(credential)
    if (rateRows.length > 0) return rateOf(rateRows)
    yield* sql`
      INSERT INTO fleet_rates (credential, rate) VALUES (${credential}, ${initial}::float8)
      ON CONFLICT (credential) DO NOTHING`
    return rateOf(yield* rows(credential))
  }, Effect.mapError(unusable))

  /** Writes nothing and returns false if there is a newer version than the one that was read. */
  const write = Effect.fn("RateRows.write")(function* (credential: string, written: WrittenRate) {
    const { careful, demand, lessons, rate, runner, share, version } = written
    const renewed = yield* sql<{ runner: string }>`
      WITH learnt AS (
        UPDATE fleet_rates
        SET rate = ${rate}::float8, lessons = ${lessons}::float8::bigint, version = version + 1
        WHERE credential = ${credential} AND version = ${version}::float8::bigint
        RETURNING credential
      ), forgotten AS (
        DELETE FROM fleet_rate_shares USING learnt
        WHERE fleet_rate_shares.credential = learnt.credential AND runner <> ${runner}
          AND leased_until < ${before(silenceMillis)}
      )
      INSERT INTO fleet_rate_shares (credential, runner, share, careful, demand, leased_until)
      SELECT credential, ${runner}, ${share}::float8, ${careful}::float8, ${demand}::float8, ${after(leaseMillis)}
      FROM learnt
      ON CONFLICT (credential, runner) DO UPDATE SET
        share = excluded.share, careful = excluded.careful, demand = excluded.demand,
        leased_until = excluded.leased_until
      RETURNING runner`
    return renewed.length > 0
  }, Effect.mapError(unusable))

  const leave = Effect.fn("RateRows.leave")(
    (credential: string, runner: string) =>
      Effect.asVoid(sql`DELETE FROM fleet_rate_shares WHERE credential = ${credential} AND runner = ${runner}`),
    Effect.mapError(unusable)
  )

  return { read: rateFor, write, leave }
})

export class RateRows extends Context.Service<RateRows>()("limitbot/journal/postgres/RateRows", { make }) {
  /** Requires the tables, which the journals or the registry create. */
  static readonly layer = Layer.effect(this, make)
}

const rateOf = (rows: ReadonlyArray<Row>): RateOfCredential => {
  const { lessons = 0, rate = 0, version = -1 } = rows[0] ?? {}
  const holdings = rows.flatMap(({ careful, demand, isLeased, runner, share }) =>
    runner === null
      ? []
      : [{ runner, share: share ?? 0, careful: careful ?? 0, demand: demand ?? 0, isLeased: isLeased === true }]
  )
  return { version, rate, lessons, holdings }
}
