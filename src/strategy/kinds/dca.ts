/**
 * DCA: buys (or sells) the same size again and again, at intervals and when the price has moved by `drop` since the
 * last time. Each purchase is a limit order that may reach beyond the mid by `reach`; it keeps its price and rests
 * until it fills. Moments that passed while nobody was looking are skipped, not made up for.
 */

import { formatWithSymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price, type Side } from "../../domain/Market.ts"
import type { Decision, DesiredSlot, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { anyMarket, schemaOf } from "../JsonSchema.ts"
import type { Kind } from "../Kind.ts"
import { report } from "../Problem.ts"
import type { Setup } from "../Setup.ts"
import * as Ask from "../Setup.ts"
import { progressOf, type View } from "../View.ts"
import { lackText } from "./BudgetCheck.ts"
import { decimalIn, numberIn } from "./Memory.ts"
import { away, negate, orderPrice } from "./PriceLevels.ts"
import { quantityAt, type Size, size } from "./Size.ts"

const mostPurchases = 1_000

interface Dca {
  readonly market: Market
  readonly side: Side
  readonly everyMillis: number
  readonly size: Size
  readonly times: number
  readonly reach: Decimal.Decimal
  readonly drop: Decimal.Decimal | undefined
  readonly pauseAbove: Price | undefined
  readonly pauseBelow: Price | undefined
  readonly keys: Read.KeyPlaces
}

export const dca: Kind = {
  name: "dca",
  about: "the same purchase every so often",
  setup: (market) => setup(market),
  schema: () => schemaOf(dcaFields(anyMarket)),
  read: (section, { market, budget, root, to }) => {
    const read = dcaFields(market)(section, to)
    if (read?.every === undefined || read.size === undefined || read.times === undefined) return undefined
    const { pauseAbove, pauseBelow } = read
    if (pauseAbove !== undefined && pauseBelow !== undefined && !Decimal.isLess(pauseBelow.value, pauseAbove.value)) {
      report(to, pauseBelow, "pauseBelow must be below pauseAbove: as it is, it would always pause")
    }
    const side = read.side?.value === "sell" ? "SELL" : "BUY"
    const { unit, amount } = read.size.value
    const available = side === "BUY" ? budget?.quote : budget?.base
    const total = amount * BigInt(read.times.value)
    const isInInput = (side === "BUY") === (unit === "quote")
    if (isInInput && available !== undefined && total > available) {
      const asset = side === "BUY" ? market.quote : market.base
      const amounts = lackText(total, available, asset, unit)
      report(to, read.size, `${read.times.value} times this size need ${amounts}`, "fewer times, or a smaller size")
    }
    const whole: Dca = {
      market,
      side,
      everyMillis: read.every.value,
      size: read.size.value,
      times: read.times.value,
      reach: read.reach?.value ?? Decimal.zero,
      drop: read.drop?.value,
      pauseAbove: pauseAbove?.value,
      pauseBelow: pauseBelow?.value,
      keys: Read.keyPlaces(section, root, to)
    }
    return { initialMemory: null, decide: (view, memory) => decide(whole, view, memory) }
  }
}

const dcaFields = (market: Market) =>
  Read.fields({
    side: Read.optional(Read.oneOf("buy", "sell"), "default: buy"),
    every: Read.required(Read.duration, "time between purchases"),
    size: Read.required(size(market), "of each purchase"),
    times: Read.required(Read.integer(1, mostPurchases), "how many purchases in all"),
    reach: Read.optional(Read.ratioOrZero, "a purchase may pay this much more than the mid; default: nothing"),
    drop: Read.optional(Read.ratio, "buy also when the price is this far below the last purchase"),
    pauseAbove: Read.optional(Read.price, "buy nothing at or above this price"),
    pauseBelow: Read.optional(Read.price, "buy nothing at or below this price")
  })

const slotName = (index: number): string => `purchase-${String(index).padStart(3, "0")}`

interface Progress {
  /** When the next purchase is due by the clock. */
  readonly next: number
  /** Purchases made so far. */
  readonly made: number
  /** Price of the last purchase. */
  readonly last: Price | undefined
}

/** The price at which `drop` asks for another purchase. */
const triggerOf = ({ side, drop }: Dca, last: Price | undefined): Price | undefined =>
  drop === undefined || last === undefined ? undefined : away(last, side === "BUY" ? negate(drop) : drop)

/** Whether a purchase is due now; if the clock or the price says so and none is due, why not. */
const judge = (whole: Dca, progress: Progress, now: number, price: Price) => {
  const trigger = triggerOf(whole, progress.last)
  const isTriggered =
    trigger !== undefined &&
    (whole.side === "BUY" ? !Decimal.isGreater(price, trigger) : !Decimal.isLess(price, trigger))
  const isDue = progress.made < whole.times && (now >= progress.next || isTriggered)
  const isPaused =
    (whole.pauseAbove !== undefined && !Decimal.isLess(price, whole.pauseAbove)) ||
    (whole.pauseBelow !== undefined && !Decimal.isGreater(price, whole.pauseBelow))
  return { isDue, isPaused, isTriggered }
}

const decide = (whole: Dca, view: View, memory: Memory): Decision => {
  const { market, side, everyMillis, times, reach, keys } = whole
  const price = mid(view.price)
  const before: Progress = {
    next: numberIn(memory, "next") ?? view.now,
    made: numberIn(memory, "made") ?? 0,
    last: decimalIn(memory, "last")
  }
  const { isDue, isPaused, isTriggered } = judge(whole, before, view.now, price)
  const missed = Math.floor((view.now - before.next) / everyMillis)
  const next = view.now < before.next ? before.next : before.next + (missed + 1) * everyMillis
  const begins = isDue && !isPaused
  const own = orderPrice(market, side, away(price, side === "BUY" ? reach : negate(reach)))
  // A trigger during a pause is used up as well: the next one counts from here.
  const after: Progress = {
    next,
    made: before.made + (begins ? 1 : 0),
    last: begins || (isPaused && isTriggered) ? price : before.last
  }

  const open: Array<readonly [slot: string, price: Price]> = []
  for (let index = 0; index < after.made; index++) {
    const slot = slotName(index)
    const known = index === before.made ? own : decimalIn(memory, slot)
    // Finished slots are dropped only together with a new one, so that a fill alone changes nothing.
    const isFinished = begins && progressOf(view, slot).completedLegs > 0
    if (known !== undefined && !isFinished) open.push([slot, known])
  }
  const trigger = after.made < times ? triggerOf(whole, after.last) : undefined
  const because = (code: string, text: string, key: string): Reason => ({ code, text, source: keys(key) })
  const isAbove = whole.pauseAbove !== undefined && !Decimal.isLess(price, whole.pauseAbove)
  const pause = isAbove ? "pauseAbove" : "pauseBelow"
  const waiting = isPaused ? "paused: the price is outside pauseBelow and pauseAbove" : "waits for its time"
  return {
    desired: open.map(([slot, price]): DesiredSlot => {
      const quantity = quantityAt(market, whole.size, price)
      const text = `${side === "BUY" ? "buys" : "sells"} ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(price)}`
      return { slot, legs: [{ side, price, quantity }], cycle: false, why: because("dca-purchase", text, "every") }
    }),
    absent:
      after.made < times
        ? [
            {
              slot: slotName(after.made),
              why: isPaused ? because("paused", waiting, pause) : because("not-yet", waiting, "every")
            }
          ]
        : [],
    memory: {
      next: after.next,
      made: after.made,
      ...(after.last === undefined ? {} : { last: Decimal.format(after.last) }),
      ...Object.fromEntries(open.map(([slot, price]) => [slot, Decimal.format(price)]))
    },
    reasons: [],
    until: {
      onFill: false,
      ...(after.made < times ? { time: after.next } : {}),
      ...(trigger === undefined ? {} : side === "BUY" ? { priceBelow: trigger } : { priceAbove: trigger })
    }
  }
}

/** Asked by `limitbot init`. */
const setup = ({ quote }: Market): Setup => ({
  steps: [
    Ask.total(quote, "that it may use in all"),
    Ask.asked("every", "How often, such as 6h or 1d", "1d", Read.duration),
    Ask.asked("times", "How many times in all", "30", Read.integer(1, 1000)),
    Ask.share(quote, "for each purchase", (answer) => Number(answer("times")))
  ],
  budget: (answer) => ({ quote: Ask.totalOf(quote, answer, Number(answer("times"))) }),
  section: (answer) => `
  every: ${answer("every")}  # moments that pass while the bot is off are skipped
  size: { quote: ${answer("size")} }  # for each purchase
  times: ${answer("times")}
  # reach: 0.1%  # a purchase may pay this much more than the mid
  # drop: 5%  # buy also when the price is this far below the last purchase
  # pauseAbove: …  # buy nothing at or above this price`
})
