/** A plan, a replay and an explanation see the candles that the running bot sees at that moment, of every market. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { TestClock } from "effect/testing"
import * as PlanDraft from "../../../src/app/plan/PlanDraft.ts"
import * as replay from "../../../src/cli/money/replay.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/Durations.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import * as Replay from "../../../src/engine/explain/Replay.ts"
import * as MarketWatch from "../../../src/engine/markets/MarketWatch.ts"
import { decisionEvent, viewOf } from "../../../src/engine/planning/DecisionRecord.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { type Minute, PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import type { View } from "../../../src/strategy/View.ts"
import * as PastInputs from "../../../src/views/explain/PastInputs.ts"
import { markets, price, strategyOf } from "../../strategy/support.ts"
import { watchGround } from "../../world/bot/watchGround.ts"

/** A whole hour. */
const noon = Date.UTC(2026, 0, 2, 12)

const textWith = (when: string) => `name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  orders:
    dip: { when: '${when}', side: buy, price: mid * (1 - 1%), size: { quote: 100 } }
`
const own = textWith("sma(close, 3) > 1")
const watching = textWith('sma(close, 3) > 1 and sma(close("SOL/USDC"), 3) > 1')
const hourly = textWith('sma(close, 3) > 1 and close("SOL/USDC", 1h) > 1')

type Stored = Readonly<Record<string, ReadonlyArray<Minute>>>

/** So many minutes, the last of which ends so many minutes before noon. */
const minutesUntil = (ago: number, count: number): ReadonlyArray<Minute> =>
  Array.from({ length: count }, (_, index) => {
    const openedAt = noon - (ago + count - index) * minuteMillis
    return { openedAt, open: 100, high: 101, low: 99, close: 100 + (index % 3) }
  })

const storeOf = (stored: Stored) => {
  const minutes = new Map(Object.entries(stored).map(([market, known]) => [market, [...known]]))
  const store = PriceStore.of({
    ...PriceStore.empty,
    append: (market, minute) =>
      Effect.sync(() => {
        const known = (minutes.get(market) ?? []).filter(({ openedAt }) => openedAt !== minute.openedAt)
        minutes.set(market, [...known, minute])
      }),
    since: (market, from) => Effect.sync(() => (minutes.get(market) ?? []).filter(({ openedAt }) => openedAt >= from)),
    newest: (market) => Effect.sync(() => minutes.get(market)?.at(-1))
  })
  return { minutes, store }
}

interface Case {
  readonly text: string
  readonly stored: Stored
  /** Seconds after noon at which the bot starts and looks, and the markets that have a price then. */
  readonly looks: ReadonlyArray<readonly [second: number, ...ReadonlyArray<string>]>
  /** When it decides, in seconds after noon. */
  readonly decides: number
}

/** A bot that starts on stored minutes, looks, and decides. */
const lived = Effect.fnUntraced(function* ({ text, stored, looks, decides }: Case) {
  const strategy = strategyOf(text)
  const { minutes, store } = storeOf(stored)
  const prices = new Map<string, TwoSidedPrice>()
  const watch = yield* MarketWatch.make.pipe(Effect.provide(watchGround(prices, store)))
  for (const [index, [second, ...priced]] of looks.entries()) {
    const at = noon + second * secondMillis
    yield* TestClock.setTime(at)
    if (index === 0) yield* watch.watchMarketsOf([strategy])
    for (const market of priced) prices.set(market, { bid: price("100"), ask: price("100"), at })
    yield* watch.look(BotState.make(), [strategy])
  }
  const now = noon + decides * secondMillis
  yield* TestClock.setTime(now)
  const moment = watch.moment(strategy, now)
  if (moment === undefined) return assert.fail("it has no price")
  const state = BotState.make()
  const view = viewOf(state, strategy, moment)
  const decided = decisionEvent(strategy, view, strategy.decide(view, strategy.initialMemory), undefined)
  const { name, kind, hash, market } = strategy
  const events: ReadonlyArray<BotEvent> = [
    { _tag: "BotStarted", pid: 1, version: "0", mode: "test", account: "me", venue: "https://venue.example" },
    { _tag: "StrategyLoaded", strategy: name, file: "test.yaml", kind, market: market.name, hash, text },
    decided
  ]
  return { strategy, minutes, store, prices, view, decided, events, now }
})

const shown = (candles: View["candles"]) =>
  Object.fromEntries([...(candles ?? [])].map(([frame, { closed, columns }]) => [frame, [closed, ...columns.close]]))

const plannedCandles = Effect.fnUntraced(function* (strategy: Strategy, store: PriceStore["Service"], prices: Prices) {
  const { feeds } = yield* PlanDraft.feedsOf(store, [strategy], new Map())
  return PlanDraft.candlesAt(strategy, feeds, prices, yield* Clock.currentTimeMillis)
})
type Prices = ReadonlyMap<string, TwoSidedPrice>

const cases: Readonly<Record<string, Case & { readonly holds: boolean }>> = {
  "of a bot that continues at once are warm": {
    text: own,
    stored: { "BTC/USDC": minutesUntil(0, 9) },
    looks: [[5, "BTC/USDC"]],
    decides: 6,
    holds: true
  },
  "of a bot that was away for six minutes start again": {
    text: own,
    stored: { "BTC/USDC": minutesUntil(6, 9) },
    looks: [[5, "BTC/USDC"]],
    decides: 6,
    holds: false
  },
  "close a minute only with a price of the next one": {
    text: own,
    stored: { "BTC/USDC": minutesUntil(1, 2) },
    looks: [
      [-30, "BTC/USDC"],
      [-1, "BTC/USDC"]
    ],
    decides: 1,
    holds: false
  },
  "of two current markets": {
    text: watching,
    stored: { "BTC/USDC": minutesUntil(0, 9), "SOL/USDC": minutesUntil(0, 9) },
    looks: [[5, "BTC/USDC", "SOL/USDC"]],
    decides: 6,
    holds: true
  },
  "of a watched market that is back after six minutes": {
    text: watching,
    stored: { "BTC/USDC": minutesUntil(0, 9), "SOL/USDC": minutesUntil(6, 9) },
    looks: [[5, "BTC/USDC", "SOL/USDC"]],
    decides: 6,
    holds: false
  },
  "of a watched market without a price for two minutes": {
    text: watching,
    stored: { "BTC/USDC": minutesUntil(0, 9), "SOL/USDC": minutesUntil(2, 9) },
    looks: [[5, "BTC/USDC"]],
    decides: 6,
    holds: false
  },
  "of a watched market without any price": {
    text: watching,
    stored: { "BTC/USDC": minutesUntil(0, 9) },
    looks: [[5, "BTC/USDC"]],
    decides: 6,
    holds: false
  },
  "of a watched market with its last hour, whose price is back": {
    text: hourly,
    stored: { "BTC/USDC": minutesUntil(0, 180), "SOL/USDC": minutesUntil(2, 298) },
    looks: [[5, "BTC/USDC", "SOL/USDC"]],
    decides: 6,
    holds: true
  },
  "of a watched market without its last hour": {
    text: hourly,
    stored: { "BTC/USDC": minutesUntil(0, 180), "SOL/USDC": minutesUntil(50, 250) },
    looks: [[5, "BTC/USDC"]],
    decides: 6,
    holds: false
  }
}

describe("recorded candles", () => {
  it.effect.each(Object.entries(cases))("%s: are replayed and planned alike", ([, each]) =>
    Effect.gen(function* () {
      const { strategy, minutes, store, prices, view, decided, events } = yield* lived(each)
      assert.strictEqual(decided.desired.length === 1, each.holds)
      const again = Replay.make({ markets, minutes, candles: new Map(), edited: new Map() })
      for (const [index, event] of events.entries()) again.see({ sequence: index + 1, at: noon, event })
      const { decisions, identical, differences } = again.result()
      assert.deepStrictEqual([decisions, identical], [1, 1], JSON.stringify(differences))
      // A plan is about a bot that starts now.
      if (each.looks.length > 1) return
      assert.deepStrictEqual(shown(yield* plannedCandles(strategy, store, prices)), shown(view.candles))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("of a watched market that are outdated are not used by an explanation", () =>
    Effect.gen(function* () {
      const ended = [
        { text: hourly, other: minutesUntil(50, 250) },
        { text: textWith('sma(close, 3) > 1 and mid("SOL/USDC") > 1'), other: minutesUntil(2, 9) }
      ]
      for (const { text, other } of ended) {
        const stored = { "BTC/USDC": minutesUntil(0, 180), "SOL/USDC": other }
        const { strategy, store, events, now } = yield* lived({ text, stored, looks: [[5, "BTC/USDC"]], decides: 6 })
        const state = BotState.make()
        for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: now, event })
        const seen = yield* PastInputs.look(state, strategy, now).pipe(Effect.provideService(PriceStore, store))
        const [own, looked] = seen.get("dip")?.checks ?? []
        assert.deepStrictEqual([own?.holds, looked?.values], [true, "not known"], text)
      }
    })
  )

  it.live("of watched markets are used by the command", () =>
    Effect.gen(function* () {
      const current = cases["of two current markets"]
      if (current === undefined) return assert.fail()
      const { minutes, events } = yield* lived(current).pipe(Effect.provide(TestClock.layer()))
      const folder = mkdtempSync(join(tmpdir(), "limitbot-replay-"))
      const [config, journal] = [join(folder, "config.yaml"), join(folder, "journal.sqlite")]
      const assets = markets.assets.map(
        ({ symbol, id, decimals }) => `  ${symbol}: { id: "${id}", decimals: ${decimals} }`
      )
      const venue = "venue: { url: http://127.0.0.1:1, apiKey: { env: K } }\naccount: { key: { env: K } }"
      writeFileSync(config, `${venue}\nassets:\n${assets.join("\n")}\njournal: journal.sqlite\n`)
      yield* Effect.gen(function* () {
        yield* (yield* Journal).append(events)
        const store = yield* PriceStore
        for (const [market, known] of minutes) for (const each of known) yield* store.append(market, each)
      }).pipe(
        Effect.provide(
          PriceStore.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename: journal })))
        )
      )
      const replayed = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
        const printed: Array<string> = []
        const console = yield* Console.Console
        const log = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
        yield* Command.runWith(replay.command, { version: "test" })(["--config", config, "--json", ...words]).pipe(
          Effect.provideService(Console.Console, { ...console, log })
        )
        return JSON.parse(printed.join("\n"))
      })
      const { decisions, identical } = yield* replayed()
      assert.deepStrictEqual([decisions, identical], [1, 1])
      // The file that ran looked at two markets, so its own band cannot be had from one.
      const edited = join(folder, "edited.yaml")
      writeFileSync(edited, own)
      const [difference] = (yield* replayed("--with", edited)).profit
      assert.match(difference.why, /only for strategies of one market/)
      const onVolume = join(folder, "volume.yaml")
      writeFileSync(onVolume, textWith("volume > 1").replace("name: dips", "name: others\ncandles: btc.csv"))
      const [unknown] = (yield* replayed("--with", onVolume)).profit
      assert.match(unknown.why, /recorded prices lack/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
