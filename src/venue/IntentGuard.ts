/**
 * The only door to the signing key. It refuses to sign unless the payload that the venue generated holds exactly the one
 * transfer that we journaled: the order's deposit address, the input asset, the amount, our account, the configured
 * verifier, a sane deadline, and nothing else. (Contract only here for now; see `layer`.)
 */
import { Context, type Effect, Schema } from "effect"
import type { Amount } from "../domain/Amount.ts"
import type { GeneratedIntent, SignedIntent } from "./Venue.ts"

/** The transfer that we mean to sign, from our own records. */
export interface ExpectedTransfer {
  readonly depositAddress: string
  /** The venue's id of the input asset. */
  readonly asset: string
  readonly amount: Amount
}

/** Nothing was signed. `check` names the first check that failed. */
export class IntentRefused extends Schema.TaggedError<IntentRefused>()("IntentRefused", {
  check: Schema.String,
  expected: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `Refused to sign the venue's payload: ${this.check}: expected ${this.expected}, found ${this.found}`
  }
}

export class IntentGuard extends Context.Service<
  IntentGuard,
  {
    /** Checks and signs; the signature is verified again before it is returned. */
    signTransfer(generated: GeneratedIntent, expected: ExpectedTransfer): Effect.Effect<SignedIntent, IntentRefused>
  }
>()("limitbot/venue/IntentGuard") {}
