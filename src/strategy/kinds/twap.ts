/**
 * TWAP: one total in slices, evenly over a time from the first decision on, never beyond a limit price. Size and time of each slice vary by
 * `vary`. The variation depends on `seed` alone, so every run of the file is the same.
 *
 * If the time of a slice passes while a limit prevents new orders, it begins later. The remaining slices are then spread evenly over the
 * remaining time, so that they neither burst nor are lost.
 *
 * A slice keeps the price that it had when it began, and a size in quote is converted at that price. Orders that have not filled when the
 * time is over are cancelled. After an edit the slices share the remaining total (see `Total`).
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../domain/Market.ts"
import { seeded } from "../../domain/Seeded.ts"
import { countText, iso } from "../../domain/Text.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import { lately } from "../expression/Same.ts"
import * as Read from "../Fields.ts"
import { form, type Kind, reasons, type Whole } from "../Kind.ts"
import { report } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import type { Decide } from "../Strategy.ts"
import type { View } from "../View.ts"
import { givenAway, orderText } from "./Execution.ts"
import { decimalOf, isRecord, numberIn, parsedOf, recordIn, textIn } from "./Memory.ts"
import { checkBudget, checkFees, checkValues, valueOf } from "./OrderCheck.ts"
import { ahead, orderPrice, share, tickPrice } from "./PriceLevels.ts"
import { quantityAt, type Size, size } from "./Size.ts"
import { doneText, legsLeft, otherSide, type PartOfTotal, restText, type Share, sharing } from "./Total.ts"

const maxSlices = 1_000

interface Slice {
  readonly slot: string
  /** Milliseconds after the start. */
  readonly begins: number
  readonly size: Size
}

const keys = (market: Market) => ({
  side: Read.required(Read.side, "buy or sell"),
  total: Read.required(size(market), "all slices together"),
  over: Read.required(Read.duration, "from the first decision on; unfilled orders are then cancelled"),
  slices: Read.required(Read.integer(1, maxSlices), "how many orders"),
  limit: Read.required(tickPrice(market), "the worst price"),
  reach: Read.withDefault(givenAway, Decimal.zero, "a slice may give away this much against the mid at its time"),
  vary: Read.withDefault(share(Read.ratioOrZero), Decimal.zero, "how much sizes and moments vary"),
  seed: Read.withDefault(Read.integer(0, 4_294_967_295), 1, "determines by how much they vary")
})

type Twap = Omit<Whole<typeof keys>, "slices"> & { readonly slices: ReadonlyArray<Slice> }

export const twap: Kind = {
  name: "twap",
  about: "one large order in slices over a time",
  setup: (market) =>
    Ask.setupOf(keys(market), {
      asks: ["side", "total", "limit", "over", "slices"],
      budget: (answer) => ({ [Ask.inputOf(market, answer).key]: answer("total") }),
      lines: {
        side: { ask: Ask.side },
        total: { ask: Ask.paidAmount("in all", market), is: Ask.paidSize(market), note: true },
        over: { ask: Ask.text("Over how long, such as 6h or 1d", "1d"), note: true },
        slices: { ask: Ask.text("In how many slices", "24") },
        limit: {
          ask: Ask.price(
            (answer) => `${Ask.isBuy(answer) ? "Highest" : "Lowest"} price of any slice, ${Ask.per(market)}`,
            Ask.onItsSide(-0.02)
          ),
          note: "the worst price of any slice"
        },
        reach: { is: "0.1%" },
        vary: { is: "30%", note: "sizes and moments differ by up to this much, so that nobody sees a pattern" }
      }
    }),
  ...form(keys, (settings, { at, ...context }) => {
    const { market, side, total, over, limit, seed } = settings
    const slices = slice(total, settings.slices, over, Decimal.toNumber(settings.vary), seed)
    const orders = slices.map(({ size }): Leg => ({ side, price: limit, quantity: quantityAt(market, size, limit) }))
    if (orders.some(({ quantity }) => quantity <= 0n)) {
      const text = `too little for ${countText(slices.length, "slice")}`
      return report(context.to, at("total"), text, "fewer slices, or a larger total")
    }
    checkBudget(orders, "all slices together", at("total"), context)
    checkFees(orders, at("total"), context)
    const values = orders.map((order) => valueOf(market, order))
    checkValues(values, at("total"), context)
    return { decide: deciding({ ...settings, slices }), unfit: (slots) => otherSide(market, side, slots, isOwn) }
  })
}

const isOwn = (slot: string): boolean => /^slice-\d+$/.test(slot)

/** Sizes sum exactly to the total. Each is within `vary` of the even size, and each slice is in its own share of the time. */
const slice = (
  { unit, amount: total }: Size,
  count: number,
  over: number,
  vary: number,
  seed: number
): ReadonlyArray<Slice> => {
  const next = seeded(seed)
  const scale = 1_000_000
  const weights = Array.from({ length: count }, () => BigInt(Math.round(scale * (1 + vary * (next() - 0.5)))))
  const sum = weights.reduce((a, b) => a + b, 0n)
  let before = 0n
  let parts = 0n
  return weights.map((weight, index) => {
    parts += weight
    const until = (total * parts) / sum
    const size = { unit, amount: until - before }
    before = until
    const late = index === 0 ? 0 : vary * next()
    const slot = `slice-${String(index).padStart(Math.max(2, String(count - 1).length), "0")}`
    return { slot, begins: Math.round((over * (index + late)) / count), size }
  })
}

type Delay = NonNullable<ReturnType<typeof delayIn>>

const delayIn = (memory: Memory) => {
  const [from, at] = [numberIn(memory, "from"), numberIn(memory, "at")]
  return from === undefined || at === undefined ? undefined : { from, at }
}

const beginOf = ({ over, slices }: Twap, delay: Delay | undefined, index: number): number => {
  const planned = slices[index]?.begins ?? over
  const first = delay && slices[delay.from]?.begins
  if (delay === undefined || first === undefined || index < delay.from) return planned
  return Math.round(delay.at + ((planned - first) * (over - delay.at)) / (over - first))
}

/** `known`: slices that have begun before, which is where the search starts. */
const begunUntil = (whole: Twap, delay: Delay | undefined, passed: number, known: number): number => {
  let next = known > 0 && beginOf(whole, delay, known - 1) <= passed ? known : 0
  while (next < whole.slices.length && beginOf(whole, delay, next) <= passed) next++
  return next
}

const priceNow = ({ market, side, limit, reach }: Twap, view: View): Price => {
  const edgePrice = orderPrice(market, side, ahead(side, mid(view.price), reach))
  return side === "BUY" ? Decimal.min(edgePrice, limit) : Decimal.max(edgePrice, limit)
}

type Placed = DesiredSlot | Decision["absent"][number]

const partAt = ({ market, side }: Twap, { size, slot }: Slice, price: Price): PartOfTotal => {
  return { slot, side, price, size, quantity: quantityAt(market, size, price) }
}

const placed = ({ keys, market, side, slices }: Twap, share: Share, index: number): Placed => {
  const because = reasons(keys)
  const { slot, price, quantity } = share.part
  const remainder = share.isPlain ? { legs: [{ side, price, quantity }] as const } : legsLeft(share)
  if (remainder === undefined || quantity === 0n)
    return { slot, why: because("done", doneText(market, share), "slices") }
  const what = share.isPlain ? orderText({ side, price, quantity }, market) : restText(market, share)
  const text = `slice ${index + 1} of ${slices.length} ${what}`
  return { slot, ...remainder, cycle: false, why: because("twap-slice", text, "slices") }
}

/** The slots of the first `count` slices, which have begun. Unchanged parts are the same objects as at the last decision. */
const placing = (whole: Twap) => {
  const placeOf = whole.slices.map((_, index) => lately((share: Share) => placed(whole, share, index)))
  return (shares: ReadonlyArray<Share>, count: number): Pick<Decision, "desired" | "absent"> => {
    const [desired, absent]: [Array<DesiredSlot>, Array<Decision["absent"][number]>] = [[], []]
    for (let index = 0; index < count; index++) {
      const share = shares[index]
      const place = share && placeOf[index]?.(share)
      if (place === undefined) continue
      if ("legs" in place) desired.push(place)
      else absent.push(place)
    }
    return { desired, absent }
  }
}

type Parts = ReadonlyArray<PartOfTotal>

/** The first slot has the prices of all slices that have begun. In older memories each slot has its own. */
const pricesIn = ({ slices }: Twap, memory: Memory): ReadonlyArray<Memory> => {
  const prices = recordIn(memory, slices[0]?.slot ?? "")
  if (typeof prices !== "string") return Array.isArray(prices) ? prices : []
  return slices.flatMap(({ slot }) => textIn(memory, slot) ?? [])
}

/** The parts of the first `count` slices. Slices without a price in `prices` begin now. */
const begunBy = (whole: Twap, count: number, known: Parts, prices: ReadonlyArray<Memory>, view: View): Parts => {
  const begins = whole.slices
    .slice(known.length, count)
    .map((slice, index) => partAt(whole, slice, decimalOf(prices[known.length + index]) ?? priceNow(whole, view)))
  return [...known.slice(0, count), ...begins]
}

const deciding = (whole: Twap): Decide => {
  const { slices, over: overMillis, market, keys } = whole
  const because = reasons(keys)
  const over = because("time-over", "the time of this strategy is over", "over")
  const waitingBy = (start: number, delay: Delay | undefined) =>
    slices.map(({ slot }, index) => {
      const at = start + beginOf(whole, delay, index)
      const text = `slice ${index + 1} of ${slices.length} begins at ${iso(at)}`
      return { slot, why: because("not-yet", text, "slices"), at }
    })
  const atLimit = slices.map((slice) => partAt(whole, slice, whole.limit))
  const shareOut = sharing(market, isOwn)
  const placesOf = placing(whole)
  const partsIn = new WeakMap<object, Parts>()
  return (view, memory) => {
    const start = numberIn(memory, "start") ?? view.now
    const passed = view.now - start
    if (passed >= overMillis) {
      const absent = slices.map(({ slot }) => ({ slot, why: over }))
      return { desired: [], absent, memory, reasons: [], until: { onFill: false } }
    }
    const [before, prices, delayBefore] = [parsedOf(partsIn, memory), pricesIn(whole, memory), delayIn(memory)]
    const due = begunUntil(whole, delayBefore, passed, prices.length)
    const isDelayed = view.isHeld === true && due > prices.length
    // The slice begins at the time of the next one, or the last one after half of the remaining time.
    const at = due < slices.length ? beginOf(whole, delayBefore, due) : Math.ceil((passed + overMillis) / 2)
    const delay = isDelayed ? { from: prices.length, at } : delayBefore
    const count = isDelayed ? prices.length : due
    const parts = before?.length === count ? before : begunBy(whole, count, before ?? [], prices, view)
    const isSame = parts === before && !isDelayed && isRecord(memory)
    const begins = parts.slice(prices.length).map(({ price }) => Decimal.format(price))
    const priced = { [slices[0]?.slot ?? ""]: [...prices.slice(0, count), ...begins] }
    const remembered = isSame ? memory : { start, ...delay, ...priced }
    partsIn.set(remembered, parts)
    const { shares, isPlain } = shareOut(parts, view, atLimit)
    const { absent, desired } = placesOf(shares, count)
    return {
      desired,
      // Computed on demand: only people read it.
      get absent() {
        return [...absent, ...waitingBy(start, delay).slice(count)]
      },
      memory: remembered,
      reasons: [],
      until: { onFill: !isPlain, time: start + beginOf(whole, delay, count) }
    }
  }
}
