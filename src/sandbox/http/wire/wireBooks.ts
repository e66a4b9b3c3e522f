/** The books as plain JSON, by account, asset and place and by order, for `GET /sandbox/books`. */
import * as Books from "../../core/money/Books.ts"
import { payoutStatus } from "../../core/Payouts.ts"
import type { SandboxOrder, State } from "../../core/State.ts"
import type { BooksResponse } from "../../SandboxApi.ts"
import { assetById } from "../../Settings.ts"

type Amounts = Readonly<Record<string, string>>

export const booksView = (state: State): BooksResponse => {
  const symbolOf = (id: string) => assetById(state.settings, id)?.symbol ?? id
  const accounts: Record<string, Record<string, Amounts>> = {}
  const sums = new Map<string, Record<string, bigint>>()
  for (const [account, byAsset] of Books.totals(state.books)) {
    const view: Record<string, Amounts> = {}
    for (const [asset, amounts] of byAsset) {
      view[symbolOf(asset)] = toText(amounts)
      const sum = sums.get(symbolOf(asset)) ?? {}
      for (const [place, amount] of Object.entries(amounts)) sum[place] = (sum[place] ?? 0n) + amount
      sums.set(symbolOf(asset), sum)
    }
    accounts[account] = view
  }
  const entriesByOrder = Books.byOrder(state.books)
  return {
    at: state.now,
    assets: Object.fromEntries(state.settings.assets.map(({ symbol, id, decimals }) => [symbol, { id, decimals }])),
    accounts,
    totals: Object.fromEntries([...sums].map(([symbol, amounts]) => [symbol, toText(amounts)])),
    orders: [...state.orders.values()].map((order) => orderView(order, entriesByOrder.get(order.id) ?? [], symbolOf)),
    imbalances: Books.imbalances(state.books)
  }
}

const toText = (amounts: Readonly<Record<string, bigint>>): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([place, amount]) => [place, String(amount)]))

const orderView = (
  order: SandboxOrder,
  held: ReadonlyArray<Books.Entry>,
  symbolOf: (id: string) => string
): BooksResponse["orders"][number] => ({
  id: order.id,
  account: order.account,
  status: order.status,
  payoutStatus: payoutStatus(order),
  inputAsset: symbolOf(order.origin.id),
  outputAsset: symbolOf(order.destination.id),
  deposited: String(order.deposited),
  spent: String(order.fills.reduce((sum, fill) => sum + fill.amountIn, 0n)),
  received: String(order.fills.reduce((sum, fill) => sum + fill.amountOut, 0n)),
  held: held.map(({ asset, place, amount }) => ({ asset: symbolOf(asset), place, amount: String(amount) }))
})
