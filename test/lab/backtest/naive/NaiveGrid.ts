/** A grid, said once more: its cells, the end of the whole by its equity, and new runs after that. */
import { beyond, eightDigits, leaving } from "./NaiveStrategies.ts"
import { type Desk, type Order, type Stops, type Strategy, stopOf } from "./NaiveVenue.ts"

export interface GridSettings {
  readonly levels: ReadonlyArray<number>
  /** Of a cell that buys at this price, before anything is earned. */
  readonly quantityAt: (price: number) => number
  /** Sizes are a share of the quote and of what it has earned. */
  readonly isGrowing: boolean
  /** What it begins with, in smallest units. */
  readonly base: bigint
  readonly quote: bigint
  /** Thousandths that the purchase of base at the start may give away; none when it is not bought. */
  readonly buyReach: number | undefined
  /** Thousandths of the equity, and none where 0. */
  readonly stop: number
  readonly stopRises: number
  readonly takeProfit: number
  readonly trail: number
  readonly trailFrom: number
  /** Never when it is 0. */
  readonly restartMinutes: number
}

interface Run {
  readonly number: number
  /** Cells that begin with the sale, and purchases without money. */
  readonly sellers: ReadonlySet<number>
  /** Of base for the sellers, at the start. */
  readonly purchase: Order | undefined
  readonly unfunded: ReadonlySet<number>
  /** The highest price at which a cell that waited has begun. */
  reached: number
  /** Equity, in hundred-millionths of the smallest unit. */
  readonly began: bigint
  readonly earnedBefore: bigint
  /** What all runs before it had moved. */
  readonly baseBefore: bigint
  best: bigint
  earned: bigint
  isEnded: boolean
  endedAt: number | undefined
  leaves: ((close: number) => number) | undefined
}

const unit = 100_000_000n

/** What purchases and sales one after the other have earned, by average cost. */
const earnedBy = (fills: Desk["fills"]): bigint => {
  let [held, cost, earned] = [0n, 0n, 0n]
  for (const { side, quantity, money } of fills) {
    const size = BigInt(quantity)
    const signed = side === "BUY" ? size : -size
    const held0 = held
    const most = held < 0n ? -held : held
    held += signed
    if (held0 * signed >= 0n) {
      cost += money
      continue
    }
    const closed = size < most ? size : most
    const [closedCost, closedMoney] = [(cost * closed) / most, (money * closed) / size]
    earned += side === "SELL" ? closedMoney - closedCost : closedCost - closedMoney
    cost = closed === most ? money - closedMoney : cost - closedCost
  }
  return earned
}

export const grid = (given: GridSettings): Strategy => {
  const { buyReach, isGrowing, levels, quantityAt, stop, stopRises, takeProfit, trail, trailFrom, restartMinutes } =
    given
  const cells = levels.slice(0, -1).map((low, index) => ({ index, low, high: levels[index + 1] ?? 0 }))
  const isEnding = stop + takeProfit + trail > 0
  const isAsked = isEnding || isGrowing
  let run: Run | undefined
  let stops: Stops = {}
  let isBuying = false

  const suffix = (): string => (run === undefined || run.number === 1 ? "" : `-run-${run.number}`)
  const costOf = (quantity: bigint, price: number): bigint => (quantity * BigInt(price) + unit - 1n) / unit
  /** What the cells above lack to begin with a sale, the nearest first, beside what the cells below cost. */
  const purchaseOf = (base: bigint, money: bigint, close: number, reach: number): Order | undefined => {
    const price = eightDigits("BUY", beyond(close, reach))
    let [rest, wanted] = [money, 0n]
    for (const { low } of cells) if (low < close) rest -= costOf(BigInt(quantityAt(low)), low)
    for (const { low } of cells) {
      if (low < close) continue
      const more = wanted + BigInt(quantityAt(low))
      if (more > base && costOf(more - base, price) > rest) break
      wanted = more
    }
    return wanted <= base ? undefined : { side: "BUY", price, quantity: Number(wanted - base) }
  }
  const begin = (number: number, { base, close, fills, money }: Desk): Run => {
    let [left, quote] = [given.base + base, given.quote + money]
    const purchase = buyReach === undefined ? undefined : purchaseOf(left, quote, close, buyReach)
    if (purchase !== undefined) {
      left += BigInt(purchase.quantity)
      quote -= costOf(BigInt(purchase.quantity), purchase.price)
    }
    const sellers = new Set<number>()
    for (const { index, low } of cells) {
      if (low < close) continue
      left -= BigInt(quantityAt(low))
      if (left < 0n) break
      sellers.add(index)
    }
    const buyers = cells.filter(({ index }) => !sellers.has(index))
    const inTurn = [...buyers.filter(({ low }) => low < close).reverse(), ...buyers.filter(({ low }) => low >= close)]
    const unfunded = new Set<number>()
    for (const { index, low } of inTurn) {
      quote -= costOf(BigInt(quantityAt(low)), low)
      if (quote < 0n) unfunded.add(index)
    }
    const began = equity({ base, close, money })
    const beginning = {
      number,
      purchase,
      sellers,
      unfunded,
      reached: close,
      began,
      best: began,
      earned: 0n,
      isEnded: false
    }
    const before = { earnedBefore: earnedBy(fills), baseBefore: base }
    return { ...beginning, ...before, endedAt: undefined, leaves: undefined }
  }
  const equity = ({ base, close, money }: Pick<Desk, "base" | "close" | "money">): bigint =>
    (given.quote + money) * unit + (given.base + base) * BigInt(close)

  /** Thousandths: at or below the first it leaves, and at or above the second. */
  const follow = (now: Run, desk: Desk): { readonly low: bigint; readonly high: bigint } => {
    const from = (now.began * BigInt(1000 + trailFrom)) / 1000n
    const present = equity(desk)
    if (now.best < from ? present >= from : present * 1000n >= now.best * 1001n) now.best = present
    const earned = earnedBy(desk.fills) - now.earnedBefore
    if (earned > now.earned) now.earned = earned
    const fixed = stop === 0 ? -1n : now.began * BigInt(1000 - stop) + now.earned * BigInt(stopRises) * unit
    const trailing = trail === 0 || now.best < from ? -1n : now.best * BigInt(1000 - trail)
    const high = takeProfit === 0 ? 10n ** 40n : now.began * BigInt(1000 + takeProfit)
    return { low: fixed > trailing ? fixed : trailing, high }
  }

  /** Of the order that is due: an open one stays, and what was bought is sold. */
  const sizeOf = (slot: string, size: number, isSale: boolean, desk: Desk): number => {
    const { done, filled, fills, isOpen, resting } = desk
    if (!isGrowing || (isSale && done(slot) === 0)) return size
    if (isOpen(slot)) return resting(slot) + filled(slot)
    const whole = given.quote + earnedBy(fills)
    if (!isSale) return Number((BigInt(size) * (whole > 0n ? whole : 0n)) / given.quote)
    const own = fills.filter((each) => each.slot === slot)
    const last = own.findLastIndex(({ side }) => side === "BUY")
    const before = own.slice(0, last + 1).findLastIndex(({ side }) => side === "SELL")
    return own.slice(before + 1, last + 1).reduce((sum, each) => sum + each.quantity, 0)
  }

  const work = (now: Run, desk: Desk): void => {
    const { close, done, isPaying, want } = desk
    const begins = `start${suffix()}`
    isBuying = now.purchase !== undefined && (done(begins) === 0 || isPaying(begins))
    if (now.purchase !== undefined && done(begins) === 0) want(begins, now.purchase)
    const waits = (reached: number) =>
      cells.find(({ index, low }) => !now.sellers.has(index) && !now.unfunded.has(index) && low > reached)?.low
    const next = waits(now.reached)
    if (next !== undefined && close >= next) now.reached = close
    for (const { high, index, low } of cells) {
      const isSeller = now.sellers.has(index)
      if (isSeller && isBuying) continue
      if (!isSeller && (now.unfunded.has(index) || low > now.reached)) continue
      const slot = `cell-0${index}${suffix()}`
      const before = done(slot) + (isSeller ? 1 : 0)
      const quantity = sizeOf(slot, quantityAt(low), before % 2 === 1, desk)
      const turn: ReadonlyArray<Order> = [
        { side: "BUY", price: low, quantity },
        { side: "SELL", price: high, quantity }
      ]
      const [first, ...following] = Array.from({ length: isAsked ? 1 : 200 }, (_, leg) => turn[(before + leg) % 2])
      want(slot, first, ...following.flatMap((order) => order ?? []))
    }
  }

  /** Says whether nothing is left to do. */
  const leave = (now: Run, desk: Desk): boolean => {
    const { base, close, filled, freeBase, isLive, isOpen, sellingBase, want, resting } = desk
    const slots = [`start${suffix()}`, ...cells.map(({ index }) => `cell-0${index}${suffix()}`)]
    for (const slot of slots) if (isOpen(slot)) want(slot, undefined)
    const exit = `exit${suffix()}`
    const own = BigInt(resting(exit))
    // What the cells may still sell while they are withdrawn is not sold twice.
    const bought = base - now.baseBefore
    const [rest, free] = [bought + own - sellingBase, given.base + freeBase + own]
    const all = rest < free ? rest : free
    if (all > 0n) {
      now.leaves ??= leaving("SELL", 5)
      want(exit, {
        side: "SELL",
        price: now.leaves(close),
        quantity: Number(all) + filled(exit),
        mayLose: true,
        isAfterStop: true,
        isRest: true
      })
    } else if (isOpen(exit)) want(exit, undefined)
    return bought <= 0n && ![...slots, exit].some(isLive)
  }

  const act = (desk: Desk): void => {
    run ??= begin(1, desk)
    stops = {}
    const { low, high } = follow(run, desk)
    const present = equity(desk) * 1000n
    if (isEnding) run.isEnded ||= present <= low || present >= high
    if (run.isEnded) {
      if (!leave(run, desk) || restartMinutes === 0) return
      run.endedAt ??= desk.bar
      if (desk.bar < run.endedAt + restartMinutes) return
      run = begin(run.number + 1, desk)
    }
    const held = given.base + desk.base
    const limit = follow(run, desk).low
    if (limit > 0n && held > 0n) {
      const price = (limit - (given.quote + desk.money) * unit * 1000n) / (held * 1000n)
      if (price > 0n) stops = stopOf("BUY", Number(price))
    }
    work(run, desk)
  }

  return {
    get isAskedFirst() {
      return isAsked || isBuying
    },
    seesItself: isAsked,
    stops: () => stops,
    atClose: act
  }
}
