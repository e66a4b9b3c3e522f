/** Edits of a file whose strategy holds a position: the plan refuses those that leave the position without its exit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import { inVirtualTime, make, until } from "../../world/bot/botWorld.ts"
import { now, planOf, resting } from "./plans.ts"

const head = (kind: string) => `name: own
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 1, quote: 90000 }, maxPriceDeviation: 60% }
`
const rule = (then: string, { name = "dip", side = "buy", price = "59000" } = {}) => `${head("rules")}rules:
  orders:
    ${name}: { when: mid > 1, side: ${side}, price: ${price}, size: { base: 0.05 }, times: 1${then && `, then: ${then}`} }
`
const renamed = (then: string) => rule(then, { name: "dips" })
const other = "\n    other: { when: mid < 1, side: buy, price: 100, size: { base: 0.01 } }\n"
const bracket = `${head("bracket")}bracket: { side: buy, size: { base: 0.05 }, entry: 59000, takeProfit: 64000, stop: 57000 }\n`
const deals = (side = "buy", more = "") =>
  `${head("deals")}deals: { side: ${side}, size: { base: 0.05 }, takeProfit: 2%${more} }\n`
const ladder = (more: string, rungs = 2) =>
  `${head("ladder")}ladder: { side: buy, from: 59000, to: 58000, rungs: ${rungs}, total: { base: 0.1 }${more} }\n`
const grid = (levels: string) => `${head("grid").replace("base: 1, ", "")}grid: { ${levels}, size: { base: 0.05 } }\n`
const nearest = grid("lower: 56000, upper: 64000, levels: 9, fundNearest: 2")
const step = grid("step: 2%, fundNearest: 2")
const dca = `${head("dca")}dca: { every: 6h, size: { base: 0.01 }, times: 40, reach: 0.1% }\n`

type Share = readonly [of: bigint, whole: bigint]
const all: Share = [1n, 1n]

/** Orders fill in this part; what has filled whole is paid out, less a fee of 700 units. */
const fillsOf = ([of, whole]: Share, orders: ReadonlyArray<Of<"Planned">>): ReadonlyArray<BotEvent> =>
  orders.flatMap(({ inputAmount, inputAsset, outputAmount, outputAsset, placement, price, side, slot, strategy }) => {
    const about = { strategy, slot, placement }
    const [amountIn, amountOut] = [(inputAmount * of) / whole, (outputAmount * of) / whole]
    const fill = {
      fillId: `fill-${placement}`,
      side,
      price,
      inputAsset,
      outputAsset,
      amountIn,
      amountOut,
      filledAt: now
    }
    const [fee, paid] = [700n, amountOut - 700n]
    return [
      { _tag: "FillSeen", ...about, ...fill },
      ...(of < whole
        ? []
        : [
            { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n } as const,
            { _tag: "PaidOut", ...about, asset: outputAsset, amount: paid, fee, txHashes: [] } as const,
            { _tag: "Settled", ...about } as const
          ])
    ]
  })

const isPlanned = (event: BotEvent): event is Of<"Planned"> => event._tag === "Planned"

/** As it is after the turn that follows the fills of its first orders. */
const holding = Effect.fnUntraced(function* (text: string, share: Share = all, mid?: string) {
  const history = yield* resting([text])
  const filled = [...history, ...fillsOf(share, history.filter(isPlanned))]
  const { planned } = yield* planOf([text], { history: filled, ...(mid === undefined ? {} : { mid }) })
  return [...filled, ...planned.events]
})

const unfit = (text: string, history: ReadonlyArray<BotEvent>) =>
  Effect.map(planOf([text], { history }), ({ findings }) =>
    findings.filter(({ name }) => name === "unfit").map(({ text }) => text)
  )

const stop = "{ stop: 57000 }"
const both = "{ price: 64000, stop: 57000 }"
const parts = "{ price: [{ at: 62000, part: 50% }, { at: 64000, part: 50% }], stop: 57000 }"
const sale = { side: "sell", price: "61000" }

const lost: ReadonlyArray<readonly [about: string, before: string, edited: string, waits: string, share?: Share]> = [
  ["renames a rule that waits for its stop", rule(stop), renamed(stop), "dip waits to sell 0.049993 BTC"],
  [
    "renames a rule that waits for a time and a trail",
    rule("{ after: 1h, trail: 3% }"),
    renamed("{ after: 1h, trail: 3% }"),
    "dip waits to sell 0.049993 BTC"
  ],
  [
    "renames a rule that waits for a condition",
    rule("{ when: mid > 70000 }"),
    renamed("{ when: mid > 70000 }"),
    "dip waits to sell 0.049993 BTC"
  ],
  [
    "renames a rule that waits to buy back",
    rule("{ stop: 63000 }", sale),
    rule("{ stop: 63000 }", { ...sale, name: "dips" }),
    "dip waits to buy back 0.05 BTC"
  ],
  ["renames a rule of which half has filled", rule(both), renamed(both), "dip waits to sell 0.025 BTC", [1n, 2n]],
  [
    "renames a rule of which nine tenths have filled",
    rule(both),
    renamed(both),
    "dip waits to sell 0.045 BTC",
    [9n, 10n]
  ],
  ["joins the targets of a rule", rule(parts), rule(both), "dip-1 waits to sell 0.0125 BTC", [1n, 2n]],
  [
    "removes the exit of a rule",
    rule(stop),
    rule(""),
    "dip waits to sell 0.049993 BTC, but the file has no exit for it"
  ],
  ["removes the exit of a ladder", ladder(", takeProfit: 2%"), ladder(""), "rung-00 waits to sell 0.049993 BTC"],
  ["changes the kind of a bracket", bracket, renamed(both), "position waits to sell 0.045 BTC", [9n, 10n]],
  [
    "changes the kind of a bracket to a rule of its slot",
    bracket,
    rule(both, { name: "position" }),
    "position waits to sell"
  ],
  [
    "changes the kind of a grid that funds two cells",
    nearest,
    renamed(both),
    "cell-03 waits to sell 0.025 BTC",
    [1n, 2n]
  ],
  [
    "changes the kind of a grid with a step to one without exits",
    step,
    dca,
    "cell-231 waits to sell 0.045 BTC",
    [9n, 10n]
  ],
  ["changes the kind of deals", deals(), renamed(both), "base waits to sell 0.049993 BTC"],
  [
    "changes the kind of deals that trail",
    deals("buy", ", trail: 1%"),
    renamed(both),
    "base waits to sell 0.049993 BTC"
  ],
  ["changes the kind of deals of sales", deals("sell"), renamed(both), "base waits to buy back 0.05 BTC"],
  [
    "turns a rule with a position",
    rule(stop),
    rule("{ stop: 63000 }", sale),
    "dip has bought 0.049993 BTC, and the file sells"
  ],
  ["turns a rule that has sold", rule("{ stop: 63000 }", sale), rule(stop), "dip has sold 0.05 BTC, and the file buys"],
  [
    "turns a rule of which half has filled",
    rule(both),
    rule("{ stop: 63000 }", sale),
    "dip has bought 0.025 BTC",
    [1n, 2n]
  ],
  [
    "turns a rule whose order is open",
    rule(""),
    rule("", sale),
    "dip buys in an open order, and the file sells",
    [0n, 1n]
  ],
  ["turns deals", deals(), deals("sell"), "base has bought 0.049993 BTC, and the file sells"],
  ["turns deals of sales", deals("sell"), deals(), "base has sold 0.05 BTC, and the file buys"],
  [
    "moves a rule to another market",
    rule(stop),
    rule(stop).replace("BTC/USDC", "SOL/USDC"),
    "own has traded on BTC/USDC"
  ]
]

const kept: ReadonlyArray<readonly [about: string, before: string, edited: string, share?: Share]> = [
  ["moves a stop", rule(stop), rule("{ stop: 56000 }")],
  ["replaces a stop by a target", rule(stop), rule("{ price: 64000 }")],
  ["adds a stop and another rule", rule("{ price: 64000 }", {}), `${rule(both)}${other}`],
  ["moves the entry of a half filled order", rule(both), rule(both, { price: "58000" }), [1n, 2n]],
  ["renames a rule without an exit", rule(""), renamed("")],
  ["turns a rule without an exit", rule(""), rule("", sale)],
  ["changes the kind of a rule without an exit", rule(""), dca],
  ["renames a rule of which nothing has filled", rule(both), renamed(both), [0n, 1n]],
  ["changes the kind of a strategy without exits", dca, renamed(both)],
  ["changes the kind of a ladder without exits", ladder(""), renamed(both)],
  ["removes rungs of a ladder whose exits stay", ladder(", takeProfit: 2%", 3), ladder(", takeProfit: 2%")],
  ["moves the levels of a grid that funds two cells", nearest, nearest.replace("56000", "55500"), [1n, 2n]],
  ["lets a grid with a step have levels", step, nearest, [9n, 10n]],
  [
    "narrows a grid",
    grid("lower: 56000, upper: 64000, levels: 9"),
    grid("lower: 61000, upper: 65000, levels: 5"),
    [1n, 2n]
  ],
  ["moves the prices of a bracket", bracket, bracket.replace("57000", "56000"), [9n, 10n]],
  [
    "lets a bracket follow the market",
    bracket,
    bracket.replace("entry: 59000", "entry: 1%").replace("64000", "5%").replace("57000", "3%")
  ],
  [
    "adds targets, a stop and safety orders to deals",
    deals(),
    deals("buy", ", stop: 9%").replace("2%", "[{ at: 2%, part: 50% }, { at: 3%, part: 50% }]")
  ],
  ["removes a safety order of deals", deals("buy", safety(3)), deals("buy", safety(1))]
]

function safety(orders: number): string {
  return `, safety: { orders: ${orders}, size: { base: 0.01 }, distance: 1% }`
}

describe("a file is unfit for the position of its strategy if it", () => {
  for (const [about, before, edited, text, share] of lost)
    it.effect(about, () =>
      Effect.gen(function* () {
        const history = yield* holding(before, share)
        assert.deepStrictEqual(yield* unfit(before, history), [])
        const [problem = ""] = yield* unfit(edited, history)
        assert.include(problem, text)
      })
    )
})

it.effect("a file that is loaded without a verdict is unfit at its first decision if it drops an exit", () =>
  Effect.gen(function* () {
    const history = yield* holding(rule(stop))
    const { events } = (yield* planOf([renamed(stop)], { history })).planned
    const loaded = [...history, ...events.filter(({ _tag }) => _tag === "StrategyLoaded")]
    assert.include((yield* unfit(renamed(stop), loaded))[0], "dip waits to sell 0.049993 BTC")
    assert.deepStrictEqual(yield* unfit(renamed(stop), [...history, ...events]), [])
  })
)

it.effect("a bot that waits for the stop of a rule rejects the rule under another name", () =>
  inVirtualTime(
    Effect.gen(function* () {
      const world = yield* make
      const text = rule("{ stop: 100 }", { price: "70000" })
      const bot = yield* world.run({ strategies: [text] })
      const isPaid = () => (bot.state.slots.get("own/dip")?.completedLegs ?? 0) === 1
      yield* until(isPaid, 300_000, "the entry is paid out")
      yield* until(() => bot.state.strategies.get("own")?.decision?.absent.length === 1, 60_000, "the stop is awaited")
      // The plan is of another account.
      const history = (yield* bot.events).map(({ event }) => event).filter(({ _tag }) => _tag !== "BotStarted")
      assert.deepStrictEqual(yield* unfit(text, history), [])
      const edited = rule("{ stop: 100 }", { name: "dips", price: "70000" })
      assert.match(
        (yield* unfit(edited, history))[0] ?? "",
        /^dip waits to sell 0\.04999\d* BTC, but the file no longer has/
      )
    })
  )
)

describe("a file is fit for the position of its strategy if it", () => {
  for (const [about, before, edited, share] of kept)
    it.effect(about, () =>
      Effect.gen(function* () {
        const history = yield* holding(before, share)
        assert.deepStrictEqual(yield* unfit(edited, history), [])
      })
    )

  it.effect("drops a slot that holds only a leftover of its exit", () =>
    Effect.gen(function* () {
      const text = rule("{ price: 64000 }")
      const history = yield* holding(text)
      const exits = history.filter(isPlanned).filter(({ side }) => side === "SELL")
      assert.strictEqual(exits.length, 1)
      const sold = (share: Share) => [...history, ...fillsOf(share, exits)]
      const sentence = /^dip waits to sell 0\.0009\d+ BTC/
      assert.match((yield* unfit(renamed(stop), sold([98n, 100n])))[0] ?? "", sentence)
      assert.deepStrictEqual(yield* unfit(renamed(stop), sold([999n, 1000n])), [])
    })
  )

  it.effect("drops a slot after an end that has kept the position", () =>
    Effect.gen(function* () {
      const ending = `${rule(stop)}until: 2020-01-01T00:00:00Z\n`
      const held = yield* holding(rule(stop))
      const ended = [...held, ...(yield* planOf([ending], { history: held })).planned.events]
      assert.deepStrictEqual(yield* unfit(renamed(stop), ended), [])
    })
  )
})
