/**
 * The journal of swaps, in the database of the bot's journal but apart from it, because a swap is made while the bot may be
 * writing there. Each swap has its own numbered steps, and a step can be written only once: of two processes that work on
 * one swap the second one to write is refused before it acts, so that nothing is signed or paid twice.
 */
import { Array, Clock, Context, Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import * as SwapAccount from "../domain/SwapAccount.ts"
import { type RecordedStep, SwapEvent } from "../domain/SwapEvent.ts"
import { broken, type JournalError } from "./Journal.ts"
import { migrations } from "./schema/migrations.ts"

/** Somebody else wrote this step first. */
export class SwapTaken extends Schema.TaggedError<SwapTaken>()("SwapTaken", { swap: Schema.String }) {
  override get message(): string {
    return `Another process is working on swap ${this.swap}. Wait for it, or look with \`limitbot swaps\`.`
  }
}

export class SwapJournal extends Context.Service<
  SwapJournal,
  {
    /** A new swap with its first event. */
    begin(event: SwapEvent): Effect.Effect<RecordedStep, JournalError>
    /** The next steps of a swap after `steps` of them: all or none, durable on return. */
    append(
      swap: string,
      steps: number,
      events: ReadonlyArray<SwapEvent>
    ): Effect.Effect<ReadonlyArray<RecordedStep>, JournalError | SwapTaken>
    /** All steps of a swap, oldest first. */
    read(swap: string): Effect.Effect<ReadonlyArray<RecordedStep>, JournalError>
    /** The ids of all swaps, oldest first. */
    readonly swaps: Effect.Effect<ReadonlyArray<string>, JournalError>
  }
>()("limitbot/journal/SwapJournal") {
  /** Creates or migrates the tables. */
  static readonly layer = Layer.effect(
    SwapJournal,
    Effect.gen(function* () {
      yield* Migrator.make({})({ loader: migrations }).pipe(Effect.mapError(broken("Cannot prepare the journal")))
      return make(yield* SqlClient.SqlClient)
    })
  )

  /** For looking only; a journal from before there were swaps has none. */
  static readonly layerReadOnly = Layer.effect(
    SwapJournal,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )
}

const EventJson = Schema.fromJsonString(SwapEvent)
const encode = Schema.encodeEffect(EventJson)
const decode = Schema.decodeUnknownEffect(EventJson)

interface Row {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly body: string
}

const isTaken = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" || error.reason._tag === "ConstraintError"

const make = (sql: SqlClient.SqlClient): SwapJournal["Service"] => {
  const write = Effect.fnUntraced(function* (
    swap: string,
    steps: number,
    events: Array.NonEmptyReadonlyArray<SwapEvent>
  ) {
    const at = yield* Clock.currentTimeMillis
    const recorded = Array.map(events, (event, index): RecordedStep => ({ swap, step: steps + 1 + index, at, event }))
    const rows = yield* Effect.forEach(recorded, ({ event, step }) =>
      Effect.map(encode(event), (body) => ({ swap, step, at, event: event._tag, body }))
    ).pipe(Effect.mapError(broken("Cannot write the journal of swaps")))
    // One statement, therefore all rows or none.
    yield* sql`INSERT INTO swap_journal ${sql.insert(rows)}`.pipe(
      Effect.mapError((error) =>
        isTaken(error) ? new SwapTaken({ swap }) : broken("Cannot write the journal of swaps")(error)
      )
    )
    return recorded
  })

  const append: SwapJournal["Service"]["append"] = Effect.fn("SwapJournal.append")(function* (swap, steps, events) {
    return Array.isReadonlyArrayNonEmpty(events) ? yield* write(swap, steps, events) : []
  }, Effect.uninterruptible)

  const swaps = Effect.gen(function* () {
    const tables = yield* sql`SELECT name FROM sqlite_master WHERE name = 'swap_journal'`
    if (tables.length === 0) return []
    const rows = yield* sql<{ swap: string }>`
      SELECT swap FROM swap_journal WHERE step = 1 ORDER BY length(swap), swap`
    return rows.map(({ swap }) => swap)
  }).pipe(Effect.mapError(broken("Cannot read the journal of swaps")))

  const begin: SwapJournal["Service"]["begin"] = Effect.fn("SwapJournal.begin")(function* (event) {
    const taken = yield* swaps
    const last = Math.max(0, ...taken.map((id) => Number(id.slice(1))))
    const [first] = yield* write(`s${last + 1}`, 0, [event])
    return first
  }, retryTaken)

  const read: SwapJournal["Service"]["read"] = Effect.fn("SwapJournal.read")(function* (swap) {
    const rows = yield* sql<Row>`
      SELECT swap, step, at, body FROM swap_journal WHERE swap = ${swap} ORDER BY step`.pipe(
      Effect.mapError(broken("Cannot read the journal of swaps"))
    )
    return yield* Effect.forEach(rows, ({ body, ...place }) =>
      Effect.map(decode(body), (event): RecordedStep => ({ ...place, event })).pipe(
        Effect.mapError(broken(`Step ${place.step} of swap ${place.swap} does not decode`))
      )
    )
  })

  return SwapJournal.of({ begin, append, read, swaps })
}

/** Every swap as its journal tells it, oldest first. */
export const readSwaps = Effect.gen(function* () {
  const journal = yield* SwapJournal
  const steps = yield* Effect.forEach(yield* journal.swaps, (id) => journal.read(id))
  return steps.flatMap((found) => SwapAccount.fold(found) ?? [])
})

const mostRaces = 20

/** Two processes may choose the same new id; the second one takes the next. */
const retryTaken = <A>(begin: Effect.Effect<A, JournalError | SwapTaken>): Effect.Effect<A, JournalError> =>
  begin.pipe(
    Effect.retry({ times: mostRaces, while: (error) => error._tag === "SwapTaken" }),
    Effect.catchTag("SwapTaken", (error) => Effect.fail(broken("Cannot begin a swap")(error)))
  )
