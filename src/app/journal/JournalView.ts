/** What commands that only look need: the configured journal, folded, even while a bot writes it. */
import { Clock, Effect, FileSystem, Schema, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { BotEvent, Of, Recorded, Tag } from "../../domain/BotEvent.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Layers from "../../Layers.ts"

/** There is nothing to look at yet. */
export class NoJournal extends Schema.TaggedError<NoJournal>()("NoJournal", { journal: Schema.String }) {
  override get message(): string {
    return `There is no journal at ${this.journal} yet. Has this bot run with this configuration?`
  }
}

/** A look at the past: the journal up to a moment. */
export interface Past {
  readonly until: number
  /** Gets every event on the way. */
  readonly seen: (entry: Recorded) => void
}

/** Runs a look at the journal that a configuration names. */
export const withJournal = Effect.fn("JournalView.withJournal")(function* <A, E, R>(
  configFile: string,
  look: (view: JournalView) => Effect.Effect<A, E, R>,
  past?: Past
) {
  const { journal, markets, stuckAfter, venue } = yield* ConfigFile.loadSettings(configFile)
  const assets = bySymbol(markets.assets)
  const folded = Effect.gen(function* () {
    const state = yield* past === undefined ? Bookkeeper.replay : Bookkeeper.replayUntil(past.until, past.seen)
    const now = yield* Clock.currentTimeMillis
    const prices = venue.quoteKey === undefined ? "unsigned" : "signed"
    return yield* look({ journal, assets, state, stuckAfter, now, prices })
  })
  return yield* inJournal(journal, folded)
})

/** The same for what needs nothing but the view. */
export const ofJournal = <A>(configFile: string, look: (view: JournalView) => A) =>
  withJournal(configFile, (view) => Effect.sync(() => look(view)))

/** A journal that nobody may look for counts as absent. */
export const isThere = (journal: string) =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.exists(journal)).pipe(Effect.orElseSucceed(() => false))

/** Runs an effect on a journal as it is, even while a bot writes it. */
export const inJournal = Effect.fn("JournalView.inJournal")(function* <A, E, R>(
  journal: string,
  look: Effect.Effect<A, E, R>
) {
  if (!(yield* isThere(journal))) return yield* new NoJournal({ journal })
  return yield* Effect.provide(look, Layers.readOnlyJournal(journal))
})

export interface JournalView {
  readonly journal: string
  readonly assets: ReadonlyMap<string, { readonly symbol: string; readonly id: string; readonly decimals: number }>
  readonly state: BotState
  /** How long each step of an order may take before it is named. */
  readonly stuckAfter: StepTerms
  readonly now: number
  /** Whether every quote must bear the venue's signature. */
  readonly prices: "signed" | "unsigned"
}

/** All events of one kind, oldest first. */
export const eventsOf = Effect.fn("JournalView.eventsOf")(function* <T extends Tag>(tag: T) {
  const journal = yield* Journal
  const isWanted = (event: BotEvent): event is Of<T> => event._tag === tag
  return yield* journal.events({ tags: [tag] }).pipe(
    Stream.map(({ event }) => event),
    Stream.filter(isWanted),
    Stream.runCollect
  )
})
