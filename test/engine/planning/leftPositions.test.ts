/** What a strategy holds when no file has its name any more: after a rename, and after a start without its file. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { ended, recovered } from "../../../src/domain/Placement.ts"
import * as OperatorPause from "../../../src/engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { leftPositions } from "../../../src/engine/state/strategies/LeftPosition.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import * as EventLine from "../../../src/report/text/EventLine.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { slotsOf } from "../../../src/views/Slots.ts"
import { assets, inVirtualTime, make, parse, type Running, until } from "../../world/bot/botWorld.ts"
import { leftWithPosition } from "../../world/bot/troubles.ts"

const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))

const file = (name: string, entry: number) => `name: ${name}
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 4000 }, maxPriceDeviation: 90% }
bracket: { side: buy, size: { base: 0.03 }, entry: ${entry}, takeProfit: 90000, stop: 100 }
`
const old = file("old", 70_000)
const renamed = file("new", 40_000)

const problems = ({ state }: Running) =>
  problemsOf(state, bySymbol, { now: 0, pulse: undefined, stuckAfter: defaultTerms })
const told = (bot: Running) => problems(bot).filter(({ kind }) => kind === "left-position")
const slots = ({ state }: Running) => slotsOf(state, bySymbol, new Map()).map(({ slot }) => slot)

/** It has bought, and its target rests. */
const holding = Effect.fnUntraced(function* (bot: Running) {
  const rests = () => unfinished(bot.state).some(({ side, state }) => side === "SELL" && state === "open")
  yield* until(rests, 300_000, "the target rests")
})

it("a position that is left to the account stays there until more of it fills", () => {
  const state = BotState.make()
  const record = (...events: ReadonlyArray<BotEvent>) => {
    for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
  }
  record(...leftWithPosition)
  assert.deepStrictEqual(
    leftPositions(state).map(({ base, strategy }) => [strategy, base]),
    [["renamed", 200_000n]]
  )
  record({ _tag: "Resumed", strategy: "renamed", reason: "sold" })
  assert.isEmpty(leftPositions(state))
  const fill = leftWithPosition.find((event) => event._tag === "FillSeen") ?? assert.fail()
  record({ ...fill, fillId: "another" })
  assert.strictEqual(leftPositions(state).length, 1)
})

it("orders that a recovery takes in leave no position, unless the journal has a file of their name", () => {
  for (const name of [ended, recovered]) {
    const leftAs = (...earlier: ReadonlyArray<BotEvent>) => {
      const state = BotState.make()
      const taken: ReadonlyArray<BotEvent> = leftWithPosition.map((event) => ({ ...event, strategy: name }))
      for (const event of [...earlier, ...taken]) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
      return leftPositions(state).map(({ strategy }) => strategy)
    }
    assert.deepStrictEqual(leftAs(), [])
    const about = { file: "own.yaml", kind: "bracket", market: "BTC/USDC", hash: "a" }
    assert.deepStrictEqual(leftAs({ _tag: "StrategyLoaded", strategy: name, ...about }), [name])
  }
})

describe("a position of a removed strategy", () => {
  it.effect("is an alarm after a rename, until a file has the name again", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [old] })
        yield* holding(bot)
        assert.isEmpty(told(bot))
        yield* bot.inside().replace([parse(renamed)], "drained")
        const [problem] = told(bot)
        assert.deepInclude(problem, { severity: "alarm", subject: "old", command: "resume" })
        assert.match(problem?.text ?? "", /holds 0\.0299997 BTC, bought at 6\d{4}(\.\d+)? USDC on average/)
        const lines = (yield* bot.events).flatMap(({ event }) =>
          event._tag === "StrategyRemoved" ? [EventLine.describe(event, bySymbol)] : []
        )
        assert.deepInclude(lines[0], { subject: "old", weight: "alarm" })
        assert.match(lines[0]?.text ?? "", /NO FILE HAS THE NAME: old holds 0\.0299997 BTC/)
        yield* bot.inside().replace([parse(old)], "drained")
        assert.isEmpty(told(bot))
      })
    )
  )

  it.effect("is an alarm after a start without its file, and belongs to no slot", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* world.run({ strategies: [old] })
        yield* holding(first)
        yield* first.stop
        const bot = yield* world.run({ strategies: [renamed] })
        yield* until(() => slots(bot).includes("new/position"), 60_000, "the new strategy decides")
        assert.strictEqual(told(bot).length, 1)
        const started = (yield* bot.events).flatMap(({ event }) =>
          event._tag === "BotStarted" ? [EventLine.describe(event, bySymbol)] : []
        )
        assert.deepStrictEqual(
          started.map((line) => line?.weight),
          ["quiet", "alarm"]
        )
        assert.match(started[1]?.text ?? "", /old holds 0\.0299997 BTC/)
      })
    )
  )

  it.effect("ends if the operator leaves it to the account", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [old] })
        yield* holding(bot)
        yield* bot.inside().replace([parse(renamed)], "left")
        const events = OperatorPause.resume(bot.state, "old", "sold elsewhere")
        assert.deepStrictEqual(events, [{ _tag: "Resumed", strategy: "old", reason: "sold elsewhere" }])
        yield* Context.get(bot.context, Bookkeeper).record(...events)
        assert.isEmpty(told(bot))
        assert.isEmpty(OperatorPause.resume(bot.state, "old", "again"))
      })
    )
  )

  it.effect("leaves no slot row and no pause alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [old] })
        const isPaying = () => unfinished(bot.state).some(({ side, fills }) => side === "BUY" && fills.size > 0)
        yield* until(isPaying, 300_000, "the entry fills")
        yield* until(() => !isPaying(), 300_000, "the entry is paid out")
        yield* bot.inside().replace([parse(renamed)], "drained")
        yield* until(() => unfinished(bot.state).every(({ strategy }) => strategy === "new"), 300_000, "old is empty")
        assert.isEmpty(slots(bot).filter((slot) => slot.startsWith("old/")))
        assert.deepStrictEqual(
          problems(bot).map(({ kind, subject }) => [kind, subject]),
          [["left-position", "old"]]
        )
      })
    )
  )
})
