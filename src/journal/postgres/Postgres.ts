/** The driver is loaded when a database is opened, so a bot with its own SQLite journal never loads it. */
import { Effect, Layer, type Redacted } from "effect"

/** Appends need one connection, a runner's locks another; the rest is for reading. */
const maxConnections = 5

export const layer = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@effect/sql-pg/PgClient")),
      (PgClient) =>
        PgClient.layer({
          url,
          maxConnections,
          applicationName: "limitbot",
          // The cluster's engine writes times without a zone.
          startupParameters: { timezone: "UTC" }
        })
    )
  )
