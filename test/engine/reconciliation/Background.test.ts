/** A running bot compares its records by itself: a stranger's order is named once, never touched, and gone when it is gone. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import * as Background from "../../../src/engine/reconciliation/Background.ts"
import * as BalanceComparison from "../../../src/engine/reconciliation/BalanceComparison.ts"
import * as Baseline from "../../../src/engine/reconciliation/Baseline.ts"
import * as Witnesses from "../../../src/engine/reconciliation/Witnesses.ts"
import * as SwapsByHand from "../../../src/engine/SwapsByHand.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { BalanceStore, HistoryStore } from "../../../src/journal/HistoryStore.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import * as Capital from "../../../src/ledger/Capital.ts"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import { History } from "../../../src/venue/History.ts"
import { ownAccount } from "../../../src/venue/VenueConfig.ts"
import {
  assets,
  inVirtualTime,
  isCancel,
  ladder,
  make,
  openOrders,
  type Running,
  resting,
  until
} from "../../world/bot/botWorld.ts"
import { play, start } from "../../world/service/play.ts"
import { agreedSwap } from "../funding/agreedSwap.ts"

/** Without a partner and without private money neither is asked. */
const unasked = Layer.mergeAll(Layer.mock(History)({}), Layer.mock(HistoryStore)({}), Layer.mock(BalanceStore)({}))

/** An answer about balances that shows less USDC. */
const lessOf = (body: unknown, amount: bigint): unknown => {
  const { balances } = Object(body)
  if (!Array.isArray(balances)) return body
  const usdc = assets.find(({ symbol }) => symbol === "USDC")?.id
  return {
    ...Object(body),
    balances: balances.map((each) =>
      each.tokenId === usdc ? { ...each, available: String(BigInt(each.available) - amount) } : each
    )
  }
}

/** A view of the verifier that shows less of the asset at this place. */
const lessAt = (body: unknown, place: number, amount: bigint): unknown => {
  const amounts: ReadonlyArray<string> = JSON.parse(Buffer.from(Object(body).result.result).toString("utf8"))
  const shown = amounts.map((each, index) => (index === place ? String(BigInt(each) - amount) : each))
  return { ...Object(body), result: { result: [...Buffer.from(JSON.stringify(shown))] } }
}

const ordersOf = (running: Running) => openOrders(running).map(({ order }) => order?.id ?? "")

describe("reconciliation in the background", () => {
  it.effect("names the orders of another bot once, and reports when all agrees again", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: first } = yield* resting({ strategies: [ladder(3)] }, 3)
        const own = new Set([world.signerId])
        const watched = { own, hasHistory: false, markets: { assets, ticks: new Map() }, isSeen: new Set<string>() }
        const look = yield* Background.make(watched).pipe(Effect.provideContext(first.context), Effect.provide(unasked))
        const found = look.pipe(Effect.provideContext(first.context), Effect.provide(unasked))
        const told = Effect.map(first.events, (events) =>
          events.flatMap(({ event }) => (event._tag === "Reconciled" ? [event] : []))
        )
        assert.deepStrictEqual((yield* found).foreign, [])
        assert.deepStrictEqual(yield* told, [], "nothing to tell")

        const second = yield* world.run({ strategies: [ladder(2, "other")], ownJournal: true })
        yield* until(() => openOrders(second).length === 2, 60_000, "two more rest")
        const strangers = ordersOf(second)
        const seen = yield* found
        assert.sameMembers(
          seen.foreign.map(({ subject }) => subject),
          strangers
        )
        assert.deepStrictEqual(seen.contradictions, [])
        yield* found
        assert.strictEqual((yield* told).length, 1, "said once")
        assert.isEmpty(world.network.sent.filter(isCancel))
        assert.strictEqual(openOrders(first).length, 3)

        // Orders that end while nobody looks are still no strangers, and the others are gone once they are paid back.
        yield* second.stop
        world.network.reply = (_request, body) => ({
          ...Object(body),
          ...(Array.isArray(Object(body).data) ? { data: [] } : {})
        })
        yield* found
        const [last] = (yield* told).slice(-1)
        assert.deepStrictEqual([last?.foreign, last?.contradictions], [[], []])
        yield* first.stop
      })
    )
  )

  it.effect("reads history and private balances too, reports once, and disturbs nothing if a read fails", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account = ownAccount(world.signerId, "CONFIDENTIAL_INTENTS")
        const small = ladder(2).replace("total: { quote: 3000 }", "total: { quote: 100 }")
        const bot = yield* world.run({ strategies: [small], account, isPartner: true })
        yield* until(() => openOrders(bot).length === 2, 60_000, "two rest")
        const watched = {
          own: new Set([world.signerId]),
          hasHistory: true,
          markets: { assets, ticks: new Map() },
          isSeen: new Set(assets.map(({ symbol }) => symbol))
        }
        const loop = yield* Background.forever(Background.every(30_000), watched).pipe(
          Effect.provide(HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))),
          Effect.provideContext(bot.context),
          Effect.forkChild
        )
        const all = bot.events
        const told = Effect.map(all, (events) =>
          events.flatMap(({ event }) => (event._tag === "Reconciled" ? [event] : []))
        )
        const asked = (what: RegExp) => world.network.sent.filter(({ path }) => what.test(path)).length
        yield* Effect.sleep(40_000)
        assert.deepStrictEqual([asked(/transactions/), asked(/balances/)], [1, 2], "balances at its start as well")
        assert.deepStrictEqual(yield* told, [], "all agrees")

        // Another program takes money of the account: the orders show it, and so do the balances.
        const other = yield* world.run({ strategies: [ladder(2, "other")], account, ownJournal: true })
        yield* until(() => openOrders(other).length === 2, 20_000, "its orders rest")
        yield* Effect.sleep(70_000)
        const [alarm, ...more] = yield* told
        assert.isEmpty(more, "said once")
        assert.sameMembers(alarm?.foreign.map(({ subject }) => subject) ?? [], ordersOf(other))
        assert.deepStrictEqual(alarm?.witnesses, ["orders", "history", "balances"])
        assert.match(alarm?.contradictions.join() ?? "", /^balance USDC: moved by -3000\d+, the journal explains 0$/)

        // What fails says nothing, and takes nothing back that was said.
        const before = { history: asked(/transactions/), balances: asked(/balances/) }
        world.network.bend = ({ url }) =>
          /transactions/.test(url)
            ? { status: 401, body: { error: "no" } }
            : /balances/.test(url)
              ? { status: 200, body: "?" }
              : undefined
        yield* Effect.sleep(70_000)
        assert.isAbove(asked(/transactions/), before.history)
        assert.isAbove(asked(/balances/), before.balances)
        assert.lengthOf(yield* told, 1)
        const third = yield* world.run({ strategies: [ladder(2, "third")], account, ownJournal: true })
        yield* until(() => openOrders(third).length === 2, 20_000, "its orders rest too")
        yield* Effect.sleep(70_000)
        const [, second] = yield* told
        assert.deepStrictEqual(second?.witnesses, ["orders"], "the others still speak")
        assert.sameMembers(second?.foreign.map(({ subject }) => subject) ?? [], [
          ...ordersOf(other),
          ...ordersOf(third)
        ])
        assert.deepStrictEqual(second?.contradictions, alarm?.contradictions)

        world.network.bend = () => "fails"
        yield* Effect.sleep(70_000)
        assert.lengthOf(yield* told, 2)
        world.network.bend = () => undefined
        yield* Effect.sleep(70_000)
        assert.isUndefined(loop.pollUnsafe())
        assert.strictEqual(openOrders(bot).length, 2)
        assert.isEmpty(world.network.sent.filter(isCancel))
        const down = (yield* all).filter(({ event }) => event._tag === "VenueDown")
        assert.lengthOf(down, 1, "only when the bot itself could not ask")
        yield* Fiber.interrupt(loop)
        yield* Effect.all([bot.stop, other.stop, third.stop])
      })
    )
  )

  it.effect("ends an alarm about an order when its books are corrected", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: bot } = yield* resting({ strategies: [ladder(2)] }, 2)
        const own = new Set([world.signerId])
        const watched = { own, hasHistory: false, markets: { assets, ticks: new Map() }, isSeen: new Set<string>() }
        const begun = yield* Background.make(watched).pipe(Effect.provideContext(bot.context), Effect.provide(unasked))
        const look = begun.pipe(Effect.provideContext(bot.context), Effect.provide(unasked))
        const books = Context.get(bot.context, Bookkeeper)
        const [one, other] = openOrders(bot).map(({ id, slot, strategy }) => ({ placement: id, slot, strategy }))
        if (one === undefined || other === undefined) return assert.fail("no orders")
        const noted = (about: typeof one) => ({ _tag: "Contradiction", ...about, what: "x", evidence: "" }) as const
        const told = () => bot.state.reconciled?.contradictions.map((sentence) => sentence.split(":")[0])
        const [first, second] = [one, other].map(
          ({ placement, slot, strategy }) => `order ${strategy}/${slot} ${placement}`
        )
        yield* books.record(noted(one), noted(other))
        yield* look
        assert.deepStrictEqual(told(), [first, second])

        const word = { _tag: "Resolved", word: "adopt", text: "" } as const
        yield* books.record({ ...word, ...one })
        assert.deepStrictEqual(told(), [second])
        yield* books.record({ ...word, ...other })
        assert.isUndefined(told())
        yield* books.record(noted(one))
        yield* look
        assert.deepStrictEqual(told(), [first], "what is so again is said again")
        yield* bot.stop
      })
    )
  )

  it.effect("keeps an alarm after an undecided comparison", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account = ownAccount(world.signerId, "CONFIDENTIAL_INTENTS")
        const small = ladder(2).replace("total: { quote: 3000 }", "total: { quote: 100 }")
        const bot = yield* world.run({ strategies: [small], account })
        yield* until(() => openOrders(bot).length === 2, 60_000, "two rest")
        const store = yield* Layer.build(
          HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
        )
        const begin = Background.make({
          own: new Set([world.signerId]),
          hasHistory: false,
          markets: { assets, ticks: new Map() },
          isSeen: new Set(assets.map(({ symbol }) => symbol))
        }).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const look = Effect.flatten(begin).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const accept = Effect.gen(function* () {
          const books = yield* Witnesses.books
          const snapshot = yield* Witnesses.balances({ assets, ticks: new Map() }, new Set(["USDC", "BTC"]))
          const { found } = yield* Witnesses.venueOrders(books)
          if (snapshot !== undefined)
            yield* Baseline.compare(BalanceComparison.positions(snapshot, found), bot.state, { isAccepted: true })
        }).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const told = Effect.map(bot.events, (events) =>
          events.flatMap(({ event }) => (event._tag === "Reconciled" ? [event.contradictions] : []))
        )
        assert.deepStrictEqual((yield* look).contradictions, [])

        let stolen = 0n
        let isHidden = false
        world.network.reply = ({ url }, body) => {
          if (/balances/.test(url)) return lessOf(body, stolen)
          return isHidden && Array.isArray(Object(body).data) ? { ...Object(body), data: [] } : body
        }
        world.network.bend = ({ method, url }) => {
          if (/balances/.test(url) && isDown) return { status: 500, body: { message: "down" } }
          return isHidden && method === "GET" && /orders[/]/.test(url) ? { status: 500, body: {} } : undefined
        }
        let isDown = false
        stolen = 5_000n
        const [alarm = "", ...more] = (yield* look).contradictions
        assert.match(alarm, /^balance USDC: moved by -5000, the journal explains 0$/)
        assert.isEmpty(more)

        // Its orders cannot be read: what they hold may be back, so this look leaves both possible.
        isHidden = true
        assert.deepStrictEqual((yield* look).contradictions, [alarm], "an undecided look")
        // Each look here is a bot that has just begun.
        isDown = true
        assert.deepStrictEqual((yield* look).contradictions, [alarm], "a look that sees no balances")
        isHidden = isDown = false
        assert.deepStrictEqual((yield* look).contradictions, [alarm], "a look that contradicts again")
        assert.deepStrictEqual(yield* told, [[alarm]], "said once")

        stolen = 0n
        assert.deepStrictEqual((yield* look).contradictions, [], "the balance was late, and agrees now")

        stolen = 5_000n
        yield* look
        yield* accept
        isHidden = true
        assert.deepStrictEqual((yield* look).contradictions, [], "a person said that it is so")
        assert.lengthOf(yield* told, 4)
        yield* bot.stop
      })
    )
  )

  it.effect("counts a credit without an origin as added capital, not as a contradiction", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account = ownAccount(world.signerId, "CONFIDENTIAL_INTENTS")
        const small = ladder(2).replace("total: { quote: 3000 }", "total: { quote: 100 }")
        const bot = yield* world.run({ strategies: [small], account, isPartner: true })
        yield* until(() => openOrders(bot).length === 2, 60_000, "two rest")
        const watched = {
          own: new Set([world.signerId]),
          hasHistory: false,
          markets: { assets, ticks: new Map() },
          isSeen: new Set(assets.map(({ symbol }) => symbol))
        }
        const store = yield* Layer.build(
          HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
        )
        const begin = Background.make(watched).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const look = Effect.flatten(begin).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const accept = Effect.gen(function* () {
          const snapshot = yield* Witnesses.balances(watched.markets, watched.isSeen)
          const { found } = yield* Witnesses.venueOrders(yield* Witnesses.books)
          if (snapshot !== undefined)
            yield* Baseline.compare(BalanceComparison.positions(snapshot, found), bot.state, { isAccepted: true })
        }).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const booked = Effect.map(bot.events, (events) =>
          events.flatMap(({ event }) => (event._tag === "CapitalMoved" ? [[event.amount, event.witness]] : []))
        )
        let missing = 0n
        let items: ReadonlyArray<unknown> | undefined
        world.network.reply = ({ url }, body) => (/balances/.test(url) ? lessOf(body, missing) : body)
        world.network.bend = ({ url }) =>
          /account[/]history/.test(url)
            ? items === undefined
              ? { status: 403, body: { message: "History is invite-only for now" } }
              : { status: 200, body: { items } }
            : undefined
        const credit = (amountOutFormatted: string) => ({
          status: "SUCCESS",
          recipientType: "CONFIDENTIAL_INTENTS",
          createdAt: "2026-11-01T00:00:00.000Z",
          depositAddress: `of ${amountOutFormatted}`,
          destinationAsset: assets.find(({ symbol }) => symbol === "USDC")?.id,
          amountOutFormatted,
          recipient: world.signerId
        })
        assert.deepStrictEqual((yield* look).contradictions, [])

        missing = -777n
        const told = "balance USDC: moved by 777, the journal explains 0"
        const refusal = "The venue refused to read the account history: http-403: History is invite-only for now"
        assert.deepStrictEqual(
          (yield* look).contradictions,
          [`${told}; the account's history could not be read: ${refusal}`],
          "no witness names it, and the one that is missing is said"
        )
        items = [{ ...credit("0.000777"), originAsset: "nep141:other" }, credit("0.000776")]
        assert.deepStrictEqual((yield* look).contradictions, [told], "what has an origin, or another amount, is not it")
        items = [credit("0.000500"), credit("0.000277"), credit("1")]
        assert.deepStrictEqual((yield* look).contradictions, [], "the history names two that are all of it")
        const byHistory = [
          [500n, "history"],
          [277n, "history"]
        ]
        assert.deepStrictEqual(yield* booked, byHistory)
        assert.deepStrictEqual((yield* look).contradictions, [])

        // The same credits are no witness for the next one.
        missing = -1_277n
        assert.lengthOf((yield* look).contradictions, 1)
        yield* accept
        assert.deepStrictEqual((yield* look).contradictions, [])
        assert.deepStrictEqual(yield* booked, [...byHistory, [500n, "operator"]])

        // Less than there was is never capital that went without somebody's word.
        missing = -1_000n
        items = [credit("0.000277"), credit("0.000500"), credit("0.000001")]
        assert.lengthOf((yield* look).contradictions, 1)
        assert.lengthOf(yield* booked, 3)
        yield* Effect.sleep(1_000)
        yield* accept
        assert.deepStrictEqual((yield* look).contradictions, [])
        assert.deepStrictEqual((yield* booked).at(-1), [-277n, "operator"])

        const books = Capital.emptyCapital()
        for (const entry of yield* bot.events) Capital.see(books, entry)
        const ofAccount = books.flows.filter(({ strategy }) => strategy === Capital.ofAccount)
        assert.strictEqual(
          ofAccount.reduce((sum, { amount }) => sum + amount, 0n),
          1_000n
        )
        const raised = { _tag: "BudgetAllotted", strategy: "other", asset: "USDC", amount: 1_400n } as const
        Capital.see(books, { sequence: 0, at: 0, event: raised })
        const sum = books.flows.reduce((total, { amount, asset }) => (asset === "USDC" ? total + amount : total), 0n)
        const given = books.flows.filter(({ strategy }) => strategy !== Capital.ofAccount && strategy !== "other")
        assert.strictEqual(
          sum - given.reduce((total, { amount, asset }) => (asset === "USDC" ? total + amount : total), 0n),
          1_400n,
          "what came and was given to a strategy counts once"
        )
        yield* bot.stop
      })
    )
  )

  it.effect("reports money that comes or goes before the first comparison, from the first balances on", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account = ownAccount(world.signerId, "CONFIDENTIAL_INTENTS")
        const idle = yield* world.run({ strategies: [], account })
        const store = yield* Layer.build(
          HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
        )
        const begun = yield* Background.make({
          own: new Set([world.signerId]),
          hasHistory: false,
          markets: { assets, ticks: new Map() },
          isSeen: new Set(assets.map(({ symbol }) => symbol))
        }).pipe(Effect.provideContext(idle.context), Effect.provideContext(store))
        const look = begun.pipe(Effect.provideContext(idle.context), Effect.provideContext(store))
        world.network.reply = ({ url }, body) => (/balances/.test(url) ? lessOf(body, 7n) : body)
        assert.deepStrictEqual((yield* look).contradictions, ["balance USDC: moved by -7, the journal explains 0"])
        yield* idle.stop
      })
    )
  )

  it.effect("reports public money that leaves without an order; what arrives is the account's own", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const small = ladder(2).replace("total: { quote: 3000 }", "total: { quote: 100 }")
        const bot = yield* world.run({ strategies: [small], hasLedger: true })
        yield* until(() => openOrders(bot).length === 2, 60_000, "two rest")
        const store = yield* Layer.build(
          HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
        )
        const begun = yield* Background.make({
          own: new Set([world.signerId]),
          hasHistory: false,
          markets: { assets, ticks: new Map() },
          home: "INTENTS",
          isSeen: new Set(assets.map(({ symbol }) => symbol))
        }).pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const look = begun.pipe(Effect.provideContext(bot.context), Effect.provideContext(store))
        const first = yield* look
        assert.deepStrictEqual(first, { witnesses: ["orders", "balances"], contradictions: [], foreign: [] })

        let missing = 0n
        const usdc = assets.findIndex(({ symbol }) => symbol === "USDC")
        world.network.reply = ({ url }, body) => (url.endsWith("/rpc") ? lessAt(body, usdc, missing) : body)
        missing = 5_000n
        assert.deepStrictEqual((yield* look).contradictions, ["balance USDC: moved by -5000, the journal explains 0"])
        missing = 0n
        assert.deepStrictEqual((yield* look).contradictions, [])
        missing = -700n
        assert.deepStrictEqual((yield* look).contradictions, [], "anybody may send public money")
        missing = 0n
        assert.deepStrictEqual((yield* look).contradictions, [], "a ledger may show a payment late")
        missing = -700n
        for (const _ of [1, 2]) assert.deepStrictEqual((yield* look).contradictions, [])
        missing = 0n
        assert.lengthOf((yield* look).contradictions, 1, "what two looks have seen is not to leave again")

        world.network.bend = ({ url }) => (url.endsWith("/rpc") ? "fails" : undefined)
        assert.deepStrictEqual((yield* look).witnesses, ["orders"], "a ledger that cannot be asked says nothing")
        yield* bot.stop
      })
    )
  )

  it.effect("recognises a swap by hand as ours", () =>
    play(
      Effect.gen(function* () {
        const { account, url } = yield* SandboxConnection
        const deadline = new Date(start + 120_000).toISOString()
        yield* SwapsByHand.begin(yield* agreedSwap(account.signerId, url, { deadline }))
        const look = yield* Background.make({
          own: new Set([account.signerId]),
          hasHistory: true,
          markets: { assets, ticks: new Map() },
          isSeen: new Set()
        })
        const { contradictions, foreign, witnesses } = yield* look
        assert.deepStrictEqual([contradictions, foreign], [[], []])
        assert.deepStrictEqual(witnesses, ["orders", "history"])
      }).pipe(
        Effect.provide(
          Layer.merge(Bookkeeper.layer.pipe(Layer.provideMerge(Journal.layer)), HistoryStore.layer).pipe(
            Layer.provideMerge(Sqlite.layer({ filename: ":memory:" }))
          )
        )
      )
    )
  )
})
