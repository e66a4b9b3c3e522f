/**
 * Reads price alerts, such as "BTC/USDC above 70000": one message, no order. Each alert is reached once. Those of `limitbot alert` are in a
 * file beside the journal, which only that command writes; each line begins with the time from which it counts.
 */
import { Effect, FileSystem } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { aboveZeroHint } from "../strategy/Fields.ts"
import { type Markets, marketNamed } from "../strategy/Markets.ts"
import { type Report, report, type Span, sourceText } from "../strategy/Problem.ts"

export type PriceAlert = NonNullable<ReturnType<typeof alertOf>>

/** `since`: epoch milliseconds; an earlier event of the same alert does not count. Zero for the configuration. */
export const alertOf = (text: string, since: number, markets: Markets, to: Report, at: Span = { start: 0, end: 0 }) => {
  const [name = "", side, figure = "", ...rest] = text.trim().split(/\s+/)
  if ((side !== "above" && side !== "below") || rest.length > 0)
    return report(to, at, `"${text}" is not an alert`, "write MARKET above PRICE or MARKET below PRICE")
  const market = marketNamed(markets)(name, at, to)
  const price = Decimal.parse(figure)
  if (price === undefined || !Decimal.isPositive(price))
    return report(to, at, `expected a price above zero, found "${figure}"`, aboveZeroHint(figure))
  return market && { text: `${name} ${side} ${Decimal.format(price)}`, market, side, price, since }
}

export const fileOf = (journal: string): string => `${journal}.alerts`

/** `alert` is absent if the line cannot be read, for example while its asset is not in the configuration; `problem` says why. */
export const inFile = Effect.fn("PriceAlerts.inFile")(function* (journal: string, markets: Markets) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(fileSystem.readFileString(fileOf(journal)), () => "")
  const source = sourceText(journal, text)
  return [...text.matchAll(/^(\S+) (.+)$/gm)].map(([, time = "", terms = ""]) => {
    const to: Report = { source, problems: [] }
    const since = Timestamp.written(time) ?? 0
    const alert = alertOf(terms, since, markets, to)
    return { since, text: alert?.text ?? terms, alert, problem: to.problems[0]?.message ?? "" }
  })
})
