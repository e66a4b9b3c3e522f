/** The bot of a rehearsal: `run` itself with the user's whole configuration. Only the venue, the time and the people are simulated. */
import { Clock, Effect, FileSystem, Layer, Path, PlatformError } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import { ChildProcessSpawner } from "effect/process"
import { SqlClient } from "effect/sql"
import * as WarmPrices from "../../app/candles/WarmPrices.ts"
import * as BotRun from "../../app/run/BotRun.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { Teller } from "../../control/notify/command.ts"
import { Mailer } from "../../control/notify/email.ts"
import { Phones } from "../../control/push/PhoneServices.ts"
import { dayMillis, minuteMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import * as CandleFeed from "../../engine/markets/CandleFeed.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Layers from "../../Layers.ts"
import { Process } from "../../process/Process.ts"
import { Stop } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import { answeredBy } from "../../sandbox/http/memoryClient.ts"
import * as IntentGuard from "../../signing/IntentGuard.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, type Strategy } from "../../strategy/Strategy.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import * as Rehearsal from "../world/Rehearsal.ts"
import * as SandboxSigner from "../world/SandboxSigner.ts"
import * as RehearsedConfig from "./RehearsedConfig.ts"

const slowPace: Layers.Pace = { pollMinMillis: 5_000, pollMaxMillis: 60_000 }

export const rehearse = Effect.fn("RehearsedBot.rehearse")(function* (wish: Rehearsal.RehearsalWish) {
  const warm = yield* readWarmCandles(wish.strategies, wish.settings.markets.sources ?? new Map())
  const letters = makeLetters()
  const outcome = yield* Rehearsal.run(wish, (stage) => actorOf({ ...wish, letters, warm }, stage))
  return { ...outcome, letters: letters.counts }
})

interface Props extends Rehearsal.RehearsalWish {
  readonly letters: ReturnType<typeof makeLetters>
  readonly warm: ReadonlyArray<WarmCandles>
}

const actorOf = (props: Props, stage: Rehearsal.Stage): Rehearsal.Actor => {
  const { connection, journalFile, mid, network, payer, startedAt } = stage
  const { letters, pace = slowPace, settings } = props
  const config = RehearsedConfig.of(settings, connection, journalFile)
  const minutes = new Map(
    props.warm.map((each) => [each.market.name, movedTo(each, startedAt, mid(each.market))] as const)
  )
  const warmed = Layer.effect(
    PriceStore,
    Effect.map(PriceStore, (own) => beginningWith(own, minutes))
  )
  const http = Layer.succeed(HttpClient.HttpClient, network)
  const outside = { http, signer: SandboxSigner.layer(connection), guard: IntentGuard.layer }
  return {
    files: Layer.mergeAll(warmed, Sqlite.layer({ filename: journalFile })).pipe(
      Layer.provideMerge(Layers.storage(journalFile, pid))
    ),
    program: (isLast, seen) =>
      Effect.gen(function* () {
        const account = yield* Layers.accountOf(config)
        const database = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
        const witnesses = VenueAccess.withHistoryBy(config, account.signerId, outside).pipe(
          Layer.provideMerge(database)
        )
        const options = optionsOf(props, config, account, isLast)
        const run = Effect.gen(function* () {
          seen((yield* Bookkeeper).state)
          const reconciling = { config, signerId: account.signerId, witnesses }
          yield* BotRun.runBot({ ...options, allow: props.allow, reconciling })
        })
        yield* run.pipe(
          Effect.provide(
            Layer.mergeAll(Layers.bot(config, account, pace, outside), payer, Bookkeeper.layer, letters.carriers)
          )
        )
      }).pipe(Effect.provide(unattended))
  }
}

const pid = 1

const optionsOf = (
  { letters, strategies }: Props,
  config: BotConfig,
  account: VenueAccount,
  isLast: boolean
): BotRun.BotRunOptions => ({
  run: { boot: "one", mode: "rehearsal" },
  strategies: strategies.map(withoutSource),
  config: { ...config, people: letters.people },
  configFile: "",
  account,
  title: "",
  detail: undefined,
  warning: undefined,
  forMillis: isLast ? 0 : undefined,
  cancelOnExit: isLast,
  json: true,
  isAttended: false,
  pictureMillis: dayMillis,
  reload: { files: [], onRemoved: "drained" },
  killSwitch: Effect.undefined
})

const unattended = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Terminal.layer({ write: () => undefined }, undefined),
  Layer.succeed(Stop, { requested: Effect.never, computes: Effect.void, leaves: () => Effect.void }),
  Layer.succeed(Process, { pid, execPath: "", script: "" }),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() =>
      Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" }))
    )
  )
)

/** Messages and signs of life are written as for delivery, and only counted. */
const makeLetters = () => {
  const counts = { messages: 0, signsOfLife: 0, failures: 0 }
  const isHeartbeat = (path: string): boolean => path === "" || path === "/" || path === "/start"
  const receiver = answeredBy((request) =>
    Effect.sync(() => {
      const path = request.url.replace(/^\w+:\/\/[^/]+/, "")
      if (path === "/fail") counts.failures += 1
      else if (isHeartbeat(path)) counts.signsOfLife += 1
      else counts.messages += 1
      return HttpServerResponse.toClientResponse(HttpServerResponse.empty(), { request })
    })
  )
  const countMessage = () =>
    Effect.sync(() => {
      counts.messages += 1
    })
  return {
    counts,
    people: Layer.succeed(HttpClient.HttpClient, receiver),
    carriers: Layer.mergeAll(
      Layer.succeed(Mailer, countMessage),
      Layer.succeed(Teller, countMessage),
      Layer.succeed(Phones, countMessage)
    )
  }
}

/** The candles with which indicators begin: from the files' sources on this machine, moved to the rehearsal's time and prices. */
interface WarmCandles {
  readonly market: Market
  readonly minutes: ReadonlyArray<Minute>
  /** The real time at which the minutes end: the last at which all candles started together, because a rehearsal begins at midnight. */
  readonly readAt: number
}

const isNear = (source: string): boolean => !source.startsWith("ccxt:")

const readWarmCandles = Effect.fn("WarmCandles.read")(function* (
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources
) {
  const near = new Map([...sources].filter(([, { source }]) => isNear(source)))
  const nearStrategies = strategies.map((strategy) =>
    strategy.candleSource === undefined || isNear(strategy.candleSource.value) ? strategy : withoutSource(strategy)
  )
  const warm = yield* WarmPrices.make(PriceStore.empty, near)
  warm.use(nearStrategies)
  const now = yield* Clock.currentTimeMillis
  const marketByName = new Map(nearStrategies.flatMap(candlesWanted).map(({ market }) => [market.name, market]))
  return yield* Effect.forEach(marketByName.values(), (market) => {
    const needs = nearStrategies.flatMap(candlesWanted).filter((each) => each.market.name === market.name)
    const frames = needs.flatMap(({ candles }) =>
      [...candles.keys()].map((frame) => timeframeMillis(frame) ?? minuteMillis)
    )
    const readAt = frameStart(now, Math.min(dayMillis, Math.max(...frames)))
    const spans = needs.map(({ candles }) => CandleFeed.make(candles).spanMillis)
    return Effect.map(
      warm.store.since(market.name, readAt - Math.max(...spans)),
      (minutes): WarmCandles => ({ market, minutes: minutes.filter(({ openedAt }) => openedAt < readAt), readAt })
    )
  })
})

const withoutSource = ({ candleSource: _, ...strategy }: Strategy): Strategy => strategy

const movedTo = ({ minutes, readAt }: WarmCandles, startedAt: number, price: number): ReadonlyArray<Minute> => {
  const ratio = price / (minutes.at(-1)?.close ?? price)
  return minutes.map(({ close, high, low, open, openedAt }) => ({
    openedAt: openedAt - readAt + startedAt,
    open: open * ratio,
    high: high * ratio,
    low: low * ratio,
    close: close * ratio
  }))
}

const beginningWith = (
  own: PriceStore["Service"],
  warm: ReadonlyMap<string, ReadonlyArray<Minute>>
): PriceStore["Service"] => ({
  ...own,
  since: (market, from) =>
    Effect.map(own.since(market, from), (recorded) => [
      ...(warm.get(market) ?? []).filter(({ openedAt }) => openedAt >= from),
      ...recorded
    ])
})
