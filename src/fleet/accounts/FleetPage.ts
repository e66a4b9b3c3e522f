/**
 * Serves one page and one API over all accounts of a fleet, and over single bots, until stopped. An account is shown as its journal has it.
 * Commands to accounts go to their rows and owners, others to the bots.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Console, Effect, type FileSystem, Layer, Option, type Path, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { fleetDatabase } from "../../app/bots/AccountOfFleet.ts"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import * as AccountWords from "../../app/journal/AccountWords.ts"
import { callOf, refuse, Unknown } from "../../control/api/ControlApi.ts"
import { byWhom } from "../../control/Operator.ts"
import { bySymbol } from "../../domain/Amount.ts"
import { cacheFor, elapsedMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { countText } from "../../domain/Text.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import type { RegisteredBot } from "../../files/FleetFile.ts"
import * as FleetFile from "../../files/FleetFile.ts"
import { type Journals, readingOf } from "../../journal/postgres/Journals.ts"
import { Registry } from "../../journal/postgres/Registry.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import { moneyView } from "../../views/Money.ts"
import { ordersOf } from "../../views/Orders.ts"
import { problemsOf } from "../../views/Problems.ts"
import type { FleetCommand } from "../server/FleetApi.ts"
import * as FleetServer from "../server/FleetServer.ts"
import { type BotDetail, type BotLine, lineOf, lineOfBot, unreachable } from "../server/FleetView.ts"
import * as TargetStates from "./TargetStates.ts"

interface Asked<E, R> {
  /** File with the server's address and the other bots that it shows. The page's tokens are beside it. */
  readonly file: string | undefined
  readonly database: Effect.Effect<Redacted.Redacted, E, R>
  readonly forMillis: number | undefined
}

export const serve = Effect.fn("FleetPage.serve")(function* <E, R>({ database, file, forMillis }: Asked<E, R>) {
  const beside = file ?? "fleet"
  const { bots, options } = file !== undefined ? yield* FleetFile.load(file) : { bots: [], options: FleetFile.usual }
  // Single bots can be shown without a fleet.
  const url = yield* bots.length === 0 ? Effect.asSome(database) : Effect.option(database)
  const serving = Effect.gen(function* () {
    const address = yield* FleetServer.serve(beside, options)
    yield* Console.log(`Dashboard: ${yield* DashboardPage.line(beside, address)}`)
    yield* requestedOrAfter(forMillis)
  })
  const withAccounts = Effect.flatMap(accounts, (many) => make(bots, many))
  const fleet = Option.isSome(url)
    ? Layer.provide(Layer.effect(FleetServer.Fleet, withAccounts), fleetDatabase(url.value))
    : Layer.effect(FleetServer.Fleet, make(bots, undefined))
  yield* Effect.provide(serving, fleet)
}, Effect.scoped)

/** Rows are cached this long, so that many viewers cause one read of ten thousand rows. */
const keptMillis = 1_000

const accounts = Effect.gen(function* () {
  const registry = yield* Registry
  const context = yield* Effect.context<Journals | Registry | SqlClient.SqlClient | FileSystem.FileSystem | Path.Path>()

  const detail = Effect.fnUntraced(function* (name: string) {
    const row = yield* registry.one(name)
    if (row === undefined) return yield* new Unknown({ message: `No bot named ${name}` })
    const { markets, stuckAfter } = yield* ConfigFile.settingsIn(`${name}/config.yaml`, row.config)
    const state = yield* Effect.provide(Bookkeeper.replay, readingOf(name))
    const [at, assets] = [yield* Clock.currentTimeMillis, bySymbol(markets.assets)]
    return {
      at,
      line: lineOf(row),
      problems: problemsOf(state, assets, { now: at, pulse: undefined, stuckAfter }),
      orders: ordersOf(state, assets),
      money: moneyView(state, assets).rows
    } satisfies BotDetail
  })

  return {
    lines: Effect.map(registry.all, (rows) => rows.map(lineOf)),
    detail: (name: string) => Effect.provideContext(detail(name), context),
    command: (...all: Parameters<typeof TargetStates.say>) => Effect.provideContext(TargetStates.say(...all), context),
    resolve: (name: string, by: string, answer: Parameters<FleetServer.Fleet["Service"]["resolve"]>[2]) =>
      Effect.provideContext(AccountWords.say(name, by, { _tag: "Resolve", ...answer }), context)
  } as const
})

const done = {
  pause: "paused: no new orders; open orders stay",
  resume: "may place orders again",
  kill: "killed: all payments stop, all orders are being cancelled",
  release: "released: paused strategies stay paused"
} as const

type Accounts = Effect.Success<typeof accounts>

const make = Effect.fnUntraced(function* (bots: ReadonlyArray<RegisteredBot>, many: Accounts | undefined) {
  const single = yield* botsByAddress(bots)
  const ofAccounts = yield* cacheFor(many?.lines ?? Effect.succeed([]), keptMillis)
  return FleetServer.Fleet.of({
    lines: Effect.mapError(
      Effect.zipWith(ofAccounts, single.lines, (one, other) => [...one, ...other]),
      refuse
    ),
    detail: Effect.fnUntraced(function* (name) {
      const singleDetail = yield* single.detail(name)
      if (singleDetail !== undefined) return singleDetail
      if (many === undefined) return yield* new Unknown({ message: `No bot named ${name}` })
      return yield* Effect.mapError(many.detail(name), (error) => (error._tag === "Unknown" ? error : refuse(error)))
    }),
    command: Effect.fnUntraced(function* (command, names, { by, why }) {
      const reason = why ?? byWhom(by)
      const accountNames = names.filter((name) => !single.has(name))
      const changed =
        many === undefined || accountNames.length === 0
          ? 0
          : yield* Effect.mapError(
              many.command(command, why === undefined ? reason : `${why}, ${byWhom(by)}`, accountNames, by),
              refuse
            )
      const own = names.filter(single.has)
      const sendTo = (name: string) =>
        Effect.mapError(single.command(name, command, reason), ({ message }) => ({ name, message }))
      const [, failed] = yield* Effect.partition(own, sendTo, { concurrency: 16 })
      const of = countText(changed + own.length - failed.length, "bot")
      const failures = failed.map(({ message, name }) => `${name} (${message})`)
      const failureText = failed.length === 0 ? "" : `. NOT CONFIRMED: ${failures.join(", ")}`
      return { message: `${of} ${done[command]}${failureText}`, notTold: failed.map(({ name }) => name) }
    }),
    resolve: Effect.fnUntraced(function* (name, by, answer) {
      const singleReply = yield* single.resolve(name, answer)
      if (singleReply !== undefined) return singleReply
      if (many === undefined) return yield* new Unknown({ message: `No bot named ${name}` })
      const accountReply = yield* Effect.mapError(many.resolve(name, by, answer), refuse)
      return accountReply._tag === "Done" ? accountReply.message : name
    })
  })
})

const lookMillis = 3_000
/** A bot values its last month for its profit, so that is requested less often. */
const profitMillis = 30_000
const patienceMillis = 5_000
const profitPatience = "3 seconds"
const maxTogether = 16

/** Polls single bots that are registered with the page, every few seconds. A bot that hangs does not delay the others. */
export const botsByAddress = Effect.fn("BotsByAddress.make")(function* (bots: ReadonlyArray<RegisteredBot>) {
  const lines = new Map<string, BotLine>(bots.map(({ name }) => [name, unreachable(name, "not asked yet")]))
  const seenAt = new Map<string, number>()
  const profits = new Map<string, { readonly at: number; readonly standings: BotLine["profit"] }>()
  const byName = new Map(bots.map((bot) => [bot.name, bot]))

  const askOf = <A, E extends { readonly message: string }>(bot: RegisteredBot, call: RunningBot.BotCall<A, E>) =>
    RunningBot.askAt(bot, call, patienceMillis).pipe(Effect.provide(NodeHttpClient.layerUndici))

  const look = Effect.fnUntraced(function* (bot: RegisteredBot) {
    const now = yield* Clock.currentTimeMillis
    const last = profits.get(bot.name) ?? { at: Number.NEGATIVE_INFINITY, standings: [] }
    const isRecent = elapsedMillis(last.at, now) < profitMillis
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
        return lineOfBot(bot.name, { status, money: money.rows, profit: profit.standings })
      },
      onFailure: ({ message, why }) =>
        unreachable(bot.name, `${bot.url}: ${why === "nobody-there" ? "no response" : message}`)
    })
    lines.set(bot.name, line)
    seenAt.set(bot.name, yield* Clock.currentTimeMillis)
  })
  const all = Effect.forEach(bots, look, { concurrency: maxTogether, discard: true })
  if (bots.length > 0) yield* Effect.forkScoped(Effect.forever(Effect.andThen(all, Effect.sleep(lookMillis))))

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
      const { money, orders, status } = yield* Effect.mapError(detailRequest, refuse)
      const profit = profits.get(name)?.standings ?? []
      const line = lineOfBot(name, { status, money: money.rows, profit })
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
      if (bot === undefined) return Effect.void
      return Effect.mapError(Effect.asVoid(askOf(bot, callOf(command, undefined, why))), refuse)
    },
    resolve: Effect.fnUntraced(function* (name: string, { placement, received, text: why, word }: OperatorAnswer) {
      const bot = byName.get(name)
      if (bot === undefined) return undefined
      const payload = { placement, word, why, ...present({ received }) }
      const resolving = askOf(bot, ({ command }) => command.resolve({ payload }))
      return (yield* Effect.mapError(resolving, refuse)).message
    })
  } as const
})
