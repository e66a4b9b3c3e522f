/** Exits that a limit or the venue refuses: the operator learns that a position has no exit, and what leaving costs. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { holdsOnSlot } from "../../../src/engine/holds/Holds.ts"
import * as RefusedExits from "../../../src/engine/state/strategies/RefusedExits.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import * as EventLine from "../../../src/report/text/EventLine.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { isLong } from "../../long.ts"
import { assets, inVirtualTime, make, makeWith, openOrders, type Running, until } from "../../world/bot/botWorld.ts"

const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))

/** Sold at once near 60,000, which is beyond its stop: it buys back at up to 61,098. */
const short = (limits: string) => `name: short
market: BTC/USDC
kind: bracket
limits: { ${limits}, maxPriceDeviation: 90% }
bracket: { side: sell, size: { base: 0.01 }, entry: 40000, takeProfit: 30000, stop: 59900, reach: 2% }
`

const long = (limits: string) => `name: long
market: BTC/USDC
kind: bracket
limits: { ${limits}, maxPriceDeviation: 90% }
bracket: { side: buy, size: { quote: 1000 }, entry: 100000, takeProfit: 120000, stop: 30000 }
`

const budget = "budget: { quote: 1000 }"

/** The price is below its stop, and it sells down to 5 % less. */
const stopped = (limits: string) =>
  long(budget).replace("maxPriceDeviation: 90%", limits).replace("stop: 30000", "stop: 61000, reach: 5%")

/** It has bought, and its target rests. */
const withTarget = Effect.fnUntraced(function* (world: Effect.Success<typeof make>, text: string) {
  const process = yield* world.run({ strategies: [text], pace: { pollMaxMillis: 5_000 } })
  yield* until(() => openOrders(process).some(({ side }) => side === "SELL"), 300_000, "the target rests")
  return process
})

const sidesFilled = ({ events }: Running) =>
  Effect.map(events, (all) => all.flatMap(({ event }) => (event._tag === "FillSeen" ? [event.side] : [])))

/** A purchase at 60,000 has filled, and the market is at 57,000, below the stop. Nobody fills but the test. */
const stoppedBracketWith = Effect.fnUntraced(function* (
  bend: (world: Effect.Success<typeof make>) => void,
  limits = "maxPriceDeviation: 90%",
  more = "stopBy: order"
) {
  const solvers = {
    marginBasisPoints: [5000, 5000],
    marginPerThousandUsd: 0,
    solvers: 1,
    latencyMillis: [0, 0]
  } as const
  const world = yield* makeWith(() => Reserve.none, { speed: 0, fillWhileCancellingShare: 0, solvers })
  const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
  yield* to(61_000)
  const bracket = long(budget)
    .replace("entry: 100000, takeProfit: 120000", "entry: 60000, takeProfit: 70000")
    .replace("stop: 30000", `stop: 58000, reach: 1%, ${more}`)
    .replace("maxPriceDeviation: 90%", limits)
  const process = yield* world.run({ strategies: [bracket], pace: { pollMaxMillis: 2_000 } })
  yield* until(() => openOrders(process).length === 1, 60_000, "its entry rests")
  yield* world.tell("/sandbox/fill", {})
  const isBought = () => (process.state.slots.get("long/position")?.completedLegs ?? 0) === 1
  yield* until(isBought, 60_000, "its entry has filled")
  bend(world)
  yield* to(57_000)
  return { process: { ...process, world }, to, fell: yield* Clock.currentTimeMillis }
})

const stoppedBracket = stoppedBracketWith(() => undefined)

const problemsIn = ({ state }: Pick<Running, "state">) =>
  problemsOf(state, bySymbol, { now: 0, pulse: undefined, stuckAfter: defaultTerms })

const told = (process: Pick<Running, "state">) => problemsIn(process).filter(({ kind }) => kind === "exit-refused")

/** After a stop, its exit is open at a floor above the market. */
const atItsFloor = Effect.gen(function* () {
  const world = yield* make
  yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 62_000 } })
  const floored = stopped("maxPriceDeviation: 90%").replace("reach: 5%", "reach: 5%, floor: 60990")
  const process = yield* withTarget(world, floored)
  yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 60_000 } })
  const isAtFloor = () => openOrders(process).some(({ price }) => Decimal.format(price) === "60990")
  yield* until(isAtFloor, 300_000, "it rests at its floor")
  return { process, world }
})

describe("an exit", () => {
  it.effect("that the budget covers in part buys back that part, and raises an alarm for the rest", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const later = (limits: string) => short(limits).replace("stop: 59900", "stop: 62000")
        const process = yield* world.run({ strategies: [later("budget: { base: 0.01 }")] })
        const isSold = () => process.state.slots.get("short/position")?.completedLegs === 1
        yield* until(isSold, 120_000, "its entry has filled")
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 66_000 } })
        const isAllBought = () => /It needs/.test(told(process)[0]?.text ?? "")
        yield* until(isAllBought, 300_000, "all that its money covers is bought")
        const [problem] = told(process)
        assert.strictEqual(problem?.severity, "alarm")
        assert.strictEqual(problem?.subject, "short/position")
        const [, rest = ""] =
          /^The exit BUY (0.000\d+) BTC at \d+(?:\.\d+)? is not in the market, refused by its limit budget: It needs .*; exiting now at [\d.]+ costs /.exec(
            problem?.text ?? ""
          ) ?? assert.fail(problem?.text)
        const bought = (yield* process.events).flatMap(({ event }) =>
          event._tag === "FillSeen" && event.side === "BUY" ? [event.amountOut] : []
        )
        const sum = bought.reduce((a, b) => a + b, 0n)
        assert.strictEqual(sum + BigInt(Math.round(Number(rest) * 1e8)), 1_000_000n, "nothing of it is forgotten")
        assert.isAbove(Number(sum), 890_000)
        const lines = (yield* process.events).map(({ event }) => EventLine.describe(event, bySymbol))
        assert.isTrue(lines.some((line) => line?.weight === "alarm" && /EXIT NOT PLACED.*budget/.test(line.text)))
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 68_000 } })
        const atNewPrice = () => /exiting now at 68\d{3}/.test(told(process)[0]?.text ?? "")
        yield* until(atNewPrice, 60_000, "the alarm names what leaving costs at the new price")
        yield* process.stop
        const second = yield* world.run({ strategies: [later("budget: { base: 0.01 }")] })
        yield* Effect.sleep(10_000)
        assert.lengthOf(told(second), 1, "a restart tells it as well")
        yield* second.stop
        const third = yield* world.run({ strategies: [later("budget: { base: 0.01, quote: 100 }")] })
        yield* until(() => told(third).length === 0, 60_000, "it is over once the budget is there")
        const isBack = () => third.state.slots.get("short/position")?.completedLegs === 2
        yield* until(isBack, 120_000, "the rest is bought, and the leg is complete")
      })
    )
  )

  it.effect("of a deal of sales that its proceeds cover in part leaves the rest due, with an alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const deal = `name: short
market: BTC/USDC
kind: deals
limits: { budget: { base: 0.02 }, maxPriceDeviation: 90% }
deals: { side: sell, size: { base: 0.01 }, reach: 1%, takeProfit: 20%, stop: 3% }
`
        const process = yield* world.run({ strategies: [deal] })
        const isSold = () => process.state.slots.get("short/base")?.completedLegs === 1
        yield* until(isSold, 120_000, "its base order has filled")
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 66_000 } })
        const isAllBought = () => /It needs/.test(told(process)[0]?.text ?? "")
        yield* until(isAllBought, 300_000, "all that its money covers is bought")
        const [problem] = told(process)
        assert.strictEqual(problem?.subject, "short/exit")
        assert.match(problem?.text ?? "", /^The exit BUY 0.000\d+ BTC at [\d.]+ is not in the market/)
        yield* Effect.sleep(60_000)
        assert.lengthOf(told(process), 1)
        assert.strictEqual(process.state.slots.get("short/base")?.completedLegs, 1, "no other deal has begun")
        yield* process.stop
      })
    )
  )

  it.effect("of which a part is open is reported with its rest, and after a minute with both", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const strategies = [short("budget: { base: 0.01 }").replace("stop: 59900", "stop: 62000, floor: 62100")]
        const process = yield* world.run({ strategies, pace: { pollMaxMillis: 5_000 } })
        const isSold = () => process.state.slots.get("short/position")?.completedLegs === 1
        yield* until(isSold, 120_000, "its entry has filled")
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 66_000 } })
        const isOpen = () => openOrders(process).some(({ isPart }) => isPart === true)
        yield* until(isOpen, 60_000, "a part of its exit is open")
        yield* Effect.sleep(2_000)
        const covers = /BUY (0.000\d+) BTC .* money covers only (0.009\d+) BTC of 0.01 BTC/
        assert.match(told(process)[0]?.text ?? "", covers)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => openOrders(process).length === 0, 60_000, "it is cancelled")
        yield* Effect.sleep(5_000)
        assert.match(told(process)[0]?.text ?? "", /BUY 0.01 BTC .* limit kill-switch/)
        world.setWithdraw(undefined)
        yield* until(isOpen, 60_000, "the part is open again")
        yield* Effect.sleep(2_000)
        assert.match(told(process)[0]?.text ?? "", covers)
        yield* Effect.sleep("2 minutes")
        assert.match(
          told(process)[0]?.text ?? "",
          /BUY 0.009\d+ BTC .* is open and not filled: .* only this part of 0.01 BTC/
        )
      })
    )
  )

  it.effect("after a stop whose payment the venue refuses is reported with the venue's answer", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process } = yield* stoppedBracketWith((world) => {
          world.network.bend = ({ url }) =>
            /submit-intent$/.test(url) ? { status: 400, body: { message: "insufficient balance" } } : undefined
        })
        yield* until(() => told(process).length > 0, 120_000, "it is told")
        assert.match(
          told(process)[0]?.text ?? "",
          /^The exit SELL .* is not in the market: .*insufficient balance; exiting now at /
        )
      })
    )
  )

  it.effect("whose sibling has taken the money is reported with its rest after its part has filled", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const targets = "takeProfit: [{ at: 30000, part: 60% }, { at: 29000, part: 40% }], stop: 62000"
        const text = short("budget: { base: 0.01 }").replace("takeProfit: 30000, stop: 59900", targets)
        const process = yield* world.run({ strategies: [text] })
        const legs = (count: number) => () =>
          [...process.state.slots.values()].filter(({ completedLegs }) => completedLegs === count).length
        yield* until(() => legs(1)() === 2, 120_000, "both entries have filled")
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 66_000 } })
        yield* until(() => legs(2)() === 1, 120_000, "the first exit has filled")
        yield* Effect.sleep(60_000)
        const bought = (yield* process.events).flatMap(({ event }) =>
          event._tag === "FillSeen" && event.side === "BUY" ? [event.amountOut] : []
        )
        const rests = told(process).map(({ text }) => Number(/^The exit BUY ([\d.]+) BTC/.exec(text)?.[1] ?? 0))
        assert.lengthOf(rests, 1)
        const sum = bought.reduce((a, b) => a + b, 0n)
        assert.strictEqual(sum + BigInt(Math.round((rests[0] ?? 0) * 1e8)), 1_000_000n)
      })
    )
  )

  for (const limits of ["maxOrdersPerHour: 1", "maxNotional: 1100", "maxOpenOrders: 1, maxNotional: 1001"]) {
    it.effect(`at its target is placed despite ${limits}`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          const strategies = [long(`budget: { quote: 1000 }, ${limits}`)]
          const process = yield* world.run({ strategies, pace: { pollMaxMillis: 5_000 } })
          yield* until(() => openOrders(process).some(({ side }) => side === "SELL"), 300_000, "its target rests")
          assert.lengthOf(told(process), 0)
        })
      )
    )
  }

  it.effect("that is open at its floor above the market is reported after a minute, with the cost of leaving", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process } = yield* atItsFloor
        yield* Effect.sleep(40_000)
        assert.lengthOf(told(process), 0)
        yield* until(() => told(process).length > 0, 120_000, "it is told")
        const [problem] = told(process)
        assert.deepStrictEqual([problem?.severity, problem?.subject], ["alarm", "long/position"])
        const [, quantity = "", market = "", cost = ""] =
          /^The exit SELL ([\d.]+) BTC at 60990 is open and not filled: the market is beyond its price; exiting now at ([\d.]+) costs ([\d.]+) USDC more than at 60990$/.exec(
            problem?.text ?? ""
          ) ?? assert.fail(problem?.text)
        assert.approximately(Number(cost), Number(quantity) * (60990 - Number(market)), 1e-5)
        const lines = (yield* process.events).map(({ event }) => EventLine.describe(event, bySymbol))
        assert.lengthOf(
          lines.filter((line) => line?.weight === "alarm" && /EXIT NOT FILLED.*exiting now/.test(line.text)),
          1
        )
        assert.include(process.state.strategies.get("long")?.refusals.get("position"), "exiting now")
      })
    )
  )

  it.effect("that is open is reported within two minutes after the clock is set back by an hour", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* atItsFloor
        yield* Effect.sleep(20_000)
        assert.lengthOf(told(process), 0)
        // The venue seems to agree, so no other alarm stands.
        const hourBefore = (text: string) => new Date(Date.parse(text) - 3_600_000).toISOString()
        world.network.reply = (_, body) =>
          JSON.parse(JSON.stringify(body), (key, value) => (key === "timestamp" ? hourBefore(value) : value))
        world.setClockAhead(-3_600_000)
        yield* until(() => told(process).length > 0, 120_000, "it is told")
      })
    )
  )

  for (const [what, path, cause] of [
    ["its create", /\/orders$/, "there is no answer to its create"],
    ["its payment", /submit-intent$/, "there is no answer to its payment"],
    ["the cancel of its target", /\/cancel$/, "the venue has not cancelled the order at 70000"]
  ] as const)
    it.effect(`after a stop is reported as not in the market if ${what} stays unanswered for a minute`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { fell, process } = yield* stoppedBracketWith((world) => {
            world.network.bend = ({ method, url }) =>
              method === "POST" && path.test(url) ? { status: 503, body: {} } : undefined
          })
          yield* until(() => told(process).length > 0, 300_000, "it is told")
          assert.isAtLeast((yield* Clock.currentTimeMillis) - fell, 60_000)
          const text = new RegExp(
            `^The exit SELL [\\d.]+ BTC at 56430\\.\\d+ is not in the market: ${cause}; exiting now at `
          )
          assert.match(told(process)[0]?.text ?? "", text)
          yield* Effect.sleep("3 minutes")
          assert.lengthOf(told(process), 1)
          assert.notMatch(told(process)[0]?.text ?? "", /is open/)
          const reasons = (yield* process.events).flatMap(({ event }) =>
            event._tag === "Deferred" && event.exit !== undefined ? [event.reason] : []
          )
          // A create that is given up has a reason of its own.
          assert.isAtMost(reasons.length, what === "its create" ? 2 : 1, reasons.join(", "))
          if (what === "its payment") return
          process.world.network.bend = () => undefined
          yield* until(() => told(process).length === 0, 600_000, "it is over once its order has the money")
        })
      )
    )

  it.effect("that the venue keeps refusing raises an alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isRefusing = true
        let creates = 0
        world.network.bend = ({ method, url }) => {
          if (method !== "POST" || !/\/orders$/.test(url)) return undefined
          creates += 1
          if (creates === 1 || !isRefusing) return undefined
          const error = { status: "400", code: "VALIDATION_ERROR", title: "no", detail: "not this one" }
          return { status: 400, body: { errors: [error] } }
        }
        const process = yield* world.run({ strategies: [long("budget: { quote: 1000 }")] })
        yield* until(() => told(process).length > 0, 300_000, "it is told")
        assert.match(told(process)[0]?.text ?? "", /^The exit SELL .* is not in the market: /)
        isRefusing = false
        yield* until(() => told(process).length === 0, 600_000, "it is over once it rests")
      })
    )
  )

  it.effect("after a stop that does not fill is reported after a minute, and again with each percent", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { fell, process, to } = yield* stoppedBracket
        yield* until(() => openOrders(process).some(({ side }) => side === "SELL"), 60_000, "it rests in the market")
        yield* Effect.sleep(40_000)
        assert.lengthOf(told(process), 0)
        yield* until(() => told(process).length > 0, 60_000, "it is told")
        assert.isAtLeast((yield* Clock.currentTimeMillis) - fell, 60_000)
        const text = () => told(process)[0]?.text ?? ""
        assert.match(
          text(),
          /^The exit SELL [\d.]+ BTC at 56430\.\d+ is open and not filled: no solver has filled it; exiting now at 569\d\d\.\d+ costs 0\.\d+ USDC more than at 57000/
        )
        const lines = Effect.map(
          process.events,
          (all) => all.filter(({ event }) => event._tag === "Deferred" && event.exit?.rests === true).length
        )
        yield* to(56_700)
        yield* until(
          () => openOrders(process).some(({ price }) => Decimal.toNumber(price) < 56_300),
          60_000,
          "it moves"
        )
        yield* Effect.sleep(30_000)
        assert.deepStrictEqual([told(process).length, yield* lines], [1, 1])
        yield* to(56_000)
        yield* until(() => /exiting now at 559\d\d/.test(text()), 60_000, "the market is lower by more than a percent")
        yield* Effect.sleep(30_000)
        assert.strictEqual(yield* lines, 2)
        yield* process.world.tell("/sandbox/fill", { side: "SELL" })
        yield* until(() => told(process).length === 0, 60_000, "it is over once it has filled")
      })
    )
  )

  it.effect.skipIf(!isLong)(
    "after a stop that the venue refuses is placed within seconds once the venue accepts it",
    () =>
      inVirtualTime(
        Effect.gen(function* () {
          let isRefusing = true
          const creates: Array<number> = []
          const { process } = yield* stoppedBracketWith((world) => {
            world.network.bend = ({ method, url }) => {
              if (method !== "POST" || !/\/orders$/.test(url)) return undefined
              creates.push(0)
              const error = { status: "400", code: "VALIDATION_ERROR", title: "no", detail: "not this one" }
              return isRefusing ? { status: 400, body: { errors: [error] } } : undefined
            }
          })
          yield* Effect.sleep("10 minutes")
          assert.isAtMost(creates.length, 10 * 13, "requests have a bound")
          assert.match(
            told(process)[0]?.text ?? "",
            /^The exit SELL .* is not in the market: .*; exiting now at 569\d\d\.\d+ costs 0\.\d+ USDC more than at 57000/
          )
          const alarms = (yield* process.events).filter(
            ({ event }) => event._tag === "Deferred" && event.exit !== undefined
          )
          assert.lengthOf(alarms, 1)
          isRefusing = false
          yield* until(() => openOrders(process).length === 1, 7_000, "it rests")
          assert.lengthOf(told(process), 0)
        })
      )
  )

  it.effect.skipIf(!isLong)("by a swap that the venue refunds waits longer each time and raises an alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, { refundedSwapShare: 1 })
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 62_000 } })
        const process = yield* withTarget(
          world,
          long("budget: { quote: 1000 }").replace("stop: 30000", "stop: 61000, reach: 3%, stopBy: swap")
        )
        yield* world.tell("/sandbox/prices", { prices: { "BTC/USDC": 60_000 } })
        const swaps = Effect.map(
          process.events,
          (events) => events.filter(({ event }) => event._tag === "Planned" && event.by === "swap").length
        )
        yield* until(() => told(process).length > 0, 300_000, "it is told")
        assert.match(
          told(process)[0]?.text ?? "",
          /^The exit SELL .* is not in the market: the venue paid its swap back/
        )
        yield* Effect.sleep("15 minutes")
        assert.isAtMost(yield* swaps, 11)
        assert.lengthOf(told(process), 1, "it stays an alarm while the next swap is under way")
      })
    )
  )

  it.effect.each([
    [
      "in a rule",
      `orders:
    a: { when: mid > 59000, side: buy, price: 60000, size: { base: 0.01 }, times: 1, then: { by: swap, price: entry * (1 + 2%), stop: entry * (1 - 5%), reach: 1% } }`,
      ""
    ],
    [
      "at the end",
      "orders:\n    a: { when: mid > 59000, side: buy, price: 60000, size: { base: 0.01 }, times: 1 }",
      "until: 2026-01-01T00:03:00Z\nonEnd: { sell: { by: swap, price: 61200 } }\n"
    ]
  ] as const)("that is a swap waits for its price without an alarm: %s", ([, orders, end]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(60_000)
        const rule = `name: rule
market: BTC/USDC
kind: rules
${end}limits: { budget: { quote: 1000 }, maxPriceDeviation: 90% }
rules:
  timeframe: 1m
  ${orders}
`
        const process = yield* world.run({ strategies: [rule], pace: { pollMaxMillis: 2_000 } })
        yield* until(
          () => (process.state.slots.get("rule/a")?.completedLegs ?? 0) === 1,
          120_000,
          "its entry has filled"
        )
        yield* Effect.sleep("5 minutes")
        assert.deepStrictEqual(told(process), [])
        yield* to(62_000)
        const isSold = () => [...process.state.slots.values()].some(({ sold }) => sold > 0n)
        yield* until(isSold, 120_000, "it has sold")
      })
    )
  )

  it.effect("after a stop that is a swap is reported while no swap returns enough", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, to } = yield* stoppedBracketWith(
          () => undefined,
          "maxPriceDeviation: 90%",
          "stopBy: swap, floor: 57500"
        )
        yield* until(() => told(process).length > 0, 120_000, "it is told")
        assert.match(
          told(process)[0]?.text ?? "",
          /^The exit SELL .* is not in the market, refused by its limit swap-price/
        )
        yield* to(57_900)
        yield* until(() => told(process).length === 0, 120_000, "the swap has sold")
      })
    )
  )

  it.effect("that the venue ends is placed again soon and raises an alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const process = yield* world.run({ strategies: [long("budget: { quote: 1000 }")] })
        const exit = () => openOrders(process).find(({ side }) => side === "SELL")?.order?.id
        yield* until(() => exit() !== undefined, 120_000, "the target rests")
        assert.lengthOf(told(process), 0)
        yield* world.cancel(exit() ?? "")
        yield* until(() => told(process).length > 0, 30_000, "it is told")
        assert.match(
          told(process)[0]?.text ?? "",
          /^The exit SELL .* is not in the market: the venue ended order .* early \(CANCELED\)/
        )
        yield* until(
          () => exit() !== undefined && told(process).length === 0,
          900_000,
          "it is over once it rests again"
        )
      })
    )
  )

  it.effect.skipIf(!isLong)("at its target stays open while price-deviation refuses the stop", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bought = yield* withTarget(world, long(budget))
        yield* bought.stop
        const process = yield* world.run({
          strategies: [stopped("maxPriceDeviation: 1%")],
          pace: { pollMaxMillis: 5_000 }
        })
        yield* until(() => told(process).length > 0, 300_000, "it is told that the stop is not placed")
        const refused =
          /^The exit SELL .* refused by its limit price-deviation: .* at a mid of [\d.]+; it waits for a mid below [\d.]+, or raise limits.maxPriceDeviation; exiting now at .* costs [\d.]+ USDC more than at [\d.]+/
        assert.match(told(process)[0]?.text ?? "", new RegExp(`${refused.source}; the order at 120000 stays$`))
        const isRefusal = ({ event }: { readonly event: { readonly _tag: string } }) => event._tag === "Denied"
        const said = (yield* process.events).filter(isRefusal).length
        yield* Effect.sleep("2 minutes")
        const [target, ...others] = openOrders(process)
        assert.lengthOf(others, 0)
        assert.strictEqual(Decimal.format(target?.price ?? Decimal.zero), "120000")
        assert.isUndefined(target?.cancel)
        assert.lengthOf((yield* process.events).filter(isRefusal), said, "it is recorded once")
        yield* world.cancel(target?.order?.id ?? "")
        yield* until(() => openOrders(process).length === 0, 60_000, "somebody cancelled it")
        assert.match(told(process)[0]?.text ?? "", /is not in the market/)
        assert.notMatch(told(process)[0]?.text ?? "", /stays/)
        yield* process.stop
        const back = yield* world.run({ strategies: [long(budget)], pace: { pollMaxMillis: 5_000 } })
        yield* until(() => told(back).length === 0, 900_000, "it is over once the stop is not wanted")
      })
    )
  )

  it.effect("at its target that fills in part keeps the alarm of the refused stop until all has filled", () =>
    Effect.sync(() => {
      const about = { strategy: "long", slot: "position", placement: "p2" }
      const exits: RefusedExits.RefusedExits = new Map()
      const exit = { side: "SELL", price: Decimal.make(59n), quantity: 5n, asset: "BTC" } as const
      const see = (event: BotEvent) => RefusedExits.see(exits, event, 0)
      see({ _tag: "Denied", ...about, limit: "price-deviation", reason: "r", exit })
      const amounts = { inputAsset: "BTC", amountIn: 1n, outputAsset: "USDC", amountOut: 1n }
      see({ _tag: "DepositSeen", ...about, asset: "BTC", total: 5n, fresh: 5n })
      see({ _tag: "FillSeen", ...about, fillId: "f", side: "SELL", price: exit.price, filledAt: 0, ...amounts })
      assert.strictEqual(exits.size, 1)
      see({ _tag: "Closed", ...about, status: "FILLED", inputAsset: "BTC", unspent: 0n })
      assert.strictEqual(exits.size, 0)
    })
  )

  it.effect.skipIf(!isLong)("at its stop is placed in quiet hours too", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bought = yield* withTarget(world, long(budget))
        yield* bought.stop
        const quiet = stopped("maxPriceDeviation: 90%, quietHours: 00:00-23:59")
        const process = yield* world.run({ strategies: [quiet], pace: { pollMaxMillis: 5_000 } })
        yield* Effect.sleep("3 minutes")
        assert.deepStrictEqual(yield* sidesFilled(process), ["BUY", "SELL"])
        assert.lengthOf(told(process), 0)
      })
    )
  )

  it.effect.skipIf(!isLong)("after a daily loss is placed at its stop", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const limits = "maxPriceDeviation: 90%, maxDailyLoss: 0.01"
        const process = yield* withTarget(world, long(budget).replace("maxPriceDeviation: 90%", limits))
        const pause = () => process.state.strategies.get("long")?.paused?.limit
        yield* until(() => pause() === "daily-loss", 3_600_000, "it has lost")
        yield* process.stop
        const second = yield* world.run({ strategies: [stopped(limits)], pace: { pollMaxMillis: 5_000 } })
        yield* Effect.sleep("3 minutes")
        assert.strictEqual(second.state.strategies.get("long")?.paused?.limit, "daily-loss")
        assert.deepStrictEqual(yield* sidesFilled(second), ["BUY", "SELL"])
        assert.lengthOf(told(second), 0)
      })
    )
  )

  it.effect("that a loss limit cancels is reported with the position and the cost of leaving", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process } = yield* stoppedBracketWith(
          () => undefined,
          "maxPriceDeviation: 90%, maxDailyLoss: 10, onLoss: drain"
        )
        const problems = () => problemsIn(process).map(({ kind, severity, text }) => `${severity} ${kind} ${text}`)
        yield* until(() => problems().length >= 2, 60_000, "it is told")
        yield* until(() => openOrders(process).length === 0, 60_000, "its exit is cancelled")
        yield* Effect.sleep("2 minutes")
        assert.lengthOf(openOrders(process), 0)
        const [exit = "", paused = "", ...others] = problems()
        assert.lengthOf(others, 0)
        assert.match(
          exit,
          /^alarm exit-refused The exit SELL 0.016666\d\d BTC at [\d.]+ is not in the market, refused by its limit paused: paused by its limit daily-loss: Lost [^;]*; exiting now at [\d.]+ costs [\d.]+ USDC more than at [\d.]+$/
        )
        assert.match(
          paused,
          /^alarm paused-by-limit Paused, orders cancelled by its limit daily-loss: Lost .*; it holds 0.016666\d\d BTC, bought at 6\d{4}(\.\d+)? USDC on average, and places no exit$/
        )
        const holds = holdsOnSlot(process.state, "long", "position").map(({ text }) => text)
        assert.isTrue(holds.every((text) => !text.includes("exits continue")))
      })
    )
  )

  it.effect("that the kill switch cancels is reported, and is placed again after the release", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process } = yield* stoppedBracket
        yield* until(() => openOrders(process).length === 1, 60_000, "its exit rests")
        process.world.setWithdraw({ code: "kill-switch", text: "by hand" })
        yield* until(() => told(process).length > 0, 60_000, "it is told")
        assert.match(told(process)[0]?.text ?? "", /refused by its limit kill-switch: .*; exiting now at [\d.]+ costs /)
        process.world.setWithdraw(undefined)
        yield* until(() => told(process).length === 0 && openOrders(process).length === 1, 60_000, "it is back")
      })
    )
  )

  it.effect("that is cancelled because the bot leaves is not reported as refused", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process } = yield* stoppedBracket
        yield* until(() => openOrders(process).length === 1, 60_000, "its exit rests")
        process.world.setWithdraw({ code: "leaving", text: "the bot leaves" })
        yield* until(() => openOrders(process).length === 0, 60_000, "it is cancelled")
        assert.isFalse((yield* process.events).some(({ event }) => event._tag === "Denied"))
      })
    )
  )

  it.effect("is not missing if its entry is refused", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const process = yield* world.run({ strategies: [long("budget: { quote: 1000 }, maxNotional: 10")] })
        yield* Effect.sleep(10_000)
        assert.isTrue((yield* process.events).some(({ event }) => event._tag === "Denied"))
        assert.lengthOf(told(process), 0)
      })
    )
  )
})
