/** How often the price touched a resting order, from a journal and stored minutes, without a venue. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { touches } from "../../../src/app/plan/Explaining.ts"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Side } from "../../../src/domain/Market.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { type Minute, PriceStore } from "../../../src/journal/PriceStore.ts"
import { textOf } from "../../../src/views/explain/Touched.ts"

const minute = 60_000
const start = Date.UTC(2027, 0, 15, 8)

type Step = readonly [at: number, event: BotEvent]

/** Planned and deposited (the second half a minute later), at a limit of 100. Fills and ends at `filledAt`. */
const order = (id: string, side: Side, market: string, from: number, filledAt?: number): ReadonlyArray<Step> => {
  const about = { strategy: "s", slot: id, placement: id }
  const [inputAsset, outputAsset] = side === "BUY" ? ["USDC", "BTC"] : ["BTC", "USDC"]
  const [sent, bound] = [{ attempt: 1 }, { orderId: `o-${id}`, depositAddress: `d-${id}` }]
  return [
    [
      from,
      {
        _tag: "Planned",
        ...about,
        market,
        side,
        price: Decimal.make(100n),
        quantity: 100n,
        inputAsset,
        inputAmount: 100n,
        outputAsset,
        outputAmount: 100n,
        deadline: from + 1e9,
        why: { code: "test", text: "" }
      }
    ],
    [from, { _tag: "CreateSent", ...about, ...sent }],
    [from, { _tag: "Bound", ...about, ...bound, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n }],
    [
      from,
      {
        _tag: "FundingSigned",
        ...about,
        ...bound,
        asset: inputAsset,
        amount: 100n,
        signed: Redacted.make(""),
        intentHash: "",
        validUntil: from + 1e9
      }
    ],
    [from + 1000, { _tag: "DepositSeen", ...about, asset: inputAsset, total: 50n, fresh: 50n }],
    [from + minute, { _tag: "DepositSeen", ...about, asset: inputAsset, total: 100n, fresh: 50n }],
    ...(filledAt === undefined
      ? []
      : ([
          [
            filledAt,
            {
              _tag: "FillSeen",
              ...about,
              fillId: `f-${id}`,
              side,
              price: Decimal.make(100n),
              inputAsset,
              amountIn: 100n,
              outputAsset,
              amountOut: 100n,
              filledAt
            }
          ],
          [filledAt + 1, { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n }],
          [filledAt + 2, { _tag: "PayoutStarted", ...about, asset: outputAsset, amount: 100n }],
          [filledAt + 3, { _tag: "PaidOut", ...about, asset: outputAsset, amount: 100n, fee: 0n, txHashes: [] }],
          [filledAt + 4, { _tag: "Settled", ...about }]
        ] as const))
  ]
}

/** One minute after the other. */
const minutesOf = (from: number, ranges: ReadonlyArray<readonly [low: number, high: number]>): ReadonlyArray<Minute> =>
  ranges.map(([low, high], index) => ({ openedAt: from + index * minute, open: low, high, low, close: high }))

const sentences = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  minutes: ReadonlyMap<string, ReadonlyArray<Minute>>,
  now: number
) {
  const state = BotState.make()
  const lives = steps
    .toSorted(([one], [other]) => one - other)
    .map(([at, event], index): Recorded => ({ sequence: index + 1, at, event }))
  for (const entry of lives) BotState.apply(state, entry)
  const store = PriceStore.of({
    ...PriceStore.empty,
    since: (market) => Effect.succeed(minutes.get(market) ?? []),
    newest: (market) => Effect.succeed(minutes.get(market)?.at(-1))
  })
  const found = yield* touches(state, lives, now).pipe(Effect.provideService(PriceStore, store))
  return new Map([...found].map(([id, touched]) => [id, textOf(touched)]))
})

describe("explain of an open order that the price touches", () => {
  const later = start + 60 * minute
  const laterText = "2027-01-15 09:00:01 UTC"
  // Three fills, whose minutes went 2, 6 and 9 basis points beyond; another market's fill needed 500.
  const filled = [
    ...[2, 6, 9].flatMap((_, index) =>
      order(`f${index}`, "BUY", "BTC/USDC", start + index * 5 * minute, start + index * 5 * minute + 2 * minute + 9)
    ),
    ...order("other", "BUY", "ETH/USDC", start, start + 2 * minute + 9)
  ]
  const past = [99.98, 99.94, 99.91].flatMap((low, index) => minutesOf(start + (index * 5 + 2) * minute, [[low, 101]]))
  // The minute of the deposit does not count; then three visits of 1, 2 and 1 minutes, at 4 basis points at most.
  const visits = minutesOf(later, [
    [90, 110],
    [100.5, 101],
    [100, 101],
    [100.1, 101],
    [99.98, 101],
    [99.99, 101],
    [100.1, 101],
    [99.96, 101],
    [100.2, 101]
  ])
  const minutes = new Map([
    ["BTC/USDC", [...past, ...visits]],
    ["ETH/USDC", minutesOf(start + 2 * minute, [[95, 101]])]
  ])
  const end = later + visits.length * minute

  it.effect("counts visits since the deposit, their depth, and the margins of fills in this market", () =>
    Effect.gen(function* () {
      const steps = [...filled, ...order("buy", "BUY", "BTC/USDC", later), ...order("sell", "SELL", "BTC/USDC", later)]
      const said = yield* sentences(steps, minutes, end)
      assert.deepStrictEqual([...said.keys()], ["buy", "sell"])
      assert.strictEqual(
        said.get("buy"),
        `touched 3 times since ${laterText}, at most 4.0 basis points beyond the limit: ` +
          "half of your 3 fills in this market needed more than 6.0, a tenth more than 9.0"
      )
      // The high of each later minute is 101: one visit without an end.
      assert.match(said.get("sell") ?? "", /^touched 1 time .*, at most 100\.0 basis points beyond the limit: half of /)
    })
  )

  it.effect("uses only minutes that have ended by the time in question", () =>
    Effect.gen(function* () {
      const steps = [...filled, ...order("buy", "BUY", "BTC/USDC", later)]
      const said = (now: number) => Effect.map(sentences(steps, minutes, now), (all) => all.get("buy") ?? "")
      assert.match(yield* said(later + 2 * minute - 1), /no full minute of prices since$/)
      assert.match(
        yield* said(later + 2 * minute),
        /^not touched since .*: the nearest price was 50\.0 basis points away$/
      )
      assert.match(yield* said(later + 3 * minute), /^touched 1 time .*, at most 0\.0 basis points beyond the limit: /)
    })
  )

  it.effect("says if no fill in its market is measured", () =>
    Effect.gen(function* () {
      const steps = [...filled, ...order("buy", "BUY", "SOL/USDC", later)]
      const said = yield* sentences(steps, new Map([...minutes, ["SOL/USDC", visits]]), end)
      assert.match(said.get("buy") ?? "", /: none of your fills in this market has been measured yet$/)
    })
  )
})
