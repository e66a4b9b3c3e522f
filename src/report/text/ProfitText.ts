/** Formats profit and loss: exact amounts in units of the quote asset. */
import { chargedLine, type LearnedFee } from "../../domain/EchoedFee.ts"
import { age, countText, percent, utc } from "../../domain/Text.ts"
import type { LotMethod } from "../../ledger/Lots.ts"
import type { Grouping, Row } from "../../ledger/Profit.ts"
import type { Quality, Quoting } from "../../ledger/Quality.ts"
import type { Returns } from "../../ledger/Returns.ts"
import type { ProfitStanding } from "../../ledger/Standing.ts"
import * as Money from "./Money.ts"
import * as Table from "./Table.ts"

/** Such as "GRID PROFIT" for `gridProfit`. */
const titleOf = (field: string): string => field.replace(/[A-Z]/, " $&").toUpperCase()
const fields = ["gridProfit", "inventory", "fees", "total", "flows", "realised", "unrealised"] as const

/** Returns the key figures, the most important first, because screens cut from the end. */
export const standingParts = (
  { quote, figures, earnedToday, share, shareOfYear, capital, since }: ProfitStanding,
  assets: Money.Assets,
  { gain, rounded, share: shareText } = { gain: Money.gain, rounded: Money.rounded, share: signedPercent }
): ReadonlyArray<string> => {
  const say = (amount: bigint) => gain(assets, quote, amount)
  const { gridProfit, inventory, fees, rounds, total } = figures
  return [
    `total ${say(total)}${share === undefined ? "" : ` (${shareText(share)})`}`,
    `grid profit ${say(gridProfit)}`,
    `inventory ${say(inventory)}`,
    `fees ${rounded(assets, quote, fees)}`,
    `earned today ${say(earnedToday)}`,
    ...(rounds === 0 ? [] : [countText(rounds, "round")]),
    ...(shareOfYear === undefined ? [] : [`${shareText(shareOfYear)} a year`]),
    ...(capital === undefined ? [] : [`capital ${rounded(assets, quote, capital)}`]),
    ...(since === undefined ? [] : [`since ${utc(since).slice(0, 16)} UTC`])
  ]
}

const signedPercent = (ratio: number): string => percent(ratio).replace(/^(?=.*[1-9])(?!-)/, "+")

export interface Profit {
  readonly standings: ReadonlyArray<ProfitStanding>
  readonly method: LotMethod
  readonly whole: ReadonlyArray<Row>
  readonly by: Grouping | undefined
  readonly groups: ReadonlyArray<Row>
  readonly markedAt: ReadonlyMap<string, number>
  readonly statistics?: ReadonlyMap<string, { readonly orders: Quality; readonly returns: Returns }>
  readonly charged?: ReadonlyMap<string | undefined, ReadonlyArray<LearnedFee>>
  readonly makers?: ReadonlyArray<Quoting & { readonly strategy: string; readonly quote: string }>
}

export const lines = (
  { charged, makers = [], standings, method, whole, by, groups, statistics }: Profit,
  assets: Money.Assets
): ReadonlyArray<string> => {
  if (whole.length === 0) return ["No fills or budgets yet."]
  const cells = ({ quote, figures }: Row) => [
    ...fields.map((field) => Money.amountText(assets, quote, figures[field])),
    quote,
    roundsText(figures.rounds)
  ]
  const columns = [...fields.map((field) => Table.decimal(titleOf(field))), "ASSET", Table.right("ROUNDS")]
  return [
    ...standings.map((each) => `${each.quote}: ${standingParts(each, assets).join("   ")}`),
    "",
    ...Table.render(columns, whole.map(cells)),
    ...(by === undefined || groups.length === 0
      ? []
      : [
          "",
          ...Table.render(
            [{ title: by.toUpperCase() }, ...columns],
            groups.map((row) => [groupText(row.group), ...cells(row)])
          )
        ]),
    ...[...(statistics ?? [])].flatMap(([quote, each]) => statisticsLines(quote, each)),
    ...makers.flatMap(makerLines),
    ...(charged === undefined || charged.size === 0 ? [] : ["", ...[...charged.values()].flat().map(chargedLine)]),
    "",
    "Total is grid profit plus inventory less fees: what trading made against holding the budgets. Grid profit is earned by slots that bought and sold; inventory is the position against its cost. Flows are capital paid in or out, not profit.",
    `For accounting, realised is by ${method === "average" ? "average cost" : method.toUpperCase()} per strategy; with unrealised it gives the same total.`
  ]
}

/** Writes 0 as `-`, because rounds are not counted if one slot buys and another sells. */
const roundsText = (rounds: number): string => (rounds === 0 ? "-" : String(rounds))

const groupText = (group: string): string =>
  group === "" ? "-" : group.endsWith("/") ? `${group.slice(0, -1)} (budget)` : group

const share = (ratio: number | null): string => (ratio === null ? "not known" : percent(ratio))

const laterText = (markout: Quality["markout"]): string =>
  Object.entries(markout)
    .map(([after, ratio]) => `${after} ${share(ratio)}`)
    .join(", ")

const makerLines = ({
  inventory,
  levels,
  markout,
  spreadCaptured,
  strategy,
  uptime
}: Quoting & { strategy: string }) => [
  "",
  `${strategy}: spread captured ${share(spreadCaptured)}; price after a fill, in our favour: ${laterText(markout)}`,
  `${strategy}: bid and ask open ${share(uptime)} of the time; inventory ${Number(inventory.toPrecision(8))}, target 0`,
  `${strategy}: filled ${levels.map(({ filled, rested, slot }) => `${slot} ${filled} of ${rested}`).join(", ")}`
]

const statisticsLines = (
  quote: string,
  { orders, returns }: { readonly orders: Quality; readonly returns: Returns }
): ReadonlyArray<string> => {
  const { rested, filled, medianMillisToFill, requotes, costPerRequote, markout, feesPaid, feesEstimated } = orders
  const toFill = medianMillisToFill === null ? "" : `, half of them within ${age(medianMillisToFill)}`
  const cost = costPerRequote === null ? "" : `, ${costPerRequote.toFixed(4)} ${quote} each`
  const later = filled === 0 ? "" : `. Price after a fill, in our favour: ${laterText(markout)}`
  const { timeWeighted, moneyWeighted, maxDrawdown } = returns
  return [
    "",
    `${quote}: ${filled} of ${rested} orders filled${toFill}; ${requotes} repriced${cost}${later}`,
    `${quote}: payout and refund fees ${feesPaid.toFixed(4)} ${quote} paid, ${feesEstimated.toFixed(4)} ${quote} estimated at order creation`,
    `${quote}: return ${share(timeWeighted)} time-weighted, ${share(moneyWeighted)} money-weighted; largest drawdown ${share(maxDrawdown)}`
  ]
}
