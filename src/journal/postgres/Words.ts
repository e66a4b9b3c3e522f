/**
 * What operators say to the accounts of a fleet: rows that wait for whoever owns the account, because a journal has one writer. The owner
 * does what a word says and answers it in the row. After a crash in between the next owner reads the word again, so what words do is
 * the same when it is done twice. What words and answers mean is the business of those who say and hear them.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { broken, type JournalError } from "../Journal.ts"
import { storableText } from "./Appends.ts"

export interface WaitingWord {
  readonly id: number
  readonly account: string
  /** As the journal says it. */
  readonly by: string
  readonly word: string
}

/** Heard at a time: more wait for the next look. */
const mostWords = 200

/** An answered word is kept so long, by the database's clock: whoever said it has read the answer, and the journal has what was done. */
const keptFor = "1 day"

export class Words extends Context.Service<
  Words,
  {
    /** Its number; none where the fleet has no such account. */
    say(account: string, by: string, word: string): Effect.Effect<number | undefined, JournalError>
    /** The same to many at once, without waiting for answers; without names to all. */
    sayToAll(by: string, word: string, names: ReadonlyArray<string>): Effect.Effect<void, JournalError>
    /** None while it waits. */
    answerOf(id: number): Effect.Effect<string | undefined, JournalError>
    /** What was said to the accounts of this runner, oldest first. */
    waiting(runner: string): Effect.Effect<ReadonlyArray<WaitingWord>, JournalError>
    /** What was said to this account and nobody has answered, oldest first. */
    waitingFor(account: string): Effect.Effect<ReadonlyArray<WaitingWord>, JournalError>
    answer(id: number, answer: string): Effect.Effect<void, JournalError>
    /** Deletes what was answered more than a day ago. */
    readonly forgetAnswered: Effect.Effect<void, JournalError>
  }
>()("limitbot/journal/postgres/Words") {
  /** The tables are made by whoever opens the journals or the registry. */
  static readonly layer = Layer.effect(Words, Effect.map(SqlClient.SqlClient, make))
}

const unusable = broken("What is said to accounts cannot be read or written")

function make(sql: SqlClient.SqlClient): Words["Service"] {
  const say = Effect.fn("Words.say")(function* (account: string, by: string, word: string) {
    const [row] = yield* sql<{ id: number }>`
      INSERT INTO fleet_words (account, said_by, word)
      SELECT name, ${storableText(by)}, ${storableText(word)} FROM fleet_accounts WHERE name = ${account}
      RETURNING id::float8 AS id`
    return row?.id
  }, Effect.mapError(unusable))

  const sayToAll = Effect.fn("Words.sayToAll")(function* (by: string, word: string, names: ReadonlyArray<string>) {
    const which = names.length === 0 ? sql`1 = 1` : sql.in("name", names)
    yield* sql`
      INSERT INTO fleet_words (account, said_by, word)
      SELECT name, ${storableText(by)}, ${storableText(word)} FROM fleet_accounts WHERE ${which}`
  }, Effect.mapError(unusable))

  const answerOf = Effect.fn("Words.answerOf")(function* (id: number) {
    const [row] = yield* sql<{ answer: string | null }>`SELECT answer FROM fleet_words WHERE id = ${id}::float8::bigint`
    return row?.answer ?? undefined
  }, Effect.mapError(unusable))

  const waiting = Effect.fn("Words.waiting")(
    (runner: string) =>
      sql<WaitingWord>`
        SELECT id::float8 AS id, account, said_by AS by, word FROM fleet_words
        JOIN fleet_accounts ON fleet_accounts.name = fleet_words.account
        WHERE fleet_accounts.owner = ${runner} AND answer IS NULL ORDER BY id LIMIT ${mostWords}`,
    Effect.mapError(unusable)
  )

  const waitingFor = Effect.fn("Words.waitingFor")(
    (account: string) =>
      sql<WaitingWord>`
        SELECT id::float8 AS id, account, said_by AS by, word FROM fleet_words
        WHERE account = ${account} AND answer IS NULL ORDER BY id LIMIT ${mostWords}`,
    Effect.mapError(unusable)
  )

  const answer = Effect.fn("Words.answer")(
    (id: number, answer: string) =>
      Effect.asVoid(sql`
        UPDATE fleet_words SET answer = ${storableText(answer)}, answered_at = clock_timestamp()
        WHERE id = ${id}::float8::bigint`),
    Effect.mapError(unusable)
  )

  const forgetAnswered = sql`
    DELETE FROM fleet_words WHERE answered_at < clock_timestamp() - interval '${sql.literal(keptFor)}'`.pipe(
    Effect.mapError(unusable),
    Effect.asVoid
  )

  return Words.of({ say, sayToAll, answerOf, waiting, waitingFor, answer, forgetAnswered })
}
