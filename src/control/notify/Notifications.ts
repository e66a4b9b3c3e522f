/** The messages that a running bot sends unasked: notices of its events, a heartbeat, and a daily all-clear. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { dayMillis } from "../../domain/Durations.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { countText } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { Journal } from "../../journal/Journal.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { type PhoneServices, Phones } from "../push/PhoneServices.ts"
import * as ChatOperator from "./ChatOperator.ts"
import type { Target } from "./channels.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { noticeOf } from "./Notice.ts"
import * as Notifier from "./Notifier.ts"
import * as TelegramCommands from "./TelegramCommands.ts"

export interface NotifyOptions {
  readonly notify: ReadonlyArray<Target>
  readonly heartbeat: Heartbeat.HeartbeatOptions | undefined
  readonly people?: Layer.Layer<HttpClient.HttpClient>
}

interface BotToReport extends ChatOperator.ChatBot {
  readonly name: string
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly phones: PhoneServices | undefined
}

const summary = Effect.fnUntraced(function* (state: BotState, { assets, prices }: BotToReport) {
  const look = yield* LiveProfit.subscribe(assets)
  const { standings } = yield* look(prices)
  return summaryText(
    state,
    standings.map((standing) => `${standing.quote}: ${ProfitText.standingParts(standing, assets).join(", ")}`)
  )
})

const summaryText = (state: BotState, more: ReadonlyArray<string>): string =>
  [`${countText(state.fills, "fill")}, ${countText(unfinished(state).length, "unsettled order")}`, ...more].join("; ")

export const start = Effect.fn("Notifications.start")(function* (
  { heartbeat, notify, people = NodeHttpClient.layerUndici }: NotifyOptions,
  bot: BotToReport
) {
  const books = yield* Bookkeeper
  const journal = yield* Journal
  const tradingSummary = summary(books.state, bot).pipe(
    Effect.provideService(Journal, journal),
    Effect.orElseSucceed(() => summaryText(books.state, []))
  )
  const client = yield* Layer.build(people)
  if (heartbeat !== undefined) {
    const beat = Heartbeat.beat(heartbeat, books.state, bot, tradingSummary)
    yield* Effect.forkScoped(Effect.provide(beat, client))
  }
  if (notify.length === 0) return
  const operator = yield* ChatOperator.make(bot)
  yield* Effect.forEach(notify, ({ commands, secret, url }) =>
    commands.length === 0 || secret === undefined
      ? Effect.void
      : TelegramCommands.listen(
          { url, token: secret, allowed: new Set(commands) },
          { ...operator, profit: tradingSummary }
        ).pipe(Effect.provide(client), Effect.forkScoped)
  )
  const notifier = Effect.provide(Notifier.make(notify, bot.name), client)
  const tell = yield* bot.phones === undefined ? notifier : Effect.provideService(notifier, Phones, bot.phones.tell)
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
        ? { at, severity: "good", kind: "AllClear", subject: bot.name, text: `all is well: ${yield* tradingSummary}` }
        : { at, severity: "alarm", kind: "NotWell", subject: bot.name, text: why }
    )
  })
  yield* Effect.forkScoped(Effect.forever(daily))
})
