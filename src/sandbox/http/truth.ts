/** The sandbox's own endpoints for people and tests. A real service has none of them. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { messageError } from "../../venue/wire/WireError.ts"
import * as Books from "../core/money/Books.ts"
import { payoutStatus } from "../core/orders/OrderLife.ts"
import { presentSalts, type SandboxOrder, type State } from "../core/State.ts"
import { type BooksResponse, type MarketResponse, SandboxApi } from "../SandboxApi.ts"
import { assetById } from "../Settings.ts"
import * as Keys from "./Keys.ts"
import { sandboxForMessages } from "./refusals.ts"

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages
    return handlers.handleAll({
      deposit: ({ payload }) => sandbox.change({ tag: "DepositOnChain", payload }),
      outcome: ({ payload }) => sandbox.change({ tag: "TellOutcome", payload }),
      lie: ({ payload }) => sandbox.change({ tag: "TellLie", payload }),
      prices: ({ payload }) => sandbox.change({ tag: "SetPrices", payload }),
      fill: ({ payload }) => sandbox.change({ tag: "FillOrder", payload }),
      advance: ({ payload }) => sandbox.change({ tag: "AdvanceTime", payload }),
      rotateSalts: () => sandbox.change({ tag: "RotateSalts", payload: {} }),
      rpc: Effect.fnUntraced(function* ({ payload: { id, params } }) {
        const salts = yield* sandbox.read(presentSalts)
        const salt = salts[params.account_id]
        if (salt === undefined) return yield* messageError(400, `there is no contract ${params.account_id}`)
        const answer =
          params.method_name === "current_salt"
            ? salt
            : yield* sandbox.read((state) => publicBalances(state, params.args_base64))
        return { jsonrpc: "2.0", id, result: { result: [...Buffer.from(JSON.stringify(answer))] } } as const
      }),
      connection: () => sandbox.read(({ settings }) => Keys.connection(settings)),
      books: () => sandbox.read(booksView),
      market: () => sandbox.read(marketView)
    })
  })
)

const decodeHolding = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ account_id: Schema.String, token_ids: Schema.Array(Schema.String) }))
)

const publicBalances = ({ books }: State, argsBase64: string): ReadonlyArray<string> => {
  const query = decodeHolding(Buffer.from(argsBase64, "base64").toString("utf8"))
  if (query._tag === "None") return []
  const { account_id: account, token_ids } = query.value
  return token_ids.map((id) => String(Books.amountIn(books, id, { account, place: "balance" })))
}

const marketView = (state: State): MarketResponse => {
  const { assets, speed, spread } = state.settings
  const pairs = assets.flatMap((base) =>
    assets.filter((quote) => quote.id !== base.id && quote.volatility === 0).map((quote) => ({ base, quote }))
  )
  return {
    at: state.now,
    speed,
    prices: Object.fromEntries(assets.map((asset) => [asset.symbol, state.model.usd(asset, state.now)])),
    markets: Object.fromEntries(
      pairs.map(({ base, quote }) => {
        const mid = state.model.mid(base, quote, state.now)
        return [`${base.symbol}/${quote.symbol}`, { bid: mid * (1 - spread / 2), mid, ask: mid * (1 + spread / 2) }]
      })
    )
  }
}

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
