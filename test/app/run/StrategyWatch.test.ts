/** Edits of a running bot's strategy files: a price of the test's choice, real files, and an engine that notes what it is to run. */
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as Admission from "../../../src/app/run/Admission.ts"
import * as StrategyWatch from "../../../src/app/run/watch/StrategyWatch.ts"
import { present } from "../../../src/domain/Present.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import * as StartUp from "../../../src/engine/StartUp.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import * as ConfigFile from "../../../src/files/ConfigFile.ts"
import * as StrategyFiles from "../../../src/files/StrategyFiles.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { OrderBook } from "../../../src/orderbook/OrderBook.ts"
import { Process } from "../../../src/process/Process.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { ownAccount } from "../../../src/venue/VenueConfig.ts"
import { price } from "../../strategy/support.ts"
import { configText, nowhere, workspace } from "../../world/processes/program.ts"

/** Buys from this price downwards; the market starts at 60,000. */
const ladderFrom = (price: number) => `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 1000 }, maxPriceDeviation: 50% }
ladder: { side: buy, from: ${price}, to: 40000, rungs: 2, total: { quote: 1000 } }
`
const btcUsdc = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
const first = ladderFrom(50_000)
const higher = ladderFrom(59_000)

/** A second file, in a market of its own. */
const bracketWith = (stop: number, budget = 600) => `name: bracket
market: ETH/USDC
kind: bracket
limits: { budget: { quote: ${budget} }, maxPriceDeviation: 50% }
bracket: { side: buy, size: { base: 0.01 }, entry: 50000, takeProfit: 70000, stop: ${stop} }
`
const withEther = configText(nowhere).replace(
  "journal:",
  '  ETH: { id: "nep141:eth.omft.near", decimals: 18 }\njournal:'
)

const around = Layer.mergeAll(
  NodeServices.layer,
  Layer.succeed(Process, { pid: 1, execPath: "", script: "" }),
  Layer.succeed(EngineSettings, {
    ...defaults,
    account: { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
  }),
  Layer.succeed(PriceStore, PriceStore.empty),
  Bookkeeper.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename: ":memory:" })))
)

/** A watch on a running ladder, and what a test sets and sees of it. */
const watched = Effect.fnUntraced(function* (
  replaced: Effect.Effect<boolean> = Effect.succeed(true),
  more: Readonly<Record<string, string>> = {}
) {
  const folder = workspace(nowhere, { "config.yaml": withEther, "ladder.yaml": first, ...more })
  const file = join(folder, "ladder.yaml")
  const files = [file, ...Object.keys(more).map((name) => join(folder, name))]
  const config = yield* ConfigFile.load(join(folder, "config.yaml"))
  const [strategy, ...others] = yield* StrategyFiles.load(files, config.markets)
  if (strategy === undefined) return yield* Effect.die("the ladder is missing")
  const running = [strategy, ...others]
  const { signerId } = nowhere.account
  yield* StartUp.record({ pid: 1, version: "0", mode: "live", account: signerId, venue: nowhere.url }, running)
  const market = { mid: price("60000"), ageMillis: 0, judgements: 0, unquoted: "", usdc: 1_000_000_000_000n }
  const book = Effect.map(Clock.currentTimeMillis, (now) => {
    return { bid: market.mid, ask: market.mid, at: now - market.ageMillis }
  })
  const prices = new Map<string, Effect.Success<typeof book>>()
  const world = Layer.mergeAll(
    Layer.mock(OrderBook)({
      prices,
      doubts: new Map(),
      remember: () => undefined,
      depth: () => undefined,
      look: (wanted) =>
        Effect.map(book, (seen) => {
          market.judgements += 1
          for (const {
            market: { name }
          } of wanted)
            if (name !== market.unquoted) prices.set(name, seen)
        }),
      book: (name) => ({
        market: strategy.market,
        depth: [],
        asked: { requests: 0, millis: 0 },
        ...present({ price: prices.get(name) })
      })
    }),
    Layer.mock(Venue)({
      listOrders: () => Effect.succeed({ value: { orders: [] } }),
      balances: Effect.sync(() => {
        const { id } = strategy.market.quote
        return [{ tokenId: id, available: market.usdc, source: "INTENTS" as const, symbol: "USDC" }]
      }),
      publicBalances: () => Effect.undefined,
      tokens: Effect.succeed([])
    })
  )
  let withdrawn: ReadonlyArray<string> = []
  const withdrawPlacements = (placements: ReadonlyArray<string>) =>
    Effect.sync(() => {
      withdrawn = placements
      return true
    })
  const watch = yield* StrategyWatch.make({ replace: () => replaced, withdrawPlacements }, running, {
    files,
    byHandOf: config.journal,
    markets: config.markets,
    onRemoved: "drained",
    admission: { config, account: ownAccount(signerId, "INTENTS"), allow: [] }
  }).pipe(Effect.provide(world))
  const journal = yield* Journal
  const records = Stream.runCollect(journal.events({ tags: ["StrategiesRefused", "EditMended"] })).pipe(
    Effect.map((events) => [...events].map(({ event }) => event._tag))
  )
  return {
    watch,
    market,
    records,
    journal: config.journal,
    save: (text: string) => writeFileSync(file, text),
    saveAs: (name: string, text: string) => writeFileSync(join(folder, name), text),
    withdrawn: () => withdrawn,
    runs: () => watch.strategies().map(({ text }) => text)
  }
})

const withBracket = watched(undefined, { "bracket.yaml": bracketWith(45_000) })
const rejections = Effect.gen(function* () {
  const events = yield* Stream.runCollect((yield* Journal).events({ tags: ["StrategiesRefused"] }))
  return [...events].map(({ event }) => (event._tag === "StrategiesRefused" ? event.problems.join("; ") : ""))
})

const seconds = (count: number) => TestClock.adjust(`${count} seconds`)

describe("the watch on strategy files", () => {
  it.effect("applies a refused edit once the market allows it, and asks the venue every 30 s until then", () =>
    Effect.gen(function* () {
      const { market, records, runs, save, watch } = yield* watched()
      market.mid = price("58000")
      save(higher)
      yield* watch.look
      assert.deepStrictEqual([runs(), yield* records, market.judgements], [[first], ["StrategiesRefused"], 1])
      yield* seconds(29)
      yield* watch.look
      assert.strictEqual(market.judgements, 1)
      yield* seconds(1)
      market.mid = price("57000")
      yield* watch.look
      assert.deepStrictEqual([runs(), yield* records, market.judgements], [[first], ["StrategiesRefused"], 2])
      market.mid = price("60000")
      yield* seconds(30)
      yield* watch.look
      assert.deepStrictEqual([runs(), yield* records], [[higher], ["StrategiesRefused", "EditMended"]])
    }).pipe(Effect.provide(around))
  )

  it.effect("leaves no span while nothing changes or a refusal stands, and spans of the check of an edit", () =>
    Effect.gen(function* () {
      const { market, save, watch } = yield* watched()
      let names: ReadonlyArray<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          names = [...names, options.name]
          return new Tracer.NativeSpan(options)
        }
      })
      const look = Effect.withTracer(watch.look, tracer)
      yield* look
      assert.deepStrictEqual(names, [])
      market.mid = price("58000")
      save(higher)
      yield* look
      assert.include(names, "Admission.findingsOn")
      names = []
      yield* look
      assert.deepStrictEqual(names, [])
    }).pipe(Effect.provide(around))
  )

  it.effect("checks a refused edit at once on a reload command", () =>
    Effect.gen(function* () {
      const { market, runs, save, watch } = yield* watched()
      market.mid = price("58000")
      save(higher)
      assert.match((yield* watch.reload()).objection, /^ladder: fills-at-once: 1 order would fill at once/)
      market.mid = price("60000")
      assert.deepStrictEqual([(yield* watch.reload()).objection, runs()], ["", [higher]])
    }).pipe(Effect.provide(around))
  )

  it.effect("names the problem of the current text after another text with a mistake", () =>
    Effect.gen(function* () {
      const { market, records, save, watch } = yield* watched()
      market.mid = price("58000")
      for (const text of [higher, higher.replace("rungs: 2", "rungs: two"), higher]) {
        save(text)
        yield* watch.look
      }
      assert.match((yield* watch.reload()).objection, /^ladder: fills-at-once/)
      assert.strictEqual((yield* records).length, 3)
    }).pipe(Effect.provide(around))
  )

  it.effect("rejects no edit because of a price that is too old to trade on", () =>
    Effect.gen(function* () {
      const { market, runs, save, watch } = yield* watched()
      yield* seconds(60)
      market.ageMillis = 31_000
      save(higher)
      assert.match((yield* watch.reload()).objection, /cannot be checked yet: the venue has no usable price/)
      assert.deepStrictEqual(runs(), [first])
      market.ageMillis = 0
      yield* watch.look
      assert.deepStrictEqual(runs(), [higher])
    }).pipe(Effect.provide(around))
  )

  it.effect("keeps the applied edit if the caller of a reload leaves while the engine replaces the files", () =>
    Effect.gen(function* () {
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const replaced = Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(end)), Effect.as(true))
      const { runs, save, watch } = yield* watched(replaced)
      save(higher)
      const reload = yield* Effect.forkChild(watch.reload())
      yield* Deferred.await(begun)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(reload), { startImmediately: true })
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(runs(), [higher])
    }).pipe(Effect.provide(around))
  )

  it.effect("runs a file of orders by hand that appears, and applies a cancel without a usable price", () =>
    Effect.gen(function* () {
      const { journal, market, runs, watch } = yield* watched()
      const file = `${journal}.by-hand-btc-usdc.yaml`
      const none = ByHand.edited("", btcUsdc, { orders: new Map(), budget: { base: 0n, quote: 590_000_000n } })
      const order = (id: string): [string, string] => [
        id,
        '{ when: "mid > 0", side: buy, price: 59000, size: { base: 0.005 }, times: 1 }'
      ]
      const withOrders = (...ids: ReadonlyArray<string>) =>
        ByHand.edited(none, btcUsdc, { orders: new Map(ids.map(order)), budget: { base: 0n, quote: 590_000_000n } })
      const [one, two] = [withOrders("buy-00000001"), withOrders("buy-00000001", "buy-00000002")]
      writeFileSync(file, one)
      yield* watch.look
      assert.deepStrictEqual(runs(), [first, one])
      assert.deepStrictEqual(watch.files().slice(1), [file])
      yield* seconds(60)
      market.ageMillis = 31_000
      writeFileSync(file, two)
      assert.match((yield* watch.reload()).objection, /cannot be checked yet/)
      assert.deepStrictEqual(runs(), [first, one])
      writeFileSync(file, none)
      assert.deepStrictEqual([(yield* watch.reload()).objection, runs()], ["", [first, none]])
    }).pipe(Effect.provide(around))
  )

  it.effect("applies a cancel by hand, and withdraws its order, while another file has a mistake or is refused", () =>
    Effect.gen(function* () {
      const { journal, market, runs, save, watch, withdrawn } = yield* watched()
      const file = `${journal}.by-hand-btc-usdc.yaml`
      const budget = { base: 0n, quote: 885_000_000n }
      const rule = '{ when: "mid > 0", side: buy, price: 59000, size: { base: 0.005 }, times: 1 }'
      const ids = ["buy-00000001", "buy-00000002", "buy-00000003"]
      const one = ByHand.edited("", btcUsdc, { orders: new Map(ids.map((id) => [id, rule])), budget })
      writeFileSync(file, one)
      yield* watch.look
      const { record } = yield* Bookkeeper
      const about = { _tag: "Planned", strategy: "by-hand-btc-usdc", market: "BTC/USDC", side: "BUY" } as const
      const planned = { ...about, price: price("59000"), quantity: 500_000n, deadline: 1_000_000_000 }
      const paid = { inputAsset: "USDC", inputAmount: 295_000_000n, outputAsset: "BTC", outputAmount: 500_000n }
      const why = { code: "rule-fired", text: "a test" }
      yield* record({ ...planned, ...paid, slot: "buy-00000001", placement: "p1", why })
      // Each of several targets has a slot.
      yield* record({ ...planned, ...paid, slot: "buy-00000001-2", placement: "p2", why })
      const without = (text: string, cancelled: string) =>
        ByHand.edited(text, btcUsdc, {
          orders: new Map([...ByHand.ordersIn(text)].filter(([id]) => id !== cancelled)),
          budget,
          cancelled
        })
      save(first.replace("rungs: 2", "rungs: many"))
      const two = without(one, "buy-00000001")
      writeFileSync(file, two)
      assert.match((yield* watch.reload()).objection, /ladder\.yaml:5:\d+/)
      assert.deepStrictEqual(
        [runs(), withdrawn()],
        [
          [first, two],
          ["p1", "p2"]
        ]
      )
      market.mid = price("58000")
      save(higher)
      const three = without(two, "buy-00000002")
      writeFileSync(file, three)
      assert.match((yield* watch.reload()).objection, /^ladder: fills-at-once/)
      assert.deepStrictEqual(runs(), [first, three])
      rmSync(join(dirname(file), "ladder.yaml"))
      const four = without(three, "buy-00000003")
      writeFileSync(file, four)
      yield* watch.look
      assert.deepStrictEqual(runs(), [first, four])
    }).pipe(Effect.provide(around))
  )

  it.effect("answers about the file of its caller, and only notes that another file is rejected", () =>
    Effect.gen(function* () {
      const { journal, market, save, watch } = yield* watched()
      const byHand = `${journal}.by-hand-btc-usdc.yaml`
      const [ladder = ""] = watch.files()
      const budget = { base: 0n, quote: 1n }
      const note = `. Not applied: ${ladder}; limitbot status shows why`
      writeFileSync(byHand, ByHand.edited("", btcUsdc, { orders: new Map(), budget }))
      save(first.replace("rungs: 2", "rungs: many"))
      assert.deepStrictEqual(yield* watch.reload(byHand), { objection: "", note })
      assert.match((yield* watch.reload(ladder)).objection, /ladder\.yaml:5:\d+/)
      market.mid = price("58000")
      save(higher)
      assert.deepStrictEqual(yield* watch.reload(byHand), { objection: "", note })
      writeFileSync(byHand, "name: [")
      const { objection } = yield* watch.reload(byHand)
      assert.match(objection, /by-hand-btc-usdc\.yaml:1:\d+/)
      assert.notInclude(objection, "ladder")
      assert.match((yield* watch.reload(ladder)).objection, /^ladder: fills-at-once/)
      assert.match((yield* watch.reload()).objection, /ladder: fills-at-once.*by-hand-btc-usdc\.yaml:1:\d+/)
      rmSync(byHand)
      assert.match((yield* watch.reload(byHand)).objection, /by-hand-btc-usdc\.yaml is gone/)
    }).pipe(Effect.provide(around))
  )

  it.effect("rejects an edit that takes the name of a file with a mistake", () =>
    Effect.gen(function* () {
      const { journal, save, watch } = yield* watched()
      const byHand = `${journal}.by-hand-btc-usdc.yaml`
      const [ladder = ""] = watch.files()
      const budget = { base: 0n, quote: 1n }
      writeFileSync(byHand, ByHand.edited("", btcUsdc, { orders: new Map(), budget }))
      yield* watch.look
      save(first.replace("name: ladder", "name: by-hand-btc-usdc"))
      writeFileSync(byHand, "name: [")
      assert.match((yield* watch.reload(ladder)).objection, /by-hand-btc-usdc\.yaml:1:\d+/)
    }).pipe(Effect.provide(around))
  )

  it.effect("reports nothing if a file of orders by hand disappears before it has run", () =>
    Effect.gen(function* () {
      const { journal, market, records, runs, save, watch } = yield* watched()
      const file = `${journal}.by-hand-btc-usdc.yaml`
      yield* seconds(60)
      market.ageMillis = 31_000
      writeFileSync(file, ByHand.edited("", btcUsdc, { orders: new Map(), budget: { base: 0n, quote: 1n } }))
      yield* watch.look
      rmSync(file)
      market.ageMillis = 0
      save(higher)
      yield* watch.look
      assert.deepStrictEqual([runs(), yield* records], [[higher], ["StrategiesRefused", "EditMended"]])
    }).pipe(Effect.provide(around))
  )

  it.effect("uses the permission for one edit for that edit alone", () =>
    Effect.gen(function* () {
      const { journal, market, runs, save, watch } = yield* watched()
      market.mid = price("58000")
      save(higher)
      yield* watch.look
      yield* Admission.allowNext(journal, ["fills-at-once"])
      yield* watch.look
      assert.deepStrictEqual([runs(), yield* Admission.allowedNext(journal)], [[higher], []])
    }).pipe(Effect.provide(around))
  )

  it.effect("applies the edit of a stop while a finding rejects another file, and names that file once", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      const [ladder = "", bracket = ""] = watch.files()
      market.mid = price("58000")
      save(higher)
      saveAs("bracket.yaml", bracketWith(48_000))
      yield* watch.look
      assert.deepStrictEqual(runs(), [first, bracketWith(48_000)])
      yield* watch.look
      saveAs("bracket.yaml", bracketWith(49_000))
      assert.include(yield* watch.reload(bracket), { objection: "" })
      assert.deepStrictEqual(runs(), [first, bracketWith(49_000)])
      const [problem = "", ...further] = yield* rejections
      assert.match(problem, /^ladder: fills-at-once: /)
      assert.include(problem, `Change ${ladder}, or: limitbot reload --allow fills-at-once`)
      assert.deepStrictEqual(further, [])
    }).pipe(Effect.provide(around))
  )

  it.effect("applies an order by hand, and its change, while a finding rejects another file", () =>
    Effect.gen(function* () {
      const { journal, market, runs, save, watch } = yield* watched()
      const [ladder = ""] = watch.files()
      const file = `${journal}.by-hand-btc-usdc.yaml`
      const orderAt = (price: number, quote: bigint) => {
        const rule = `{ when: "mid > 0", side: buy, price: ${price}, size: { base: 0.005 }, times: 1 }`
        return ByHand.edited("", btcUsdc, { orders: new Map([["buy-00000001", rule]]), budget: { base: 0n, quote } })
      }
      market.mid = price("58000")
      save(higher)
      const note = `. Not applied: ${ladder}; limitbot status shows why`
      for (const order of [orderAt(50_000, 260_000_000n), orderAt(51_000, 270_000_000n)]) {
        writeFileSync(file, order)
        assert.deepStrictEqual(yield* watch.reload(file), { objection: "", note })
        assert.deepStrictEqual(runs(), [first, order])
      }
    }).pipe(Effect.provide(around))
  )

  it.effect("applies the edit of a stop while another edited file has no price, and names that file", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      const [ladder = "", bracket = ""] = watch.files()
      market.unquoted = "BTC/USDC"
      save(higher)
      saveAs("bracket.yaml", bracketWith(48_000))
      assert.include(yield* watch.reload(bracket), { objection: "" })
      assert.deepStrictEqual(runs(), [first, bracketWith(48_000)])
      const { objection } = yield* watch.reload(ladder)
      const text = `The edit of ${ladder} cannot be checked yet: the venue has no usable price for BTC/USDC`
      assert.deepStrictEqual([objection, ...(yield* rejections)], [text, text])
      market.unquoted = ""
      yield* watch.look
      assert.deepStrictEqual(runs(), [higher, bracketWith(48_000)])
    }).pipe(Effect.provide(around))
  )

  it.effect("asks the venue for one refused file every 30 s while another waits for its price", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      market.unquoted = "ETH/USDC"
      market.mid = price("58000")
      save(higher)
      saveAs("bracket.yaml", bracketWith(48_000))
      yield* watch.look
      market.mid = price("60000")
      yield* seconds(29)
      yield* watch.look
      assert.deepStrictEqual(runs(), [first, bracketWith(45_000)])
      yield* seconds(1)
      yield* watch.look
      assert.deepStrictEqual(runs(), [higher, bracketWith(45_000)])
    }).pipe(Effect.provide(around))
  )

  it.effect("rejects both files if their edits need more than the account has, and takes one that needs no more", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      const [ladder = "", bracket = ""] = watch.files()
      const more = first.replace("budget: { quote: 1000 }", "budget: { quote: 1200 }")
      market.usdc = 2_000_000_000n
      save(more)
      saveAs("bracket.yaml", bracketWith(48_000, 900))
      assert.match((yield* watch.reload(ladder)).objection, /^ladder, bracket: over-commit: /)
      assert.match((yield* watch.reload(bracket)).objection, /^ladder, bracket: over-commit: /)
      assert.include((yield* rejections).join(), `Change ${ladder}, ${bracket}, or: `)
      assert.deepStrictEqual(runs(), [first, bracketWith(45_000)])
      market.usdc = 1_000_000_000n
      saveAs("bracket.yaml", bracketWith(48_000))
      assert.strictEqual((yield* watch.reload(bracket)).objection, "")
      assert.match((yield* watch.reload(ladder)).objection, /over-commit: .*\. Change \S+ladder\.yaml, or: /)
      assert.deepStrictEqual(runs(), [first, bracketWith(48_000)])
    }).pipe(Effect.provide(around))
  )

  it.effect("rejects an edit that needs the money of another file whose edit is rejected", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      const [ladder = "", bracket = ""] = watch.files()
      market.usdc = 2_000_000_000n
      market.mid = price("58000")
      save(higher.replaceAll("quote: 1000", "quote: 500"))
      saveAs("bracket.yaml", bracketWith(48_000, 1400))
      assert.match((yield* watch.reload(ladder)).objection, /^ladder: fills-at-once: /)
      assert.match((yield* watch.reload(bracket)).objection, /over-commit: .*\. Change \S+bracket\.yaml, or: /)
      assert.deepStrictEqual(runs(), [first, bracketWith(45_000)])
      market.mid = price("60000")
      assert.deepStrictEqual([(yield* watch.reload()).objection, runs().length], ["", 2])
      assert.deepStrictEqual(runs(), [higher.replaceAll("quote: 1000", "quote: 500"), bracketWith(48_000, 1400)])
    }).pipe(Effect.provide(around))
  )

  it.effect("rejects a file that takes the name of a file whose edit is rejected", () =>
    Effect.gen(function* () {
      const { market, runs, save, saveAs, watch } = yield* withBracket
      const [ladder = "", bracket = ""] = watch.files()
      market.mid = price("58000")
      save(higher.replace("name: ladder", "name: other"))
      saveAs("bracket.yaml", bracketWith(48_000).replace("name: bracket", "name: ladder"))
      assert.match((yield* watch.reload(ladder)).objection, /^other: fills-at-once: /)
      const { objection } = yield* watch.reload(bracket)
      assert.strictEqual(objection, `${bracket} waits for ${ladder}, which still has its name ladder`)
      assert.deepStrictEqual(runs(), [first, bracketWith(45_000)])
    }).pipe(Effect.provide(around))
  )
})
