/** The messages that a running bot sends unasked: notices of events and problems, a heartbeat, and a daily report. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, type PubSub, Stream } from "effect"
import type { HttpClient } from "effect/http"
import type { Recorded } from "../../domain/BotEvent.ts"
import { minuteMillis, utcDay } from "../../domain/Durations.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { messageOf } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { Journal } from "../../journal/Journal.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import { groupsOf, linesOf, type ProblemView, problemsOf } from "../../views/Problems.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { type PhoneServices, Phones } from "../push/PhoneServices.ts"
import * as ChatOperator from "./ChatOperator.ts"
import type { Target } from "./channels.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { noticeOf, problemSeen } from "./Notice.ts"
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

const profits = Effect.fnUntraced(function* ({ assets, prices }: BotToReport) {
  const look = yield* LiveProfit.subscribe(assets)
  const { standings } = yield* look(prices)
  return standings.map((standing) => `${standing.quote}: ${ProfitText.standingParts(standing, assets).join(", ")}`)
})

const summaryText = (state: BotState, more: ReadonlyArray<string>): string =>
  [ChatOperator.countsText(state), ...more].join("; ")

/** A problem of another kind comes with an event that is a notice. */
const silentKinds = new Set(["journal-cut", "late", "left-position", "missing", "residual", "stuck", "unproven"])

const keyOf = ({ kind, subject }: Pick<ProblemView, "kind" | "subject">): string => `${kind} ${subject}`

/** Returns the keys of those silent problems that this event's notice already reports. */
const keysIn = ({ event }: Recorded): ReadonlyArray<string> => {
  if (event._tag === "JournalCut") return ["journal-cut journal"]
  if (event._tag === "OrderMissing") return [`missing ${slotKey(event.strategy, event.slot)}`]
  return "left" in event ? (event.left ?? []).map(({ strategy }) => `left-position ${strategy}`) : []
}

const dailyNotice = (problems: ReadonlyArray<ProblemView>, silence: string | undefined, trading: string) => {
  const lines = linesOf(problems).map(({ text }) => text)
  const hasAlarm = problems.some(({ severity }) => severity === "alarm")
  if (hasAlarm || silence !== undefined) {
    const why = hasAlarm ? lines : [silence, ...lines]
    return { severity: "alarm", kind: "NotWell", text: [...why, trading].join("; ") } as const
  }
  const verdict = lines.length === 0 ? "all is well" : "no alarms"
  return { severity: "good", kind: "AllClear", text: [`${verdict}: ${trading}`, ...lines].join("; ") } as const
}

/** `changes` is absent if there is no receiver. */
export const start = Effect.fn("Notifications.start")(function* (
  { heartbeat, notify, people = NodeHttpClient.layerUndici }: NotifyOptions,
  bot: BotToReport,
  changes: PubSub.Subscription<Recorded> | undefined
) {
  const books = yield* Bookkeeper
  const journal = yield* Journal
  const tradingSummary = profits(bot).pipe(
    Effect.provideService(Journal, journal),
    Effect.orElseSucceed(() => []),
    Effect.map((more) => summaryText(books.state, more))
  )
  const client = yield* Layer.build(people)
  if (heartbeat !== undefined) {
    const beat = Heartbeat.beat(heartbeat, books.state, bot, tradingSummary)
    yield* Effect.forkScoped(Effect.provide(beat, client))
  }
  if (changes === undefined) return
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
  let reportedKeys = new Set<string>()
  yield* Effect.forkScoped(
    Stream.runForEach(Stream.fromSubscription(changes), (recorded) => {
      for (const key of keysIn(recorded)) reportedKeys.add(key)
      const notice = noticeOf(recorded, bot.assets)
      return notice === undefined ? Effect.void : tell(notice)
    })
  )
  let day = utcDay(yield* Clock.currentTimeMillis)
  const look = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const problems = problemsOf(books.state, bot.assets, { now: at, pulse: bot, stuckAfter: bot.stuckAfter })
    const silent = problems.filter(({ kind }) => silentKinds.has(kind))
    const fresh = silent.filter((problem) => !reportedKeys.has(keyOf(problem)))
    reportedKeys = new Set(silent.map(keyOf))
    // One notice for each kind, so that thousands of equal problems push no alarm out of the queue.
    for (const group of groupsOf(fresh)) yield* tell({ ...group, at, kind: problemSeen })
    if (utcDay(at) <= day) return
    day = utcDay(at)
    const silence = Heartbeat.silentBecause(books.state, bot, at, 600_000)
    yield* tell({ at, subject: bot.name, ...dailyNotice(problems, silence, yield* tradingSummary) })
  })
  const lookSafely = Effect.catchDefect(look, (defect) => Effect.logWarning(messageOf(defect)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(minuteMillis), lookSafely)))
})
