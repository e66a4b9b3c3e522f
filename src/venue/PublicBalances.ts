/** The account's public money: balances of the verifier's contract, read from an RPC address of its ledger. */
import { Effect, Option, Schema } from "effect"
import { HttpClient } from "effect/http"
import * as LedgerView from "./http/LedgerView.ts"
import { noAnswer } from "./http/Reply.ts"
import type { Venue } from "./Venue.ts"
import { factsOf, VenueConfig } from "./VenueConfig.ts"
import { parseAmount } from "./wire/WireValue.ts"

const operation = "read public balances"
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

export const make = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const config = yield* VenueConfig
  const { saltFrom: address, signing } = factsOf(config)
  const { signerId } = config.account

  const publicBalances: Venue["Service"]["publicBalances"] = Effect.fn("Venue.publicBalances")(function* (assetIds) {
    if (address === undefined) return undefined
    const text = yield* LedgerView.ask(http, {
      operation,
      address,
      contract: signing.INTENTS.verifier,
      method: "mt_batch_balance_of",
      args: { account_id: signerId, token_ids: assetIds },
      finality: "optimistic"
    }).pipe(Effect.catch(({ message }) => noAnswer(operation, `${address}: ${message}`)))
    const amounts = Option.getOrElse(Option.flatMap(text, decode), (): ReadonlyArray<string> => [])
    const balances = assetIds.flatMap((tokenId, index) => {
      const available = parseAmount(amounts[index] ?? "")
      return available === undefined ? [] : [{ tokenId, available, source: "public" }]
    })
    if (amounts.length === assetIds.length && balances.length === assetIds.length) return balances
    return yield* noAnswer(operation, `${address} does not tell what ${signerId} has at ${signing.INTENTS.verifier}`)
  })
  return publicBalances
})
