/**
 * The only door to a payment. It signs only if the venue's payload contains exactly the one transfer that we journaled, and nothing else.
 * It checks the deposit address, the input asset, the amount, our account, a sane deadline, and the verifier and token name of the order's
 * deposit type (`Domains`). An accepted payload is signed unmodified, to the byte.
 *
 * The key holder is trusted no more than the venue. Its answer passes the same checks before it is sent, must contain the requested
 * payload, and must have a signature of the account's own key.
 */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type { Amount } from "../domain/Amount.ts"
import * as StrictJson from "../domain/StrictJson.ts"
import { faultsOf } from "../domain/Text.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import * as AccountKey from "./AccountKey.ts"
import * as Domains from "./Domains.ts"
import * as Nep413 from "./Nep413.ts"
import { Signer } from "./Signer.ts"

/** Untrusted until it has been checked here. */
export interface GeneratedIntent {
  readonly standard: string
  readonly payload: unknown
}

/** Signed bytes that can be sent repeatedly. `body` is the exact JSON text of the request. */
export interface SignedIntent {
  readonly body: string
  /** base58 of the signed digest: the hash that the venue must answer with. */
  readonly intentHash: string
  /** First epoch millisecond at which the verifier refuses it. */
  readonly validUntil: number
}

export interface PayingAccount {
  readonly signerId: string
  readonly domains: Domains.SigningDomains
}

/** The transfer that we mean to sign, from our own records. */
export interface ExpectedTransfer {
  /** The only payee. */ readonly depositAddress: string
  /** The deposit type of our order, which determines the verifier that executes the transfer. */
  readonly depositType: string
  /** The venue's asset id. */ readonly asset: string
  /** Smallest units, exactly. */ readonly amount: Amount
}

const failedCheck = { check: Schema.String, expected: Schema.String, found: Schema.String }

/** Nothing was signed. `check` names the first check that failed. */
export class IntentRefused extends Schema.TaggedError<IntentRefused>()("IntentRefused", {
  ...failedCheck,
  /** The address that it would pay instead, if the payee is what is wrong. */
  payee: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `Refused to sign the venue's payload: ${this.check}: expected ${this.expected}, found ${this.found}`
  }
}

/** The signer's answer does not match the request: nothing is sent. */
export class SignatureRefused extends Schema.TaggedError<SignatureRefused>()("SignatureRefused", failedCheck) {
  override get message(): string {
    return `The signer returned something other than requested; nothing was sent: ${this.check}: expected ${this.expected}, found ${this.found}`
  }
}

/** The signer could not be reached, or declines by its own caps. Nothing was signed, and the payload itself is acceptable. */
export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", {
  reason: Schema.String,
  /** The signer answered, and would answer the same if asked again now. */
  isDeclined: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `The signer did not sign: ${this.reason}`
  }
}

type Validity = Readonly<Record<"minMillis" | "maxMillis", number>>

/** Limits of a payload's remaining life: long enough to arrive, short enough to wait for. */
export const IntentValidity = Context.Reference<Validity>("limitbot/signing/IntentValidity", {
  defaultValue: () => ({ minMillis: Duration.toMillis("5 seconds"), maxMillis: Duration.toMillis("7 days") })
})

/** The only code that releases money: signs exactly the expected transfer, and refuses everything else. */
export class IntentGuard extends Context.Service<
  IntentGuard,
  {
    /** Signs if the payload pays exactly `expected` and nothing else; otherwise fails and signs nothing. */
    signTransfer(
      generated: GeneratedIntent,
      expected: ExpectedTransfer
    ): Effect.Effect<SignedIntent, IntentRefused | SignatureRefused | SignerUnavailable>
  }
>()("limitbot/signing/IntentGuard") {}

export interface PayloadToSign {
  readonly generated: GeneratedIntent
  readonly expected: ExpectedTransfer
  readonly wire: object
  readonly digest: Uint8Array
  readonly validUntil: number
}

export interface SignedPayload extends SignedIntent {
  /** An earlier signature for the same payment, requested by a bot that died before it had the answer. */
  readonly isEarlier: boolean
}

export type KeyHolder = (request: PayloadToSign) => Effect.Effect<SignedPayload, IntentRefused | SignerUnavailable>

export const make = Effect.fnUntraced(function* ({ domains, signerId }: PayingAccount, holder: KeyHolder) {
  const validity = yield* IntentValidity
  const { objection } = AccountKey.make(signerId)

  const check = Effect.fnUntraced(function* (generated: GeneratedIntent, expected: ExpectedTransfer, window: Validity) {
    yield* requireEqual("standard", "nep413", generated.standard)
    const domain = Domains.domainOf(domains, expected.depositType)
    if (domain === undefined)
      return yield* refusal("deposit type", "one that is paid by intent", show(expected.depositType))
    const { payload, wire } = yield* readPayload(generated.payload, domains, domain)
    const message = yield* requireShape("message", Message, yield* requireStrictJson("message", payload.message))
    yield* requireEqual("message.signer_id", signerId, message.signer_id)
    const validUntil = yield* readDeadline(message.deadline, yield* Clock.currentTimeMillis, window)
    yield* checkTransfer(message.intents, expected, Domains.tokenIn(domain, expected.asset))
    return { wire, digest: Nep413.digest(payload), validUntil }
  })

  const checkReturned = Effect.fnUntraced(function* (request: PayloadToSign, returned: SignedPayload) {
    const body = yield* requireShape("body", Body, yield* requireStrictJson("body", returned.body, maxBodyLength))
    const { public_key: publicKey, signature, ...signed } = body.signedData
    const window = { minMillis: -validity.maxMillis, maxMillis: validity.maxMillis }
    const { digest, validUntil, wire } = yield* check(signed, request.expected, window)
    const isRequested = JSON.stringify(wire) === JSON.stringify(request.wire)
    if (!isRequested && !returned.isEarlier) return yield* refusal("payload", "the one that was asked for", "another")
    yield* requireEqual("intentHash", Nep413.hashText(digest), returned.intentHash)
    if (returned.validUntil !== validUntil)
      return yield* refusal("validUntil", String(validUntil), String(returned.validUntil))
    const problem = objection(digest, { publicKey, signature })
    if (problem !== undefined) return yield* refusal("signature", "one of the account's key", problem)
    return isRequested
  })

  const signTransfer = Effect.fn("IntentGuard.signTransfer")(function* (
    generated: GeneratedIntent,
    expected: ExpectedTransfer
  ) {
    const signingRequest = { generated, expected, ...(yield* check(generated, expected, validity)) }
    const returned = yield* holder(signingRequest)
    const isRequested = yield* Effect.mapError(
      checkReturned(signingRequest, returned),
      ({ check, expected: wanted, found }) => new SignatureRefused({ check, expected: wanted, found })
    )
    const { body, intentHash, validUntil } = returned
    if (!isRequested && validUntil < (yield* Clock.currentTimeMillis) + validity.minMillis)
      return yield* new SignerUnavailable({ reason: "its earlier signature for this payment is about to expire" })
    return { body, intentHash, validUntil }
  })

  return IntentGuard.of({ signTransfer })
})

/** For a key in this process, or in a service that signs any bytes. */
export const layer = (payer: PayingAccount) =>
  Layer.effect(
    IntentGuard,
    Effect.gen(function* () {
      const signer = yield* Signer
      return yield* make(payer, ({ digest, validUntil, wire }) =>
        signer.sign(digest).pipe(
          Effect.mapError(({ text }) => new SignerUnavailable({ reason: text })),
          Effect.map(({ publicKey, signature }) => ({
            body: JSON.stringify({
              type: requestType,
              signedData: { standard: "nep413", payload: wire, public_key: publicKey, signature }
            }),
            intentHash: Nep413.hashText(digest),
            validUntil,
            isEarlier: false
          }))
        )
      )
    })
  )

const requestType = "swap_transfer"
const maxBodyLength = 100_000

type Checked<A> = Effect.Effect<A, IntentRefused>

const show = (value: unknown): string => (value === undefined ? "nothing" : String(JSON.stringify(value)).slice(0, 200))

const refusal = (check: string, expected: string, found: string): IntentRefused =>
  new IntentRefused({ check, expected, found })

const requireEqual = (check: string, expected: string, found: unknown): Checked<string> =>
  found === expected ? Effect.succeed(expected) : refusal(check, show(expected), show(found))

/** Refuses an unknown key, a missing key and a value of another form. */
const requireShape = <S extends Schema.Decoder<unknown>>(check: string, shape: S, found: unknown): Checked<S["Type"]> =>
  Effect.mapError(Schema.decodeUnknownEffect(shape, { onExcessProperty: "error" })(found), (error) => {
    const { message, path } = faultsOf(error)[0] ?? { message: error.message, path: [] }
    return refusal([check, ...path].join(".").slice(0, 200), "its exact form", `another: ${message}`)
  })

const Text = (maxLength: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => (text.length <= maxLength && text.isWellFormed()) || `well-formed text, at most ${maxLength} characters`
    )
  )
const Payload = Schema.Struct({
  message: Text(16_384),
  nonce: Text(44),
  recipient: Text(100),
  /** Inert for an off-chain message, but part of what is signed. */
  callbackUrl: Schema.optionalKey(Schema.NullOr(Text(2048)))
})
const Intent = Schema.Struct({
  intent: Schema.Unknown,
  receiver_id: Schema.Unknown,
  tokens: Schema.Record(Schema.String, Schema.Unknown)
})
const Message = Schema.Struct({ deadline: Text(64), intents: Schema.Tuple([Intent]), signer_id: Schema.Unknown })
const Body = Schema.Struct({
  type: Schema.Literal(requestType),
  signedData: Schema.Struct({
    standard: Text(100),
    payload: Schema.Unknown,
    public_key: Text(100),
    signature: Text(200)
  })
})

const readPayload = Effect.fnUntraced(function* (
  found: unknown,
  domains: Domains.SigningDomains,
  { verifier: recipient }: Domains.SigningDomain
) {
  const wire = yield* requireShape("payload", Payload, found)
  const nonce = Nep413.parseNonce(wire.nonce)
  if (nonce === undefined) return yield* refusal("payload.nonce", "32 bytes in base64", show(wire.nonce))
  if (wire.recipient !== recipient) {
    const [wanted, other] = [recipient, wire.recipient].map((each) => Domains.nameOf(domains, each))
    return yield* refusal("payload.recipient", wanted ?? "", other ?? "")
  }
  return { payload: { ...wire, nonce, callbackUrl: wire.callbackUrl ?? null }, wire }
})

const requireStrictJson = (check: string, text: string, maxLength?: number): Checked<unknown> =>
  Effect.mapError(Effect.fromResult(StrictJson.parseJson(text, maxLength)), (problem) =>
    refusal(check, "strict JSON", problem)
  )

/** Returns the first epoch millisecond at which the verifier refuses the message. */
const readDeadline = Effect.fnUntraced(function* (found: string, now: number, { maxMillis, minMillis }: Validity) {
  const deadline = Timestamp.parse(found)
  const window = `between ${Timestamp.format(now + minMillis)} and ${Timestamp.format(now + maxMillis)}`
  if (deadline === undefined || deadline < now + minMillis || deadline > now + maxMillis) {
    return yield* refusal("message.deadline", window, show(found))
  }
  return deadline + 1
})

const checkTransfer = Effect.fnUntraced(function* (
  [{ intent, receiver_id: payee, tokens }]: (typeof Message.Type)["intents"],
  expected: ExpectedTransfer,
  token: string
) {
  if (expected.amount <= 0n) return yield* refusal("amount", "a positive amount", String(expected.amount))
  yield* requireEqual("intent.intent", "transfer", intent)
  if (payee !== expected.depositAddress) {
    const wrong = { check: "intent.receiver_id", expected: show(expected.depositAddress), found: show(payee) }
    return yield* new IntentRefused({ ...wrong, ...(typeof payee === "string" ? { payee } : {}) })
  }
  yield* requireEqual("intent.tokens", token, Object.keys(tokens).join())
  yield* requireEqual("intent.tokens amount", String(expected.amount), tokens[token])
})
