/**
 * Fields that a venue leaves out, sets to null or leaves empty, one by one and whenever an order is shown after it was paid: the
 * bot still ends the order and has its money back, or says exactly what is missing. The orders beside it go on.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { firstOf } from "../../long.ts"
import { inVirtualTime, ladder, make, openOrders, type Running, until } from "../../world/bot/botWorld.ts"
import { type Attributes, fieldsOfOrders, rewriteOrders, withField } from "../../world/bot/orderReports.ts"

const rung = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])

describe("an ended order without a list of fills", () => {
  for (const [name, change] of [
    ["absent", ({ partialFills: _, ...order }: Attributes) => order],
    ["null", (order: Attributes) => ({ ...order, partialFills: null })]
  ] as const)
    it.effect(`settles with all its money back if the list is ${name}`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          rewriteOrders(world.network, change)
          const bot = yield* world.run({ strategies: [rung] })
          yield* until(() => openOrders(bot).length === 1, 60_000, "it rests")
          world.setWithdraw({ code: "leaving", text: "the test ends it" })
          yield* until(() => unfinished(bot.state).length === 0, 60_000, "it is over")
          const cancels = world.network.sent.filter(({ path }) => path.endsWith("/cancel"))
          assert.isAtMost(cancels.length, 3)
          const places = Ledger.totals(bot.state.ledger).map(({ place }) => place)
          assert.deepStrictEqual(places, ["wallet", "fees"])
        })
      )
    )
})

/** Money hangs on these: without them an order stays where it is, and people are told which one is missing. */
const needed: Readonly<Record<string, RegExp>> = {
  fillStatus: /fillStatus is missing/,
  depositedAmount: /depositedAmount is missing/,
  payouts: /final without a (?:withdrawal|refund)/
}
const neededByState: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  // Once more is said of the order, all is well.
  open: { fillStatus: /fillStatus is missing/, depositedAmount: /depositedAmount is missing/ },
  "cancelled and refunded": {
    ...needed,
    "payouts.refund": /final without a refund/,
    "payouts.refund.status": /payouts.refund.status is missing/
  },
  filled: {
    ...needed,
    partialFills: /partialFills is missing/,
    "partialFills.id": /partialFills.id is missing/,
    "partialFills.amountIn": /partialFills.amountIn is missing/,
    "partialFills.amountOut": /partialFills.amountOut is missing/,
    "payouts.allWithdrawals.status": /payouts.withdrawal.status is missing/
  }
}

const cases = [...fieldsOfOrders.map((path) => [path]), ["isPayoutStatusFinal", "payoutStatus"]]
const isPaid = ({ depositedAmount }: Attributes) => depositedAmount !== "0"
const buying = ladder(cases.length, "ladder", "BTC/USDC", [40_000, 45_000])
const selling = `name: sale
market: BTC/USDC
kind: ladder
limits: { budget: { base: 1 }, maxPriceDeviation: 90% }
ladder: { side: sell, from: 50000, to: 55000, rungs: ${cases.length}, total: { base: 0.5 } }
`
const states: ReadonlyArray<readonly [string, strategy: string, when: (order: Attributes) => boolean]> = [
  ["open", buying, ({ fillStatus }) => fillStatus === "OPEN"],
  ["cancelled and refunded", buying, ({ fillStatus }) => fillStatus === "CANCELED"],
  ["filled", selling, ({ fillStatus }) => fillStatus === "PARTIALLY_FILLED" || fillStatus === "FILLED"]
]

/** What people are told of an order, by its id. */
const toldIn = Effect.fnUntraced(function* ({ events }: Running) {
  const orders = new Map<string, string>()
  const told = new Map<string, string>()
  const add = (id: string | undefined, text: string) => {
    if (id !== undefined) told.set(id, `${told.get(id) ?? ""} ${text}`)
  }
  for (const { event } of yield* events) {
    if (event._tag === "Bound") orders.set(event.placement, event.orderId)
    if (event._tag === "OddOrderSeen") add(event.orderId, event.reason)
    if (event._tag === "Contradiction") add(orders.get(event.placement), event.what)
    if (event._tag === "LegFailed") add(orders.get(event.placement), event.reason)
  }
  return told
})

describe("an order with one missing field", () => {
  it.effect.each(firstOf(2, states))(
    "while it is %s ends all the same, or the missing field is reported",
    ([state, file, when]) =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          const chosen = new Map<string, ReadonlyArray<string>>()
          rewriteOrders(world.network, (order, id) => {
            const paths = chosen.get(id) ?? cases[chosen.size] ?? []
            chosen.set(id, paths)
            return isPaid(order) && when(order)
              ? paths.reduce((said, path) => withField(said, path, undefined), order)
              : order
          })
          const bot = yield* world.run({ strategies: [file] })
          yield* until(() => chosen.size === cases.length, 60_000, "an order for each case")
          yield* Effect.sleep(20_000)
          world.setWithdraw({ code: "leaving", text: "the test ends it" })
          yield* Effect.sleep(30_000)
          const told = yield* toldIn(bot)
          const open = new Set(unfinished(bot.state).map(({ order }) => order?.id))
          const missing = neededByState[state] ?? {}
          for (const [id, paths] of chosen) {
            const what = missing[paths.join()]
            const name = paths.join(" and ")
            if (what !== undefined) assert.match(told.get(id) ?? "", what, name)
            else assert.isUndefined(told.get(id), name)
            if (what === undefined || state === "open") assert.isFalse(open.has(id), `${name}: it is not over`)
          }
        })
      )
  )
})
