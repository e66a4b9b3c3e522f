/** The trading summary of each quote asset. */
import type { Amount } from "../domain/Amount.ts"
import { dayMillis } from "../domain/Durations.ts"
import { utcDate } from "../domain/Text.ts"
import { earnedOf, type Figures, type Item, type Mark, nothing, type Row } from "./Profit.ts"

export interface ProfitStanding {
  readonly quote: string
  readonly figures: Figures
  /** Since midnight UTC: grid profit less fees. The inventory is not divided by days, so this is not a part of the total's growth. */
  readonly earnedToday: Amount
  /** The budgets at the present price. `undefined` if one of them has no price. */
  readonly capital: Amount | undefined
  /** Money of the running strategies: their budgets and what they earned. */
  readonly equity: Amount | undefined
  /** Time of the first budget; `undefined` without one. */
  readonly since: number | undefined
  /** Earned by running strategies, as a share of the capital. `shareOfYear` is `undefined` in their first day. */
  readonly share: number | undefined
  readonly shareOfYear: number | undefined
}

const yearMillis = 365 * dayMillis

interface StandingInputs {
  readonly flows: ReadonlyArray<Item>
  /** The first market of each running strategy. Budgets of other strategies were returned and are not capital. */
  readonly markets: ReadonlyMap<string, string>
  readonly mark: Mark
  readonly now: number
  readonly days: ReadonlyArray<Row>
  readonly strategies: ReadonlyArray<Row>
}

export const of = (whole: ReadonlyArray<Row>, ground: StandingInputs): ReadonlyArray<ProfitStanding> => {
  const capital = Map.groupBy(capitalsOf(ground), ({ quote }) => quote)
  const isRunning = (strategy: string) => ground.markets.has(strategy)
  const running = ground.strategies.filter(({ group }) => isRunning(group))
  const since = firstOf(ground.flows)
  const elapsed = ground.now - (firstOf(ground.flows.filter(({ strategy }) => isRunning(strategy))) ?? ground.now)
  const quotes = [...new Set([...capital.keys(), ...whole.filter(hasTraded).map(({ quote }) => quote)])].sort()
  return quotes.map((quote) => {
    const figures = whole.find((row) => row.quote === quote)?.figures ?? nothing
    const own = sumOf(capital.get(quote))
    const earned = running.reduce((sum, row) => (row.quote === quote ? sum + row.figures.total : sum), 0n)
    const share = own === undefined || own <= 0n ? undefined : Number(earned) / Number(own)
    const shareOfYear = share === undefined || elapsed < dayMillis ? undefined : (share * yearMillis) / elapsed
    const today = ground.days.find((row) => row.quote === quote && row.group === utcDate(ground.now))
    const earnedToday = earnedOf(today?.figures ?? nothing)
    const equity = own === undefined ? undefined : own + earned
    return { quote, figures, earnedToday, capital: own, equity, since, share, shareOfYear }
  })
}

const firstOf = (flows: ReadonlyArray<Item>): number | undefined =>
  flows.length === 0 ? undefined : Math.min(...flows.map(({ at }) => at))

const hasTraded = ({ figures: { gridProfit, inventory, fees } }: Row): boolean =>
  gridProfit !== 0n || inventory !== 0n || fees !== 0n

/** A budget in the quote of its strategy's first market. `worth` is `undefined` without a price. */
export interface Capital {
  readonly strategy: string
  readonly quote: string
  readonly worth: Amount | undefined
}

export const capitalsOf = ({
  flows,
  markets,
  mark
}: Pick<StandingInputs, "flows" | "markets" | "mark">): ReadonlyArray<Capital> => {
  const flowTotals = new Map<string, { readonly strategy: string; readonly asset: string; readonly amount: Amount }>()
  for (const { strategy, asset, figures } of flows) {
    const key = `${strategy}\u0000${asset}`
    flowTotals.set(key, { strategy, asset, amount: (flowTotals.get(key)?.amount ?? 0n) + (figures.flows ?? 0n) })
  }
  return [...flowTotals.values()].flatMap(({ strategy, asset, amount }) => {
    const [, quote] = markets.get(strategy)?.split("/") ?? []
    if (quote === undefined || amount === 0n) return []
    const worth = asset === quote ? amount : mark(`${asset}/${quote}`, asset, quote, amount)
    return [{ strategy, quote, worth }]
  })
}

export const sumOf = (capitals: ReadonlyArray<Capital> = []): Amount | undefined =>
  capitals.length === 0
    ? undefined
    : capitals.reduce<Amount | undefined>(
        (sum, { worth }) => (sum === undefined || worth === undefined ? undefined : sum + worth),
        0n
      )
