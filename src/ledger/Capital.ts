/**
 * Capital that came and went: budgets, and the money that strategies returned to the account when they ended. A strategy ends when its file
 * is removed, or when a run does not load it. It returns the money that it has then, not its budget. If it is loaded again, it gets all of
 * that back. Capital is never profit.
 */
import { type Amount, floorOf, max, min } from "../domain/Amount.ts"
import type { Recorded, Tag } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import * as Ledger from "../domain/Ledger.ts"
import { hasNoBudget } from "../domain/Placement.ts"
import { present } from "../domain/Present.ts"

export interface Flow {
  readonly at: number
  readonly strategy: string
  readonly asset: string
  /** Positive if it came in. */
  readonly amount: Amount
  /** Money that went back to the account when its strategy stopped, or that came back to it. Not new capital. */
  readonly isReturn?: true
  /** The strategy's market of the asset, or its first if the asset is quote. */
  readonly market?: string
  /** The amount's value in that market at the next price, in quote smallest units. */
  readonly worth?: Amount
}

interface BookedFlow extends Omit<Flow, "worth"> {
  readonly price?: Decimal.Decimal
}

export interface CapitalBooks {
  readonly ledger: Ledger.Ledger
  readonly flows: Array<BookedFlow>
  readonly markets: Map<string, string>
  /** Capital that reached the account without an origin and is not yet allotted to a strategy, by asset. */
  readonly unallotted: Map<string, Amount>
}

export const ofAccount = "the account"

export const emptyCapital = (): CapitalBooks => ({
  ledger: Ledger.make(),
  flows: [],
  markets: new Map(),
  unallotted: new Map()
})

export const capitalTags = [...Ledger.movingTags, "CapitalMoved"] as const satisfies ReadonlyArray<Tag>

/** Values capital at the first price that follows it. */
export const value = ({ flows }: CapitalBooks, market: string, price: Decimal.Decimal): void => {
  for (const [index, flow] of flows.entries()) {
    if (flow.price !== undefined || flow.market !== market || flow.asset !== market.split("/")[0]) continue
    flows[index] = { ...flow, price }
  }
}

export const valued = ({ price, ...flow }: BookedFlow, decimals: (symbol: string) => number | undefined): Flow => {
  const [base = "", quote = ""] = flow.market?.split("/") ?? []
  const [ofBase, ofQuote] = [decimals(base), decimals(quote)]
  if (price === undefined || ofBase === undefined || ofQuote === undefined) return flow
  return { ...flow, worth: floorOf(Decimal.multiply(Decimal.make(flow.amount, ofBase), price), ofQuote) }
}

/** All markets of a strategy have one quote. */
const marketOf = ({ markets }: CapitalBooks, { asset, strategy }: Pick<Flow, "asset" | "strategy">) => {
  const first = markets.get(strategy)
  const [, quote] = first?.split("/") ?? []
  return quote === undefined || asset === quote ? first : `${asset}/${quote}`
}

/** A start takes all budgets back and allots them again to the strategies that it loads. These pairs cancel out and are not recorded. */
const add = (books: CapitalBooks, flow: Omit<Flow, "market" | "worth">): void => {
  const { flows } = books
  const isUndone = ({ amount, asset, at, isReturn, strategy }: BookedFlow) =>
    isReturn === true && at === flow.at && strategy === flow.strategy && asset === flow.asset && amount === -flow.amount
  const undone = flow.isReturn === true ? flows.findLastIndex(isUndone) : -1
  if (undone >= 0) flows.splice(undone, 1)
  else if (flow.amount !== 0n) flows.push({ ...flow, ...present({ market: marketOf(books, flow) }) })
}

type Change = Pick<Flow, "strategy" | "asset" | "amount" | "isReturn">

const isCapital = (account: Ledger.AccountName): boolean => account === "outside" || Ledger.isGivenBack(account)

const changesOf = (moved: ReadonlyArray<Ledger.Transfer>): ReadonlyArray<Change> => {
  if (moved.every(({ from, to }) => !isCapital(from.account) && !isCapital(to.account))) return []
  const changes = new Map<string, Change>()
  for (const { asset, from, to, ...transfer } of moved) {
    for (const [{ account, owner: strategy }, amount] of [
      [from, transfer.amount] as const,
      [to, -transfer.amount] as const
    ]) {
      if (!isCapital(account) || hasNoBudget(strategy)) continue
      const isReturn = account === "outside" ? {} : ({ isReturn: true } as const)
      const key = `${strategy}\u0000${asset}\u0000${account === "outside"}`
      changes.set(key, { strategy, asset, amount: amount + (changes.get(key)?.amount ?? 0n), ...isReturn })
    }
  }
  return [...changes.values()]
}

export const see = (books: CapitalBooks, { at, event }: Recorded): void => {
  const { ledger, markets, unallotted } = books
  if (event._tag === "BotStarted") markets.clear()
  if (event._tag === "StrategyRemoved") markets.delete(event.strategy)
  if (event._tag === "StrategyLoaded") markets.set(event.strategy, event.market.split(", ")[0] ?? event.market)
  if (event._tag === "CapitalMoved") {
    const { amount, asset } = event
    unallotted.set(asset, (unallotted.get(asset) ?? 0n) + amount)
    add(books, { at, strategy: ofAccount, asset, amount })
  }
  for (const change of changesOf(Ledger.apply(ledger, event))) {
    const { amount, asset } = change
    // Capital that reached the account before is not counted a second time.
    const unallottedAmount = unallotted.get(asset) ?? 0n
    const allotment = change.isReturn === true ? 0n : max(0n, min(unallottedAmount, amount))
    unallotted.set(asset, unallottedAmount - allotment)
    add(books, { at, strategy: ofAccount, asset, amount: -allotment })
    add(books, { at, ...change })
  }
}
