/** Profit and loss on the screen: one line per quote asset, and the money of each strategy if there are several. */
import * as Ledger from "../../domain/Ledger.ts"
import { counted } from "../../domain/Words.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { Row } from "../../ledger/Profit.ts"
import type { ColouredLine } from "../../report/text/Colours.ts"
import * as Money from "../../report/text/Money.ts"
import { standingParts } from "../../report/text/ProfitText.ts"
import * as Table from "../../report/text/Table.ts"
import type { LiveProfit } from "../profit/LiveProfit.ts"

const fitting = (parts: ReadonlyArray<string>, columns: number): string => {
  let text = parts[0] ?? ""
  for (const part of parts.slice(1)) {
    if (text.length + 3 + part.length > columns) break
    text += `   ${part}`
  }
  return text
}

export const profitLines = (
  profit: LiveProfit | undefined,
  assets: Money.Assets,
  columns: number
): ReadonlyArray<ColouredLine> =>
  (profit?.standings ?? []).map((standing): ColouredLine => {
    const { quote, figures } = standing
    const line = fitting([`profit in ${quote}:`, ...standingParts(standing, assets)], columns)
    return [line, figures.total < 0n ? "yellow" : figures.total > 0n ? "green" : "dim"]
  })

const mostRows = 8

export const strategyLines = (
  state: BotState,
  profit: LiveProfit | undefined,
  assets: Money.Assets,
  columns: number
): ReadonlyArray<ColouredLine> => {
  const running = [...state.strategies.values()].filter(({ isLoaded }) => isLoaded !== false)
  if (running.length < 2) return []
  const isWide = columns >= 80
  const rows = running.flatMap(({ name, budget }) =>
    [...budget].map(([asset, amount]) => {
      const free = Ledger.freeOf(state.ledger, name, asset)
      const own = Ledger.ownedBy(state.ledger, name, asset)
      const row = profit?.strategies.find(({ group, quote }) => group === name && quote === asset)
      const say = (value: bigint) => Money.short(assets, asset, value)
      return [
        name,
        asset,
        say(free),
        say(own - free),
        ...(isWide ? [say(amount)] : []),
        row === undefined ? "" : totalOf(row, assets)
      ]
    })
  )
  const table = Table.render(
    [
      "STRATEGY",
      "ASSET",
      Table.decimal("FREE"),
      Table.decimal("IN USE"),
      ...(isWide ? [Table.decimal("BUDGET")] : []),
      Table.right("PROFIT")
    ],
    rows.slice(0, mostRows)
  )
  const more = rows.length - mostRows
  return [
    ...table.map((text, index): ColouredLine => (index === 0 ? [text, "dim"] : [text])),
    ...(more > 0 ? [[`… and ${counted(more, "more row")}: limitbot money`, "dim"] as const] : []),
    [""]
  ]
}

const totalOf = ({ quote, figures }: Row, assets: Money.Assets): string => Money.signed(assets, quote, figures.total)
