/** Pays sandbox money on other chains by a request to the sandbox. No real service has this endpoint, so nothing can be lost there. */
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { type PaymentRequest, Wallet, WalletRefused, WalletUnclear } from "../../engine/funding/Wallet.ts"

const Answer = Schema.Struct({ txHash: Schema.String })

export const layer = (url: string, sender: string) =>
  Layer.effect(
    Wallet,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient

      const pay = Effect.fn("SandboxWallet.pay")(function* (payment: PaymentRequest) {
        const { amount, asset, depositAddress, depositMemo } = payment
        const memo = depositMemo === undefined ? {} : { memo: depositMemo }
        const body = { depositAddress, ...memo, asset: asset.id, amount: String(amount), sender }
        const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${url}/sandbox/deposit`), body)
        const unclear = ({ message }: { readonly message: string }) => new WalletUnclear({ text: message })
        const response = yield* Effect.mapError(client.execute(request), unclear)
        if (response.status >= 400 && response.status < 500) {
          return yield* new WalletRefused({ text: `the sandbox answered ${response.status}` })
        }
        const { txHash } = yield* Effect.mapError(HttpClientResponse.schemaBodyJson(Answer)(response), unclear)
        return { txHash, sender }
      })

      return { kind: "command" as const, pay }
    })
  )
