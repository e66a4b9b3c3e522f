/**
 * Capital that came and went, folded from the journal: budgets that were given, changed or taken back, and those that went with
 * their strategies, which nobody trades with any more. A strategy is gone when its file was taken away, or when a run did not load
 * it; if it is loaded again, its budget is there again. Capital is never profit.
 */
import { type Amount, floorOf, max, min } from "../domain/Amount.ts"
import type { Recorded, Tag } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { present } from "../domain/Present.ts"

export interface Flow {
  readonly at: number
  readonly strategy: string
  readonly asset: string
  /** Positive: came in. */
  readonly amount: Amount
  /** The strategy had been taken away, with this budget, and is there again: nothing new was given. */
  readonly isReturn?: true
  /** The strategy's market, and what the amount was worth there at the next price, in quote smallest units. */
  readonly market?: string
  readonly worth?: Amount
}

export interface CapitalBooks {
  readonly flows: Array<Flow>
  /** By strategy and asset. */
  readonly budgets: Map<string, Amount>
  /** Budgets that went with their strategies. */
  readonly idle: Map<string, ReadonlyArray<Pick<Flow, "asset" | "amount">>>
  /** Strategies that the present run has not loaded yet, and when it began. */
  readonly awaited: Map<string, number>
  /** The first market, by strategy. */
  readonly markets: Map<string, string>
  /** What came to the account without an origin and was given to no strategy yet, by asset. */
  readonly unallotted: Map<string, Amount>
}

/** Whose the capital is that came to the account, and that no strategy was given yet. */
export const ofAccount = "the account"

export const emptyCapital = (): CapitalBooks => ({
  flows: [],
  budgets: new Map(),
  idle: new Map(),
  awaited: new Map(),
  markets: new Map(),
  unallotted: new Map()
})

/** The kinds of events that it looks at, beside those by which it knows that a run has begun. */
export const capitalTags = [
  "BotStarted",
  "StrategyRemoved",
  "BudgetAllotted",
  "StrategyLoaded",
  "CapitalMoved"
] as const satisfies ReadonlyArray<Tag>

/** Capital is valued at the first price that follows. */
export const value = (
  { flows }: CapitalBooks,
  market: string,
  price: Decimal.Decimal,
  decimals: (symbol: string) => number | undefined
): void => {
  for (const [index, flow] of flows.entries()) {
    const [base = "", quote = ""] = market.split("/")
    if (flow.worth !== undefined || flow.market !== market || flow.asset !== base) continue
    const [ofBase, ofQuote] = [decimals(base), decimals(quote)]
    if (ofBase === undefined || ofQuote === undefined) continue
    const worth = Decimal.multiply(Decimal.make(flow.amount, ofBase), price)
    flows[index] = { ...flow, worth: floorOf(worth, ofQuote) }
  }
}

const add = ({ flows, markets }: CapitalBooks, flow: Omit<Flow, "market" | "worth">): void => {
  const market = markets.get(flow.strategy)
  if (flow.amount !== 0n) flows.push({ ...flow, ...present({ market }) })
}

/** Nobody trades with its budget any more. */
const leave = (books: CapitalBooks, strategy: string, at: number): void => {
  if (books.idle.has(strategy)) return
  const prefix = `${strategy}\u0000`
  const own = [...books.budgets].flatMap(([key, amount]) =>
    key.startsWith(prefix) ? [{ asset: key.slice(prefix.length), amount }] : []
  )
  books.idle.set(strategy, own)
  for (const { amount, asset } of own) add(books, { at, strategy, asset, amount: -amount })
}

const comeBack = (books: CapitalBooks, strategy: string, at: number): void => {
  books.awaited.delete(strategy)
  for (const budget of books.idle.get(strategy) ?? []) add(books, { at, strategy, ...budget, isReturn: true })
  books.idle.delete(strategy)
}

export const see = (books: CapitalBooks, { at, event }: Recorded): void => {
  // A run loads its strategies as it begins.
  for (const [strategy, since] of books.awaited) {
    if (at === since) break
    books.awaited.delete(strategy)
    leave(books, strategy, since)
  }
  switch (event._tag) {
    case "BotStarted":
      for (const strategy of books.markets.keys()) books.awaited.set(strategy, at)
      return
    case "StrategyRemoved":
      return leave(books, event.strategy, at)
    case "StrategyLoaded":
      books.markets.set(event.strategy, event.market.split(", ")[0] ?? event.market)
      return comeBack(books, event.strategy, at)
    case "BudgetAllotted": {
      const { amount, asset, strategy } = event
      const key = `${strategy}\u0000${asset}`
      const fresh = amount - (books.budgets.get(key) ?? 0n)
      books.budgets.set(key, amount)
      // What had come to the account before is not counted a second time.
      const known = books.unallotted.get(asset) ?? 0n
      const given = max(0n, min(known, fresh))
      books.unallotted.set(asset, known - given)
      add(books, { at, strategy: ofAccount, asset, amount: -given })
      return add(books, { at, strategy, asset, amount: fresh })
    }
    case "CapitalMoved": {
      const { amount, asset } = event
      books.unallotted.set(asset, (books.unallotted.get(asset) ?? 0n) + amount)
      return add(books, { at, strategy: ofAccount, asset, amount })
    }
    default:
      return
  }
}
