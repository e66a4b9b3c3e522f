/** Serves the API, dashboard, health and metrics of one running bot. If it is slow, full or broken, the bot trades on unaffected. */
import { Effect, FileSystem, Layer, PubSub, Schedule, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Bookkeeper } from "../engine/state/Bookkeeper.ts"
import { Journal } from "../journal/Journal.ts"
import { ControlApi } from "./api/ControlApi.ts"
import { Bot } from "./Bot.ts"
import type { ControlOptions } from "./ControlOptions.ts"
import * as access from "./http/access.ts"
import * as commands from "./http/commands.ts"
import * as Listening from "./http/Listening.ts"
import * as pages from "./http/pages.ts"
import * as queries from "./http/queries.ts"
import * as Tokens from "./http/Tokens.ts"
import * as Recent from "./view/Recent.ts"
import * as Ticks from "./view/Ticks.ts"

export const serve = Effect.fnUntraced(function* (options: ControlOptions) {
  const [bot, books, journal] = [yield* Bot, yield* Bookkeeper, yield* Journal]
  const tokens = yield* Tokens.open(bot.journal, options)
  const recent = Recent.make()
  const changes = yield* PubSub.subscribe(books.changes)
  const subscribed = Stream.fromSubscription(changes).pipe(
    Stream.runForEach((recorded) =>
      // A gap means that events were lost while the past was read; they are read again.
      recorded.sequence > recent.sequence + 1
        ? Recent.catchUp(recent, bot.assets, journal)
        : Effect.sync(() => Recent.note(recent, recorded, bot.assets))
    )
  )
  yield* Effect.forkScoped(Effect.andThen(Recent.catchUp(recent, bot.assets, journal), subscribed))
  const ticks = Ticks.make()
  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.sync(() => ticks.note(bot.prices)),
      Schedule.spaced("1 second")
    )
  )
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(ControlApi, { openapiPath: "/api/v1/openapi.json" }).pipe(
      Layer.provide([queries.layer(recent, ticks), commands.layer]),
      Layer.provide(access.layer(tokens))
    ),
    pages.layer(tokens)
  )
  return yield* Listening.listen(options, routes)
})

export const addressFile = (journal: string): string => `${journal}.dashboard`

export const announce = Effect.fn("ControlServer.announce")(function* (journal: string, url: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = addressFile(journal)
  yield* Effect.acquireRelease(fileSystem.writeFileString(file, `${url}\n`, { mode: 0o600 }), () =>
    Effect.ignore(fileSystem.remove(file))
  )
})
