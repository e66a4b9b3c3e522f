/** What a running bot reports by itself: notifications of its events, a heartbeat, and once a day that all is well. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import type { HttpClient } from "effect/http"
import type { Target } from "../../../control/notify/channels.ts"
import * as Heartbeat from "../../../control/notify/Heartbeat.ts"
import { noticeOf } from "../../../control/notify/Notice.ts"
import * as Notifier from "../../../control/notify/Notifier.ts"
import * as TelegramCommands from "../../../control/notify/TelegramCommands.ts"
import type { Pulse } from "../../../control/view/Health.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Market } from "../../../domain/Market.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../../engine/state/BotState.ts"
import type * as Money from "../../../report/text/Money.ts"
import { counted } from "../../../report/text/Words.ts"

export interface NotifyOptions {
  readonly notify: ReadonlyArray<Target>
  readonly heartbeat: Heartbeat.HeartbeatOptions | undefined
  /** The way to people; default: this machine's network. */
  readonly people?: Layer.Layer<HttpClient.HttpClient>
}

interface BotToReport extends Pulse {
  /** For a person who has several bots. */
  readonly name: string
  readonly assets: Money.Assets
  readonly markets: ReadonlyMap<string, Market>
  /** What it does when an operator says so in a chat. */
  readonly obedient: Omit<TelegramCommands.Obedient, "profit">
}

const summaryOf = (state: BotState, markets: BotToReport["markets"]): string => {
  const profits = [...state.strategies.values()].flatMap(({ name, trading }) =>
    [...trading].flatMap(([market, { basis }]) => {
      const quote = markets.get(market)?.quote
      if (quote === undefined) return []
      return [`${name} realised ${Decimal.format(Decimal.make(basis.realised, quote.decimals))} ${quote.symbol}`]
    })
  )
  return [counted(state.fills, "fill"), counted(unfinished(state).length, "open order"), ...profits].join(", ")
}

/** Runs beside the bot while the scope lives. */
export const start = Effect.fn("Notifications.start")(function* (
  { heartbeat, notify, people = NodeHttpClient.layerUndici }: NotifyOptions,
  bot: BotToReport
) {
  const books = yield* Bookkeeper
  const summary = () => summaryOf(books.state, bot.markets)
  const client = yield* Layer.build(people)
  if (heartbeat !== undefined) {
    const beat = Heartbeat.beat(heartbeat, books.state, bot, summary)
    yield* Effect.forkScoped(Effect.provide(beat, client))
  }
  if (notify.length === 0) return
  yield* Effect.forEach(notify, ({ commands, secret, url }) =>
    commands.length === 0 || secret === undefined
      ? Effect.void
      : TelegramCommands.listen(
          { url, token: secret, allowed: new Set(commands) },
          { ...bot.obedient, profit: summary }
        ).pipe(Effect.provide(client), Effect.forkScoped)
  )
  const tell = yield* Effect.provide(Notifier.make(notify, bot.name), client)
  const changes = yield* PubSub.subscribe(books.changes)
  yield* Effect.forkScoped(
    Stream.runForEach(Stream.fromSubscription(changes), (recorded) => {
      const notice = noticeOf(recorded, bot.assets)
      return notice === undefined ? Effect.void : tell(notice)
    })
  )
  const daily = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(dayMillis - (now % dayMillis))
    const why = Heartbeat.silentBecause(books.state, bot, yield* Clock.currentTimeMillis, 600_000)
    const at = yield* Clock.currentTimeMillis
    yield* tell(
      why === undefined
        ? { at, severity: "good", kind: "AllClear", subject: bot.name, text: `all is well: ${summary()}` }
        : { at, severity: "alarm", kind: "NotWell", subject: bot.name, text: why }
    )
  })
  yield* Effect.forkScoped(Effect.forever(daily))
})
