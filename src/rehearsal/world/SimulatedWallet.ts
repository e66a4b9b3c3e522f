/**
 * Pays deposits on other chains in a rehearsal. A program pays within seconds and reports it; a person pays within minutes and reports
 * nothing. Both pay even if the bot that asked has ended. The money is the sandbox's own, over a connection without the rehearsal's
 * trouble.
 */
import { Effect, Exit, Layer } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { type PaymentRequest, Wallet, type WalletPort, WalletUnclear } from "../../engine/funding/Wallet.ts"
import type { Domain } from "./World.ts"

export interface Payer {
  readonly kind: WalletPort["kind"]
  readonly url: string
  readonly service: HttpClient.HttpClient
  readonly outside: Domain
  readonly random: () => number
}

const takesMillis = { command: [1_000, 10_000], manual: [60_000, 600_000] } as const
const sender = "rehearsal-wallet"

export const layer = ({ kind, outside, random, service, url }: Payer): Layer.Layer<never> => {
  const deposit = ({ amount, asset, depositAddress, depositMemo }: PaymentRequest) => {
    const memo = depositMemo === undefined ? {} : { memo: depositMemo }
    const body = { depositAddress, ...memo, asset: asset.id, amount: String(amount), sender }
    return service
      .execute(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${url}/sandbox/deposit`), body))
      .pipe(
        Effect.flatMap((response) => response.json),
        Effect.map(hashIn)
      )
  }

  const startPayment = (payment: PaymentRequest) => {
    const [least, most] = takesMillis[kind]
    const paying = Effect.andThen(Effect.sleep(least + Math.ceil(random() * (most - least))), deposit(payment))
    return outside.fork(paying)
  }

  const pay = Effect.fn("SimulatedWallet.pay")(function* (payment: PaymentRequest) {
    const paying = startPayment(payment)
    if (kind === "manual") return { txHash: undefined, sender: undefined }
    const txHash = yield* Effect.callback<string | undefined, WalletUnclear>((resume) => {
      paying.addObserver((exit) =>
        resume(
          Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.fail(new WalletUnclear({ text: "no answer" }))
        )
      )
    })
    return { txHash, sender }
  })

  return Layer.succeed(Wallet, { kind, pay })
}

const hashIn = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "txHash" in answer ? String(answer.txHash) : undefined
