/**
 * Rebalance: keeps each asset at a share of the whole value. For every asset besides the quote two orders are open: a sale where its rising
 * price makes the share too large by `band`, and a purchase where its falling price makes it too small. Each restores the target at its
 * price. With R the value of everything else, an amount q is at share s where p × q = R × s / (1 − s).
 *
 * An asset already beyond its band is traded at the present price, not given away at the far one. That price stays until the market has
 * left it by `requote`, so orders move only when it matters. With several assets R moves with the other prices, in the same steps.
 *
 * The orders of a single asset are at the edges of its band until the price is beyond one by `requote`. An order that the market has just
 * reached fills there, and is not moved away from the market.
 *
 * The holdings are the budget, plus purchases and less sales and fees of the slots since.
 *
 * With `every`, each asset beyond its band is traded back to its target near the present price when a period begins. These orders stay
 * until they have filled or the next period begins; no other order is open. Periods are counted from 1970 in UTC; periods of whole weeks
 * begin on Mondays.
 */
import { type Amount, format, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, mid, type Price, quoteAmount, type Side } from "../../domain/Market.ts"
import { iso } from "../../domain/Text.ts"
import { frameStart } from "../../domain/Timeframe.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { type Form, form, type Kind, type KindContext, type Section } from "../Kind.ts"
import { type Report, report, type Sound, type Span } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import type { Behaviour } from "../Strategy.ts"
import { type LegsDone, legsDone, netOf, priceIn, progressOf, type View } from "../View.ts"
import type { KeyPlaces } from "../YamlReader.ts"
import { givenAway, orderText } from "./Execution.ts"
import { amountIn, decimalIn, legsIn, numberIn, recordIn } from "./Memory.ts"
import { ahead, away, isWithin, negate, orderPrice, part } from "./PriceLevels.ts"

const pricePlaces = 18
const usualRequote = Decimal.make(5n, 3)

interface RebalancedAsset {
  readonly market: Market
  readonly target: Decimal.Decimal
  readonly budget: Amount
  readonly names: { readonly buy: string; readonly sell: string; readonly price: string }
}

interface Rebalance {
  readonly parts: readonly [RebalancedAsset, ...ReadonlyArray<RebalancedAsset>]
  /** Quote, of which the reserve counts for no share. */
  readonly budget: Amount
  readonly reserve: Amount
  readonly band: Decimal.Decimal
  /** The price of an asset may move by this ratio before orders follow. */
  readonly requote: Decimal.Decimal
  readonly periodic: { readonly everyMillis: number; readonly reach: Decimal.Decimal } | undefined
  readonly keys: KeyPlaces<"band" | "every">
}

const common = ({ quote }: Market) => ({
  every: Read.optional(
    Read.duration,
    "acts only once in each period of this length",
    "whenever a share leaves its band"
  ),
  reach: Read.withDefault(givenAway, Decimal.make(2n, 3), "with every: an order may be this much worse than the mid"),
  reserve: Read.optional(Read.amount(quote), "quote that is not used and counts for no share")
})

const band = Read.required(Read.ratio, "acts when a share is this far from its target")

const keysOfOne = (market: Market) => ({
  target: Read.required(Read.ratio, "share of the base in the value of both"),
  band,
  ...common(market)
})

const keysOfSeveral = (targets: Read.Reader<Targets>) => (market: Market) => ({
  ...common(market),
  targets: Read.required(targets, "share of each asset in the value of all; the rest is the quote's"),
  band,
  requote: Read.withDefault(
    part(Read.ratio),
    usualRequote,
    "orders move when the price of another asset has moved this far"
  )
})

const rebalanceSchema = (): Read.JsonSchema => {
  const targets = Read.described(
    () => undefined,
    () => ({ type: "object", minProperties: 2, additionalProperties: Read.schemaOf(Read.ratio) })
  )
  const several = Read.schemaOf(Read.fields(keysOfSeveral(targets)(Read.anyMarket)))
  const properties = {
    ...Object(Read.schemaOf(Read.fields(keysOfOne(Read.anyMarket)))["properties"]),
    ...Object(several["properties"])
  }
  const oneOf = [{ required: ["target"] }, { required: ["targets"] }]
  return { ...several, properties, required: ["band"], oneOf }
}

type Targets = Read.Fields<Readonly<Record<string, ReturnType<typeof Read.required<Decimal.Decimal>>>>>

const readTargets = ({ market, others }: KindContext): Read.Reader<Targets> => {
  const symbols = [market, ...others].map(({ base }) => base.symbol)
  return Read.fields({
    ...Object.fromEntries(symbols.map((symbol) => [symbol, Read.required(Read.ratio)])),
    [market.quote.symbol]: Read.optional(Read.ratio)
  })
}

const formOfOne: Form = form(keysOfOne, ({ target, band, ...whole }, section) => {
  const { market, at, budget, to } = section
  if (!fits(target, band)) return report(to, at("band"), outOfRange)
  if (budget === undefined) return undefined
  if (budget.base === 0n || budget.quote === 0n) {
    const text = "rebalancing needs both assets: give limits.budget.base and limits.budget.quote"
    return report(to, at("target"), text)
  }
  const names = { buy: "buy", sell: "sell", price: "price" }
  return behaviourOf({
    parts: [{ market, target, budget: budget.base, names }],
    band,
    requote: usualRequote,
    keys: whole.keys,
    ...commonOf(whole, budget.quote, section)
  })
})

const formOfSeveral = (context: KindContext): Form =>
  form(keysOfSeveral(readTargets(context)), ({ band, requote, targets, ...whole }, section) => {
    const { at, budget, isWritten, market, others, to } = section
    if (isWritten("requote") && whole.every !== undefined) {
      report(to, at("requote"), "with every, orders never move: remove requote")
    } else if (isWritten("requote") && !Decimal.isLess(requote, band)) {
      report(to, at("requote"), "requote must be smaller than the band")
    }
    if (budget !== undefined && budget.quote === 0n) {
      const { symbol } = market.quote
      report(to, at("targets"), `rebalancing several assets needs some ${symbol}`, `give limits.budget.${symbol}`)
    }
    const partOf = (market: Market, amount: Amount): RebalancedAsset | undefined => {
      const { symbol } = market.base
      const target = targets[symbol]
      if (target === undefined) return undefined
      if (!fits(target.value, band)) return report(to, target, outOfRange)
      const names = { buy: `buy-${symbol}`, sell: `sell-${symbol}`, price: `price-${symbol}` }
      return { market, target: target.value, budget: amount, names }
    }
    const first = partOf(market, budget?.base ?? 0n)
    const further = others.map((other) => partOf(other, budget?.others?.get(other.base.symbol) ?? 0n))
    const parts = further.filter((part) => part !== undefined)
    if (!checkSum(targets, at("targets"), market.quote.symbol, to) || budget === undefined) return undefined
    if (first === undefined || parts.length < others.length) return undefined
    const { keys } = whole
    return behaviourOf({ parts: [first, ...parts], band, requote, keys, ...commonOf(whole, budget.quote, section) })
  })

const commonOf = (
  { every, reach, reserve = 0n }: Read.SettingsOf<ReturnType<typeof common>>,
  budget: Amount,
  { at, isWritten, to }: Section<ReturnType<typeof common>>
) => {
  if (isWritten("reserve") && reserve >= budget) report(to, at("reserve"), "the reserve is all of the quote budget")
  if (every === undefined && isWritten("reach"))
    report(to, at("reach"), "reach without every does nothing", "give every, or remove it")
  return { periodic: every === undefined ? undefined : { everyMillis: every, reach }, budget, reserve }
}

const outOfRange = "target minus band must be above 0%, and target plus band below 100%"

const fits = (target: Decimal.Decimal, band: Decimal.Decimal): boolean =>
  Decimal.isGreater(target, band) && Decimal.isLess(Decimal.add(target, band), Decimal.one)

/** The shares must add up to 100%, or to less if the quote has no share of its own. */
const checkSum = (targets: Targets, at: Span, quote: string, to: Report): Sound => {
  const shares = Object.values(targets).flatMap((target) => (target === undefined ? [] : [target.value]))
  const sum = shares.reduce(Decimal.add, Decimal.zero)
  const isWhole = targets[quote] !== undefined
  const isRight = isWhole ? Decimal.equals(sum, Decimal.one) : Decimal.isLess(sum, Decimal.one)
  const requirement = isWhole ? "all together must be 100%" : `something must be left for ${quote}`
  return isRight || report(to, at, `the targets add up to ${Decimal.percent(sum)}: ${requirement}`)
}

const behaviourOf = (whole: Rebalance): Behaviour => ({
  decide: (view, memory) =>
    whole.periodic === undefined ? decide(whole, view, memory) : decidePeriodic(whole, whole.periodic, view, memory)
})

export const rebalance: Kind = {
  name: "rebalance",
  compounds: true,
  tradesSeveral: true,
  about: "keep each asset at its share of the value",
  setup: ({ base, quote, ...market }) => {
    const share = `hare of ${base.symbol} in the value of both`
    return Ask.setupOf(keysOfOne({ base, quote, ...market }), {
      asks: [
        Ask.amount("base", base, "that it begins with"),
        Ask.amount("quote", quote, "that it begins with"),
        "target",
        "band"
      ],
      budget: (answer) => ({ base: answer("base"), quote: answer("quote") }),
      lines: {
        target: { ask: Ask.text(`S${share}`, "50%"), note: `s${share}` },
        band: {
          ask: Ask.text("Act when the share is this far from it", "5%"),
          note: "smaller: acts more often, and pays more fees"
        }
      }
    })
  },
  schema: rebalanceSchema,
  read: (section, context) => (context.others.length === 0 ? formOfOne : formOfSeveral(context)).read(section, context)
}

/** An order of a period. */
interface Trade {
  readonly slot: string
  readonly market: Market
  readonly leg: Leg
  readonly after: LegsDone
}

const decidePeriodic = (
  whole: Rebalance,
  { everyMillis, reach }: NonNullable<Rebalance["periodic"]>,
  view: View,
  memory: Memory
): Decision => {
  const period = frameStart(view.now, everyMillis)
  const isKept = view.mayBegin === false || (view.begins !== true && numberIn(memory, "period") === period)
  const trades = isKept ? tradesIn(whole, memory) : tradesNow(whole, reach, view)
  const traded = new Set(trades.map(({ slot }) => slot))
  const at = period + everyMillis
  const text = `within ${Decimal.percent(whole.band)} of its target when this period began: waits until ${iso(at)}`
  const why = { code: "rebalance-waits", text, source: whole.keys("every") }
  const idle = slotsOf(whole).filter(({ slot }) => !traded.has(slot))
  return {
    desired: trades.map(({ leg, market, ...trade }) => {
      const place = leg.side === "BUY" ? "below" : "above"
      const text = `${orderText(leg, market)}: ${market.base.symbol} was ${place} its band when this period began`
      const why = { code: "rebalance", text, source: whole.keys("every") }
      return { ...trade, ...furtherMarket(whole, market), legs: [leg], cycle: false, why }
    }),
    absent: idle.map(({ slot }) => ({ slot, why, at })),
    memory: isKept ? memory : { period, ...Object.fromEntries(trades.map((trade) => [trade.slot, remember(trade)])) },
    reasons: [],
    until: { onFill: false, time: at }
  }
}

const furtherMarket = ({ parts }: Rebalance, market: Market): Pick<DesiredSlot, "market"> =>
  market === parts[0].market ? {} : { market }

const slotsOf = ({ parts }: Rebalance) =>
  parts.flatMap(({ market, names }) => [
    { slot: names.buy, market, side: "BUY" as const },
    { slot: names.sell, market, side: "SELL" as const }
  ])

const remember = ({ market: { base }, leg, after }: Trade): Memory => ({
  price: Decimal.format(leg.price),
  quantity: format(leg.quantity, base.decimals),
  legsBefore: after.completedLegs,
  filledBefore: format(after.filledInLeg, base.decimals)
})

const tradesIn = (whole: Rebalance, memory: Memory): ReadonlyArray<Trade> =>
  slotsOf(whole).flatMap(({ slot, market, side }) => {
    const record = recordIn(memory, slot)
    const price = decimalIn(record, "price")
    if (price === undefined) return []
    const quantity = amountIn(market.base, record, "quantity")
    return [{ slot, market, leg: { side, price, quantity }, after: legsIn(market.base, record) }]
  })

const tradesNow = (whole: Rebalance, reach: Decimal.Decimal, view: View): ReadonlyArray<Trade> => {
  const { quote, held } = holdingsOf(whole, view, null)
  const orders = ordersOf(whole, held, quote).flatMap((order) => {
    const { market, price: now } = order.held
    const { side, price, quantity } = order.leg
    if (now === undefined || quantity <= 0n || !Decimal.equals(price, orderPrice(market, side, now))) return []
    return [{ ...order, leg: { ...order.leg, price: orderPrice(market, side, ahead(side, now, reach)) } }]
  })
  return affordable(orders, quote).flatMap(({ slot, leg, held: { market } }) =>
    leg.quantity > 0n ? [{ slot, leg, market, after: legsDone(view, slot) }] : []
  )
}

interface Held extends RebalancedAsset {
  readonly base: Amount
  /** Order prices at the edges of the band. Missing with several assets, with periods, and if no price brings the share into the band. */
  readonly edges: Edges | undefined
  /** Missing while the orders of a single asset are at the edges of its band. They do not depend on the present price. */
  readonly price: Price | undefined
}

interface Edges {
  readonly low: Price
  readonly high: Price
}

const sharesAtEdges = ({ band }: Rebalance, { target }: RebalancedAsset) => ({
  low: Decimal.subtract(target, band),
  high: Decimal.add(target, band)
})

const edgesOf = (whole: Rebalance, asset: Omit<Held, "edges" | "price">, quote: Amount): Edges | undefined => {
  if (whole.parts.length > 1 || whole.periodic !== undefined) return undefined
  const { base, market } = asset
  const shares = sharesAtEdges(whole, asset)
  const [low, high] = [shares.low, shares.high].map((share) => priceOfShare(market, base, quote, share))
  if (low === undefined || high === undefined) return undefined
  return { low: orderPrice(market, "BUY", low), high: orderPrice(market, "SELL", high) }
}

const widened = ({ low, high }: Edges, margin: Decimal.Decimal) => ({
  priceBelow: away(low, negate(margin)),
  priceAbove: away(high, margin)
})

/** At the start no order is open at an edge that must not be moved, so a price beyond the band is followed at once. */
const referencePrice = (
  whole: Rebalance,
  asset: Omit<Held, "price">,
  view: View,
  memory: Memory
): Price | undefined => {
  const { periodic, requote } = whole
  const { edges, market, names } = asset
  const quoted = priceIn(view, market.name)
  if (quoted === undefined) return undefined
  const now = mid(quoted)
  if (periodic !== undefined) return now
  const storedPrice = decimalIn(memory, names.price)
  const reference = storedPrice !== undefined && isWithin(storedPrice, requote, now) ? storedPrice : now
  if (edges === undefined) return reference
  const isFollowed = reference === storedPrice || memory === null
  const { priceBelow, priceAbove } = widened(edges, isFollowed ? Decimal.zero : requote)
  const isInside = Decimal.isGreater(reference, priceBelow) && Decimal.isLess(reference, priceAbove)
  return isInside ? undefined : reference
}

const holdingsOf = (whole: Rebalance, view: View, memory: Memory) => {
  const { means, setAside = 0n } = view
  let quote = (means?.quote ?? whole.budget) - whole.reserve - setAside
  const holdings = whole.parts.map((part) => {
    const { names } = part
    const [buy, sell] = [netOf(progressOf(view, names.buy)), netOf(progressOf(view, names.sell))]
    quote += buy.quote + sell.quote
    return { ...part, base: (means?.base ?? part.budget) + buy.base + sell.base }
  })
  const assets = holdings.map((each) => ({ ...each, edges: edgesOf(whole, each, quote) }))
  return { quote, held: assets.map((each): Held => ({ ...each, price: referencePrice(whole, each, view, memory) })) }
}

const priceOfShare = (market: Market, base: Amount, rest: Amount, share: Decimal.Decimal): Price | undefined => {
  if (base <= 0n || rest <= 0n) return undefined
  const money = Decimal.make(rest, market.quote.decimals)
  const goods = Decimal.make(base, market.base.decimals)
  const others = Decimal.subtract(Decimal.one, share)
  return Decimal.divide(Decimal.multiply(money, share), Decimal.multiply(goods, others), pricePlaces, "down")
}

interface Rebalancing {
  readonly held: Held
  readonly slot: string
  readonly limit: Decimal.Decimal
  readonly leg: Leg
}

/** Restores the target at the price where the share reaches the limit, or now if it is already beyond. */
const orderAt = (held: Held, rest: Amount, side: Side, limit: Decimal.Decimal): Leg => {
  const { base, market, price: now, target } = held
  const atLimit = priceOfShare(market, base, rest, limit)
  const nearer = side === "BUY" ? Decimal.min : Decimal.max
  const exact = now === undefined || atLimit === undefined ? (atLimit ?? now) : nearer(atLimit, now)
  const price = exact === undefined ? Decimal.zero : orderPrice(market, side, exact)
  if (!Decimal.isPositive(price)) return { side, price, quantity: 0n }
  const value = max(0n, rest + quoteAmount(market, base, price, "down"))
  const wantedQuote = Decimal.multiply(Decimal.make(value), target)
  const goal = baseQuantity(market, wantedQuote.digits / Decimal.powerOfTen(wantedQuote.scale), price, "down")
  return { side, price, quantity: max(0n, side === "SELL" ? base - goal : goal - base) }
}

const ordersOf = (whole: Rebalance, held: ReadonlyArray<Held>, quote: Amount): ReadonlyArray<Rebalancing> => {
  const worth = held.map(({ base, market, price }) =>
    price === undefined ? 0n : quoteAmount(market, base, price, "down")
  )
  const total = worth.reduce((sum, each) => sum + each, quote)
  const orders = held.flatMap((each, index): ReadonlyArray<Rebalancing> => {
    const { names } = each
    const { low, high } = sharesAtEdges(whole, each)
    const rest = total - (worth[index] ?? 0n)
    return [
      { held: each, slot: names.buy, limit: low, leg: orderAt(each, rest, "BUY", low) },
      { held: each, slot: names.sell, limit: high, leg: orderAt(each, rest, "SELL", high) }
    ]
  })
  return affordable(orders, quote)
}

/** All purchases may fill, so together they must not spend more than `quote`. Otherwise each shrinks in proportion. */
const affordable = (orders: ReadonlyArray<Rebalancing>, quote: Amount): ReadonlyArray<Rebalancing> => {
  const costOf = ({ held, leg }: Rebalancing) =>
    leg.side === "BUY" ? inputAmount(held.market, "BUY", leg.quantity, leg.price) : 0n
  const needed = orders.reduce((sum, order) => sum + costOf(order), 0n)
  if (needed <= quote) return orders
  return orders.map((order) => {
    const { held, leg } = order
    if (leg.side === "SELL" || leg.quantity === 0n) return order
    const share = quote <= 0n ? 0n : (costOf(order) * quote) / needed
    return { ...order, leg: { ...leg, quantity: baseQuantity(held.market, share, leg.price, "down") } }
  })
}

const decide = (whole: Rebalance, view: View, memory: Memory): Decision => {
  const { quote, held } = holdingsOf(whole, view, memory)
  const orders = ordersOf(whole, held, quote).filter(({ leg }) => leg.quantity > 0n && Decimal.isPositive(leg.price))
  return {
    desired: orders.map((order) => desiredSlot(whole, order, view)),
    absent: [],
    memory: Object.fromEntries(
      held.flatMap(({ names, price }) => (price === undefined ? [] : [[names.price, Decimal.format(price)]]))
    ),
    reasons: [],
    until: { onFill: true, ...boundsOf(whole, held) }
  }
}

const boundsOf = ({ requote }: Rebalance, held: ReadonlyArray<Held>): Omit<Decision["until"], "onFill"> => {
  const [first, ...others] = held.map(({ edges, market, price }) => {
    const around = price === undefined ? edges : { low: price, high: price }
    return { market: market.name, ...(around && widened(around, requote)) }
  })
  const { market: _, ...own } = first ?? { market: "" }
  return { ...own, ...(others.length === 0 ? {} : { elsewhere: others }) }
}

/** The quantity of a rebalancing is what is left. A desired leg includes its filled part. */
const desiredSlot = (whole: Rebalance, { held, leg: left, slot, limit }: Rebalancing, view: View): DesiredSlot => {
  const leg = { ...left, quantity: left.quantity + legsDone(view, slot).filledInLeg }
  const { market, price: now, target } = held
  const { symbol } = market.base
  const isNow = now !== undefined && Decimal.equals(leg.price, orderPrice(market, leg.side, now))
  const place = isNow
    ? `now: ${symbol} is ${leg.side === "BUY" ? "below" : "above"} ${Decimal.percent(limit)} of the value`
    : `where ${symbol} would be ${Decimal.percent(limit)} of the value`
  const text = `${orderText(leg, market)}, ${place}, the target is ${Decimal.percent(target)}`
  const why = { code: "rebalance", text, source: whole.keys("band") }
  return { slot, ...furtherMarket(whole, market), legs: [leg], cycle: true, why }
}
