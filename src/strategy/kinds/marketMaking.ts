/**
 * Market making: bids and asks on both sides of a centre. The centre stays until the mid has moved away from it by
 * `requote`, so the orders do not chase the price; then all are quoted again. With `skew`, the inventory moves the
 * centre so that it gets sold or bought back. `maxInventory` ends one side.
 *
 * The spread is a ratio of the price, fixed or by volatility, and never narrower than the market's own spread for an
 * order of this size: quoting inside it gives away what the market pays. The spread, too, stays until a change would
 * move the first quotes by `requote`. Each order is one slot, quoted again when it has filled.
 */
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import { impactOf } from "../../domain/Book.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price, type Side } from "../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { anyMarket, schemaOf } from "../JsonSchema.ts"
import type { Kind, KindContext } from "../Kind.ts"
import { place, report } from "../Problem.ts"
import type { Setup } from "../Setup.ts"
import * as Ask from "../Setup.ts"
import { progressOf, type View } from "../View.ts"
import { decimalIn } from "./Memory.ts"
import { away, isWithin, negate, orderPrice } from "./PriceLevels.ts"
import { filledLegs } from "./SlotLegs.ts"
import { type Spread, spread, spreadAt } from "./Volatility.ts"

const mostLevels = 50
const half = Decimal.make(5n, 1)
const two = Decimal.make(2n)
const defaultRequote = Decimal.make(2n, 3)

interface Quoting {
  readonly market: Market
  readonly levels: ReadonlyArray<{ readonly bid: string; readonly ask: string }>
  readonly spread: Spread
  /** The distance from one level to the next; default: the spread. */
  readonly step: Decimal.Decimal | undefined
  readonly quantity: Amount
  readonly requote: Decimal.Decimal
  readonly skew: Decimal.Decimal
  readonly maxInventory: Amount
  readonly source: string
}

export const marketMaking: Kind = {
  name: "market-making",
  about: "bids and asks around the price",
  setup: (market) => setup(market),
  schema: () => schemaOf(quotingFields(anyMarket)),
  read: (section, context) => {
    const { market, to } = context
    const read = quotingFields(market)(section, to)
    if (read?.levels === undefined || read.spread === undefined || read.size === undefined) return undefined
    const levels = Array.from({ length: read.levels.value }, (_, index) => ({
      bid: `bid-${String(index).padStart(2, "0")}`,
      ask: `ask-${String(index).padStart(2, "0")}`
    }))
    const skew = read.skew?.value ?? Decimal.zero
    const { widest: widestSpread, follows } = read.spread.value
    const widest = Decimal.add(offsetOf(widestSpread, read.step?.value, levels.length - 1), skew)
    if (!Decimal.isLess(widest, Decimal.one)) {
      report(to, read.spread, "the widest bid would be at no price at all: spread, step and skew add up to 100%")
    }
    const quantity = read.size.value
    const maxInventory = read.maxInventory?.value ?? quantity * BigInt(levels.length)
    if (maxInventory < quantity)
      report(to, read.maxInventory ?? section, "maxInventory is smaller than the size of one order")
    checkBase(quantity * BigInt(levels.length), read.size, context)
    const whole: Quoting = {
      market,
      levels,
      spread: read.spread.value,
      step: read.step?.value,
      quantity,
      requote: read.requote?.value ?? defaultRequote,
      skew,
      maxInventory,
      source: place(to.source, section.start)
    }
    return {
      initialMemory: null,
      ...(follows === undefined ? {} : { candles: new Map([[follows.series.timeframe, follows.series.warmUp]]) }),
      depth: [quantity],
      decide: (view, memory) => decide(whole, view, memory)
    }
  }
}

const quotingFields = (market: Market) =>
  Read.fields({
    levels: Read.required(Read.integer(1, mostLevels), "orders on each side"),
    spread: Read.required(spread, "between the first bid and the first ask"),
    step: Read.optional(Read.ratio, "from one level to the next; default: the spread"),
    size: Read.required(Read.amount(market.base, { zero: false }), "of each order, in base"),
    requote: Read.optional(Read.ratio, "quote anew when the price has moved this far; default: 0.2%"),
    skew: Read.optional(Read.ratioOrZero, "move the quotes against a full inventory by this much; default: nothing"),
    maxInventory: Read.optional(
      Read.amount(market.base, { zero: false }),
      "most that may be bought or sold on balance; default: one full side"
    )
  })

/** Distance of a level's bid and ask from the middle. */
const offsetOf = (spread: Decimal.Decimal, step: Decimal.Decimal = spread, index: number): Decimal.Decimal =>
  Decimal.add(Decimal.multiply(spread, half), Decimal.multiply(step, Decimal.make(BigInt(index))))

const checkBase = (needed: Amount, at: Read.Located<Amount>, { market, budget, to }: KindContext): void => {
  if (budget === undefined || needed <= budget.base) return
  const amounts = `${formatWithSymbol(needed, market.base)} of base budget, and it has ${formatWithSymbol(budget.base, market.base)}`
  report(to, at, `all asks together need ${amounts}`, "raise limits.budget.base, or make the size smaller")
}

/** Bought minus sold so far, by whole orders: a partial fill leaves the others where they are. */
const inventoryOf = ({ levels, quantity }: Quoting, view: View): Amount => {
  const whole = (slot: string, side: Side) => {
    const { bought, sold, filledInLeg, completedLegs } = progressOf(view, slot)
    const legs = [{ side, price: Decimal.one, quantity }] as const
    const isPart = filledLegs({ legs, cycle: true }, view, slot) === completedLegs
    const part = isPart ? filledInLeg : 0n
    return side === "BUY" ? bought - sold - part : bought - sold + part
  }
  return levels.reduce((sum, { bid, ask }) => sum + whole(bid, "BUY") + whole(ask, "SELL"), 0n)
}

/** The spread in force: the last one, until a new one would move the first quotes by `requote`. */
const spreadInForce = (whole: Quoting, view: View, memory: Memory): Decimal.Decimal | undefined => {
  const [known, measured] = [decimalIn(memory, "spread"), spreadNow(whole, view)]
  if (known === undefined || measured === undefined) return measured ?? known
  const { requote } = whole
  const moved = Decimal.subtract(Decimal.max(known, measured), Decimal.min(known, measured))
  return Decimal.isLess(Decimal.multiply(moved, half), requote) ? known : measured
}

/** The wider of the file's spread and the market's at the size of one order; the file's if that is unknown. */
const spreadNow = ({ spread, quantity }: Quoting, view: View): Decimal.Decimal | undefined => {
  const wanted = spreadAt(spread, view)
  const impact = view.depth === undefined ? undefined : impactOf(view.depth, quantity)
  if (wanted === undefined || impact === undefined) return wanted
  return Decimal.max(wanted, Decimal.multiply(impact, two))
}

const waiting = ({ levels, spread, source }: Quoting, memory: Memory): Decision => {
  const why = { code: "warming-up", text: "waits for more candles: its spread is not warm yet", source }
  return {
    desired: [],
    absent: levels.flatMap(({ bid, ask }) => [bid, ask].map((slot) => ({ slot, why }))),
    memory,
    reasons: [],
    until: { onFill: false, ...barCloseOf(spread) }
  }
}

const isFixed = ({ spread }: Quoting, width: Decimal.Decimal): boolean =>
  spread.follows === undefined && Decimal.equals(spread.widest, width)

const barCloseOf = ({ follows }: Spread): { readonly barClose?: string } =>
  follows === undefined ? {} : { barClose: follows.series.timeframe }

const decide = (whole: Quoting, view: View, memory: Memory): Decision => {
  const { market, levels, quantity, requote, maxInventory, source } = whole
  const width = spreadInForce(whole, view, memory)
  if (width === undefined) return waiting(whole, memory)
  const price = mid(view.price)
  const known = decimalIn(memory, "centre")
  const centre = known !== undefined && isWithin(known, requote, price) ? known : price
  const inventory = inventoryOf(whole, view)
  const middle = skewed(whole, centre, inventory)
  const numbers = `centre ${Decimal.format(centre)}, spread ${Decimal.percent(width)}, inventory ${formatWithSymbol(inventory, market.base)}`
  const because = (code: string, text: string): Reason => ({ code, text, source })

  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const quote = (slot: string, side: Side, offset: Decimal.Decimal, isFull: boolean) => {
    const own = orderPrice(market, side, away(middle, side === "BUY" ? negate(offset) : offset))
    const leg: Leg = { side, price: own, quantity }
    const text = `${side === "BUY" ? "bids" : "asks"} ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(own)}: ${numbers}`
    if (isFull) absent.push({ slot, why: because("inventory-full", `maxInventory is reached: ${numbers}`) })
    else if (!Decimal.isPositive(own)) absent.push({ slot, why: because("no-price", "below the smallest price step") })
    else desired.push({ slot, legs: [leg], cycle: true, why: because("quote", text) })
  }
  levels.forEach(({ bid, ask }, index) => {
    const offset = offsetOf(width, whole.step, index)
    const exposure = quantity * BigInt(index + 1)
    quote(bid, "BUY", offset, inventory + exposure > maxInventory)
    quote(ask, "SELL", offset, exposure - inventory > maxInventory)
  })
  return {
    desired,
    absent,
    memory: {
      centre: Decimal.format(centre),
      ...(isFixed(whole, width) ? {} : { spread: Decimal.format(width) })
    },
    reasons: [],
    until: {
      priceBelow: away(centre, negate(requote)),
      priceAbove: away(centre, requote),
      onFill: true,
      depth: true,
      ...barCloseOf(whole.spread)
    }
  }
}

/** The centre moved against the inventory; a full inventory moves it by all of `skew`. */
const skewed = ({ skew, maxInventory }: Quoting, centre: Price, inventory: Amount): Price => {
  const share = Decimal.divide(Decimal.make(inventory), Decimal.make(maxInventory), 6, "down")
  return away(centre, negate(Decimal.multiply(skew, share)))
}

/** Asked by `limitbot init`. */
const setup = ({ base, quote }: Market): Setup => ({
  steps: [
    Ask.asked("levels", "How many orders on each side", "3", Read.integer(1, 50)),
    Ask.amount("size", base, "of each order"),
    Ask.asked("spread", "Between the first bid and the first ask", "0.6%", Read.ratio),
    Ask.amount("quote", quote, "for the bids, all together")
  ],
  budget: (answer) => ({
    base: Ask.times(base, answer("size"), Number(answer("levels"))),
    quote: answer("quote")
  }),
  section: (answer) => `
  levels: ${answer("levels")}  # orders on each side
  spread: ${answer("spread")}  # between the first bid and the first ask; or by volatility, see docs/strategies.md
  # step: 0.3%  # from one level to the next; default: the spread
  size: ${answer("size")}  # ${base.symbol} of each order
  requote: 0.3%  # quote anew when the price has moved this far
  skew: 0.3%  # move the quotes against what was bought or sold on balance, by this much when it is full`
})
