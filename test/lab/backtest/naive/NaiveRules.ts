/**
 * Rules and brackets that follow the market, said once more: entries of which one is enough, each in parts that leave at targets of their
 * own. Thousandths and minutes, as in `NaiveStrategies`.
 */
import { beyond, eightDigits, leaving } from "./NaiveStrategies.ts"
import { type Desk, type Order, type Side, type Strategy, stopOf } from "./NaiveVenue.ts"

export interface Entry {
  readonly slot: string
  readonly isTrue: (close: number) => boolean
  /** Thousandths from the close, to the better side. */
  readonly away: number
}

export interface RuleSettings {
  readonly side: Side
  readonly entries: ReadonlyArray<Entry>
  readonly targets: ReadonlyArray<{ readonly profit: number; readonly size: number }>
  readonly times: number
  /** None when it is 0. */
  readonly stop: number
  readonly breakeven: number
  readonly reach: number
  readonly expireMinutes: number
  readonly pauseMinutes: number
  /** After an exit other than at a target it fires no more. */
  readonly ends?: boolean
  /** It leaves once a bar closes beyond its price less this many millionths, and the bar before it did not. */
  readonly crossing?: number
}

/** Of the last two bars that have closed. */
interface Closes {
  bar: number
  before: number
  last: number
}

/** One order and its exit. */
const partOf = (
  entry: Entry,
  slot: string,
  target: RuleSettings["targets"][number],
  given: RuleSettings,
  closes: Closes
) => {
  const { side, stop, breakeven, reach, expireMinutes, pauseMinutes, crossing, ends } = given
  const [sign, exitSide] = side === "BUY" ? ([1, "SELL"] as const) : ([-1, "BUY"] as const)
  const isAtLeast = (price: number, goal: number): boolean => (price - goal) * sign >= 0
  let [firedAt, isWithdrawn, legsBefore, fillsBefore, isClosing, isEven] = [0, false, 0, 0, false, false]
  let order: Order = { side, price: 0, quantity: target.size }
  let exited: number | undefined
  let leaves: ((close: number) => number) | undefined
  const at = (thousandths: number): number => eightDigits(exitSide, beyond(order.price, sign * thousandths))
  const stopPrice = () => (isEven ? order.price : stop > 0 ? at(-stop) : 0)
  const isCrossed = (): boolean => {
    const level = order.price - sign * (crossing ?? Number.NaN)
    return isAtLeast(closes.before, level) && !isAtLeast(closes.last, level)
  }
  const isTouched = ({ done, filled }: Desk) => part.isGoing && (done(slot) > legsBefore || filled(slot) > 0)
  const left = ({ fills }: Desk): ReadonlyArray<number> =>
    (part.isGoing ? fills.slice(fillsBefore) : [])
      .filter((fill) => fill.slot === slot && fill.side === exitSide)
      .map(({ price }) => price)
  const settle = (desk: Desk, isReplaced: boolean): void => {
    const { bar, done, isOpen, isPaying } = desk
    if (!part.isGoing) return
    const end = () => {
      part.isGoing = false
      part.pausedUntil = bar + pauseMinutes
    }
    if (done(slot) === legsBefore + 2 && !isPaying(slot)) {
      exited = part.fired
      if (ends === true && leaves !== undefined) part.fired = Number.POSITIVE_INFINITY
      return end()
    }
    // What filled after all while it was withdrawn is an entry like any other; one that was replaced buys no more.
    if (isTouched(desk)) {
      isClosing ||= isWithdrawn && isReplaced
      isWithdrawn = false
    } else if (isWithdrawn && !isOpen(slot)) part.isGoing = false
    else if (!isWithdrawn && (isReplaced || bar >= firedAt + expireMinutes)) {
      end()
      part.isGoing = isOpen(slot)
      isWithdrawn = true
    }
  }
  const entryAt = (close: number): number => eightDigits(side, beyond(close, -sign * entry.away))
  /** The market is beyond the stop before the entry. */
  const isStopped = (close: number): boolean =>
    stop > 0 && isAtLeast(eightDigits(exitSide, beyond(entryAt(close), -sign * stop)), close)
  const fire = ({ bar, close, done, fills }: Desk): void => {
    order = { side, price: entryAt(close), quantity: target.size }
    part.fired += 1
    part.isGoing = true
    firedAt = bar
    legsBefore = done(slot)
    fillsBefore = fills.length
    leaves = undefined
    ;[isWithdrawn, isClosing, isEven] = [false, false, false]
  }
  /** A price at which a part of the entry has left is one that the market has come to. */
  const look = (desk: Desk, reached: ReadonlyArray<number>): void => {
    const { close } = desk
    if (isWithdrawn || !isTouched(desk) || leaves !== undefined) return
    if (breakeven > 0 && [close, ...reached].some((price) => isAtLeast(price, at(breakeven)))) isEven = true
    const isStopped = stopPrice() > 0 && isAtLeast(stopPrice(), close)
    if (isStopped || isCrossed()) leaves = leaving(exitSide, reach)
  }
  const isExiting = (desk: Desk, round: number): boolean =>
    part.isGoing ? leaves !== undefined || left(desk).length > 0 : exited === round
  /** Another part of its entry leaves, so it buys no more. */
  const close = (desk: Desk): void => {
    const { bar, done, isOpen } = desk
    if (!part.isGoing || done(slot) > legsBefore) return
    if (isTouched(desk)) isClosing = true
    else if (!isWithdrawn) {
      part.pausedUntil = bar + pauseMinutes
      part.isGoing = isOpen(slot)
      isWithdrawn = true
    }
  }
  const place = (desk: Desk): void => {
    const { close, done, filled, isLive, want } = desk
    if (!part.isGoing || isWithdrawn) return isLive(slot) ? want(slot, undefined) : undefined
    const isBought = done(slot) > legsBefore
    const filledPart = isBought ? 0 : filled(slot)
    isClosing ||= filledPart > 0 && (leaves !== undefined || isAtLeast(close, at(target.profit)))
    const price = leaves?.(close) ?? at(target.profit)
    const exit: Order = {
      side: exitSide,
      price,
      quantity: target.size,
      isExit: true,
      isAfterStop: leaves !== undefined
    }
    if (isBought) return want(slot, exit)
    want(slot, isClosing ? { ...order, quantity: filledPart } : order, exit)
  }
  const stopNow = () => (part.isGoing && leaves === undefined && stopPrice() > 0 ? [stopPrice()] : [])
  const isOver = (desk: Desk): boolean => isWithdrawn || isTouched(desk)
  const part = {
    entry,
    fired: 0,
    pausedUntil: 0,
    isGoing: false,
    settle,
    look,
    isExiting,
    close,
    isStopped,
    fire,
    place,
    left,
    isTouched,
    isOver,
    stopNow
  }
  return part
}

export const rules = (given: RuleSettings): Strategy => {
  const { entries, side, targets, times } = given
  const closes: Closes = { bar: -1, before: Number.NaN, last: Number.NaN }
  const parts = entries.flatMap((entry) =>
    targets.map((target, index) =>
      partOf(entry, targets.length === 1 ? entry.slot : `${entry.slot}-${index + 1}`, target, given, closes)
    )
  )
  const act = (desk: Desk): void => {
    const hasClosed = Number.isInteger(desk.bar) && desk.bar > closes.bar
    if (hasClosed) Object.assign(closes, { bar: desk.bar, before: closes.last, last: desk.close })
    const touched = parts.filter((part) => part.isTouched(desk))
    const reached = parts.map(({ entry }) => parts.flatMap((part) => (part.entry === entry ? part.left(desk) : [])))
    for (const part of parts)
      part.settle(
        desk,
        touched.some(({ entry }) => entry !== part.entry)
      )
    for (const [index, part] of parts.entries()) part.look(desk, reached[index] ?? [])
    const closing = parts.filter((part) =>
      parts.some((other) => other !== part && other.entry === part.entry && other.isExiting(desk, part.fired))
    )
    for (const part of closing) part.close(desk)
    if (parts.every(({ isGoing }) => !isGoing)) {
      const [fired, pausedUntil] = [
        Math.max(...parts.map((part) => part.fired)),
        Math.max(...parts.map((part) => part.pausedUntil))
      ]
      for (const part of parts) Object.assign(part, { fired, pausedUntil })
    }
    const going = parts.filter(({ isGoing }) => isGoing)
    const firing = parts.filter(({ entry, fired, isStopped, pausedUntil }) => {
      const waits = going.some((other) => other.entry === entry || other.isOver(desk) || other.fired === fired)
      return !waits && !isStopped(desk.close) && fired < times && desk.bar >= pausedUntil && entry.isTrue(desk.close)
    })
    for (const part of firing) part.fire(desk)
    for (const part of parts) part.place(desk)
  }
  const stops = () => {
    const all = parts.flatMap((part) => part.stopNow())
    return all.length === 0 ? {} : stopOf(side, side === "BUY" ? Math.max(...all) : Math.min(...all))
  }
  return { isAskedFirst: true, seesItself: true, atClose: act, stops }
}
