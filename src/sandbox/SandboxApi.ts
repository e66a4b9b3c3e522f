/** The contract of the service, with the sandbox's own endpoints for its books and its market. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MessageValidation } from "../venue/api/RequestValidation.ts"
import { WholeVenueApi } from "../venue/api/VenueApi.ts"
import { VenueFacts } from "../venue/profile/Facts.ts"
import { messageErrorAt } from "../venue/wire/WireError.ts"
import * as Wire from "../venue/wire/WireValue.ts"
import { payloads } from "./core/Commands.ts"

const Amounts = Schema.Record(Schema.String, Schema.String)

export const BooksResponse = Schema.Struct({
  /** Epoch milliseconds. */
  at: Schema.Int,
  assets: Schema.Record(Schema.String, Schema.Struct({ id: Schema.String, decimals: Schema.Int })),
  /** By account, symbol and place: an account's holdings in all places equal `initial + external + traded`. */
  accounts: Schema.Record(Schema.String, Schema.Record(Schema.String, Amounts)),
  totals: Schema.Record(Schema.String, Amounts),
  orders: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      account: Schema.String,
      status: Schema.String,
      payoutStatus: Schema.String,
      inputAsset: Schema.String,
      outputAsset: Schema.String,
      deposited: Schema.String,
      spent: Schema.String,
      received: Schema.String,
      held: Schema.Array(Schema.Struct({ asset: Schema.String, place: Schema.String, amount: Schema.String }))
    })
  ),
  imbalances: Schema.Array(Schema.String)
}).annotate({ identifier: "SandboxBooks" })
export type BooksResponse = typeof BooksResponse.Type

export const MarketResponse = Schema.Struct({
  at: Schema.Int,
  speed: Schema.Finite,
  /** US dollars by symbol. */
  prices: Schema.Record(Schema.String, Schema.Finite),
  markets: Schema.Record(Schema.String, Schema.Struct({ bid: Schema.Finite, mid: Schema.Finite, ask: Schema.Finite }))
}).annotate({ identifier: "SandboxMarket" })
export type MarketResponse = typeof MarketResponse.Type

const GeneratedAccount = Schema.Struct({ key: Schema.String, signerId: Schema.String })

export const ConnectionResponse = Schema.Struct({
  apiKey: Schema.String,
  partnerJwt: Schema.String,
  quoteKey: Schema.String,
  ledger: Schema.Literals(Wire.ledgers),
  verifier: Schema.String,
  facts: Schema.optionalKey(VenueFacts),
  account: GeneratedAccount,
  others: Schema.optionalKey(Schema.Array(GeneratedAccount))
}).annotate({ identifier: "SandboxConnection" })
export type ConnectionResponse = typeof ConnectionResponse.Type

const error = [400, 404, 503].map(messageErrorAt)

/** Epoch milliseconds. */
const ServiceTime = Schema.Struct({ at: Schema.Int })

const SaltsResponse = Schema.Struct({ salts: Schema.Record(Schema.String, Schema.String) })

const RpcRequest = Schema.Struct({
  jsonrpc: Schema.Literals(["2.0"]),
  id: Schema.Union([Schema.String, Schema.Int]),
  method: Schema.Literals(["query"]),
  params: Schema.Struct({
    request_type: Schema.Literals(["call_function"]),
    finality: Schema.String,
    account_id: Schema.String,
    method_name: Schema.Literals(["current_salt", "mt_batch_balance_of"]),
    args_base64: Schema.String
  })
})
const RpcResponse = Schema.Struct({
  jsonrpc: Schema.Literals(["2.0"]),
  id: Schema.Union([Schema.String, Schema.Int]),
  result: Schema.Struct({ result: Schema.Array(Schema.Int) })
})

export const saltFrom = (url: string): string => `${url}/sandbox/rpc`

const posted = <const Id extends string, Payload extends Schema.Top, Success extends Schema.Top>(
  id: Id,
  payload: Payload,
  success: Success
) => HttpApiEndpoint.post(id, `/sandbox/${id}`, { payload, success, error }).middleware(MessageValidation)

const OfDeposit = Schema.Struct({ depositAddress: Schema.String })
const SandboxGroup = HttpApiGroup.make("sandbox").add(
  posted("deposit", payloads.DepositOnChain, Schema.Struct({ txHash: Schema.String })),
  posted("outcome", payloads.TellOutcome, OfDeposit),
  posted("lie", payloads.TellLie, OfDeposit),
  posted("prices", payloads.SetPrices, ServiceTime),
  posted("fill", payloads.FillOrder, Schema.Struct({ orderId: Schema.String, executed: Schema.String })),
  posted("advance", payloads.AdvanceTime, ServiceTime),
  HttpApiEndpoint.post("rotateSalts", "/sandbox/salts", { success: SaltsResponse, error }),
  posted("rpc", RpcRequest, RpcResponse),
  HttpApiEndpoint.get("connection", "/sandbox/connection", { success: ConnectionResponse, error }),
  HttpApiEndpoint.get("books", "/sandbox/books", { success: BooksResponse, error }),
  HttpApiEndpoint.get("market", "/sandbox/market", { success: MarketResponse, error })
)

export const SandboxApi = WholeVenueApi.add(SandboxGroup).annotateMerge(
  OpenApi.annotations({
    title: "limitbot sandbox",
    description:
      "A twin of the service for trying things out: swaps, limit orders, accounts and history. Its money is worth nothing."
  })
)
