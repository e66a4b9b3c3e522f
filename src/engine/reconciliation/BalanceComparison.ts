/**
 * Private balances as a witness. They are the only balances that the service shows, and only confidential accounts
 * have them. Money of `INTENTS` is public at the verifier and money of `ORIGIN_CHAIN` is on other chains, so neither
 * is compared. The journal does not know what an account held before it began, so the comparison is of movements:
 * since the last look, the balance must have moved by what the ledger and the swaps explain, give or take money in
 * flight. Any other movement did not come from us.
 */
import type { Amount } from "../../domain/Amount.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { moneyOf, type SwapAccount } from "../../domain/SwapAccount.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { type Comparison, noEvidence, texts } from "./Reconciliation.ts"

/** One asset at one moment. */
export interface Position {
  /** The account's balance at the venue. */
  readonly balance: Amount
  /** What the books say went into the balance, net. */
  readonly booked: Amount
  /** What may or may not have reached or left the balance already. */
  readonly underWay: Amount
}

/** The assets of which the bot's own money is private, by symbol. Swaps say it of themselves. */
export type PrivateAssets = ReadonlySet<string>

/** By asset symbol. */
export type Positions = ReadonlyMap<string, Position>

const onItsWay = [
  "deposit in flight",
  "in doubt",
  "in order",
  "filled unpaid",
  "payout in flight",
  "refund in flight"
] as const
/** A marketable order fills at a better price than its limit, but not by more than this. */
const improvement = 2n

/** Places and movements, in the bot's ledger and in swaps, that touch the account's own balance. */
export const positions = (
  symbols: ReadonlyArray<string>,
  balances: ReadonlyMap<string, Amount>,
  { state, swaps }: { readonly state: BotState; readonly swaps: ReadonlyArray<SwapAccount> },
  isPrivate: PrivateAssets
): Positions => {
  // Swaps say of themselves which balance they touch.
  const names = new Set(swaps.map(({ id }) => id))
  const totals = Ledger.totals(Ledger.without(state.ledger, names)).filter(({ asset }) => isPrivate.has(asset))
  const strategies = [...state.strategies.values()]
  const orders = unfinished(state).filter(({ id, outputAsset }) => isPrivate.has(outputAsset) && !names.has(id))
  const inPlaces = (symbol: string, wanted: ReadonlyArray<string>): Amount =>
    totals.reduce(
      (sum, { amount, asset, place }) => (asset === symbol && wanted.includes(place) ? sum + amount : sum),
      0n
    )
  /** Orders may have been filled and paid out since the bot last looked. */
  const outputs = (symbol: string): Amount =>
    orders.reduce(
      (sum, { outputAmount, outputAsset }) => (outputAsset === symbol ? sum + outputAmount * improvement : sum),
      0n
    )
  const budgets = (symbol: string): Amount =>
    isPrivate.has(symbol)
      ? strategies.reduce((sum, { budget }) => sum + (budget.get(symbol) ?? 0n), 0n) -
        Ledger.broughtByFirstOrders(state.ledger, symbol)
      : 0n
  return new Map(
    symbols.map((symbol) => {
      const own = swaps.map((swap) => swapMovement(swap, symbol))
      return [
        symbol,
        {
          balance: balances.get(symbol) ?? 0n,
          booked:
            inPlaces(symbol, ["wallet", "dust"]) - budgets(symbol) + own.reduce((sum, { booked }) => sum + booked, 0n),
          underWay: inPlaces(symbol, onItsWay) + outputs(symbol) + own.reduce((sum, { underWay }) => sum + underWay, 0n)
        }
      ]
    })
  )
}

/** How a swap changed a private balance; public money and money on other chains do not touch it. */
const swapMovement = (swap: SwapAccount, symbol: string): Pick<Position, "booked" | "underWay"> => {
  const { agreed } = swap
  const { input, received } = moneyOf(swap)
  const out = Object.values(input).reduce((sum, amount) => sum + amount, 0n)
  const isPaidFromHere = agreed.origin.symbol === symbol && agreed.depositType === "CONFIDENTIAL_INTENTS"
  const isRefundedHere =
    agreed.origin.symbol === symbol &&
    agreed.refundType === "CONFIDENTIAL_INTENTS" &&
    agreed.refundTo === agreed.account
  const isReceivedHere =
    agreed.destination.symbol === symbol &&
    agreed.recipientType === "CONFIDENTIAL_INTENTS" &&
    agreed.recipient === agreed.account
  const booked = (isReceivedHere ? received : 0n) - (isPaidFromHere ? out : 0n) + (isRefundedHere ? input.refunded : 0n)
  const isOpen = swap.ended === undefined
  const pending = isOpen
    ? (isPaidFromHere || isRefundedHere ? out : 0n) + (isReceivedHere ? agreed.amountOut * improvement : 0n)
    : 0n
  return { booked, underWay: pending }
}

/** The movement of each asset between two looks. */
export const compare = (before: Positions | undefined, now: Positions): ReadonlyArray<Comparison> =>
  [...now].map(([symbol, position]): Comparison => {
    const last = before?.get(symbol)
    const subject = { kind: "balance", subject: symbol, depositAddress: undefined, depositMemo: undefined } as const
    const evidence = { ...noEvidence, journal: texts({ ...position }), venue: last && texts({ ...last }) }
    if (last === undefined) {
      return { ...subject, verdict: "explained", text: "first snapshot stored, to be compared the next time", evidence }
    }
    const moved = position.balance - last.balance
    const explained = position.booked - last.booked
    const text = `moved by ${moved}, the journal explains ${explained}`
    if (moved === explained) return { ...subject, verdict: "agrees", text, evidence }
    const isWithin = moved >= explained - last.underWay && moved <= explained + position.underWay
    return isWithin
      ? { ...subject, verdict: "explained", text: `${text}; the difference is on its way`, evidence }
      : { ...subject, verdict: "contradiction", text, evidence }
  })
