/**
 * Computes the rest of a total that is traded in parts. Each part has a slot, and the file may change sizes, prices and the number of parts
 * while the slots work. Only the traded amounts count then, never the number of legs or the name of a slot. If a slot traded, or may still
 * trade, more than its part, the other parts shrink by the excess. So all together never trade more than the total.
 *
 * A slot that did exactly its part is *plain*. While every slot is plain, as always in a backtest, their legs continue without a new
 * decision.
 */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import { perUnit } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, opposite, type Price, quoteAmount, type Side } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { type DesiredSlot, exitsFirst, type Leg } from "../Decision.ts"
import { baseLeft, progressOf, type SlotProgress, tradesOf, untouchedSlot, type View } from "../View.ts"
import { verbs } from "./Execution.ts"
import { quantityAt, quantityInParts, type Size } from "./Size.ts"

export interface PartOfTotal extends Pick<Leg, "side" | "price" | "quantity"> {
  readonly slot: string
  readonly size: Size
  readonly piece?: Amount
  readonly hasExit?: boolean
}

export interface Share {
  readonly part: PartOfTotal
  readonly progress: SlotProgress
  readonly isPlain: boolean
  readonly traded: Amount
  /** In the unit of the total, without open orders. */
  readonly done: Amount
  /** In the unit of the total, with open orders. */
  readonly committed: Amount
  readonly rest: Amount
}

export interface Shares {
  readonly shares: ReadonlyArray<Share>
  /** If all are plain, the answer holds without limit. */
  readonly isPlain: boolean
}

type Standing = Omit<Share, "rest">

/**
 * `all` has the parts and, after them, further ones whose slots have mostly done nothing yet. The shares of the further ones are omitted
 * while every slot belongs to `parts` and no part has an excess.
 */
export const sharing = (market: Market, isOwn: (slot: string) => boolean) => {
  const uncut: Array<Share> = []
  return (parts: ReadonlyArray<PartOfTotal>, { slots }: Pick<View, "slots">, all = parts): Shares => {
    let [seen, beyond, isPlain] = [0, 0n, true]
    const stand = (part: PartOfTotal, place: number): void => {
      const progress = slots.get(part.slot)
      if (progress !== undefined) seen += 1
      let share = uncut[place]
      if (share === undefined || share.part !== part || share.progress !== (progress ?? untouchedSlot)) {
        const standing = standingOf(market, part, progress ?? untouchedSlot)
        share = { ...standing, rest: restOf(market, standing, 0n) }
        uncut[place] = share
      }
      if (share.committed > part.size.amount) beyond += share.committed - part.size.amount
      isPlain &&= share.isPlain
    }
    parts.forEach(stand)
    const isAll = seen < slots.size || beyond > 0n
    if (isAll) for (const [place, part] of all.entries()) if (place >= parts.length) stand(part, place)
    const shares = uncut.slice(0, isAll ? all.length : parts.length)
    const others = seen < slots.size ? byOthers(market, shares, slots, isOwn) : 0n
    return beyond + others > 0n ? cutBy(market, shares, beyond + others) : { shares, isPlain }
  }
}

const cutBy = (market: Market, uncut: ReadonlyArray<Share>, beyond: Amount): Shares => {
  const cuts = cutsOf(uncut, beyond)
  const shares = uncut.map((share) => {
    const cut = cuts.get(share.part.slot) ?? 0n
    return cut === 0n ? share : { ...share, isPlain: false, rest: restOf(market, share, cut) }
  })
  return { shares, isPlain: shares.every(({ isPlain }) => isPlain) }
}

const byOthers = (
  market: Market,
  shares: ReadonlyArray<Share>,
  slots: View["slots"],
  isOwn: (slot: string) => boolean
): Amount => {
  const first = shares[0]?.part
  const names = new Set(shares.map(({ part }) => part.slot))
  let amount = 0n
  for (const [slot, progress] of slots) {
    if (first === undefined || names.has(slot) || !isOwn(slot)) continue
    amount += doneOf(market, first, progress) + openOf(market, first, progress)
  }
  return amount
}

const standingOf = (market: Market, part: PartOfTotal, progress: SlotProgress): Standing => {
  const { size, quantity } = part
  const basis = { part, progress }
  // Only a backtest records no past, and its file never changes.
  if (progress.past === undefined && progress.completedLegs > 0)
    return { ...basis, isPlain: true, traded: quantity, done: size.amount, committed: size.amount }
  const traded = tradedBy(part.side, progress)
  const done = doneOf(market, part, progress)
  const committed = done + openOf(market, part, progress)
  if (!isPlain(market, part, progress)) return { ...basis, isPlain: false, traded, done, committed }
  const isWhole = traded + forgoneBy(part.side, progress) >= quantity
  return { ...basis, isPlain: true, traded, done, committed: isWhole ? size.amount : min(committed, size.amount) }
}

const tradedBy = (side: Side, { bought, completedLegs, filledInLeg, live, past, sold }: SlotProgress): Amount => {
  const isFirst = past === undefined && completedLegs === 0 && (live === undefined || live.side === side)
  return isFirst ? filledInLeg : side === "BUY" ? bought : sold
}

const forgoneBy = (side: Side, { forgone }: SlotProgress): Amount => forgone?.[side] ?? 0n

/** In the unit of the total. An amount that a leg gave up for good counts as done: it is reported and never ordered again. */
const doneOf = (market: Market, { side, size, price }: PartOfTotal, progress: SlotProgress): Amount => {
  const base = tradedBy(side, progress)
  const forgone = forgoneBy(side, progress)
  if (size.unit === "base") return base + forgone
  const { live, paid, past, proceeds } = progress
  const isUncounted = past === undefined && live === undefined
  const money = isUncounted ? quoteAmount(market, base, price, "up") : side === "BUY" ? paid : proceeds
  return money + quoteAmount(market, forgone, price, "up")
}

const openOf = (market: Market, { side, size }: PartOfTotal, { live }: SlotProgress): Amount => {
  if (live === undefined || live.side !== side) return 0n
  return size.unit === "base" ? live.quantity : quoteAmount(market, live.quantity, live.price, "up")
}

const isPlain = (market: Market, part: PartOfTotal, progress: SlotProgress): boolean => {
  const { side, quantity, piece = quantity } = part
  const { completedLegs, filledInLeg, live } = progress
  const traded = tradedBy(side, progress)
  if (part.hasExit === true && progress.lastLeg !== undefined)
    return completedLegs <= 2 && traded === quantity && isAtPrice(market, part, progress)
  const completedQuantity = min(quantity, piece * BigInt(completedLegs))
  if (traded + forgoneBy(side, progress) !== completedQuantity + filledInLeg) return false
  const leg = min(piece, quantity - completedQuantity)
  // A live order of another size would end the leg with another quantity.
  const isOther = live !== undefined && (live.side !== side || filledInLeg + live.quantity !== leg)
  return !isOther && filledInLeg <= leg && isAtPrice(market, part, progress)
}

const isAtPrice = (market: Market, part: PartOfTotal, progress: SlotProgress): boolean => {
  const { side, size, price, quantity } = part
  const { live, paid, past, proceeds } = progress
  if (size.unit === "base") return true
  if (live !== undefined && live.side === side && !Decimal.equals(live.price, price)) return false
  if (past === undefined) return true
  const traded = tradedBy(side, progress)
  const difference = (side === "BUY" ? paid : proceeds) - quoteAmount(market, traded, price, "up")
  if (difference <= slackOf(size) && -difference <= slackOf(size)) return true
  const { lastOrder } = past
  return traded >= quantity && lastOrder.side === side && Decimal.equals(lastOrder.price, price)
}

/** The largest sum of rounding differences of many fills, in smallest units of quote; zero for base. */
const slackOf = ({ unit, amount }: Size): Amount => (unit === "base" ? 0n : min(1_024n, amount / 1_000n))

/** True if the part has filled and its slot trades the opposite side. If the part has grown since, the slot trades the rest afterwards. */
export const isTurned = ({ part, progress }: Pick<Share, "part" | "progress">): boolean =>
  part.hasExit === true && progress.lastLeg?.side === part.side

const cutsOf = (shares: ReadonlyArray<Share>, beyond: Amount): ReadonlyMap<string, Amount> => {
  const cuts = new Map<string, Amount>()
  let remaining = beyond
  for (const { part, committed } of exitsFirst(shares, isTurned)) {
    const cut = min(remaining, max(0n, part.size.amount - committed))
    if (cut > 0n) cuts.set(part.slot, cut)
    remaining -= cut
  }
  return cuts
}

const restOf = (market: Market, { isPlain, part, progress, traded, done }: Standing, cut: Amount): Amount => {
  if (isPlain && cut === 0n) return max(0n, part.quantity - traded - forgoneBy(part.side, progress))
  const remainder = part.size.amount - cut - done
  const rest = remainder <= slackOf(part.size) ? 0n : baseFor(market, part, remainder)
  return asItRests(market, part, progress, rest)
}

const baseFor = (market: Market, { size: { unit }, piece, price }: PartOfTotal, amount: Amount): Amount => {
  const size = { unit, amount }
  const whole = quantityAt(market, size, price)
  return piece === undefined ? whole : quantityInParts(market, size, price, (whole + piece - 1n) / piece)
}

/** Keeps the quantity of a live order if the new one differs only by rounding, so that fills do not move the order. */
const asItRests = (market: Market, { side, size, price }: PartOfTotal, { live }: SlotProgress, rest: Amount) => {
  if (live === undefined || live.side !== side || live.quantity === 0n || !Decimal.equals(live.price, price))
    return rest
  const difference = quoteAmount(market, max(rest - live.quantity, live.quantity - rest), price, "down")
  return size.unit === "quote" && difference <= slackOf(size) ? live.quantity : rest
}

export const legsLeft = ({
  part,
  progress,
  rest,
  traded
}: Share): Pick<DesiredSlot, "legs" | "after" | "neverMore"> | undefined => {
  const { side, price, piece } = part
  const { completedLegs, filledInLeg } = progress
  if (rest === 0n && filledInLeg === 0n) return undefined
  const leg = (quantity: Amount): Leg => ({ side, price, quantity })
  const first = piece === undefined ? rest : min(rest, piece - (traded % piece))
  const others: Array<Leg> = []
  for (let unplaced = rest - first; piece !== undefined && unplaced > 0n; unplaced -= piece)
    others.push(leg(min(unplaced, piece)))
  return {
    legs: [leg(filledInLeg + first), ...others],
    ...(completedLegs === 0 ? {} : { after: { completedLegs, filledInLeg: 0n } }),
    neverMore: true
  }
}

const pastVerbs = { BUY: "bought", SELL: "sold" } as const

export const doneText = ({ base }: Market, { part: { quantity, side }, traded }: Share): string => {
  const own = `it ${pastVerbs[side]} ${formatWithSymbol(traded, base)}`
  if (traded === 0n) return "nothing of the total is left for it: other orders have traded it, or still may"
  if (traded >= quantity) return `it is done: ${own}`
  return `it is done: ${own}, and nothing more of the total is left for it`
}

export const restText = ({ base }: Market, { part: { price, side }, rest, traded }: Share): string => {
  const before = traded === 0n ? "" : ` more, after ${formatWithSymbol(traded, base)}`
  return `${verbs[side]} ${formatWithSymbol(rest, base)}${before} at ${Decimal.format(price)}`
}

/**
 * True if the slot began with the other side, so that a file of this side cannot continue it. An exit may trade slightly more than its
 * entry, because it got a better price.
 */
export const isOfOtherSide = (side: Side, { bought, sold }: SlotProgress): boolean =>
  side === "BUY" ? sold * 100n > bought * 101n : bought * 100n > sold * 101n

/** The positions of entries that began with their side. */
export const positionsOf = (
  entries: ReadonlyArray<{ readonly slot: string; readonly side: Side }>,
  slots: View["slots"]
): ReadonlyMap<string, Amount> =>
  new Map(
    entries.flatMap(({ side, slot }) => {
      const held = baseLeft(progressOf({ slots }, slot))
      return (side === "BUY" ? held > 0n : held < 0n) ? [[slot, held] as const] : []
    })
  )

export const otherSide = (
  { base }: Market,
  side: Side,
  slots: View["slots"],
  isOwn: (slot: string) => boolean
): string | undefined => {
  const conflict = [...slots].find(([slot, progress]) => isOwn(slot) && isOfOtherSide(side, progress))
  if (conflict === undefined) return undefined
  const [slot, progress] = conflict
  const before = opposite(side)
  return turnedText(base, slot, before, tradedBy(before, progress))
}

/** `before`: the side with which the slot began. Without an `amount` its order is open. */
export const turnedText = (base: Asset, slot: string, before: Side, amount: Amount): string => {
  const began =
    amount === 0n ? `${verbs[before]} in an open order` : `has ${pastVerbs[before]} ${formatWithSymbol(amount, base)}`
  return `${slot} ${began}, and the file ${verbs[opposite(before)]} first now: to begin anew, give the file another name`
}

/** Average price of all trades since `before`, before fees: the venue may have taken its fee of their output before their fills. */
export const averagePrice = (
  market: Market,
  side: Side,
  slots: Iterable<SlotProgress>,
  before = { base: 0n, quote: 0n }
): Price | undefined => {
  const all = tradesOf(side, slots)
  const [base, quote] = [all.base - before.base, all.quote - before.quote]
  if (base <= 0n || quote <= 0n) return undefined
  return side === "BUY"
    ? perUnit(quote, base + (all.fees * base) / all.base, market, "down")
    : perUnit(quote + (all.fees * quote) / all.quote, base, market, "down")
}

/** The exit covers the sum of the slot's entries, less its earlier exits. */
export const exitLeft = ({ part, progress, traded }: Share, exit: Leg) => {
  const { completedLegs, filledInLeg } = progress
  const quantity = max(0n, traded - (tradedBy(exit.side, progress) - filledInLeg))
  return {
    quantity,
    legs: [
      { side: part.side, price: part.price, quantity },
      { ...exit, quantity }
    ] as const,
    ...present({ after: completedLegs > 1 ? { completedLegs: completedLegs - 1, filledInLeg: 0n } : undefined })
  }
}
