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
import { decimalIn, isRecord, numberIn, parsedOf, withAll } from "./Memory.ts"
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
    const whole = { ...settings, slices }
    return { decide: deciding(whole), unfit: (slots) => otherSide(market, side, slots, isOwn) }
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

const begunUntil = (whole: Twap, delay: Delay | undefined, passed: number): number => {
  const next = whole.slices.findIndex((_, index) => beginOf(whole, delay, index) > passed)
  return next < 0 ? whole.slices.length : next
}

/** Delays slice `from` to the time of the next slice, or the last slice by half of the remaining time. */
const delayed = (whole: Twap, delay: Delay | undefined, from: number, passed: number): Delay => {
  const next = begunUntil(whole, delay, passed)
  return { from, at: next < whole.slices.length ? beginOf(whole, delay, next) : Math.ceil((passed + whole.over) / 2) }
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
    const places = shares.slice(0, count).flatMap((share, index) => placeOf[index]?.(share) ?? [])
    return {
      desired: places.filter((place) => "legs" in place),
      absent: places.filter((place) => !("legs" in place))
    }
  }
}

type Begun = ReadonlyArray<PartOfTotal>

const begunBy = (whole: Twap, count: number, before: Begun, view: View, memory: Memory): Begun => {
  const begins = whole.slices
    .slice(before.length, count)
    .map((slice) => partAt(whole, slice, decimalIn(memory, slice.slot) ?? priceNow(whole, view)))
  return [...before.slice(0, count), ...begins]
}

const deciding = (whole: Twap): Decide => {
  const { slices, over: overMillis, market, keys } = whole
  const because = reasons(keys)
  const over = because("time-over", "the time of this strategy is over", "over")
  const waitingBy = (start: number, delay: Delay | undefined) =>
    slices.map(({ slot }, index) => {
      const at = start + beginOf(whole, delay, index)
      return {
        slot,
        why: because("not-yet", `slice ${index + 1} of ${slices.length} begins at ${iso(at)}`, "slices"),
        at
      }
    })
  const planned = lately((start: number) => waitingBy(start, undefined))
  const atLimit = slices.map((slice) => partAt(whole, slice, whole.limit))
  const shareOut = sharing(market, isOwn)
  const placesOf = placing(whole)
  const begunIn = new WeakMap<object, Begun>()
  return (view, past) => {
    const memory = view.begins === true ? null : past
    const start = numberIn(memory, "start") ?? view.now
    const passed = view.now - start
    if (passed >= overMillis) {
      const absent = slices.map(({ slot }) => ({ slot, why: over }))
      return { desired: [], absent, memory, reasons: [], until: { onFill: false } }
    }
    const before = parsedOf(begunIn, memory)
    const due = begunUntil(whole, delayIn(memory), passed)
    const begunBefore = before?.length ?? slices.filter(({ slot }) => decimalIn(memory, slot) !== undefined).length
    const isDelayed = view.isHeld === true && due > begunBefore
    const delay = isDelayed ? delayed(whole, delayIn(memory), begunBefore, passed) : delayIn(memory)
    const count = isDelayed ? begunBefore : due
    const schedule = before?.length === count ? before : begunBy(whole, count, before ?? [], view, memory)
    const isSame = schedule === before && !isDelayed && isRecord(memory)
    const prices = () => schedule.map(({ slot, price }) => [slot, Decimal.format(price)] as const)
    const remembered = isSame ? memory : withAll({ start, ...delay }, prices())
    begunIn.set(remembered, schedule)
    const { shares, isPlain } = shareOut(schedule, view, atLimit)
    const { absent, desired } = placesOf(shares, count)
    return {
      desired,
      absent: [...absent, ...(delay === undefined ? planned(start) : waitingBy(start, delay)).slice(count)],
      memory: remembered,
      reasons: [],
      until: { onFill: !isPlain, time: start + beginOf(whole, delay, count) }
    }
  }
}
