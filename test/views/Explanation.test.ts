/** Explanations of slots from a journal, at several moments, without a venue. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import { defaults, EngineSettings, type Settings } from "../../src/engine/EngineSettings.ts"
import { planAhead } from "../../src/engine/planning/ahead/PlanAhead.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { type Minute, PriceStore } from "../../src/journal/PriceStore.ts"
import type { Input, Strategy } from "../../src/strategy/Strategy.ts"
import { explain } from "../../src/views/Explanation.ts"
import * as PastInputs from "../../src/views/explain/PastInputs.ts"
import { breakEvensIn } from "../../src/views/Status.ts"
import { markets, price, strategyOf } from "../strategy/support.ts"
import { assetsBySymbol as assets } from "../world/bitcoin.ts"

const now = 1_800_000_000_000
const settings: Settings = {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
}
const run = { pid: 1, version: "0", mode: "live", account: "me", venue: "https://venue.example" }
const nothingElse = { touched: new Map(), seen: new Map(), removed: new Map(), stopped: undefined }

const ladderText = (limits: string) => `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 6000 }, ${limits} }
ladder: { side: buy, from: 58000, to: 57000, rungs: 2, total: { base: 0.1 } }
`

const planned = (strategy: Strategy, mid: string) => {
  const at = { bid: price(mid), ask: price(mid), at: now - 100 }
  const moments = new Map([["ladder", { price: at, now }]])
  const situation = { run, strategies: [strategy], state: BotState.make(), moments, now, markets, withdraw: undefined }
  return planAhead(situation).pipe(Effect.provideService(EngineSettings, settings))
}

const explained = Effect.fnUntraced(function* (
  limits: string,
  { mid = "60000", ended = false, isKnown = true }: { mid?: string; ended?: boolean; isKnown?: boolean } = {}
) {
  const strategy = strategyOf(ladderText(limits))
  const { state, events } = yield* planned(strategy, mid)
  if (ended) fill(state)
  const lately = new Map<string, ReadonlyArray<Recorded>>(
    events.flatMap((event, index) =>
      event._tag === "Planned" ? [[`ladder/${event.slot}`, [{ sequence: index + 1, at: now, event }]]] : []
    )
  )
  const strategies = new Map(isKnown ? [["ladder", strategy]] : [])
  return explain({ ...nothingElse, state, assets, now, strategies, settings, lately })
})

/** The venue has ended the first rung by itself, while its slot wants another price. */
const endedByVenue = Effect.gen(function* () {
  const strategy = strategyOf(ladderText(""))
  const { state } = yield* planned(strategy, "60000")
  fill(state, true)
  const [placement] = state.placements.values()
  if (placement !== undefined) state.placements.set(placement.id, { ...placement, price: price("57900") })
  const strategies = new Map([["ladder", strategy]])
  const [slot] = explain({ ...nothingElse, state, assets, now, strategies, settings, lately: new Map() })
  return slot
})

/** The first rung fills wholly and is paid out. */
const fill = (state: BotState.BotState, isEndedByVenue = false): void => {
  const [placement] = state.placements.values()
  if (placement === undefined) return
  const { strategy, slot, id, inputAsset, inputAmount, outputAsset, outputAmount, side } = placement
  const about = { strategy, slot, placement: id }
  const order = { orderId: "o", depositAddress: "d" }
  const history: ReadonlyArray<BotEvent> = [
    { _tag: "CreateSent", ...about, attempt: 1 },
    { _tag: "Bound", ...about, ...order, via: "reply", estimatedWithdrawFee: 1n, estimatedRefundFee: 1n },
    {
      _tag: "FundingSigned",
      ...about,
      ...order,
      asset: inputAsset,
      amount: inputAmount,
      signed: Redacted.make(""),
      intentHash: "",
      validUntil: now
    },
    { _tag: "DepositSeen", ...about, asset: inputAsset, total: inputAmount, fresh: inputAmount },
    {
      _tag: "FillSeen",
      ...about,
      fillId: "f",
      side,
      price: placement.price,
      inputAsset,
      amountIn: inputAmount,
      outputAsset,
      amountOut: outputAmount,
      filledAt: now
    },
    { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n },
    { _tag: "PayoutStarted", ...about, asset: outputAsset, amount: outputAmount },
    { _tag: "PaidOut", ...about, asset: outputAsset, amount: outputAmount - 1n, fee: 1n, txHashes: [] },
    { _tag: "Settled", ...about }
  ]
  const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset, unspent: inputAmount }
  const told = isEndedByVenue ? [...history.slice(0, 4), closed] : history
  for (const event of told) BotState.apply(state, { sequence: state.sequence + 1, at: now, event })
}

describe("break-even prices", () => {
  it.effect("are in the status of a strategy with a holding, by market", () =>
    Effect.gen(function* () {
      const { state } = yield* planned(strategyOf(ladderText("")), "60000")
      assert.deepStrictEqual(breakEvensIn({ assets, state }), [])
      fill(state)
      assert.deepStrictEqual(breakEvensIn({ assets, state }), [
        { strategy: "ladder", market: "BTC/USDC", price: "58000.012", held: "0.04999999" }
      ])
    })
  )
})

describe("an explanation", () => {
  it.effect("of an order that the venue has ended does not say that it is kept", () =>
    Effect.gen(function* () {
      const slot = yield* endedByVenue
      const because = slot?.because.join("\n") ?? ""
      assert.notInclude(because, "kept at")
      assert.match(because, /not in the market: the venue ended order o early \(CANCELED\); a new one/)
      assert.include(slot?.verdict ?? "", "order ended, waiting for its money: BUY")
      assert.notInclude(slot?.wouldChange.join() ?? "", "fill")
      assert.include(slot?.wouldChange ?? [], "the refund of its order")
    })
  )

  it.effect("of a planned order names its rule, its inputs, every limit and the last events", () =>
    Effect.gen(function* () {
      const [first] = yield* explained("maxPriceDeviation: 5%")
      assert.strictEqual(first?.rule, "test.yaml:5")
      assert.deepStrictEqual(first?.inputs, {
        bid: "60000",
        ask: "60000",
        mid: "60000",
        priceAgeMillis: 100,
        decidedAt: now,
        checks: [],
        checkedAt: null
      })
      assert.match(first?.ruleText ?? "", /^ladder: \{ side: buy, from: 58000, /)
      assert.isTrue(first?.guards.every(({ verdict }) => verdict === "passes"))
      assert.isAtLeast(first?.guards.length ?? 0, 12)
      assert.match(first?.lately[0] ?? "", /ladder\/rung-00 {2}plans BUY 0\.05 BTC at 58000/)
    })
  )

  it.effect("of an order that a limit denies names the number that would change that", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [limits: string, mid: string, guard: string, flips: string]> = [
        ["maxOpenOrders: 1", "60000", "open-orders", "fewer than 1 open order"],
        ["maxPriceDeviation: 1%", "56000", "price-deviation", "a mid above 56435.644"],
        ["maxNotional: 3000", "60000", "notional", "other open orders of at most 150 USDC"],
        ["minOrder: 2875", "60000", "min-order", "a value of 2875 USDC or more"],
        ["maxOrdersPerHour: 1", "60000", "orders-per-hour", "fewer than 1 order in the last hour"]
      ]
      for (const [limits, mid, guard, flips] of cases) {
        const [, second] = yield* explained(limits, { mid })
        assert.strictEqual(second?.verdict, "has no order", limits)
        const refusing = second?.guards.filter(({ verdict }) => verdict === "refuses").map(({ guard }) => guard)
        assert.deepStrictEqual(refusing, [guard])
        assert.strictEqual(second?.wouldChange[0], `${flips}, for the limit ${guard}`)
      }
    })
  )

  it.effect("of a finished slot says so, and of a slot without its file says that its limits are unknown", () =>
    Effect.gen(function* () {
      const [done, other] = yield* explained("maxOpenOrders: 9", { ended: true })
      // 2900 USDC for 0.05 BTC less the fee.
      assert.include(done?.because ?? [], "breaks even at 58000.012, with all 0.04999999 BTC that the strategy holds")
      assert.match(done?.because[0] ?? "", /^done: all its legs have filled: /)
      assert.deepStrictEqual(done?.guards, [])
      assert.match(other?.because[0] ?? "", /^the strategy plans BUY at 57000: /)
      const [unknown] = yield* explained("maxOpenOrders: 9", { isKnown: false })
      assert.deepStrictEqual(
        unknown?.guards.map(({ verdict }) => verdict),
        ["unknown"]
      )
    })
  )
})

const rulesText = `name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  let: { trend: "sma(close, 3)", isRising: "close > trend" }
  orders:
    dip: { when: "isRising and not (rsi(close, 2) < 30) and (mid + 10) * 2 < 100000", side: buy, price: mid, size: { quote: 100 } }
    calm: { when: openOrders < 3 and since(fill) > 4h, side: buy, price: mid * 0.9, size: { quote: 100 }, cancelWhen: mid < averageEntry }
`

/** Minutes that end at a moment, with these closes. */
const minutesTo = (end: number, closes: ReadonlyArray<number>): ReadonlyArray<Minute> =>
  closes.map((close, index) => {
    const openedAt = Math.floor(end / 60_000) * 60_000 - (closes.length - index) * 60_000
    return { openedAt, open: close, high: close, low: close, close }
  })

/** Without the distances. */
const plain = (checks: ReadonlyArray<Input> = []) => checks.map(({ distance: _, ...check }) => check)

describe("the inputs of a condition", () => {
  const strategy = strategyOf(rulesText)
  const decided = Effect.gen(function* () {
    const at = { bid: price("60000"), ask: price("60000"), at: now - 100 }
    const moments = new Map([["dips", { price: at, now }]])
    const situation = {
      run,
      strategies: [strategy],
      state: BotState.make(),
      moments,
      now,
      markets,
      withdraw: undefined
    }
    return (yield* planAhead(situation).pipe(Effect.provideService(EngineSettings, settings))).state
  })
  const stored = (minutes: ReadonlyArray<Minute>) =>
    PriceStore.of({
      ...PriceStore.empty,
      since: () => Effect.succeed(minutes),
      newest: () => Effect.succeed(minutes.at(-1))
    })

  it.effect("are recorded with a decision, comparison by comparison", () =>
    Effect.gen(function* () {
      const state = yield* decided
      const seen = yield* PastInputs.look(state, strategy, now).pipe(Effect.provideService(PriceStore, stored([])))
      assert.strictEqual(seen.get("dip")?.at, now)
      assert.deepStrictEqual(plain(seen.get("dip")?.checks), [
        { text: "close > trend", values: "not known and not known", holds: false, decides: false },
        { text: "rsi(close, 2) < 30", values: "not known", holds: false, decides: false },
        { text: "(mid + 10) * 2 < 100000", values: "120020", holds: false, decides: false }
      ])
      // The order of this rule goes on: only what would withdraw it counts.
      assert.deepStrictEqual(plain(seen.get("calm")?.checks), [
        { text: "openOrders < 3", values: "0", holds: true, decides: true },
        { text: "since(fill) > 4h", values: "never", holds: true, decides: true },
        { text: "mid < averageEntry", values: "60000 and not known", holds: false, decides: true }
      ])
    })
  )

  it.effect("are found for any later time in the prices that the journal stores", () =>
    Effect.gen(function* () {
      const state = yield* decided
      const closes = [
        50_000, 50_010, 50_020, 50_010, 50_000, 49_990, 49_980, 49_970, 49_960, 49_950, 49_940, 49_930, 49_970
      ]
      const later = now + 3_600_000
      const seen = yield* PastInputs.look(state, strategy, later).pipe(
        Effect.provideService(PriceStore, stored(minutesTo(later, closes)))
      )
      assert.isBelow(later - (seen.get("dip")?.at ?? 0), 60_000)
      const [rising, , mid] = seen.get("dip")?.checks ?? []
      assert.deepStrictEqual(rising, {
        text: "close > trend",
        values: "49970 and 49946.667",
        holds: true,
        decides: true,
        distance: "close is 49970, false at or below trend (49946.667)"
      })
      assert.strictEqual(mid?.distance, "(mid + 10) * 2 is 99960, false at or above 100000")
      assert.deepStrictEqual(plain(seen.get("calm")?.checks), [
        { text: "mid < averageEntry", values: "49970 and not known", holds: false, decides: true }
      ])
      const moment = { ...nothingElse, seen: new Map([["dips", seen]]), settings }
      const all = explain({
        ...moment,
        state,
        assets,
        now: later,
        strategies: new Map([["dips", strategy]]),
        lately: new Map()
      })
      const dip = all.find(({ slot }) => slot === "dips/dip")
      assert.match(dip?.ruleText ?? "", /^dip: \{ when: "isRising and/)
      assert.include(dip?.wouldChange ?? [], "close is 49970, false at or below trend (49946.667)")
    })
  )

  it.effect("include signal values and the depth of the decision, with stored prices", () =>
    Effect.gen(function* () {
      const forecast = strategyOf(`name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  orders:
    dip: { when: 'signal("trend", 2m) > 0.5 and depth(0.5 BTC) < 1%', side: buy, price: mid, size: { quote: 100 } }
`)
      const at = { bid: price("60000"), ask: price("60000"), at: now - 100 }
      const depth = [{ quantity: 100_000_000n, bid: price("59999"), ask: price("60001"), at: now - 100 }]
      const first = BotState.make()
      const signal = { _tag: "SignalReceived", name: "trend", from: now, by: "anna" } as const
      BotState.apply(first, { sequence: 1, at: now, event: { ...signal, value: 0.3 } })
      const moments = new Map([["dips", { price: at, now, depth }]])
      const situation = { run, strategies: [forecast], state: first, moments, now, markets, withdraw: undefined }
      const { state } = yield* planAhead(situation).pipe(Effect.provideService(EngineSettings, settings))
      const later = now + 150_000
      BotState.apply(state, {
        sequence: state.sequence + 1,
        at: later,
        event: { ...signal, from: later - 1000, value: 0.9 }
      })
      const seen = yield* PastInputs.look(state, forecast, later).pipe(
        Effect.provideService(PriceStore, stored(minutesTo(later, [60_000, 60_000])))
      )
      assert.deepStrictEqual(
        seen.get("dip")?.checks.map(({ text, values, holds }) => [text, values, holds]),
        [
          ['signal("trend", 2m) > 0.5', "0.9", true],
          ["depth(0.5 BTC) < 1%", "0.001667%", true]
        ]
      )
    })
  )
})
