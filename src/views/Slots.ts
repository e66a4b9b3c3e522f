/** Every slot as a row for people: its order, its state and the reason, and the urgency. */
import { Schema } from "effect"
import type { Amount } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../domain/Market.ts"
import { percent } from "../domain/Text.ts"
import { unclearPayment } from "../engine/funding/Paying.ts"
import { holdsOn, holdsOnSlot, stopping, unsentBecause } from "../engine/holds/Holds.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { filledBase, type Placement } from "../engine/state/Placement.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import type { StrategyState } from "../engine/state/strategies/StrategyState.ts"
import type { Row } from "../ledger/Profit.ts"
import * as Money from "../report/text/Money.ts"
import { asOf, Time } from "./AsOf.ts"
import { doneText, type SlotWish, wishesOf } from "./explain/Wishes.ts"
import { type LiveProfit, slotEarned } from "./profit/LiveProfit.ts"

const Text = Schema.String

const SlotView = Schema.Struct({
  /** "strategy/slot". */
  slot: Text,
  strategy: Text,
  market: Text,
  side: Text,
  price: Text,
  quantity: Text,
  filled: Text,
  state: Text,
  /** Time since which it is in this state; null for an empty slot. */
  since: Schema.NullOr(Time),
  /** Distance from the mid price, as a signed share of it; null without an order or without a price. */
  distance: Schema.NullOr(Schema.Finite),
  legs: Schema.Int,
  /** Profit of its own purchases and sales, after its fees; null before it closed anything. */
  earned: Schema.NullOr(Text),
  /** Profit of its open leg at the present price; null without one. */
  inventory: Schema.NullOr(Text),
  why: Text,
  tone: Schema.Literals(["alarm", "buy", "sell", "quiet"])
})
export type SlotView = typeof SlotView.Type
export const Slots = Schema.Struct({ ...asOf, slots: Schema.Array(SlotView) })

export interface SlotRow extends SlotView {
  readonly plannedAt: number | null
  /** The state in short, such as "1.20 % away"; null if `why` says more. */
  readonly shortState: string | null
  /** Lower comes first: trouble, then moving money, then orders by their distance from the price. */
  readonly rank: number
}

const rankOf = { trouble: -2, moving: -1, empty: 1_000 } as const

export const slotsOf = (
  state: BotState,
  assets: Money.Assets,
  prices: ReadonlyMap<string, TwoSidedPrice>,
  profit: LiveProfit["slots"] = new Map()
): ReadonlyArray<SlotRow> => {
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  const wishes = new Map(
    [...state.strategies.values()].flatMap((strategy) =>
      [...wishesOf(state, strategy)].map(([slot, wish]) => [slotKey(strategy.name, slot), wish] as const)
    )
  )
  const keys = new Set([...[...state.strategies.values()].flatMap((strategy) => namedSlots(strategy)), ...live.keys()])
  return [...keys].sort().map((key) => {
    const placement = live.get(key)
    const strategy = key.slice(0, key.indexOf("/"))
    return {
      slot: key,
      strategy,
      legs: state.slots.get(key)?.completedLegs ?? 0,
      ...earningsOf(profit.get(key), assets),
      ...(placement === undefined
        ? emptyRow(state, strategy, key.slice(strategy.length + 1), wishes.get(key))
        : placementRow(state, placement, assets, prices.get(placement.market), wishes.get(key)))
    }
  })
}

const earningsOf = (row: Row | undefined, assets: Money.Assets): Pick<SlotView, "earned" | "inventory"> => {
  const amountText = (amount: Amount | undefined) =>
    row === undefined || amount === undefined ? null : Money.amountText(assets, row.quote, amount)
  return { earned: amountText(row && slotEarned(row)), inventory: amountText(row?.figures.inventory || undefined) }
}

/** A strategy that no file names plans nothing: its last decision says nothing about its slots. */
const namedSlots = (strategy: StrategyState): ReadonlyArray<string> => {
  const { decision, isLoaded } = strategy
  if (decision === undefined || isLoaded === false) return []
  return [...decision.desired, ...decision.absent].map(({ slot }) => slotKey(strategy.name, slot))
}

/** The strategy's reason of today, such as a stop that has moved since the order was placed, while it still plans this order. */
const reasonOf = ({ price, side, why }: Placement, wish: SlotWish | undefined): string =>
  wish !== undefined && "desired" in wish && wish.desired.side === side && Decimal.equals(wish.desired.price, price)
    ? wish.desired.why.text
    : why.text

type PlacedRow = Omit<SlotRow, "slot" | "strategy" | "legs" | "earned" | "inventory">

const placementRow = (
  state: BotState,
  placement: Placement,
  assets: Money.Assets,
  price: TwoSidedPrice | undefined,
  wish: SlotWish | undefined
): PlacedRow => {
  const { side, quantity, contradiction, cancel } = placement
  const base = side === "SELL" ? placement.inputAsset : placement.outputAsset
  const filled = `${(filledBase(placement) * 100n) / quantity} %`
  const toPay = paymentNeeded(state, placement, assets)
  const isFailed = placement.payout === "failed" || placement.refund === "failed"
  const isTrouble = contradiction !== undefined || isFailed || toPay !== undefined || placement.state === "in doubt"
  const distance = price === undefined ? null : distanceFrom(price, placement)
  const away = awayOf(distance)
  return {
    market: placement.market,
    side,
    price: Decimal.format(placement.price),
    quantity: Money.withSymbol(assets, base, quantity),
    filled,
    state: stateOf(placement),
    since: placement.changedAt,
    distance,
    why: contradiction ?? toPay ?? cancel?.why.text ?? unsentBecause(state, placement) ?? reasonOf(placement, wish),
    tone: isTrouble ? "alarm" : side === "BUY" ? "buy" : "sell",
    plannedAt: placement.plannedAt,
    shortState:
      isTrouble || cancel !== undefined
        ? null
        : isResting(placement) && distance !== null
          ? `${percent(Math.abs(distance))} away`
          : `${filled} filled`,
    rank: (isTrouble ? rankOf.trouble : isResting(placement) ? 0 : rankOf.moving) + away
  }
}

/** Names the payment or check that a person must do now. Never asks for a payment that the bot would not make. */
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
  const holdReason = stopping(holdsOn(bot, placement), "fund")
  if (payment.state === "unclear") {
    const or = again === undefined ? "" : `, or run once with --pay-again ${again}`
    const then = holdReason === undefined ? `pay if it did not${or}` : `pay nothing now (${holdReason})`
    return `UNCLEAR whether the wallet paid ${what}: check, and ${then}`
  }
  if (payment.wallet !== "manual") return undefined
  return holdReason === undefined ? `PLEASE PAY ${what}` : `PAY NOTHING to ${order.depositAddress}: ${holdReason}`
}

const stateOf = ({ state, cancel }: Placement): string =>
  cancel !== undefined && (state === "open" || state === "funding") ? "cancelling" : state

const isResting = ({ state, cancel, fills }: Placement): boolean =>
  state === "open" && cancel === undefined && fills.size === 0

const distanceFrom = (now: TwoSidedPrice, { price }: Placement): number => {
  const present = Decimal.toNumber(mid(now))
  return (Decimal.toNumber(price) - present) / present
}

/** For ranks only: below 1, so that no order leaves its class of rows. */
export const awayOf = (distance: number | null): number => Math.min(0.999, Math.abs(distance ?? 0))

const emptyRow = (state: BotState, strategy: string, slot: string, wish: SlotWish | undefined): PlacedRow => {
  const { decision, loaded, refusals: refused } = state.strategies.get(strategy) ?? {}
  const key = slotKey(strategy, slot)
  const { frozen, failures = 0, failedWhy } = state.slots.get(key) ?? {}
  const [held] = holdsOnSlot(state, strategy, slot)
  const absent = decision?.absent.find((each) => each.slot === slot)?.why.text
  const givenUp = failures > 0 && failedWhy !== undefined ? `failed, will be retried: ${failedWhy}` : undefined
  const done = wish !== undefined && "done" in wish ? `${doneText}: ${wish.done.text}` : undefined
  const isFrozen = frozen !== undefined
  const isTrouble = isFrozen || state.refusedExits.has(key)
  return {
    market: loaded?.market ?? "",
    side: "",
    price: "",
    quantity: "",
    filled: "",
    state: isFrozen ? "frozen" : "empty",
    since: null,
    distance: null,
    why: frozen ?? absent ?? done ?? held?.text ?? refused?.get(slot) ?? givenUp ?? "waits to be placed",
    tone: isTrouble ? "alarm" : "quiet",
    plannedAt: null,
    shortState: null,
    rank: isTrouble ? rankOf.trouble : rankOf.empty
  }
}
