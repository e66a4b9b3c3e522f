/**
 * DCA: buys (or sells) the same size repeatedly, at intervals and when the price has moved by `drop` since the last time. Each order may
 * reach beyond the mid by `reach`; it keeps its price and stays open until it fills, unless its strategy begins again. Times that pass while
 * the bot is off, or while a limit prevents new orders, are skipped.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { inputAsset, type Market, mid, type Price } from "../../domain/Market.ts"
import { countText, iso } from "../../domain/Text.ts"
import type { Decision, DesiredSlot, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { form, type Kind, reasons, type Whole } from "../Kind.ts"
import { report } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import { progressOf, type View } from "../View.ts"
import { givenAway, orderText } from "./Execution.ts"
import { decimalIn, numberIn, parsedOf } from "./Memory.ts"
import { checkFeesOfSizes, checkValues, lackText } from "./OrderCheck.ts"
import { ahead, behind, checkFall, isBetter, orderPrice } from "./PriceLevels.ts"
import { quantityAt, size } from "./Size.ts"

const maxPurchases = 1_000

const timesOf = (answer: Ask.AnswerOf): number => Number(answer("times"))

const keys = (market: Market) => ({
  side: Read.withDefault(Read.side, "BUY", "buy or sell"),
  every: Read.required(Read.duration, "time between purchases"),
  size: Read.required(size(market), "of each purchase"),
  times: Read.required(Read.integer(1, maxPurchases), "total number of purchases"),
  reach: Read.withDefault(givenAway, Decimal.zero, "a purchase may pay this much more than the mid"),
  drop: Read.optional(Read.ratio, "buy also when the price is this far below the last purchase"),
  pauseAbove: Read.optional(Read.price, "buy nothing at or above this price"),
  pauseBelow: Read.optional(Read.price, "buy nothing at or below this price")
})

type Dca = Whole<typeof keys>

export const dca: Kind = {
  name: "dca",
  about: "the same purchase every so often",
  setup: ({ quote, ...market }) =>
    Ask.setupOf(keys({ quote, ...market }), {
      asks: [Ask.total(quote, "that it may use in all"), "every", "times", "size"],
      budget: (answer) => ({ quote: Ask.totalOf(quote, answer, timesOf(answer)) }),
      lines: {
        every: {
          ask: Ask.text("How often, such as 6h or 1d", "1d"),
          note: "times that pass while the bot is off are skipped"
        },
        size: { ask: Ask.share(quote, "for each purchase", timesOf), is: Ask.quoteSize, note: "for each purchase" },
        times: { ask: Ask.text("How many times in all", "30") },
        reach: { hint: "0.1%" },
        drop: { hint: "5%" },
        pauseAbove: { hint: "…" }
      }
    }),
  ...form(keys, (whole, { at, ...context }) => {
    const { budget, to } = context
    const { market, pauseAbove, pauseBelow, side, size, times } = whole
    if (pauseAbove !== undefined && pauseBelow !== undefined && !Decimal.isLess(pauseBelow, pauseAbove))
      report(to, at("pauseBelow"), "pauseBelow must be below pauseAbove: as it is, it would always pause")
    if (side === "BUY" && whole.drop !== undefined) checkFall(whole.drop, at("drop"), to)
    if (size.unit === "quote") checkValues([size.amount], at("size"), context)
    checkFeesOfSizes([size], side, at("size"), context)
    const available = side === "BUY" ? budget?.quote : budget?.base
    const total = size.amount * BigInt(times)
    const isInInput = (side === "BUY") === (size.unit === "quote")
    if (isInInput && available !== undefined && total > available) {
      const amounts = lackText(total, available, inputAsset(market, side), size.unit)
      const text = `${countText(times, "order")} of this size would need ${amounts}`
      report(to, at("size"), text, "fewer times, or a smaller size")
    }
    const opened = new WeakMap<object, Opened>()
    return { decide: (view, memory) => decide(whole, opened, view, memory) }
  })
}

const slotName = (index: number): string => `purchase-${String(index).padStart(3, "0")}`

interface Progress {
  readonly next: number
  readonly made: number
  readonly last: Price | undefined
}

const triggerOf = ({ side, drop }: Dca, last: Price | undefined): Price | undefined =>
  drop === undefined || last === undefined ? undefined : behind(side, last, drop)

const judge = (whole: Dca, progress: Progress, now: number, price: Price) => {
  const trigger = triggerOf(whole, progress.last)
  const isTriggered = trigger !== undefined && !isBetter(whole.side, price, trigger)
  const isDue = progress.made < whole.times && (now >= progress.next || isTriggered)
  const isAbove = whole.pauseAbove !== undefined && !Decimal.isLess(price, whole.pauseAbove)
  const isBelow = whole.pauseBelow !== undefined && !Decimal.isGreater(price, whole.pauseBelow)
  const pause = isAbove ? ("pauseAbove" as const) : isBelow ? ("pauseBelow" as const) : undefined
  return { isDue, isTriggered, pause }
}

type Opened = ReadonlyArray<DesiredSlot>

const purchase = ({ keys, market, side, size }: Dca, slot: string, price: Price): DesiredSlot => {
  const leg = { side, price, quantity: quantityAt(market, size, price) }
  const why = reasons(keys)("dca-purchase", orderText(leg, market), "every")
  return { slot, legs: [leg], cycle: false, why }
}

const openedIn = (whole: Dca, memory: Memory, made: number): Opened =>
  Array.from({ length: made }, (_, index) => slotName(index)).flatMap((slot) => {
    const price = decimalIn(memory, slot)
    return price === undefined ? [] : [purchase(whole, slot, price)]
  })

const decide = (whole: Dca, known: WeakMap<object, Opened>, view: View, memory: Memory): Decision => {
  const { market, side, every: everyMillis, times, reach, keys } = whole
  const price = mid(view.price)
  const was: Progress = {
    next: numberIn(memory, "next") ?? view.now,
    made: numberIn(memory, "made") ?? 0,
    last: decimalIn(memory, "last")
  }
  const { isDue, isTriggered, pause } = judge(whole, was, view.now, price)
  const missedBuys = Math.floor((view.now - was.next) / everyMillis)
  const next = view.now < was.next ? was.next : was.next + (missedBuys + 1) * everyMillis
  const isKeptBack = pause !== undefined || view.isHeld === true
  const begins = isDue && !isKeptBack
  const own = orderPrice(market, side, ahead(side, price, reach))
  // A trigger during a pause is used up as well: the next one counts from here.
  const after: Progress = {
    next,
    made: was.made + (begins ? 1 : 0),
    last: begins || (isKeptBack && isTriggered) ? price : was.last
  }

  const opened = parsedOf(known, memory) ?? openedIn(whole, memory, was.made)
  const before =
    view.begins === true && pause === undefined ? opened.map(({ slot }) => purchase(whole, slot, own)) : opened
  // Finished slots are dropped only together with a new one, so that a fill alone changes nothing.
  const open = begins
    ? [...before, purchase(whole, slotName(was.made), own)].filter(
        ({ slot }) => progressOf(view, slot).completedLegs === 0
      )
    : before
  const trigger = after.made < times ? triggerOf(whole, after.last) : undefined
  const because = reasons(keys)
  const or = trigger === undefined ? "" : `, or at a price of ${Decimal.short(trigger)}`
  const nth = `order ${after.made + 1} of ${times} is due at ${iso(after.next)}${or}`
  const waiting = pause
    ? because("paused", `paused: the price is outside pauseBelow and pauseAbove; ${nth}`, pause)
    : isDue && !begins
      ? because("skipped", `its time passed while a limit kept new orders back; ${nth}`, "every")
      : because("not-yet", nth, "every")
  const remembered = {
    next: after.next,
    made: after.made,
    ...(after.last === undefined ? {} : { last: Decimal.format(after.last) }),
    ...Object.fromEntries(open.map(({ slot, legs: [{ price }] }) => [slot, Decimal.format(price)]))
  }
  known.set(remembered, open)
  return {
    desired: open,
    absent: after.made < times ? [{ slot: slotName(after.made), why: waiting, at: after.next }] : [],
    memory: remembered,
    reasons: [],
    until: {
      onFill: false,
      ...(after.made < times ? { time: after.next } : {}),
      ...(trigger === undefined ? {} : side === "BUY" ? { priceBelow: trigger } : { priceAbove: trigger })
    }
  }
}
