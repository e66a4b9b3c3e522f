/** The sandbox's own endpoints for people and tests. A real service has none of them. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { messageError } from "../../venue/wire/WireError.ts"
import * as Books from "../core/money/Books.ts"
import * as Salts from "../core/Salts.ts"
import type { State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { type MarketResponse, SandboxApi } from "../SandboxApi.ts"
import * as Keys from "./Keys.ts"
import { asMessageError } from "./refusals.ts"
import { booksView } from "./wire/wireBooks.ts"

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    return handlers.handleAll({
      deposit: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "DepositOnChain", payload }).pipe(asMessageError)
      }),
      outcome: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "TellOutcome", payload }).pipe(asMessageError)
      }),
      lie: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "TellLie", payload }).pipe(asMessageError)
      }),
      prices: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "SetPrices", payload }).pipe(asMessageError)
      }),
      fill: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "FillOrder", payload }).pipe(asMessageError)
      }),
      advance: Effect.fnUntraced(function* ({ payload }) {
        return yield* sandbox.change({ tag: "AdvanceTime", payload }).pipe(asMessageError)
      }),
      rotateSalts: Effect.fnUntraced(function* () {
        return yield* sandbox.change({ tag: "RotateSalts", payload: {} }).pipe(asMessageError)
      }),
      rpc: Effect.fnUntraced(function* ({ payload: { id, params } }) {
        const salts = yield* sandbox.read(Salts.present).pipe(asMessageError)
        const salt = salts[params.account_id]
        if (salt === undefined) return yield* messageError(400, `there is no contract ${params.account_id}`)
        const answer =
          params.method_name === "current_salt"
            ? salt
            : yield* sandbox.read((state) => publicBalances(state, params.args_base64)).pipe(asMessageError)
        return { jsonrpc: "2.0", id, result: { result: [...Buffer.from(JSON.stringify(answer))] } } as const
      }),
      connection: Effect.fnUntraced(function* () {
        return yield* sandbox.read(({ settings }) => Keys.connection(settings)).pipe(asMessageError)
      }),
      books: Effect.fnUntraced(function* () {
        return yield* sandbox.read(booksView).pipe(asMessageError)
      }),
      market: Effect.fnUntraced(function* () {
        return yield* sandbox.read(marketView).pipe(asMessageError)
      })
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
