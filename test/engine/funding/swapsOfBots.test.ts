/** Swaps by hand that a running bot carries: in its turns, under its gate, and on after a kill at any moment. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { byHand } from "../../../src/domain/Placement.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import * as SwapsByHand from "../../../src/engine/SwapsByHand.ts"
import * as SwapHistory from "../../../src/engine/state/swaps/SwapHistory.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import {
  type Bend,
  inVirtualTime,
  ladder,
  make,
  openOrders,
  type Running,
  start,
  until
} from "../../world/bot/botWorld.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"
import { agreedSwap } from "./agreedSwap.ts"

interface Status {
  readonly status: string
  readonly swapDetails: { readonly [name: string]: unknown }
}

const deadline = new Date(start + 600_000).toISOString()

type World = Effect.Success<typeof make>

const begin = ({ signerId, url }: World, { context }: Running) =>
  agreedSwap(signerId, url, { deadline }).pipe(
    Effect.flatMap(SwapsByHand.begin),
    Effect.provideContext(context),
    Effect.orDie
  )

const eventsOf = ({ context }: Running) =>
  Journal.use(({ events }) => Stream.runCollect(events({ strategy: byHand }))).pipe(
    Effect.provideContext(context),
    Effect.orDie
  )
const tagsOf = (bot: Running) => Effect.map(eventsOf(bot), (events) => events.map(({ event }) => event._tag))

const toldOf = ({ context }: Running, name: string) =>
  Effect.map(SwapHistory.all, (swaps) => swaps.find(({ id }) => id === name)).pipe(
    Effect.provideContext(context),
    Effect.orDie
  )

const broughtBy = ({ state }: Running) =>
  ["BTC", "USDC"].map((asset) => Number(Ledger.broughtByHand(state.ledger, asset)))

const assertWhole = ({ state }: Running) => {
  for (const [asset, sum] of LedgerFaults.sums(state.ledger)) assert.strictEqual(sum, 0n, asset)
  assert.deepStrictEqual(LedgerFaults.overdrawn(state.ledger), [])
  const residual = Ledger.totals(state.ledger).filter(({ place }) => place === "residual")
  assert.deepStrictEqual(residual, [])
}

describe("a swap by hand in a running bot", () => {
  const moments: ReadonlyArray<readonly [moment: string, path: RegExp, isAnswered: boolean]> = [
    ["before its payload is generated", /generate-intent/, false],
    ["before its payload is submitted", /submit-intent/, false],
    ["before the answer to its payload", /submit-intent/, true],
    ["while it is under way", /status/, true]
  ]

  it.effect.each(moments)("is paid once although the bot is killed %s", ([, path, isAnswered]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* world.run({ strategies: [] })
        const name = yield* begin(world, first)
        let isReached = false
        const bend: Bend = ({ url }) => {
          if (!path.test(url)) return undefined
          isReached = true
          return isAnswered ? undefined : "hangs"
        }
        world.network.bend = bend
        yield* until(() => isReached, 60_000, "the moment")
        yield* first.stop
        world.network.bend = () => undefined

        const second = yield* world.run({ strategies: [] })
        yield* until(() => !second.state.placements.has(name), 120_000, "its end")
        const tags = yield* tagsOf(second)
        assert.strictEqual(tags.filter((tag) => tag === "FundingSigned").length, 1)
        assert.notInclude(tags, "Contradiction")
        const [btc, usdc = 0] = broughtBy(second)
        assert.strictEqual(btc, -1_000_000)
        assert.isAbove(usdc, 0)
        assertWhole(second)
        const told = yield* toldOf(second, name)
        assert.strictEqual(told && SwapHistory.endOf(told)?.outcome, "paid")
        assert.strictEqual(told?.placement.report?.amountOut, BigInt(usdc))
      })
    )
  )

  it.effect("is given up unpaid if the kill switch is pulled", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.setWithdraw({ code: "kill-switch", text: "stop" })
        const bot = yield* world.run({ strategies: [] })
        const name = yield* begin(world, bot)
        yield* until(() => bot.state.placements.get(name)?.state === "abandoned", 60_000, "given up")
        assert.deepStrictEqual(broughtBy(bot), [0, 0])
        assert.notInclude(yield* tagsOf(bot), "FundingSigned")
      })
    )
  )

  it.effect("uses neither the limits nor the money of the strategies beside it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [ladder(2).replace("6000 }", "6000 }, maxOpenOrders: 2")] })
        const name = yield* begin(world, bot)
        yield* until(() => !bot.state.placements.has(name), 120_000, "its end")
        yield* until(() => openOrders(bot).length === 2, 60_000, "both orders rest")
        assert.strictEqual(Ledger.ownedBy(bot.state.ledger, "ladder", "USDC"), 6_000_000_000n)
        assert.deepStrictEqual([...bot.state.strategies.keys()], ["ladder"])
        assert.strictEqual(broughtBy(bot)[0], -1_000_000)
        assertWhole(bot)
      })
    )
  )

  /** Rewrites what the venue says of the swap: `reads` counts how often it was asked for an end. */
  const said = (world: World, change: (status: Status, reads: number) => Status) => {
    let reads = 0
    world.network.reply = (request, body) => {
      const status = body as Status
      if (!/\/v0\/status/.test(request.url) || status.status !== "SUCCESS") return body
      reads += 1
      return change(status, reads)
    }
  }

  it.effect("is not verified with a thousand times the output of its quote", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        said(world, (status) => ({
          ...status,
          swapDetails: { ...status.swapDetails, amountOut: `${status.swapDetails["amountOut"]}000` }
        }))
        const bot = yield* world.run({ strategies: [] })
        const name = yield* begin(world, bot)
        yield* until(() => Problems.problemsOf(bot.state, 0).length > 0, 120_000, "it is told")
        yield* Effect.sleep(30_000)
        const [problem] = Problems.problemsOf(bot.state, 0)
        assert.strictEqual(problem?.kind, "contradiction")
        assert.match(
          bot.state.placements.get(name)?.contradiction ?? "",
          /its fills returned \d+000, more than possible/
        )
        assert.deepStrictEqual(broughtBy(bot)[1], 0, "nothing of it is booked")
      })
    )
  )

  it.effect("that is REFUNDED for two reads and then SUCCESS is reported", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        said(world, (status, reads) =>
          reads > 2
            ? status
            : {
                ...status,
                status: "REFUNDED",
                swapDetails: {
                  ...status.swapDetails,
                  amountIn: "0",
                  amountOut: "0",
                  refundedAmount: status.swapDetails["depositedAmount"]
                }
              }
        )
        const bot = yield* world.run({ strategies: [] })
        const name = yield* begin(world, bot)
        yield* until(() => Problems.problemsOf(bot.state, 0).length > 0, 120_000, "it is told")
        const tags = yield* tagsOf(bot)
        assert.include(tags, "Contradiction")
        assert.notInclude(tags, "Refunded")
        const told = yield* toldOf(bot, name)
        assert.match(told?.placement.contradiction ?? "", /fills spent money that was unspent at its end/)
        assertWhole(bot)
      })
    )
  )
})
