/** Reads public views of the verifier's contract from its ledger's RPC address (`facts.saltFrom`). A view proves and moves nothing. */
import { Effect, Option, Schema } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import * as Reply from "./Reply.ts"

const patience = "10 seconds"

const RpcReply = Schema.Struct({ result: Schema.Struct({ result: Schema.Array(Schema.Int) }) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(RpcReply))

interface View {
  readonly operation: string
  readonly address: string
  readonly contract: string
  readonly method: string
  readonly args?: object
  /** `optimistic`: the newest block; `final`: a block that cannot be reverted, a second or two older. */
  readonly finality: "optimistic" | "final"
}

export const ask = Effect.fn("LedgerView.ask")(
  function* (http: HttpClient.HttpClient, { address, args = {}, contract, finality, method, operation }: View) {
    const params = {
      request_type: "call_function",
      finality,
      account_id: contract,
      method_name: method,
      args_base64: Buffer.from(JSON.stringify(args)).toString("base64")
    }
    const body = JSON.stringify({ jsonrpc: "2.0", id: "limitbot", method: "query", params })
    const response = yield* http.execute(
      HttpClientRequest.post(address).pipe(HttpClientRequest.bodyText(body, "application/json"))
    )
    const reply = yield* Reply.receive({ operation, kind: "read" }, response)
    return Option.map(decode(reply.body), ({ result }) => Buffer.from(result.result).toString("utf8"))
  },
  Effect.timeout(patience),
  Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
)
