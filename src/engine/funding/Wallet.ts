/** The port through which money leaves an account on another chain. The caller never repeats an unclear payment without an approval. */
import { Context, Effect, Schema } from "effect"
import type { Amount, Asset } from "../../domain/Amount.ts"
import { minuteMillis } from "../../domain/Durations.ts"

export const walletPatienceMillis = 10 * minuteMillis

export interface PaymentRequest {
  /** Unique in the journal, so a wallet can use it to refuse a second payment. */
  readonly reference: string
  readonly asset: Asset
  /** Exact amount to pay, smallest units. */
  readonly amount: Amount
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  /** Epoch milliseconds. The venue sends later arrivals back, less fees. */
  readonly deadline: number
}

export interface Paid {
  /** Unknown if a person pays; the deposit then shows at the venue. */
  readonly txHash: string | undefined
  readonly sender: string | undefined
}

export class WalletRefused extends Schema.TaggedError<WalletRefused>()("WalletRefused", { text: Schema.String }) {
  override get message(): string {
    return `The wallet did not pay: ${this.text}`
  }
}

export class WalletUnclear extends Schema.TaggedError<WalletUnclear>()("WalletUnclear", { text: Schema.String }) {
  override get message(): string {
    return `The wallet may or may not have paid: ${this.text}`
  }
}

export interface WalletPort {
  readonly kind: "manual" | "command"
  pay(payment: PaymentRequest): Effect.Effect<Paid, WalletRefused | WalletUnclear>
}

/** A person pays: journal and screen show address, memo, amount and deadline, and the bot waits and watches. */
export const manual: WalletPort = {
  kind: "manual",
  pay: () => Effect.succeed({ txHash: undefined, sender: undefined })
}

export const Wallet = Context.Reference<WalletPort>("limitbot/engine/funding/Wallet", { defaultValue: () => manual })
