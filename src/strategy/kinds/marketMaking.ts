/**
 * Market making: bids and asks on both sides of a centre. The centre stays until the mid has moved away from it by `requote`, so the orders
 * do not chase the price; then all are quoted again. With `skew`, the inventory moves the centre so that it gets sold or bought back.
 * `maxInventory` ends one side.
 *
 * The spread is a ratio of the price, fixed or by volatility. It is never narrower than the market's own spread for an order of this size:
 * quoting inside it gives away what the market pays. The spread also stays until a change would move the first quotes by `requote`. Each
 * order is one slot, quoted again when it has filled, or `filledDelay` later.
 *
 * With `sizeSkew`, a net purchase also makes bids smaller and asks larger. With `maxImpact`, all sizes follow the depth of the market.
 * Spread and centre may also follow a model (see `Volatility`), and the centre an expression (see `Centre`).
 */
import type { Amount } from "../../domain/Amount.ts"
import { impactOf, isSurelyWithin } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { type Decision, type Ends, type Memory, sooner } from "../Decision.ts"
import { compile } from "../expression/Compiler.ts"
import { boundsOf, momentOf } from "../expression/Judge.ts"
import { needCandles, neededBy, noNeeds, scopeOf } from "../expression/Scope.ts"
import { isStill } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import { form, type Kind, type Section, type Whole } from "../Kind.ts"
import { report } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import type { Decide } from "../Strategy.ts"
import { progressOf, type View } from "../View.ts"
import { decimalIn, type Notes, notes, numberIn, recordIn } from "./Memory.ts"
import { hangingKeys, withHanging } from "./marketMaking/Hanging.ts"
import * as Inventory from "./marketMaking/Inventory.ts"
import * as Quotes from "./marketMaking/Quotes.ts"
import { checkFeesOfSizes, checkNeed, checkRatio } from "./OrderCheck.ts"
import { part, share } from "./PriceLevels.ts"
import { baseAmounts } from "./Size.ts"
import * as Volatility from "./Volatility.ts"

const maxLevels = 50
const levelsOf = (answer: Ask.AnswerOf): number => Number(answer("levels"))

/** More decimal places of a centre would be noise. */
const centrePlaces = 9

type SeenCentre = ReturnType<typeof look>

const centreKeys = {
  centre: Read.optional(Read.expression, "a price of closed candles, as the centre of the quotes", "the mid"),
  timeframe: Read.withDefault(Read.timeframe, "1h", "of the centre's candles whose timeframe is not written")
}

type Centre = NonNullable<ReturnType<typeof readCentre>>

/** The centre of the quotes, if it is a price that an expression computes from closed candles. */
const readCentre = ({ centre, timeframe }: Read.SettingsOf<typeof centreKeys>, section: Section<typeof centreKeys>) => {
  const { at, isWritten, to } = section
  if (centre === undefined)
    return isWritten("timeframe")
      ? report(to, at("timeframe"), "timeframe without centre does nothing", "remove it")
      : undefined
  const scope = scopeOf(section, timeframe)
  const term = compile(centre, "price", "price", scope)
  if (term === undefined) return undefined
  if (!isStill(term)) {
    const hint = "such as ema(close, 20); without this key, the centre is the mid"
    return report(to, at("centre"), "the centre follows closed candles, not prices between them", hint)
  }
  return { term, needs: scope.needs }
}

/** The price is `undefined` while its candles or signals are missing. */
const look = (centre: Centre | undefined, view: View) => {
  if (centre === undefined) return { price: mid(view.price), changes: {} }
  const moment = momentOf(view.market, view)
  const value = centre.term.value(moment)
  const { barClose, depth, signals, time } = boundsOf(centre.needs, moment, moment.found.times)
  const price = Number.isFinite(value) && value > 0 ? Decimal.fromNumber(value, centrePlaces) : undefined
  return { price, changes: present({ barClose, depth, signals, time }) }
}

const keys = (market: Market) => ({
  levels: Read.required(Read.integer(1, maxLevels), "orders on each side"),
  spread: Read.required(Volatility.spread, "between the first bid and the first ask"),
  step: Read.optional(Read.ratio, "from one level to the next", "the spread"),
  size: Read.required(baseAmounts(market), "of each order, in base; or a list with one for each level"),
  ...centreKeys,
  requote: Read.withDefault(part(Read.ratio), Decimal.make(2n, 3), "quote again when the price has moved this far"),
  skew: Read.withDefault(Read.ratioOrZero, Decimal.zero, "move the quotes against a full inventory by this much"),
  sizeSkew: Read.optional(
    share(Read.ratio),
    "a full inventory makes orders that add to it smaller by this share, and the others larger",
    "nothing"
  ),
  maxImpact: Read.optional(
    part(Read.ratio),
    "sizes shrink, to an eighth at most, until an order of the first level would move the market no more than this"
  ),
  hanging: Read.optional(
    Read.section(hangingKeys),
    "when one side of a level fills, the order on its other side stays"
  ),
  filledDelay: Read.optional(Read.duration, "time from the last fill until a filled order is quoted again"),
  maxInventory: Read.optional(Read.amount(market.base), "most that may be bought or sold on balance", "one full side")
})

type Quoted = Pick<
  Whole<typeof keys>,
  "market" | "spread" | "step" | "requote" | "skew" | "sizeSkew" | "maxImpact" | "keys"
>
interface Quoting extends Inventory.Inventoried, Quoted {
  readonly quantity: Amount
  readonly filledDelayMillis: number
  readonly centre: Centre | undefined
  readonly notes: Notes<HeldQuotes>
  readonly stockIn: (view: View) => Inventory.Stock
  readonly quotes: (ground: Quotes.QuoteInputs) => Quotes.QuotedSlots
}

export const marketMaking: Kind = {
  name: "market-making",
  repeats: true,
  about: "bids and asks around the price",
  setup: ({ base, quote, ...market }) =>
    Ask.setupOf(keys({ base, quote, ...market }), {
      asks: [
        Ask.amount("quote", quote, "for the bids, all together"),
        Ask.total(base, "for the asks, all together", "base"),
        "levels",
        "size",
        "spread"
      ],
      budget: (answer) => ({ base: Ask.totalOf(base, answer, levelsOf(answer), "base"), quote: answer("quote") }),
      lines: {
        levels: { ask: Ask.text("How many orders on each side", "3"), note: true },
        spread: {
          ask: Ask.text("Between the first bid and the first ask", "0.6%", Read.ratio),
          note: "between the first bid and the first ask; or by volatility, see docs/strategies.md"
        },
        step: { hint: "0.3%", note: "from one level to the next; default: the spread" },
        size: { ask: Ask.share(base, "of each order", levelsOf, "base"), note: `${base.symbol} of each order` },
        requote: { is: "0.3%" },
        skew: {
          is: "0.3%",
          note: "move the quotes against what was bought or sold on balance, by this much when it is full"
        }
      }
    }),
  ...form(keys, (settings, section) => {
    const { size: sizes, spread, skew, hanging, filledDelay = 0 } = settings
    const { at, isWritten, to } = section
    if (sizes.length > 1 && sizes.length !== settings.levels) {
      const text = `${sizes.length} sizes for ${settings.levels} levels: give one, or one for each`
      return report(to, at("size"), text)
    }
    const levels = Array.from({ length: settings.levels }, (_, index) => ({
      bid: `bid-${String(index).padStart(2, "0")}`,
      ask: `ask-${String(index).padStart(2, "0")}`,
      quantity: sizes[index] ?? sizes[0] ?? 0n
    }))
    const side = levels.reduce((sum, { quantity }) => sum + quantity, 0n)
    const { widest: widestSpread, follows, model } = spread
    if (model !== undefined && isWritten("skew"))
      report(to, at("skew"), "the model moves the quotes against the inventory itself: remove skew")
    const widest = Decimal.add(Quotes.offsetOf(widestSpread, settings.step, levels.length - 1), skew)
    if (!Decimal.isLess(widest, Decimal.one))
      report(to, at("spread"), "the widest bid would be at a price of 0 or less: spread, step and skew reach 100%")
    const [quantity = 0n] = sizes
    const { maxInventory = side } = settings
    if (maxInventory < quantity) report(to, at("maxInventory"), "maxInventory is smaller than the size of one order")
    checkNeed(side, "base", "all asks together", at("size"), section, "make the size smaller")
    const amounts = sizes.map((amount) => ({ unit: "base", amount }) as const)
    checkFeesOfSizes(amounts, "BUY", at("size"), section)
    if (model === undefined) {
      const ratio = ratioOf(follows?.least ?? widestSpread)
      checkRatio({ ratio, bought: quantity }, "a pair of quotes", at("spread"), section, wideningHint)
    }
    const centre = readCentre(settings, section)
    const maker: Quoting = {
      ...settings,
      levels,
      quantity,
      filledDelayMillis: filledDelay,
      maxInventory,
      centre,
      notes: notes((memory) => heldQuotesIn(memory, settings.requote), remember, isSameHeld),
      stockIn: Inventory.stocks(levels, settings.sizeSkew === undefined && settings.maxImpact === undefined),
      quotes: Quotes.quoter({ ...settings, levels, maxInventory })
    }
    const needs = centre?.needs ?? noNeeds()
    if (follows !== undefined) needCandles(needs, follows.series.timeframe, follows.series.warmUp)
    if (model !== undefined) needCandles(needs, model.timeframe, Volatility.warmUp(model))
    const parts = maker.maxImpact === undefined ? [Inventory.wholePart] : Inventory.partsOfSize
    const quantities = parts.map((part) => (quantity * part) / Inventory.wholePart)
    const quotes = decider(maker)
    return {
      ...(needs.candles.size + needs.watched.size + needs.signals.size === 0 ? {} : neededBy(needs)),
      depth: [...needs.depth, ...quantities],
      decide: hanging === undefined ? quotes : withHanging(quotes, { ...maker, ...hanging })
    }
  })
}

const wideningHint = "widen the spread or make the orders larger"

const ratioOf = (spread: Decimal.Decimal): Decimal.Decimal => {
  const half = Decimal.multiply(spread, Decimal.half)
  return Decimal.divide(Decimal.add(Decimal.one, half), Decimal.subtract(Decimal.one, half), 18, "down")
}

type HeldQuotes = ReturnType<typeof heldQuotesIn>

const heldQuotesIn = (memory: Memory, requote: Decimal.Decimal) => {
  const [centre, eighths] = [decimalIn(memory, "centre"), numberIn(memory, "eighths")]
  return {
    centre: centre && Quotes.centreAt(centre, requote),
    spread: decimalIn(memory, "spread"),
    lean: decimalIn(memory, "lean"),
    eighths: eighths === undefined ? undefined : BigInt(Math.trunc(eighths)),
    quoted: recordIn(memory, "quoted")
  }
}

const remember = ({ centre, spread, lean, eighths, quoted }: HeldQuotes): Memory =>
  present({
    centre: centre?.text,
    spread: spread && Decimal.format(spread),
    lean: lean && Decimal.format(lean),
    eighths: eighths === undefined ? undefined : Number(eighths),
    quoted: quoted ?? undefined
  })

const isSameRatio = (a: Decimal.Decimal | undefined, b: Decimal.Decimal | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Decimal.equals(a, b))

const isSameHeld = (a: HeldQuotes, b: HeldQuotes): boolean =>
  a.centre === b.centre &&
  isSameRatio(a.spread, b.spread) &&
  isSameRatio(a.lean, b.lean) &&
  a.eighths === b.eighths &&
  a.quoted === b.quoted

const waiting = (
  { centre, levels, keys, spread }: Quoting,
  view: View,
  memory: Memory,
  seen: SeenCentre,
  needed: "spread" | "centre" | "depth"
): Decision => {
  const why =
    needed !== "depth"
      ? { code: "warming-up", text: `needs more candles for its ${needed}`, source: keys(needed) }
      : { code: "not-known", text: "waits until the market's depth is quoted", source: keys("size") }
  return {
    desired: [],
    absent: levels.flatMap(({ bid, ask }) => [bid, ask].map((slot) => ({ slot, why }))),
    memory,
    reasons: [],
    // An expression for the centre may use the strategy's own trading.
    until: {
      onFill: centre !== undefined,
      ...(needed === "depth" ? { depth: true } : {}),
      ...changesIn(spread, seen, view, false)
    }
  }
}

const changesIn = ({ follows, model }: Quoting["spread"], seen: SeenCentre, view: View, isQuoting: boolean): Ends => {
  const barClose = model?.timeframe ?? follows?.series.timeframe
  const time = model !== undefined && isQuoting ? Volatility.changesAt(model, view.now) : undefined
  return sooner(present({ barClose, time }), seen.changes)
}

const noneQuoted: Readonly<Record<string, number>> = {}
const notDelayed = { slots: new Set<string>(), until: Number.NEGATIVE_INFINITY, quoted: noneQuoted }

const delayed = (maker: Quoting, view: View, known: Memory) => {
  const { levels, filledDelayMillis } = maker
  if (filledDelayMillis === 0) return notDelayed
  const quoted: Record<string, number> = {}
  const slots = new Set<string>()
  const lastAt = view.own?.lastFill?.at
  const until = lastAt === undefined ? Number.NEGATIVE_INFINITY : lastAt + filledDelayMillis
  for (const slot of levels.flatMap(({ bid, ask }) => [bid, ask])) {
    const { completedLegs, live } = progressOf(view, slot)
    const before = numberIn(known, slot) ?? 0
    const waits = completedLegs > before && view.now < until && live === undefined
    if (waits) slots.add(slot)
    quoted[slot] = waits ? before : completedLegs
  }
  return { slots, until, quoted }
}

interface Answered {
  readonly orderSizes: Inventory.OrderSizes
  readonly centre: Quotes.HeldCentre
  readonly spread: Decimal.Decimal
  readonly decision: Decision
}

const isPlain = ({ spread, maxImpact, filledDelayMillis, centre }: Quoting): boolean =>
  spread.model === undefined && maxImpact === undefined && filledDelayMillis === 0 && centre === undefined

/** Returns the previous answer object if nothing has moved. */
const decider = (maker: Quoting): Decide => {
  let last: Answered | undefined
  return (view, memory) => {
    const answer = decide(maker, last, view, memory)
    if (!("decision" in answer)) return answer
    last = isPlain(maker) ? answer : undefined
    return answer.decision
  }
}

const decide = (maker: Quoting, last: Answered | undefined, view: View, memory: Memory): Answered | Decision => {
  const state = maker.notes.read(memory)
  const stock = maker.stockIn(view)
  const inventory = Inventory.inventoryOf(maker, stock)
  const measured = measureInForce(maker, view, state, inventory)
  const centrePrice = look(maker.centre, view)
  if (measured === undefined) return waiting(maker, view, memory, centrePrice, "spread")
  const { spread: width, lean } = measured
  const { price } = centrePrice
  if (price === undefined) return waiting(maker, view, memory, centrePrice, "centre")
  const { centre: lastCentre, eighths: before } = state
  const isKept =
    lastCentre !== undefined && Decimal.isGreater(price, lastCentre.below) && Decimal.isLess(price, lastCentre.above)
  const centre = isKept ? lastCentre : Quotes.centreAt(price, maker.requote)
  const eighths = isKept && before !== undefined ? before : (Inventory.eighthsNow(maker, view) ?? before)
  if (eighths === undefined) return waiting(maker, view, memory, centrePrice, "depth")
  const isSameSize = last?.orderSizes.stock === stock && last.orderSizes.eighths === eighths
  if (isSameSize && last.centre === centre && Decimal.equals(last.spread, width)) return last
  const orderSizes = isSameSize ? last.orderSizes : Inventory.sizesOn(maker, stock, eighths, inventory)
  const delay = delayed(maker, view, state.quoted)
  const { sizes, full } = orderSizes
  const shift = shiftOf(maker, lean, inventory)
  const quotes = maker.quotes({ centre, shift, spread: width, inventory, sizes, full, delayed: delay.slots })
  const { follows, model, widest } = maker.spread
  const isFixed = follows === undefined && model === undefined && Decimal.equals(widest, width)
  const decision: Decision = {
    ...quotes,
    memory: maker.notes.write({
      centre,
      spread: isFixed ? undefined : width,
      lean: model === undefined ? undefined : lean,
      eighths: maker.maxImpact === undefined ? undefined : eighths,
      quoted: maker.filledDelayMillis === 0 ? null : delay.quoted
    }),
    reasons: [],
    until: untilOf(maker, view, centre, centrePrice, delay)
  }
  return { orderSizes, centre, spread: width, decision }
}

const untilOf = (
  maker: Quoting,
  view: View,
  { below, above }: Quotes.HeldCentre,
  seen: SeenCentre,
  delay: ReturnType<typeof delayed>
): Decision["until"] => {
  const { follows } = maker.spread
  if (isPlain(maker)) {
    const bounds = { priceBelow: below, priceAbove: above, onFill: true, depth: true } as const
    return follows === undefined ? bounds : { ...bounds, barClose: follows.series.timeframe }
  }
  return {
    ...(maker.centre === undefined ? { priceBelow: below, priceAbove: above } : {}),
    onFill: true,
    depth: true,
    ...sooner(changesIn(maker.spread, seen, view, true), delay.slots.size === 0 ? {} : { time: delay.until })
  }
}

const shiftOf = (maker: Quoting, lean: Decimal.Decimal, inventory: Amount): Decimal.Decimal =>
  maker.spread.model === undefined
    ? Decimal.multiply(maker.skew, Inventory.fullness(maker, inventory))
    : leaning(maker, lean, inventory)

/**
 * The width of the quotes, and the shift that the net purchase causes. The width is never narrower than the market's own spread. Both stay
 * until a change would move the first quotes by `requote`.
 */
const measureInForce = (
  whole: Quoting,
  view: View,
  { spread, lean = Decimal.zero }: Pick<HeldQuotes, "spread" | "lean">,
  inventory: Amount
): Volatility.Quotes | undefined => {
  const { requote } = whole
  const measured = measureNow(whole, view)
  if (spread === undefined) return measured
  const before = { spread, lean }
  if (measured === undefined) return before
  const isFlat = lean.digits === 0n && measured.lean.digits === 0n
  if (isFlat && isSurelySmall(spread, measured.spread, requote)) return before
  const apart = (a: Decimal.Decimal, b: Decimal.Decimal) => Decimal.subtract(Decimal.max(a, b), Decimal.min(a, b))
  const wider = Decimal.multiply(apart(spread, measured.spread), Decimal.half)
  const moved = apart(leaning(whole, lean, inventory), leaning(whole, measured.lean, inventory))
  return Decimal.isLess(Decimal.add(wider, moved), requote) ? before : measured
}

/** True is certain: half of the difference between the ratios is below `least`. */
const isSurelySmall = (a: Decimal.Decimal, b: Decimal.Decimal, least: Decimal.Decimal): boolean =>
  Math.abs(Decimal.toNumber(a) - Decimal.toNumber(b)) / 2 + hair < Decimal.toNumber(least)

const hair = 1e-12

const leaning = ({ quantity }: Quoting, lean: Decimal.Decimal, inventory: Amount): Decimal.Decimal =>
  lean.digits === 0n
    ? lean
    : Decimal.multiply(lean, Decimal.divide(Decimal.make(inventory), Decimal.make(quantity), 6, "down"))

/** The wider of the file's spread and the market's at the size of one order; the file's if the market's is unknown. */
const measureNow = ({ spread, quantity }: Quoting, view: View): Volatility.Quotes | undefined => {
  const distance = spread.model === undefined ? Volatility.distanceAt(spread, view) : undefined
  const fixed = distance && { spread: distance, lean: Decimal.zero }
  const quotes = spread.model === undefined ? fixed : Volatility.quotesAt(spread.model, view)
  if (quotes === undefined) return undefined
  const { depth } = view
  if (depth === undefined || isSurelyWithin(depth, quantity, Decimal.toNumber(quotes.spread) / 2)) return quotes
  const impact = impactOf(depth, quantity)
  return impact === undefined
    ? quotes
    : { spread: Decimal.max(quotes.spread, Decimal.add(impact, impact)), lean: quotes.lean }
}
