/**
 * `total` is a promise: whatever is edited while a strategy works, all that it trades together never exceeds it, and what says
 * that it is done has traded it. The venue fills orders whenever it likes, also those that are being withdrawn.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { quoteAmount, type Side } from "../../../src/domain/Market.ts"
import { armedLeg, holds } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import type { View } from "../../../src/strategy/View.ts"
import { SlowVenue } from "../slowVenue.ts"
import { between, integerBetween, pick, random, strategyOf, viewAt } from "../support.ts"

type Unit = "base" | "quote"

interface Drawn {
  readonly strategy: Strategy
  readonly side: Side
  readonly unit: Unit
  /** Smallest units. */
  readonly total: bigint
}

interface Ground {
  readonly next: () => number
  readonly kind: "iceberg" | "ladder" | "twap"
  readonly side: Side
  readonly hasExits: boolean
}

const fileOf = (kind: string, section: string): Strategy =>
  strategyOf(`name: s
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 1000, quote: 1000000 } }
${kind}: ${section}
`)

const units = { base: 100_000_000, quote: 1_000_000 } as const

/** Any file of a kind and a side. */
const draw = ({ next, kind, side, hasExits }: Ground, unit: Unit): Drawn => {
  const amount = unit === "base" ? integerBetween(next, 50, 300) / 100 : integerBetween(next, 5_000, 30_000) / 100
  const [one, other] = [between(next, 80, 120).toFixed(2), between(next, 121, 160).toFixed(2)]
  const part = (amount / integerBetween(next, 1, 12) - 0.00001).toFixed(unit === "base" ? 8 : 6)
  const count = integerBetween(next, 1, 12)
  const own = `side: ${side.toLowerCase()}, total: { ${unit}: ${amount} }`
  const more = `profile: ${pick(next, ["flat", "linear", "geometric"])}${hasExits ? ", takeProfit: 5%" : ""}`
  const section = {
    iceberg: `{ ${own}, price: ${one}, visible: { ${unit}: ${part} } }`,
    ladder: `{ ${own}, from: ${one}, to: ${count === 1 ? one : other}, rungs: ${count}, ${more} }`,
    twap: `{ ${own}, over: 100h, slices: ${count}, limit: ${side === "BUY" ? 200 : 50}, vary: ${pick(next, ["0%", "40%"])} }`
  }[kind]
  return { strategy: fileOf(kind, section), side, unit, total: BigInt(Math.round(amount * units[unit])) }
}

/** What all slots traded, as the venue counts it, and what their orders may still trade. */
const tradedIn = (venue: SlowVenue, { side, unit, strategy }: Drawn) => {
  let [traded, open] = [0n, 0n]
  for (const { bought, live, paid, proceeds, sold } of venue.slots().values()) {
    traded += side === "BUY" ? (unit === "base" ? bought : paid) : unit === "base" ? sold : proceeds
    if (live?.side !== side) continue
    open += unit === "base" ? live.quantity : quoteAmount(strategy.market, live.quantity, live.price, "up")
  }
  return { traded, open }
}

const hour = 3_600_000
/** What rounding may come to: a unit of quote for each fill, and what is less than one unit of base. */
const slackOf = ({ unit, total }: Drawn): bigint => (unit === "base" ? 0n : total / 1_000n + 100n)

const viewOf = (strategy: Strategy, middle: number, now: number): Omit<View, "slots"> => {
  const { slots: _, ...view } = viewAt(strategy, Decimal.fromNumber(middle, 8), new Map(), now)
  return view
}

/** What an edited file wants of a slot and what it says of it, after fills that the slots before it brought about. */
const editedTo = (kind: string, sections: readonly [string, string], fills: number) => {
  const [first, then] = [fileOf(kind, sections[0]), fileOf(kind, sections[1])]
  const venue = new SlowVenue(first, () => 0)
  const entering = venue.decide(viewOf(first, 2_500, 0)).desired[0]?.legs[0].side
  for (let at = 0; at < fills; at++) {
    // One order fills whole, and is paid out.
    const [next] = [...venue.slots()].filter(
      ([, { live }]) => live !== undefined && live.side === entering && live.quantity > 0n
    )
    venue.pass(1, ({ slot }) => slot === next?.[0])
    venue.pass(0)
    venue.decide(viewOf(first, 2_500, 0))
  }
  const { absent, desired } = then.decide({ ...viewOf(then, 2_500, 0), slots: venue.slots() }, venue.memory)
  const open = desired.flatMap((each) => {
    const order = armedLeg(each, venue.slot(each.slot))
    return order === undefined ? [] : [{ ...order, legs: each.legs.length }]
  })
  return { absent, open, venue, then }
}

describe("an edit of a total", () => {
  const iceberg = (visible: number, total = 1) =>
    `{ side: sell, price: 2550, total: { base: ${total} }, visible: { base: ${visible} } }`
  const ladder = (rungs: number) => `{ side: sell, from: 2550, to: 2800, rungs: ${rungs}, total: { base: 1 } }`

  it("lets an iceberg sell exactly its total with a smaller visible part", () => {
    const { open } = editedTo("iceberg", [iceberg(0.5), iceberg(0.1)], 1)
    assert.deepStrictEqual(
      open.map(({ legs, quantity }) => [legs, quantity]),
      [[5, 10_000_000n]]
    )
  })

  it("lets an iceberg sell exactly its total with a larger visible part", () => {
    const { open } = editedTo("iceberg", [iceberg(0.1), iceberg(0.5)], 3)
    assert.deepStrictEqual(
      open.map(({ legs, quantity, why }) => [legs, quantity, why.text]),
      [[2, 20_000_000n, "sells 0.7 BTC more, after 0.3 BTC at 2550, one part visible"]]
    )
  })

  it("below what an iceberg has sold ends it, and it says what it sold", () => {
    const { absent, open } = editedTo("iceberg", [iceberg(0.5), iceberg(0.1, 0.3)], 1)
    assert.deepStrictEqual(open, [])
    assert.deepStrictEqual(
      absent.map(({ why }) => [why.code, why.text]),
      [["done", "it is done: it sold 0.5 BTC"]]
    )
  })

  it("from 2 to 10 rungs lets a ladder sell exactly its total", () => {
    const { absent, open, venue, then } = editedTo("ladder", [ladder(2), ladder(10)], 1)
    // The second rung of the old file rests with 0.5 until it is withdrawn: so long nothing else may be placed.
    assert.deepStrictEqual(
      open.map(({ slot, quantity }) => [slot, quantity]),
      [["rung-01", 10_000_000n]]
    )
    assert.strictEqual(absent.find(({ slot }) => slot === "rung-00")?.why.text, "it is done: it sold 0.5 BTC")
    const withdrawn = new Map([...venue.slots()].map(([slot, { live: _, ...progress }]) => [slot, progress] as const))
    const later = then.decide({ ...viewOf(then, 2_500, 0), slots: withdrawn }, null)
    const sizes = later.desired.map(({ slot, legs: [{ quantity }] }) => [slot, quantity])
    assert.deepStrictEqual(
      sizes,
      ["05", "06", "07", "08", "09"].map((rung) => [`rung-${rung}`, 10_000_000n])
    )
  })

  it("to fewer rungs keeps the exit of a removed rung that has bought", () => {
    const buys = (rungs: number) =>
      `{ side: buy, from: 2450, to: 2000, rungs: ${rungs}, total: { base: 1 }, takeProfit: 5% }`
    const { open } = editedTo("ladder", [buys(4), buys(2)], 4)
    assert.deepStrictEqual(
      open.filter(({ side }) => side === "SELL").map(({ slot, quantity }) => [slot, quantity]),
      ["00", "01", "02", "03"].map((rung) => [`rung-${rung}`, 25_000_000n])
    )
  })

  it("to the other side does not repeat what a rung has bought", () => {
    const of = (side: string) => `{ side: ${side}, from: 2450, to: 2000, rungs: 2, total: { base: 1 }, takeProfit: 5% }`
    const { open, then, venue } = editedTo("ladder", [of("buy"), of("sell")], 2)
    assert.deepStrictEqual(open, [])
    assert.strictEqual(
      then.unfit?.(venue.slots(), null),
      "rung-00 has bought 0.5 BTC, and the file sells first now: to begin anew, give the file another name"
    )
  })
})

describe("any strategy with a total that is edited again and again while its orders fill", () => {
  it.each([
    ["iceberg", false],
    ["ladder", false],
    ["ladder", true],
    ["twap", false]
  ] as const)(
    "as %s (with exits: %s) never trades more, and is done only when all of it is traded",
    (kind, hasExits) => {
      let [edits, exceededBefore] = [0, 0]
      for (let seed = 1; seed <= 40; seed++) {
        const next = random(seed)
        const side = pick<Side>(next, ["BUY", "SELL"])
        const ground: Ground = { next, kind, side, hasExits }
        const unit = pick<Unit>(next, ["base", "quote"])
        let drawn = draw(ground, unit)
        const venue = new SlowVenue(drawn.strategy, next)
        venue.requotes = next() < 0.7
        venue.closes = true
        let [now, isAsked, most] = [0, true, drawn.total]
        let before = ""
        const step = (middle: number, fillChance: number): void => {
          venue.pass(fillChance)
          const seen = viewOf(drawn.strategy, middle, now)
          const moves = JSON.stringify([...venue.slots()], (_, value) =>
            typeof value === "bigint" ? `${value}` : value
          )
          const isStanding = venue.decision !== undefined && !isAsked
          if (isStanding && venue.decision && holds(venue.decision.until, seen, moves !== before)) venue.follow()
          else venue.decide(seen)
          isAsked = false
          before = moves
          const { traded } = tradedIn(venue, drawn)
          assert.isTrue(traded <= most + slackOf(drawn), `seed ${seed}: ${traded} of ${drawn.total}, most ${most}`)
          const isSaid = (code: string) => venue.decision?.absent.some(({ why }) => why.code === code) === true
          const isBusy = [...venue.slots().values()].some(({ live }) => live !== undefined)
          const isWanting = venue.decision?.desired.some(
            (desired) => armedLeg(desired, venue.slot(desired.slot)) !== undefined
          )
          if (isBusy || isWanting === true || isSaid("not-yet") || isSaid("time-over")) return
          assert.isTrue(traded >= drawn.total - slackOf(drawn), `seed ${seed}: done at ${traded} of ${drawn.total}`)
        }
        for (let at = 0; at < 40; at++) {
          now += integerBetween(next, 0, 2) * hour
          step(between(next, 70, 170), 0.35)
          if (next() > 0.2) continue
          edits += 1
          drawn = draw(ground, next() < 0.9 ? drawn.unit : pick<Unit>(next, ["base", "quote"]))
          assert.isUndefined(drawn.strategy.unfit?.(venue.slots(), null))
          venue.strategy = drawn.strategy
          isAsked = true
          const { traded, open } = tradedIn(venue, drawn)
          most = drawn.total > traded + open ? drawn.total : traded + open
          if (traded > drawn.total) exceededBefore += 1
        }
        now = 99.5 * hour
        for (let at = 0; at < 150; at++) step(100, 1)
        const { traded } = tradedIn(venue, drawn)
        assert.isTrue(traded >= drawn.total - slackOf(drawn), `seed ${seed}: ends at ${traded} of ${drawn.total}`)
        const slots = [...venue.slots().values()]
        const net = slots.reduce((sum, { bought, sold }) => sum + bought - sold, 0n)
        if (hasExits) assert.strictEqual(net, 0n, `seed ${seed}: what entries brought in has left again`)
      }
      assert.isAbove(edits, 150)
      assert.isAbove(exceededBefore, 5)
    }
  )
})
