/** Polls single bots that are registered with the page over many bots, every few seconds. A bot that hangs does not delay the others. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect } from "effect"
import { Refused } from "../../control/api/ControlApi.ts"
import { callOf } from "../../control/api/OperatorCalls.ts"
import { present } from "../../domain/Present.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import type { RegisteredBot } from "../../files/FleetFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import type { FleetCommand } from "../server/FleetApi.ts"
import { type BotDetail, type BotLine, lineOfBot, unreachable } from "../server/FleetView.ts"

const lookMillis = 3_000
/** A bot values its last month for its profit, so that is requested less often. */
const profitMillis = 30_000
const patienceMillis = 5_000
const profitPatience = "3 seconds"
const maxTogether = 16

export const make = Effect.fn("BotsByAddress.make")(function* (bots: ReadonlyArray<RegisteredBot>) {
  const lines = new Map<string, BotLine>(bots.map(({ name }) => [name, unreachable(name, "not asked yet")]))
  const seenAt = new Map<string, number>()
  const profits = new Map<string, { readonly at: number; readonly standings: BotLine["profit"] }>()
  const byName = new Map(bots.map((bot) => [bot.name, bot]))

  const askOf = <A, E extends { readonly message: string }>(bot: RegisteredBot, call: RunningBot.BotCall<A, E>) =>
    RunningBot.askAt(bot, call, patienceMillis).pipe(Effect.provide(NodeHttpClient.layerUndici))

  const look = Effect.fnUntraced(function* (bot: RegisteredBot) {
    const now = yield* Clock.currentTimeMillis
    const last = profits.get(bot.name) ?? { at: Number.NEGATIVE_INFINITY, standings: [] }
    const isRecent = now - last.at < profitMillis
    const lineRequest = askOf(bot, ({ look }) => {
      // Profits are slow to sum; without them the bot is still there.
      const profit = isRecent
        ? Effect.succeed(last)
        : look.profit().pipe(
            Effect.timeout(profitPatience),
            Effect.orElseSucceed(() => last)
          )
      return Effect.all({ status: look.status(), money: look.money(), profit }, { concurrency: 3 })
    })
    const line = yield* Effect.match(lineRequest, {
      onSuccess: ({ money, profit, status }) => {
        if (!isRecent) profits.set(bot.name, { at: now, standings: profit.standings })
        return lineOfBot(bot.name, { status, money: money.rows, profit: profit.standings }, 0)
      },
      onFailure: ({ message, why }) =>
        unreachable(bot.name, `${bot.url}: ${why === "nobody-there" ? "no response" : message}`)
    })
    lines.set(bot.name, line)
    seenAt.set(bot.name, yield* Clock.currentTimeMillis)
  })
  const all = Effect.forEach(bots, look, { concurrency: maxTogether, discard: true })
  if (bots.length > 0) yield* Effect.forkScoped(Effect.forever(Effect.andThen(all, Effect.sleep(lookMillis))))

  const refused = Effect.mapError(({ message }: { readonly message: string }) => new Refused({ message }))
  return {
    has: (name: string): boolean => byName.has(name),
    lines: Effect.map(Clock.currentTimeMillis, (now) =>
      [...lines.values()].map((line): BotLine => {
        const age = (now - (seenAt.get(line.name) ?? now)) / 1_000
        return line.toldSecondsAgo === null ? line : { ...line, toldSecondsAgo: age }
      })
    ),
    detail: Effect.fnUntraced(function* (name: string) {
      const bot = byName.get(name)
      if (bot === undefined) return undefined
      const detailRequest = askOf(bot, ({ look }) =>
        Effect.all({ status: look.status(), orders: look.orders(), money: look.money() }, { concurrency: 3 })
      )
      const { money, orders, status } = yield* refused(detailRequest)
      const profit = profits.get(name)?.standings ?? []
      const line = lineOfBot(name, { status, money: money.rows, profit }, 0)
      return {
        at: status.at,
        line,
        problems: status.problems,
        orders: orders.orders,
        money: money.rows
      } satisfies BotDetail
    }),
    command: (name: string, command: FleetCommand, why: string | undefined) => {
      const bot = byName.get(name)
      return bot === undefined ? Effect.void : refused(Effect.asVoid(askOf(bot, callOf(command, undefined, why))))
    },
    resolve: Effect.fnUntraced(function* (name: string, { placement, received, text: why, word }: OperatorAnswer) {
      const bot = byName.get(name)
      if (bot === undefined) return undefined
      const payload = { placement, word, why, ...present({ received }) }
      return (yield* refused(askOf(bot, ({ command }) => command.resolve({ payload })))).message
    })
  } as const
})
