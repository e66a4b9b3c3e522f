/** Profit and loss for people and programs: exact amounts in units of the quote asset. */
import { present } from "../../domain/Present.ts"
import type { Method } from "../../ledger/Lots.ts"
import type { Figures, Grouping, Row } from "../../ledger/Profit.ts"
import * as Money from "./Money.ts"
import * as Table from "./Table.ts"

export const fields = ["realised", "unrealised", "fees", "flows", "total"] as const

const amounts = (assets: Money.Assets, quote: string, figures: Figures) =>
  Object.fromEntries(fields.map((field) => [field, Money.amountText(assets, quote, figures[field])]))

export interface Profit {
  readonly method: Method
  readonly whole: ReadonlyArray<Row>
  readonly by: Grouping | undefined
  readonly groups: ReadonlyArray<Row>
  /** When the prices were seen at which open positions are valued: the oldest of them. */
  readonly markedAt: number | undefined
}

/** Fixed: by quote asset the five figures, then the method, the age of the prices, and the groups if asked for. */
export const json = ({ method, whole, by, groups, markedAt }: Profit, assets: Money.Assets) =>
  Object.fromEntries(
    whole.map(({ quote, figures }) => [
      quote,
      {
        ...amounts(assets, quote, figures),
        method,
        markedAt: markedAt ?? null,
        ...present({
          by,
          groups:
            by === undefined
              ? undefined
              : groups
                  .filter((row) => row.quote === quote)
                  .map(({ group, figures: own }) => ({ [by]: group, ...amounts(assets, quote, own) }))
        })
      }
    ])
  )

export const lines = ({ method, whole, by, groups }: Profit, assets: Money.Assets): ReadonlyArray<string> => {
  if (whole.length === 0) return ["No fills and no budgets yet."]
  const cells = ({ quote, figures }: Row) => [
    ...fields.map((field) => Money.amountText(assets, quote, figures[field])),
    quote
  ]
  const columns = [
    ...fields.map((field) => ({ title: field.toUpperCase(), align: "decimal" as const })),
    { title: "ASSET" }
  ]
  return [
    ...Table.render(columns, whole.map(cells)),
    ...(by === undefined || groups.length === 0
      ? []
      : [
          "",
          ...Table.render(
            [{ title: by.toUpperCase() }, ...columns],
            groups.map((row) => [row.group === "" ? "-" : row.group, ...cells(row)])
          )
        ]),
    "",
    `Realised by ${method === "average" ? "average cost" : method.toUpperCase()}; total is realised plus unrealised less fees. Flows are budgets, not profit.`
  ]
}
