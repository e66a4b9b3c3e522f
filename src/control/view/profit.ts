/**
 * Profit against holding: what the holdings are worth, and what they would be worth without any trade. The present
 * figure is exact, from the ledger. The series over time uses doubles from the stored minutes of prices: for the eye
 * only.
 */
import * as CostBasis from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { type Market, mid, quoteAmount, type TwoSidedPrice } from "../../domain/Market.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import * as Money from "../../report/text/Money.ts"
import type { FillView, Profit } from "../api/Views.ts"
import type { Move } from "./Recent.ts"

type StrategyProfit = (typeof Profit.Type)["strategies"][number]

/** Valued on its first market; nothing until there is a price. */
export const strategyProfit = (
  state: BotState,
  assets: Money.Assets,
  { name, market }: { readonly name: string; readonly market: Market },
  price: TwoSidedPrice,
  fills: ReadonlyArray<FillView>
): StrategyProfit => {
  const { base, quote } = market
  const inQuote = (baseAmount: bigint, quoteUnits: bigint) =>
    quoteUnits + quoteAmount(market, baseAmount, mid(price), "down")
  const owned = (symbol: string) => Ledger.ownedBy(state.ledger, name, symbol)
  const known = state.strategies.get(name)
  const budget = (symbol: string) => known?.budget.get(symbol) ?? 0n
  const basis = known?.trading.get(market.name)?.basis ?? CostBasis.empty
  return {
    strategy: name,
    market: market.name,
    asset: quote.symbol,
    worth: Money.amountText(assets, quote.symbol, inQuote(owned(base.symbol), owned(quote.symbol))),
    held: Money.amountText(assets, quote.symbol, inQuote(budget(base.symbol), budget(quote.symbol))),
    realised: Money.amountText(assets, quote.symbol, basis.realised),
    fills: fills.filter(({ slot }) => slot.startsWith(`${name}/`)).length
  }
}

/** The most points of a line on a screen. */
const mostPoints = 1_500

/** The minutes of each market that is valued in one quote asset. */
export interface Valued {
  readonly market: Market
  readonly minutes: ReadonlyArray<Minute>
  /** How long each of them lasts. */
  readonly millis: number
  readonly now: TwoSidedPrice | undefined
}

export const series = (
  moves: ReadonlyArray<Move>,
  valued: ReadonlyArray<Valued>,
  now: number
): (typeof Profit.Type)["series"] => {
  const [first] = valued
  if (first === undefined) return { asset: "", time: [], worth: [], held: [] }
  const { quote } = first.market
  const markets = valued.filter(({ market }) => market.quote.symbol === quote.symbol)
  const ticks = [...new Set(markets.flatMap(({ millis, minutes }) => minutes.map(({ openedAt }) => openedAt + millis)))]
  const begins = moves[0]?.at ?? now
  const all = [...ticks.filter((at) => at >= begins && at < now).sort((a, b) => a - b), now]
  const every = Math.max(1, Math.ceil(all.length / mostPoints))
  const times = all.filter((_, index) => index % every === 0 || index === all.length - 1)
  const [worthOf, heldOf] = [new Map<string, number>(), new Map<string, number>()]
  const cursors = markets.map(() => 0)
  const prices = markets.map(({ minutes }) => minutes[0]?.open)
  const scale = new Map(
    markets.flatMap(({ market }) => [market.base, market.quote].map((a) => [a.symbol, 10 ** a.decimals]))
  )
  const add = (to: Map<string, number>, { asset, amount }: Move) =>
    to.set(asset, (to.get(asset) ?? 0) + Number(amount) / (scale.get(asset) ?? 1))
  const valueOf = (holdings: ReadonlyMap<string, number>) =>
    markets.reduce(
      (sum, { market }, index) => sum + (holdings.get(market.base.symbol) ?? 0) * (prices[index] ?? 0),
      holdings.get(quote.symbol) ?? 0
    )
  let next = 0
  const columns = { time: [] as Array<number>, worth: [] as Array<number>, held: [] as Array<number> }
  for (const at of times) {
    for (let move = moves[next]; move !== undefined && move.at <= at; move = moves[++next]) {
      add(worthOf, move)
      if (move.because === "budget") add(heldOf, move)
    }
    markets.forEach(({ millis, minutes, now: present }, index) => {
      let cursor = cursors[index] ?? 0
      while ((minutes[cursor]?.openedAt ?? Number.POSITIVE_INFINITY) + millis <= at) cursor += 1
      cursors[index] = cursor
      const closed = minutes[cursor - 1]?.close
      if (closed !== undefined) prices[index] = closed
      if (at === now && present !== undefined) prices[index] = Decimal.toNumber(mid(present))
    })
    columns.time.push(Math.floor(at / 1000))
    columns.worth.push(rounded(valueOf(worthOf)))
    columns.held.push(rounded(valueOf(heldOf)))
  }
  return { asset: quote.symbol, ...columns }
}

const rounded = (value: number): number => Number(value.toPrecision(12))
