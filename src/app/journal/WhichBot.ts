/**
 * Names the bot of a command: that of a configuration file, or an account of a fleet. Both have settings and a journal, so code that reads
 * a bot can read an account too. An account's files and its journal are in the fleet's database, and only its owner writes the journal.
 */
import { Effect, Layer, type Redacted, Schema } from "effect"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journals, pricesOf, readingOf } from "../../journal/postgres/Journals.ts"
import * as Postgres from "../../journal/postgres/Postgres.ts"
import { RateRows } from "../../journal/postgres/RateRows.ts"
import { Registry } from "../../journal/postgres/Registry.ts"

export interface AccountOfFleet {
  readonly account: string
  readonly database: Redacted.Redacted
}

export type WhichBot = string | AccountOfFleet

export class NoSuchAccount extends Schema.TaggedError<NoSuchAccount>()("NoSuchAccount", { account: Schema.String }) {
  override get message(): string {
    return `No account ${this.account} in this fleet. limitbot fleet lists them.`
  }
}

/** Journals create the tables; other users of the database only use them. */
export const fleetDatabase = (database: Redacted.Redacted) =>
  Layer.merge(Registry.layer, RateRows.layer).pipe(
    Layer.provideMerge(Journals.layer),
    Layer.provideMerge(Postgres.layer(database))
  )

/** The name for people; no file has this name. */
const nameOf = ({ account }: AccountOfFleet): string => `fleet:${account}`

export const settingsOf = Effect.fn("WhichBot.settingsOf")(function* (bot: WhichBot) {
  if (typeof bot === "string") return yield* ConfigFile.loadSettings(bot)
  const { config } = yield* inRegistry(bot, (registry) => registry.text(bot.account))
  return { ...(yield* ConfigFile.settingsIn(`${bot.account}/config.yaml`, config)), journal: nameOf(bot) }
})

export const inRegistry = <A, E>(
  { account, database }: AccountOfFleet,
  look: (registry: Registry["Service"]) => Effect.Effect<A | undefined, E>
) =>
  Effect.flatMap(Registry, look).pipe(
    Effect.provide(fleetDatabase(database)),
    Effect.flatMap((found) =>
      found === undefined ? Effect.fail(new NoSuchAccount({ account })) : Effect.succeed(found)
    )
  )

export const journalOf = ({ account, database }: AccountOfFleet, { venue }: Pick<ConfigFile.BotSettings, "venue">) =>
  Layer.merge(readingOf(account), pricesOf(venue.url)).pipe(Layer.provide(fleetDatabase(database)))
