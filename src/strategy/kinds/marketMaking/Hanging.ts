/**
 * Hanging orders: when one side of a level fills, the order on its other side keeps its price instead of following the next quotes. It
 * stays open until it fills or until the mid is further than `distance` from it. Meanwhile the level quotes that side in another slot:
 * `bid-00`, then `bid-00-2`, and so on, with up to `most` hanging orders per side. Without a free slot, the level quotes that side again
 * when one of them has ended.
 *
 * The quoting strategy does not know of this: it sees each side of a level as one slot.
 */
import { type Amount, format, fromDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, mid, type Price, type Side } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { type Decision, type DesiredSlot, filledLegs, type Memory, narrowed } from "../../Decision.ts"
import * as Read from "../../Fields.ts"
import type { Decide } from "../../Strategy.ts"
import { progressOf, type SlotProgress, untouchedSlot, type View, viewWith } from "../../View.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { beside, decimalIn, isRecord, numberIn, recordIn } from "../Memory.ts"
import { ahead, isAsGood, part } from "../PriceLevels.ts"

const maxHanging = 20

export const hangingKeys = {
  distance: Read.required(part(Read.ratio), "a hanging order is cancelled when the mid is further from it than this"),
  most: Read.withDefault(Read.integer(1, maxHanging), 1, "hanging orders on each side of a level")
}

export interface Hanging extends Read.SettingsOf<typeof hangingKeys> {
  readonly market: Market
  readonly levels: ReadonlyArray<{ readonly bid: string; readonly ask: string }>
  readonly keys: KeyPlaces<"hanging">
}

type Quoted = Readonly<NonNullable<ReturnType<typeof quotedIn>>>
type SideState = Readonly<ReturnType<typeof stateIn>>

const slotName = (base: string, index: number): string => (index === 0 ? base : `${base}-${index + 1}`)

/** True once the order of this quote has filled, paid out or not. */
const isFilled = (view: View, slot: string, side: Side, { filled, price, quantity }: Quoted): boolean =>
  filledLegs({ legs: [{ side, price, quantity }], cycle: true }, view, slot) > filled

const quotedIn = ({ base }: Market, memory: Memory) => {
  const [price, quantity] = [decimalIn(memory, "price"), decimalIn(memory, "quantity")]
  if (price === undefined || quantity === undefined) return undefined
  return { price, quantity: fromDecimal(quantity, base.decimals) ?? 0n, filled: numberIn(memory, "filled") ?? 0 }
}

const rememberQuoted = ({ base }: Market, { price, quantity, filled }: Quoted): Memory => ({
  price: Decimal.format(price),
  quantity: format(quantity, base.decimals),
  filled
})

const stateIn = ({ market, most }: Hanging, memory: Memory) => {
  const hung = recordIn(memory, "hung")
  const entries = Array.from({ length: most + 1 }, (_, index) => {
    const quoted = quotedIn(market, recordIn(hung, String(index)))
    return quoted === undefined ? [] : [[index, quoted] as const]
  })
  const current = isRecord(memory) ? (numberIn(memory, "current") ?? -1) : 0
  return {
    current: current < 0 ? undefined : current,
    quoted: quotedIn(market, recordIn(memory, "quoted")),
    hung: new Map(entries.flat())
  }
}

const remember = ({ market }: Hanging, { current, quoted, hung }: SideState): Memory => ({
  current: current ?? -1,
  ...present({ quoted: quoted && rememberQuoted(market, quoted) }),
  ...(hung.size === 0
    ? {}
    : { hung: Object.fromEntries([...hung].map(([index, each]) => [String(index), rememberQuoted(market, each)])) })
})

const freeSlot = ({ most }: Hanging, base: string, hung: SideState["hung"], view: View, but?: number) =>
  Array.from({ length: most + 1 }, (_, index) => index).find(
    (index) => index !== but && !hung.has(index) && progressOf(view, slotName(base, index)).live === undefined
  )

const hasFilled = (view: View, base: string, side: Side, { current, quoted }: SideState): boolean =>
  current !== undefined && quoted !== undefined && isFilled(view, slotName(base, current), side, quoted)

const isFar = ({ distance }: Hanging, side: Side, { price }: Quoted, view: View): boolean =>
  isAsGood(side, mid(view.price), ahead(side, price, distance))

const settled = (whole: Hanging, base: string, side: Side, before: SideState, view: View): SideState => {
  const hung = new Map(
    [...before.hung].filter(
      ([index, quoted]) => !isFilled(view, slotName(base, index), side, quoted) && !isFar(whole, side, quoted, view)
    )
  )
  const current = before.current ?? freeSlot(whole, base, hung, view)
  return { ...before, current, hung, quoted: before.current === undefined ? undefined : before.quoted }
}

const hang = (whole: Hanging, base: string, side: Side, state: SideState, view: View): SideState => {
  const { current, quoted, hung } = state
  if (current === undefined || quoted === undefined || hung.size >= whole.most) return state
  if (isFar(whole, side, quoted, view)) return state
  const slot = slotName(base, current)
  if (progressOf(view, slot).live === undefined || isFilled(view, slot, side, quoted)) return state
  const all = new Map([...hung, [current, quoted]])
  return { current: freeSlot(whole, base, all, view, current), quoted: undefined, hung: all }
}

/** Merges all slots of one side of a level for the quoting strategy: the current slot, with what the others traded. */
const sideProgressOf = ({ most }: Hanging, base: string, { current }: SideState, view: View): SlotProgress => {
  const own = current === undefined ? untouchedSlot : progressOf(view, slotName(base, current))
  const others = Array.from({ length: most + 1 }, (_, index) => index)
    .filter((index) => index !== current)
    .map((index) => progressOf(view, slotName(base, index)))
  const sum = (of: (progress: SlotProgress) => Amount) => others.reduce((total, each) => total + of(each), of(own))
  return { ...own, bought: sum(({ bought }) => bought), sold: sum(({ sold }) => sold) }
}

export const withHanging =
  (decide: Decide, whole: Hanging): Decide =>
  (view, memory) => {
    const hangingMemory = recordIn(memory, "hanging")
    const states = new Map<string, SideState>()
    for (const { bid, ask } of whole.levels) {
      const [bids, asks] = [stateIn(whole, recordIn(hangingMemory, bid)), stateIn(whole, recordIn(hangingMemory, ask))]
      const [bidFilled, askFilled] = [hasFilled(view, bid, "BUY", bids), hasFilled(view, ask, "SELL", asks)]
      const bidState = settled(whole, bid, "BUY", bids, view)
      const right = settled(whole, ask, "SELL", asks, view)
      states.set(bid, askFilled && !bidFilled ? hang(whole, bid, "BUY", bidState, view) : bidState)
      states.set(ask, bidFilled && !askFilled ? hang(whole, ask, "SELL", right, view) : right)
    }
    // These slots are of levels that the file no longer has.
    const others = [...view.slots].filter(([name]) => !states.has(name.split("-", 2).join("-")))
    const slots = new Map([
      ...others,
      ...[...states].map(([base, state]) => [base, sideProgressOf(whole, base, state, view)] as const)
    ])
    return placed(whole, states, decide(viewWith(view, { slots }), memory), view)
  }

const placed = (whole: Hanging, states: ReadonlyMap<string, SideState>, quotes: Decision, view: View): Decision => {
  const source = whole.keys("hanging")
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const remembered: Record<string, Memory> = {}
  const ends: { below: Array<Price>; above: Array<Price> } = { below: [], above: [] }
  const because = (code: string, text: string) => ({ code, text, source })
  const quotesBySlot = new Map(quotes.desired.map((each) => [each.slot, each]))
  const refused = new Map(quotes.absent.map((each) => [each.slot, each]))
  for (const [base, state] of states) {
    const { current, hung } = state
    const quote = quotesBySlot.get(base)
    const why = refused.get(base)?.why
    const [leg] = quote?.legs ?? []
    const side: Side = base.startsWith("bid") ? "BUY" : "SELL"
    const slot = current === undefined ? undefined : slotName(base, current)
    const yieldsTo = quote?.yieldsTo?.map((other) => slotName(other, states.get(other)?.current ?? 0))
    if (slot !== undefined && quote !== undefined) desired.push({ ...quote, slot, ...present({ yieldsTo }) })
    else if (slot !== undefined && why !== undefined) absent.push({ slot, why })
    const quoted =
      slot === undefined || leg === undefined
        ? undefined
        : { price: leg.price, quantity: leg.quantity, filled: progressOf(view, slot).completedLegs }
    const isPaying = quoted !== undefined && slot !== undefined && isFilled(view, slot, side, quoted)
    remembered[base] = remember(whole, {
      ...state,
      quoted: quoted && { ...quoted, filled: quoted.filled + (isPaying ? 1 : 0) }
    })
    for (const [index, { price, quantity, filled }] of hung) {
      const text = `hangs at ${Decimal.format(price)}, because the other side of its level has filled`
      const legs = [{ side, price, quantity }] as const
      const after = { completedLegs: filled, filledInLeg: 0n }
      desired.push({ slot: slotName(base, index), legs, cycle: false, after, why: because("hanging", text) })
      const bounds = side === "BUY" ? ends.above : ends.below
      bounds.push(ahead(side, price, whole.distance))
    }
    for (let index = 0; index <= whole.most; index++) {
      const other = slotName(base, index)
      if (index === current || hung.has(index) || progressOf(view, other).live === undefined) continue
      absent.push({ slot: other, why: because("not-hanging", "it no longer hangs: the mid is too far away from it") })
    }
  }
  const until = narrowed({ ...quotes.until, onFill: true }, ends.below, ends.above)
  return { ...quotes, desired, absent, memory: beside(quotes.memory, { hanging: remembered }), until }
}
