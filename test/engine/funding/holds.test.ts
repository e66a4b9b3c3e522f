/** What stops money on its way: whatever is not signed yet does not begin, and bytes that were sent once stay where they are. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import type { BotEvent, Reason } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as OperatorPause from "../../../src/engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import { LeaseLost } from "../../../src/journal/Lease.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import {
  type Bend,
  inVirtualTime,
  ladder,
  make,
  makeExpiring,
  openOrders,
  type Run,
  type Running,
  until
} from "../../world/bot/botWorld.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"

const isSubmit = ({ path }: { readonly path: string }) => path.endsWith("/v0/submit-intent")
const isCreate = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && path.endsWith("/v0/orders")
const unavailable = { status: 503, body: { message: "Service Unavailable" } }

type World = Effect.Success<typeof make>

const say = ({ context }: Running, ...events: ReadonlyArray<BotEvent>) =>
  Effect.orDie(Context.get(context, Bookkeeper).record(...events))

const swapper = `name: ladder
market: SOL/USDC
kind: rules
limits: { budget: { quote: 1500 }, maxPriceDeviation: 90% }
rules:
  timeframe: 1m
  orders:
    in: { when: mid > 1, side: buy, by: swap, price: mid * (1 + 3%), size: { quote: 100 } }
`

const dailyLoss: BotEvent = {
  _tag: "Paused",
  strategy: "ladder",
  limit: "daily-loss",
  action: "pause",
  reason: "it lost too much"
}

const byOperator = (action: "pause" | "drain") => (bot: Running) =>
  say(bot, ...OperatorPause.pause(bot.state, "ladder", action, "by the operator"))

/** A strategy that is asked at every look, and throws from some moment on. */
const failing = () => {
  let isFailing = false
  const changed = (strategy: Strategy): Strategy => ({
    ...strategy,
    decide: (view, memory) => {
      if (isFailing) throw new Error("a mistake")
      const decision = strategy.decide(view, memory)
      return { ...decision, until: { ...decision.until, time: view.now } }
    }
  })
  /** Known at the next plan. */
  const fail = ({ state }: Running) =>
    Effect.andThen(
      Effect.sync(() => {
        isFailing = true
      }),
      until(() => state.strategies.get("ladder")?.failing !== undefined, 20_000, "it fails")
    )
  return { changed, fail }
}

/** How a strategy is told to begin nothing new; each is recorded while nothing is signed. */
type Fail = ReturnType<typeof failing>["fail"]
const stops: ReadonlyArray<readonly [string, (bot: Running, fail: Fail) => Effect.Effect<unknown>]> = [
  ["pause by the operator", byOperator("pause")],
  ["drain by the operator", byOperator("drain")],
  ["daily loss", (bot) => say(bot, dailyLoss)],
  ["strategy that is removed", (bot) => Effect.orDie(bot.inside().replace([], "left"))],
  ["strategy that is removed with its orders", (bot) => Effect.orDie(bot.inside().replace([], "drained"))],
  ["strategy that cannot be planned", (bot, fail) => fail(bot)]
]

describe("nothing is signed, paid or created after", () => {
  it.effect.each(stops)("a %s, and created orders are cancelled", ([, stop]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        // Payloads are not generated, so four orders wait unsigned, and no more than four are worked on at a time.
        world.network.bend = ({ url }) => (url.endsWith("/generate-intent") ? unavailable : undefined)
        const { changed, fail } = failing()
        const bot = yield* world.run({ strategies: [ladder(6)], changed })
        const count = (state: Placement["state"]) => unfinished(bot.state).filter((each) => each.state === state).length
        yield* until(() => count("created") === 4 && count("planned") === 2, 5_000, "four are created, two planned")
        yield* stop(bot, fail)
        world.network.sent.length = 0
        world.network.bend = () => undefined
        yield* until(() => unfinished(bot.state).length === 0, 30_000, "nothing is left")
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(world.network.sent.filter(isSubmit), [], "paid")
        assert.deepStrictEqual(world.network.sent.filter(isCreate), [], "created")
        assert.strictEqual(openOrders(bot).length, 0)
        const spare = [...bot.state.placements.values()].flatMap(({ spares }) => [...spares.values()])
        assert.isAtLeast(spare.length, 4)
        assert.isTrue(
          spare.every((isCancelled) => isCancelled),
          "what was created is cancelled as spare"
        )
      })
    )
  )

  it.effect("a pause of a strategy whose swap is quoted", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.bend = ({ url }) => (url.endsWith("/generate-intent") ? unavailable : undefined)
        const bot = yield* world.run({ strategies: [swapper] })
        yield* until(() => unfinished(bot.state).some(({ state }) => state === "created"), 20_000, "it is quoted")
        yield* say(bot, ...OperatorPause.pause(bot.state, "ladder", "pause", "by the operator"))
        world.network.bend = () => undefined
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(world.network.sent.filter(isSubmit), [])
        assert.isEmpty(unfinished(bot.state))
      })
    )
  )
})

/** Orders whose payments left once and got no clear answer; the network is as it should be from then on. */
const sentOnce = Effect.fnUntraced(function* (
  asked: Omit<Run, "strategies"> = {},
  bend: Bend = () => undefined,
  making: typeof make = make
) {
  const world = yield* making
  world.network.bend = ({ url }) => (url.endsWith("/v0/submit-intent") ? unavailable : undefined)
  const { changed, fail } = failing()
  const bot = yield* world.run({ pace: { pollMinMillis: 5_000 }, ...asked, strategies: [ladder(3)], changed })
  const sent = () => unfinished(bot.state).filter(({ funding }) => (funding?.attempts ?? 0) > 0)
  yield* until(() => sent().length === 3 && world.network.sent.filter(isSubmit).length >= 3, 20_000, "three are sent")
  yield* Effect.sleep(100)
  world.network.sent.length = 0
  world.network.bend = bend
  return { world, bot, fail, ids: sent().map(({ id }) => id) }
})

interface Stop {
  readonly world: World
  readonly bot: Running
  readonly fail: Fail
  readonly ids: ReadonlyArray<string>
}

const killed: Reason = { code: "kill-switch", text: "test" }
let isLeaseLost = false

/** What stops bytes that may have arrived: they are not sent again. */
const resendStops: ReadonlyArray<readonly [string, (stop: Stop) => Effect.Effect<unknown>]> = [
  ["kill", ({ world }) => Effect.sync(() => world.setWithdraw(killed))],
  [
    "kill that is released again",
    ({ world }) =>
      Effect.gen(function* () {
        world.setWithdraw(killed)
        yield* Effect.sleep(800)
        world.setWithdraw(undefined)
      })
  ],
  [
    "bot that leaves with its orders",
    ({ world }) => Effect.sync(() => world.setWithdraw({ code: "leaving", text: "it leaves" }))
  ],
  ["pause", ({ bot }) => byOperator("pause")(bot)],
  ["drain", ({ bot }) => byOperator("drain")(bot)],
  ["strategy that is removed with its orders", ({ bot }) => Effect.orDie(bot.inside().replace([], "drained"))],
  ["strategy that is removed without its orders", ({ bot }) => Effect.orDie(bot.inside().replace([], "left"))],
  ["strategy that cannot be planned", ({ bot, fail }) => fail(bot)],
  [
    "contradiction",
    ({ bot, ids }) =>
      say(
        bot,
        ...ids.map(
          (placement): BotEvent => ({
            _tag: "Contradiction",
            strategy: "ladder",
            slot: bot.state.placements.get(placement)?.slot ?? "",
            placement,
            what: "odd",
            evidence: ""
          })
        )
      )
  ],
  [
    "cancel, and its refusal",
    ({ bot, ids, world }) => {
      world.network.bend = ({ url }) => (url.endsWith("/cancel") ? { status: 409, body: {} } : undefined)
      return say(
        bot,
        ...ids.map(
          (placement): BotEvent => ({
            _tag: "CancelRequested",
            strategy: "ladder",
            slot: bot.state.placements.get(placement)?.slot ?? "",
            placement,
            why: { code: "x", text: "by hand" }
          })
        )
      )
    }
  ],
  [
    "cancel by somebody else that one read shows and the next one does not",
    ({ world }) =>
      Effect.gen(function* () {
        world.network.reply = (_request, body) =>
          JSON.parse(JSON.stringify(body).replaceAll("AWAITING_DEPOSIT", "CANCELED"))
        yield* Effect.sleep(6_000)
        world.network.reply = (_request, body) => body
      })
  ],
  [
    "lease that is lost",
    () =>
      Effect.sync(() => {
        isLeaseLost = true
      })
  ]
]

describe("bytes that may have arrived", () => {
  it.effect.each(resendStops)("are not sent again after a %s", ([, stop]) =>
    inVirtualTime(
      Effect.gen(function* () {
        isLeaseLost = false
        const lease = Layer.succeed(
          LeaseLost,
          Effect.sync(() => (isLeaseLost ? "somebody removed it" : undefined))
        )
        const stopped = yield* sentOnce({ beside: lease }, undefined, makeExpiring)
        const { bot, ids, world } = stopped
        yield* stop(stopped)
        const mayBePaidEarlier = (id: string) => bot.state.placements.get(id)?.state === "in doubt"
        yield* until(() => ids.every(mayBePaidEarlier), 600_000, "their expiry leaves them in doubt")
        assert.deepStrictEqual(world.network.sent.filter(isSubmit), [])
        for (const [asset, sum] of LedgerFaults.sums(bot.state.ledger)) assert.strictEqual(sum, 0n, asset)
      })
    )
  )

  it.effect("end as unpaid if their orders are cancelled and stay empty for long enough", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { bot, world } = yield* sentOnce(
          { pace: { pollMinMillis: 10_000, doubtMillis: 300_000 } },
          undefined,
          makeExpiring
        )
        world.setWithdraw(killed)
        yield* until(() => unfinished(bot.state).length === 0, 2 * 3_600_000, "no doubt is left")
        assert.strictEqual(Ledger.freeOf(bot.state.ledger, "ladder", "USDC"), 6_000_000_000n)
      })
    )
  )

  it.effect("are sent again once a pause is over, while they are valid", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { bot, world } = yield* sentOnce()
        yield* say(bot, ...OperatorPause.pause(bot.state, "ladder", "pause", "by the operator"))
        yield* Effect.sleep(20_000)
        assert.deepStrictEqual(world.network.sent.filter(isSubmit), [])
        yield* say(bot, ...OperatorPause.resume(bot.state, "ladder", "by the operator"))
        yield* until(() => openOrders(bot).length === 3, 90_000, "all three rest")
      })
    )
  )

  it.effect("are sent again without a fresh price, because only that shows whether they arrived", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const isDown = ({ url }: { readonly url: string }) =>
          url.endsWith("/v0/quote") || url.endsWith("/submit-intent")
        const { bot, world } = yield* sentOnce({ pace: { retryMaxMillis: 5_000 } }, (request) =>
          isDown(request) ? unavailable : undefined
        )
        yield* Effect.sleep(60_000)
        const seenAt = Math.max(...[...bot.inside().prices.values()].map(({ at }) => at))
        assert.isBelow(seenAt, (yield* Clock.currentTimeMillis) - 30_000, "the price is too old for a first payment")
        world.network.bend = ({ url }) => (url.endsWith("/v0/quote") ? unavailable : undefined)
        yield* until(() => openOrders(bot).length === 3, 40_000, "all three rest")
      })
    )
  )

  it.effect("are not sent if the kill switch is pulled while they wait for their turn on the network", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { bot, world } = yield* sentOnce()
        world.setJournalLocked((events) => events.some(({ _tag }) => _tag === "FundingSent"))
        yield* Effect.sleep(10_000)
        world.setWithdraw(killed)
        yield* Effect.sleep(2_000)
        world.setJournalLocked(false)
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(world.network.sent.filter(isSubmit), [])
        const held = (yield* bot.events).flatMap(({ event }) => (event._tag === "FundingHeld" ? [event] : []))
        assert.isAtLeast(held.length, 1)
        for (const { placement } of held)
          assert.strictEqual(bot.state.placements.get(placement)?.funding?.attempts, 1, "the first one counts")
      })
    )
  )
})
