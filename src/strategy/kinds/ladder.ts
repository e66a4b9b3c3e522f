/**
 * Ladder: n orders of one side between two prices. With `takeProfit`, a filled rung places the opposite order that far away, once. The
 * answer holds without limit, unless a rung traded under another file: then the rungs share the remaining total (see `Total`).
 */
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { netOfFills } from "../../domain/fees/RoundCost.ts"
import { type Market, opposite, type Price } from "../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg } from "../Decision.ts"
import { lately } from "../expression/Same.ts"
import * as Read from "../Fields.ts"
import { formOf, type Kind, type Section } from "../Kind.ts"
import { report } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import type { View } from "../View.ts"
import { orderText } from "./Execution.ts"
import { checkBudget, checkFees, checkTarget, checkValues, valueOf } from "./OrderCheck.ts"
import { ahead, between, checkDistinct, isOnTick, orderPrice, tickPrice } from "./PriceLevels.ts"
import { quantityAt, type Size, size } from "./Size.ts"
import * as Total from "./Total.ts"

const maxRungs = 1_000
const profiles = ["flat", "linear", "geometric"] as const
type Profile = (typeof profiles)[number]

const defaultScale = Decimal.make(15n, 1)
const scale: Read.Reader<Decimal.Decimal> = Read.scalar(
  "a number above zero with at most three decimal places",
  (text) => {
    const value = Decimal.parse(text)
    return value !== undefined && Decimal.isPositive(value) && value.scale <= 3 ? value : undefined
  },
  undefined,
  Read.numeric("^\\+?(\\d+\\.?\\d{0,3}|\\.\\d{1,3})$", { exclusiveMinimum: 0 })
)

const keys = (market: Market) => ({
  side: Read.required(Read.side, "of all rungs"),
  from: Read.required(tickPrice(market), "price of the first rung"),
  to: Read.required(tickPrice(market), "price of the last rung"),
  rungs: Read.required(Read.integer(1, maxRungs), "how many orders"),
  profile: Read.optional(
    Read.oneOf(...profiles),
    "sizes: flat, all alike; linear, 1, 2, 3 parts; geometric, by the scale",
    "flat"
  ),
  scale: Read.optional(scale, "size of each rung, as a multiple of the one before", Decimal.format(defaultScale)),
  total: Read.required(size(market), "all rungs together"),
  takeProfit: Read.optional(Read.ratio, "each filled rung places the opposite order this far away, once"),
  allowLoss: Read.withDefault(Read.trueOrFalse, false, "a rung may sell below what it paid, after an edit")
})

const pricesOf = (
  { from, to: last, rungs }: Read.KnownSettings<ReturnType<typeof keys>>,
  { market, at, to }: Section<ReturnType<typeof keys>>
): ReadonlyArray<Price> | undefined => {
  if (from === undefined || last === undefined || rungs === undefined) return undefined
  if (![from, last].every((price) => isOnTick(market, price))) return undefined
  const isOnePrice = Decimal.equals(from, last)
  if (rungs === 1)
    return isOnePrice ? [from] : report(to, at("to"), `one rung has one price: "from" and "to" must be the same`)
  if (isOnePrice) return report(to, at("to"), `${rungs} rungs need two different prices: "from" and "to" are the same`)
  const prices = between(market, from, last, rungs, "arithmetic")
  return checkDistinct(market, prices, at("rungs"), "rungs", to) ? prices : undefined
}

export const ladder: Kind = {
  name: "ladder",
  takesTurns: true,
  namesEverySlot: true,
  restsAtWrittenPrices: true,
  about: "orders of one side between two prices",
  setup: (market) =>
    Ask.setupOf(keys(market), {
      asks: ["side", "total", "from", "to", "rungs"],
      budget: (answer) => ({ [Ask.inputOf(market, answer).key]: answer("total") }),
      lines: {
        side: { ask: Ask.side },
        from: { ask: Ask.price(`Price of the first order, ${Ask.per(market)}`, Ask.onItsSide(0.02)) },
        to: { ask: Ask.price("Price of the last order", Ask.onItsSide(0.1)) },
        rungs: { ask: Ask.text("How many orders", "5", Read.integer(2, maxRungs)) },
        profile: { is: "flat", note: "sizes alike; linear: 1, 2, 3 parts; geometric: each half as much again" },
        total: {
          ask: Ask.paidAmount("with all orders together", market),
          is: Ask.paidSize(market),
          note: "all orders together"
        },
        takeProfit: { hint: "4%", note: "each filled order places the opposite one this far away, once" }
      }
    }),
  ...formOf(keys, pricesOf, (whole, { at, ...context }, prices) => {
    const { to } = context
    const { market, side, total, takeProfit, scale, allowLoss } = whole
    const { profile = scale === undefined ? "flat" : "geometric" } = whole
    if (scale !== undefined && profile !== "geometric")
      report(to, at("scale"), `scale belongs to the profile geometric, not to ${profile}`)
    const sizes = split(total.amount, prices.length, profile, scale)
    const entries = prices.map((price, index): Leg => {
      const rung: Size = { unit: total.unit, amount: sizes[index] ?? 0n }
      return { side, price, quantity: quantityAt(market, rung, price) }
    })
    const exits = takeProfit === undefined ? [] : entries.map((entry) => exitOf(market, entry, { takeProfit }))
    const noPrice = entries[exits.findIndex(({ price }) => !Decimal.isPositive(price))]
    if (noPrice !== undefined) {
      const sold = `after the sale at ${Decimal.format(noPrice.price)}`
      const text = `this far below there is no price left to buy back at, ${sold}`
      report(to, at("takeProfit"), text, "take a smaller ratio")
    }
    const before = to.problems.length
    const empty = entries.find(({ quantity }) => quantity === 0n)
    if (empty !== undefined) {
      const rung = `the rung at ${Decimal.format(empty.price)}`
      const text = `this total leaves nothing for ${rung}: less than the smallest unit of ${market.base.symbol}`
      report(to, at("total"), text)
    }
    checkBudget(entries, "all rungs together", at("total"), context, "lower the total")
    if (to.problems.length > before) return undefined
    const values = [...entries, ...exits].map((order) => valueOf(market, order))
    checkValues(values, at("total"), context)
    checkFees([...entries, ...exits], at("total"), context)
    if (takeProfit !== undefined) checkTarget(takeProfit, side, entries, at("takeProfit"), context)
    const source = whole.keys("rungs")
    const decisionAt = lately((fillBasisPoints: number | undefined): Decision => {
      const exit = { target: takeProfit && { takeProfit, fillBasisPoints }, mayLose: allowLoss }
      const desired = entries.map((entry, index) => makeRung(market, entry, index, prices.length, exit, source))
      return { desired, absent: [], memory: null, reasons: [], until: { onFill: false } }
    })
    const { unit } = total
    const { desired: plainRungs } = decisionAt(undefined)
    const parts = plainRungs.map(({ slot, legs: [{ price, quantity }] }, index): Total.PartOfTotal => {
      const size = { unit, amount: sizes[index] ?? 0n }
      return { slot, side, price, size, quantity, hasExit: takeProfit !== undefined }
    })
    const shareOut = Total.sharing(market, isOwn)
    return {
      decide: (view) => {
        const decision = decisionAt(view.fillBasisPoints)
        const { desired } = decision
        const finishedRungs = takeProfit === undefined ? [] : goneRungs(market, decision, { unit, takeProfit }, view)
        const all = [...parts, ...finishedRungs.map(({ part }) => part)]
        const { shares, isPlain } = shareOut(all, view)
        const rungs = [...desired, ...finishedRungs.map(({ rung }) => rung)]
        return isPlain ? decision : edited(market, { ...decision, desired: rungs }, shares)
      },
      unfit: (slots) => Total.otherSide(market, side, slots, isOwn),
      positions: (slots) => {
        const rungs = [...slots.keys()].filter(isOwn).map((slot) => ({ slot, side }))
        return Total.positionsOf(takeProfit === undefined ? [] : rungs, slots)
      }
    }
  })
}

const isOwn = (slot: string): boolean => /^rung-\d+$/.test(slot)

const goneRungs = (
  market: Market,
  { desired }: Decision,
  { unit, takeProfit }: Pick<Size, "unit"> & Target,
  { fillBasisPoints, slots }: View
) => {
  const [first] = desired
  const names = new Set(desired.map(({ slot }) => slot))
  return [...slots].flatMap(([slot, progress]) => {
    if (first === undefined || names.has(slot) || !isOwn(slot)) return []
    const { side } = first.legs[0]
    const price = Total.averagePrice(market, side, [progress])
    if (price === undefined) return []
    const entry: Leg = { side, price, quantity: 0n }
    const rung: DesiredSlot = { ...first, slot, legs: [entry, exitOf(market, entry, { takeProfit, fillBasisPoints })] }
    return [{ part: { ...entry, slot, size: { unit, amount: 0n }, hasExit: true }, rung }]
  })
}

const edited = (market: Market, plain: Decision, shares: ReadonlyArray<Total.Share>): Decision => {
  const rungs = plain.desired.map((rung, index) => rungLeft(market, rung, shares[index]))
  return {
    ...plain,
    desired: rungs.filter((rung) => "legs" in rung),
    absent: rungs.filter((rung) => !("legs" in rung)),
    until: { onFill: true }
  }
}

const rungLeft = (
  market: Market,
  rung: DesiredSlot,
  share: Total.Share | undefined
): DesiredSlot | Decision["absent"][number] => {
  if (share === undefined || share.isPlain) return rung
  const { slot, why, cycle } = rung
  const [entry, exit] = rung.legs
  const { progress, rest, traded } = share
  const nothing = (code: string, text: string) => ({ slot, why: { ...why, code, text } })
  if (exit !== undefined && Total.isOfOtherSide(entry.side, progress))
    return nothing("other-side", "it began with the other side, and holds what that left")
  if (exit !== undefined && Total.isTurned(share)) {
    const { quantity, ...turned } = Total.exitLeft(share, exit)
    const then = rest === 0n ? "" : `, then ${Total.restText(market, share)}`
    const verb = exit.side === "BUY" ? "buys back" : "sells"
    const text = `${verb} ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(exit.price)}${then}`
    return { slot, cycle, ...turned, why: { ...why, text } }
  }
  const remainder = Total.legsLeft(share)
  if (remainder === undefined) return nothing("done", Total.doneText(market, share))
  const [first] = remainder.legs
  const legs = exit === undefined ? remainder.legs : ([first, { ...exit, quantity: traded + rest }] as const)
  return { slot, cycle, ...remainder, legs, why: { ...why, text: Total.restText(market, share) } }
}

/** Geometric: each rung is the one before times the scale. Multiplied by a common factor, so all weights are whole. */
const weights = (count: number, profile: Profile, { digits, scale }: Decimal.Decimal): ReadonlyArray<bigint> =>
  Array.from({ length: count }, (_, index) => {
    if (profile === "flat") return 1n
    if (profile === "linear") return BigInt(index + 1)
    return digits ** BigInt(index) * Decimal.powerOfTen(scale) ** BigInt(count - 1 - index)
  })

/** Sums exactly to the total: each part is rounded down, and the last takes the rest. */
export const split = (
  total: Amount,
  count: number,
  profile: Profile,
  scale: Decimal.Decimal = defaultScale
): ReadonlyArray<Amount> => {
  const parts = weights(count, profile, scale)
  const sum = parts.reduce((a, b) => a + b, 0n)
  const sizes = parts.map((part) => (total * part) / sum)
  const rest = total - sizes.reduce((a, b) => a + b, 0n)
  return sizes.map((amount, index) => (index === count - 1 ? amount + rest : amount))
}

interface Target {
  readonly takeProfit: Decimal.Decimal
  readonly fillBasisPoints?: number | undefined
}

const exitOf = (market: Market, { side, price, quantity }: Leg, { takeProfit, fillBasisPoints }: Target): Leg => {
  const net = netOfFills(side === "BUY", ahead(side, price, takeProfit), fillBasisPoints)
  return { side: opposite(side), price: orderPrice(market, opposite(side), net), quantity }
}

const makeRung = (
  market: Market,
  entry: Leg,
  index: number,
  count: number,
  { target, mayLose }: { readonly target: Target | undefined; readonly mayLose: boolean },
  source: string
): DesiredSlot => {
  const slot = `rung-${String(index).padStart(Math.max(2, String(count - 1).length), "0")}`
  const first = `rung ${index + 1} of ${count} ${orderText(entry, market)}`
  if (target === undefined)
    return { slot, legs: [entry], cycle: false, why: { code: "ladder-rung", text: first, source } }
  const exit: Leg = { ...exitOf(market, entry, target), ...(mayLose ? { mayLose } : {}) }
  const text = `${first}, then ${exit.side === "BUY" ? "buys it back" : "sells it"} at ${Decimal.format(exit.price)}`
  return { slot, legs: [entry, exit], cycle: false, why: { code: "ladder-rung", text, source } }
}
