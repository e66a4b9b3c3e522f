/**
 * Balances as a witness: the private ones of a confidential account, which the service shows, or the public ones of `INTENTS` at the
 * verifier. Money of `ORIGIN_CHAIN` is on other chains and is not compared.
 *
 * The journal does not know the balance before it began, so movements are compared: balance less booked is a constant, the account's own
 * capital. Money under way has left the books, so it can only make the balance larger, by at most its amount. Each comparison gives a
 * lowest and a highest capital, and all ranges must overlap. An undecided comparison may narrow the baseline, and never moves it.
 */
import { type Amount, max } from "../../domain/Amount.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { filledIn, type Placement } from "../state/Placement.ts"
import * as SwapHistory from "../state/swaps/SwapHistory.ts"
import { spentBy } from "../tracking/Contradictions.ts"
import { type Comparison, noEvidence, texts } from "./Comparison.ts"

export interface Position {
  readonly balance: Amount
  readonly booked: Amount
  /** Amount that is booked as under way and may still be in the balance, because it has not left yet or is back already. */
  readonly underWay: Amount
  /** Other people may send public money to the account. */
  readonly isPublic?: true
}

export interface BalanceLook {
  readonly certain: Positions
  readonly resting: ReadonlyArray<Resting>
}

/** An unfinished order, and the most that may have come back from it, as output or refund, since the last poll. */
interface Resting {
  readonly orderId: string | undefined
  readonly filledIn: Amount
  readonly most: ReadonlyMap<string, Amount>
}

export type SeenHome = "INTENTS" | "CONFIDENTIAL_INTENTS"

/** Assets, by symbol, whose bot money is in the compared balances. Swaps state their own place. */
export type SeenAssets = ReadonlySet<string>

export type Positions = ReadonlyMap<string, Position>

const onItsWay = ["deposit in flight", "in doubt", "filled unpaid", "payout in flight", "refund in flight"] as const
/** A marketable order may fill at a better price than its limit, but not by more than this factor. */
const improvement = 2n

export const snapshot = (
  symbols: ReadonlyArray<string>,
  balances: ReadonlyMap<string, Amount>,
  { state, swaps }: { readonly state: BotState; readonly swaps: ReadonlyArray<SwapHistory.SwapHistory> },
  isSeen: SeenAssets,
  home: SeenHome = "CONFIDENTIAL_INTENTS"
): BalanceLook => {
  const names = new Set(swaps.map(({ id }) => id))
  const totals = Ledger.totals(Ledger.without(state.ledger, names)).filter(({ asset }) => isSeen.has(asset))
  const strategies = [...state.strategies.values()]
  const live = unfinished(state).filter(({ id }) => !names.has(id))
  const resting = live.map((placement) => restingOf(state.ledger, placement, isSeen))
  const inPlaces = (symbol: string, wanted: ReadonlyArray<string>): Amount =>
    totals.reduce(
      (sum, { amount, asset, place }) => (asset === symbol && wanted.includes(place) ? sum + amount : sum),
      0n
    )
  const failed = (symbol: string): Amount =>
    live.reduce((sum, { id }) => sum + max(0n, Ledger.heldBy(state.ledger, id, symbol, "residual")), 0n)
  const ownCapital = (symbol: string): Amount => {
    const income = Ledger.givenBackOf(state.ledger, symbol) + Ledger.broughtByFirstOrders(state.ledger, symbol)
    return strategies.reduce((rest, { budget }) => rest - (budget.get(symbol) ?? 0n), income)
  }
  const certain = new Map(
    symbols.map((symbol) => {
      const own = swaps.map((swap) => swapMovement(swap, symbol, home))
      const isCompared = isSeen.has(symbol)
      const capital = inPlaces(symbol, ["wallet", "dust"]) + (isCompared ? ownCapital(symbol) : 0n)
      const moving = max(0n, inPlaces(symbol, onItsWay)) + (isCompared ? failed(symbol) : 0n)
      const position: Position = {
        balance: balances.get(symbol) ?? 0n,
        ...(home === "INTENTS" ? { isPublic: true } : {}),
        booked: own.reduce((sum, { booked }) => sum + booked, capital),
        underWay: own.reduce((sum, { underWay }) => sum + underWay, moving)
      }
      return [symbol, position] as const
    })
  )
  return { certain, resting }
}

/** Money in the order may have been refunded, or filled and paid out. Even a payment that is not seen yet may have been filled. */
const restingOf = (ledger: Ledger.Ledger, placement: Placement, isSeen: SeenAssets): Resting => {
  const { id, inputAmount, inputAsset, order, outputAmount, outputAsset } = placement
  const inOrder = max(0n, Ledger.heldBy(ledger, id, inputAsset, "in order"))
  const inputTotal = (["deposit in flight", "in doubt"] as const).reduce(
    (sum, place) => sum + max(0n, Ledger.heldBy(ledger, id, inputAsset, place)),
    inOrder
  )
  const output = inputAmount === 0n ? 0n : (inputTotal * outputAmount * improvement + inputAmount - 1n) / inputAmount
  const most = new Map([[inputAsset, inOrder]])
  most.set(outputAsset, (most.get(outputAsset) ?? 0n) + output)
  return {
    orderId: order?.id,
    filledIn: filledIn(placement),
    most: new Map([...most].filter(([symbol]) => isSeen.has(symbol)))
  }
}

/** The orders must be read after the balances: an order that is still open, with the booked fills, has then returned nothing before. */
export const positions = ({ certain, resting }: BalanceLook, orders: ReadonlyMap<string, Order>): Positions => {
  const isUnchanged = ({ filledIn, orderId }: Resting): boolean => {
    const order = orderId === undefined ? undefined : orders.get(orderId)
    return order !== undefined && !isTerminal(order.fillStatus) && spentBy(order) === filledIn
  }
  const changed = resting.filter((order) => !isUnchanged(order))
  return new Map(
    [...certain].map(([symbol, position]) => [
      symbol,
      { ...position, underWay: changed.reduce((sum, { most }) => sum + (most.get(symbol) ?? 0n), position.underWay) }
    ])
  )
}

const swapMovement = (swap: SwapHistory.SwapHistory, symbol: string, home: SeenHome) => {
  const { agreed } = swap
  const { input, received } = SwapHistory.moneyOf(swap)
  const out = Object.values(input).reduce((sum, amount) => sum + amount, 0n)
  const isPaidFromHere = agreed.origin.symbol === symbol && agreed.depositType === home
  const isRefundedHere =
    agreed.origin.symbol === symbol && agreed.refundType === home && agreed.refundTo === agreed.account
  const isReceivedHere =
    agreed.destination.symbol === symbol && agreed.recipientType === home && agreed.recipient === agreed.account
  const booked = (isReceivedHere ? received : 0n) - (isPaidFromHere ? out : 0n) + (isRefundedHere ? input.refunded : 0n)
  const pending = SwapHistory.isOver(swap)
    ? 0n
    : (isPaidFromHere || isRefundedHere ? out : 0n) + (isReceivedHere ? agreed.amountOut * improvement : 0n)
  return { booked, underWay: pending }
}

const capitalOf = ({ balance, booked, underWay }: Position) => ({
  lowest: balance - booked - underWay,
  highest: balance - booked
})

const figuresOf = ({ balance, booked, underWay }: Position) => ({ balance, booked, underWay })

export const compare = (before: Positions | undefined, now: Positions): ReadonlyArray<Comparison> =>
  [...now].map(([symbol, position]): Comparison => {
    const last = before?.get(symbol)
    const subject = { kind: "balance", subject: symbol, depositAddress: undefined, depositMemo: undefined } as const
    const evidence = { ...noEvidence, journal: texts(figuresOf(position)), venue: last && texts(figuresOf(last)) }
    if (last === undefined) {
      const text = "first snapshot stored for the next comparison"
      return { ...subject, verdict: "explained", isUndecided: true, text, evidence }
    }
    const moved = position.balance - last.balance
    const explained = position.booked - last.booked
    const text = `moved by ${moved}, the journal explains ${explained}`
    // While something is under way, its arrival may hide an equal loss.
    const isCertain = position.underWay === 0n
    if (moved === explained)
      return { ...subject, verdict: "agrees", ...(isCertain ? {} : { isUndecided: true }), text, evidence }
    if (!isPossible(last, position)) return { ...subject, verdict: "contradiction", text, evidence }
    const why = `up to ${last.underWay + position.underWay} was under way, so it is compared again`
    return { ...subject, verdict: "explained", isUndecided: true, text: `${text}; ${why}`, evidence }
  })

/** By asset: bounds of the unexplained arrival; negative for an unexplained loss. */
export type Unexplained = ReadonlyMap<string, { readonly least: Amount; readonly most: Amount }>

/** Unexplained public money may be new capital, or a payment that the ledger shows late. It counts as under way until the next one. */
export const arrivals = (before: Positions, now: Positions): Positions => {
  const came = unexplained(before, now)
  return new Map(
    [...now].flatMap(([symbol, position]) => {
      const least = came.get(symbol)?.least ?? 0n
      if (position.isPublic !== true || least <= 0n) return []
      return [[symbol, { ...position, underWay: position.underWay + least }] as const]
    })
  )
}

export const unexplained = (before: Positions | undefined, now: Positions): Unexplained =>
  new Map(
    [...now].flatMap(([symbol, position]) => {
      const last = before?.get(symbol)
      if (last === undefined || isPossible(last, position)) return []
      const [was, is] = [capitalOf(last), capitalOf(position)]
      const [low, high] = [is.lowest - was.highest, is.highest - was.lowest]
      return [[symbol, low > 0n ? { least: low, most: high } : { least: high, most: low }] as const]
    })
  )

const isPossible = (before: Position, now: Position): boolean =>
  capitalOf(now).highest >= capitalOf(before).lowest && capitalOf(now).lowest <= capitalOf(before).highest

/** Baseline of the next comparison: the range that all comparisons allow. A contradiction changes nothing until a person accepts it. */
export const baseline = (before: Positions | undefined, now: Positions): Positions =>
  new Map([
    ...(before ?? []),
    ...[...now].map(([symbol, position]): readonly [string, Position] => {
      const last = before?.get(symbol)
      if (last === undefined) return [symbol, position]
      if (!isPossible(last, position)) return [symbol, last]
      const nearest = capitalOf(position).highest <= capitalOf(last).highest ? position : last
      const lowest = max(capitalOf(last).lowest, capitalOf(position).lowest)
      return [symbol, { ...nearest, underWay: capitalOf(nearest).highest - lowest }]
    })
  ])
