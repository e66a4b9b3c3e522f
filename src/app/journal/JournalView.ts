/** Folds a bot's journal for commands that only read, even while the bot writes it. */
import { Clock, Effect, FileSystem, Layer, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { BotEvent, Of, Recorded, Tag } from "../../domain/BotEvent.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as BotState from "../../engine/state/BotState.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Layers from "../../Layers.ts"
import type { JournalFacts } from "../../views/Status.ts"
import { commandFailed } from "../CommandFailed.ts"
import { ChosenBot } from "./ChosenBot.ts"

export interface Past {
  readonly until: number
  readonly seen: (entry: Recorded) => void
}

export const withJournal = Effect.fn("JournalView.withJournal")(function* <A, E, R>(
  look: (view: JournalView) => Effect.Effect<A, E, R>,
  past?: Past
) {
  return yield* withSettings(
    Effect.fnUntraced(function* ({ journal, markets, stuckAfter, venue }) {
      const assets = bySymbol(markets.assets)
      const state = yield* past === undefined ? Bookkeeper.replay : Bookkeeper.replayUntil(past.until, past.seen)
      const now = yield* Clock.currentTimeMillis
      const prices = venue.quoteKey === undefined ? "unsigned" : "signed"
      return yield* look({ journal, assets, state, stuckAfter, now, prices })
    })
  )
})

export const withSettings = Effect.fn("JournalView.withSettings")(function* <A, E, R>(
  look: (settings: BotSettings) => Effect.Effect<A, E, R>
) {
  const bot = yield* ChosenBot
  const settings = yield* bot.settings
  return yield* Effect.provide(look(settings), bot.reading(settings))
})

export const ofJournal = <A>(look: (view: JournalView) => A) => withJournal((view) => Effect.sync(() => look(view)))

/** A journal without read permission counts as absent. */
export const isThere = (journal: string) =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.exists(journal)).pipe(Effect.orElseSucceed(() => false))

/** Returns the state of a new bot if there is no journal yet. */
export const stateOf = Effect.fn("JournalView.stateOf")(function* (journal: string) {
  if (!(yield* isThere(journal))) return BotState.make()
  return yield* Effect.provide(Bookkeeper.replay, Layers.readOnlyJournal(journal))
})

/** Fails if there is no journal yet. */
export const readingOf = (journal: string) =>
  Layer.unwrap(
    Effect.flatMap(isThere(journal), (exists) =>
      exists
        ? Effect.succeed(Layers.readOnlyJournal(journal))
        : Effect.fail(commandFailed(`No journal at ${journal} yet. Has this bot run with this configuration?`))
    )
  )

export type JournalView = Pick<JournalFacts, "assets" | "journal" | "now" | "prices" | "state" | "stuckAfter">

export const eventsOf = Effect.fn("JournalView.eventsOf")(function* <T extends Tag>(tag: T) {
  const journal = yield* Journal
  const isWanted = (event: BotEvent): event is Of<T> => event._tag === tag
  return yield* journal.events({ tags: [tag] }).pipe(
    Stream.map(({ event }) => event),
    Stream.filter(isWanted),
    Stream.runCollect
  )
})
