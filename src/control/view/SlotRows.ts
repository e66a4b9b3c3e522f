/** Every slot as a row for people: what it holds, its state and why, and how urgent it is to look at. */
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { percent } from "../../domain/Text.ts"
import { isDoneWith, wishesOf } from "../../engine/explain/Wishes.ts"
import { unclearPayment } from "../../engine/funding/Paying.ts"
import { holdsOn, holdsOnSlot, stopping, unsentBecause } from "../../engine/holds/Holds.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { filledBase, type Placement } from "../../engine/state/Placement.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import type { StrategyState } from "../../engine/state/StrategyState.ts"
import * as Money from "../../report/text/Money.ts"

export interface SlotRow {
  readonly slot: string
  /** The market of its order; `undefined` if it holds none. */
  readonly market: string | undefined
  /** Distance from the price, as a share of it. */
  readonly away: number | undefined
  /** When its order was planned, epoch milliseconds. */
  readonly since: number | undefined
  readonly side: string
  readonly price: string
  readonly quantity: string
  readonly filled: string
  readonly state: string
  readonly legs: string
  readonly why: string
  /** How far an order has come; replaces `why` where space is short. */
  readonly progress: string | undefined
  readonly colour: "red" | "green" | "cyan" | "dim"
  /** Lower comes first: trouble, then moving money, then orders by their distance from the price. */
  readonly rank: number
}

const rankOf = { trouble: -2, moving: -1, empty: 1_000 } as const

/** In alphabetical order. */
export const slotRows = (
  state: BotState,
  assets: Money.Assets,
  prices: ReadonlyMap<string, TwoSidedPrice>
): ReadonlyArray<SlotRow> => {
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  const done = new Map([...state.strategies.values()].flatMap((strategy) => doneSlots(state, strategy)))
  const keys = new Set([...[...state.strategies.values()].flatMap((strategy) => namedSlots(strategy)), ...live.keys()])
  return [...keys].sort().map((key) => {
    const placement = live.get(key)
    const legs = String(state.slots.get(key)?.completedLegs ?? 0)
    return placement === undefined
      ? emptyRow(state, key, legs, done.get(key))
      : placementRow(state, placement, key, legs, assets, prices.get(placement.market))
  })
}

const namedSlots = (strategy: StrategyState): ReadonlyArray<string> => {
  const { decision } = strategy
  if (decision === undefined) return []
  return [...decision.desired, ...decision.absent].map(({ slot }) => slotKey(strategy.name, slot))
}

/** Why nothing more will be placed in a slot, by slot. */
const doneSlots = (state: BotState, strategy: StrategyState): ReadonlyArray<readonly [string, string]> =>
  [...wishesOf(state, strategy)].flatMap(([slot, wish]) =>
    "done" in wish ? [[slotKey(strategy.name, slot), `${isDoneWith}: ${wish.done.text}`] as const] : []
  )

const placementRow = (
  state: BotState,
  placement: Placement,
  slot: string,
  legs: string,
  assets: Money.Assets,
  price: TwoSidedPrice | undefined
): SlotRow => {
  const { side, quantity, contradiction, cancel, why } = placement
  const base = side === "SELL" ? placement.inputAsset : placement.outputAsset
  const filled = `${(filledBase(placement) * 100n) / quantity} %`
  const toPay = paymentNeeded(state, placement, assets)
  const isFailed = placement.payout === "failed" || placement.refund === "failed"
  const isTrouble = contradiction !== undefined || isFailed || toPay !== undefined || placement.state === "in doubt"
  return {
    slot,
    market: placement.market,
    away: price === undefined ? undefined : distance(placement, price),
    since: placement.plannedAt,
    side,
    price: Decimal.format(placement.price),
    quantity: Money.withSymbol(assets, base, quantity),
    filled,
    state: stateOf(placement),
    legs,
    why: contradiction ?? toPay ?? cancel?.why.text ?? unsentBecause(state, placement) ?? why.text,
    progress:
      isTrouble || cancel !== undefined
        ? undefined
        : isResting(placement) && price !== undefined
          ? `${percent(distance(placement, price))} away`
          : `${filled} filled`,
    colour: isTrouble ? "red" : side === "BUY" ? "green" : "cyan",
    rank: (isTrouble ? rankOf.trouble : isResting(placement) ? 0 : rankOf.moving) + distance(placement, price)
  }
}

/** What only a person can do now: pay by hand, or check what the wallet did. Nobody is asked to pay what the bot would not. */
const paymentNeeded = (bot: BotState, placement: Placement, assets: Money.Assets): string | undefined => {
  const { funding, inputAsset, order, state } = placement
  const payment = funding?.payment
  if (
    (state !== "funding" && state !== "in doubt") ||
    payment === undefined ||
    order === undefined ||
    payment.state === "paid"
  )
    return undefined
  const memo = order.depositMemo === undefined ? "" : ` with memo ${order.depositMemo}`
  const what = `exactly ${Money.withSymbol(assets, inputAsset, funding?.amount ?? 0n)} to ${order.depositAddress}${memo}`
  const again = unclearPayment(placement)
  const held = stopping(holdsOn(bot, placement), "fund")
  if (payment.state === "unclear") {
    const or = again === undefined ? "" : `, or run once with --pay-again ${again}`
    const then = held === undefined ? `pay if it did not${or}` : `pay nothing now (${held})`
    return `UNCLEAR whether the wallet paid ${what}: see, and ${then}`
  }
  if (payment.wallet !== "manual") return undefined
  return held === undefined ? `PLEASE PAY ${what}` : `PAY NOTHING to ${order.depositAddress}: ${held}`
}

const stateOf = ({ state, cancel }: Placement): string =>
  cancel !== undefined && (state === "open" || state === "funding") ? "cancelling" : state

const isResting = ({ state, cancel, fills }: Placement): boolean =>
  state === "open" && cancel === undefined && fills.size === 0

/** Distance from the price, as a share of it, below one. */
const distance = ({ price }: Placement, now: TwoSidedPrice | undefined): number => {
  if (now === undefined) return 0
  const present = Decimal.toNumber(mid(now))
  return Math.min(0.999, Math.abs(Decimal.toNumber(price) - present) / present)
}

const emptyRow = (state: BotState, key: string, legs: string, done: string | undefined): SlotRow => {
  const cut = key.indexOf("/")
  const strategy = state.strategies.get(key.slice(0, cut))
  const name = key.slice(cut + 1)
  const { frozen, refusals = 0, refusedWhy } = state.slots.get(key) ?? {}
  const [held] = holdsOnSlot(state, key.slice(0, cut), name)
  const absent = strategy?.decision?.absent.find(({ slot }) => slot === name)?.why.text
  const givenUp = refusals > 0 && refusedWhy !== undefined ? `given up and tried again: ${refusedWhy}` : undefined
  const why = frozen ?? absent ?? done ?? held?.text ?? strategy?.refusals.get(name) ?? givenUp ?? "waits to be placed"
  return {
    slot: key,
    market: undefined,
    away: undefined,
    since: undefined,
    side: "",
    price: "",
    quantity: "",
    filled: "",
    state: frozen === undefined ? "empty" : "frozen",
    legs,
    why,
    progress: undefined,
    colour: frozen === undefined ? "dim" : "red",
    rank: frozen === undefined ? rankOf.empty : rankOf.trouble
  }
}
