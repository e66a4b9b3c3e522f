/**
 * Signed transfers: generating the payload that funds a deposit address, and the verifier's checks of the signed
 * result, in the verifier's order, up to those that need the state (`ExecuteIntent`). Generating changes nothing.
 */
import { Result, Schema } from "effect"
import type { SignedData } from "../../../venue/api/IntentsApi.ts"
import * as Ed25519 from "../../../venue/signing/Ed25519.ts"
import * as Nep413 from "../../../venue/signing/Nep413.ts"
import * as Wire from "../../../venue/wire/WireValue.ts"
import type { Command } from "../Commands.ts"
import { type Refusal, refuse } from "../Refusal.ts"
import * as Seeded from "../Seeded.ts"
import type { SandboxSettings } from "../Settings.ts"
import type { SandboxOrder, SandboxSwap, State } from "../State.ts"

const AmountText = Schema.String.check(
  Schema.makeFilter((text: string) => (Wire.parseAmount(text) ?? 0n) > 0n || "a positive amount")
)

const Transfer = Schema.Struct({
  intent: Schema.Literals(["transfer"]),
  receiver_id: Wire.Identifier,
  tokens: Schema.Record(Schema.String, AmountText),
  memo: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Message = Schema.fromJsonString(
  Schema.Struct({
    signer_id: Wire.Identifier,
    deadline: Wire.TimestampText,
    intents: Schema.Array(Transfer)
  })
)
const decodeMessage = Schema.decodeUnknownResult(Message, { onExcessProperty: "error" })

const unusable = (text: string) => refuse("request-rejected", text)

/** A payload for what an order still lacks, as far as it has noticed; `serial` separates payloads of one moment. */
export const generate = (
  state: State,
  request: { readonly signerId: string; readonly standard: string; readonly depositAddress: string },
  serial: number
): Result.Result<SignedData["payload"], Refusal> => {
  const { settings, now } = state
  const { signerId, depositAddress } = request
  const target = state.targets.get(depositAddress)
  if (request.standard !== "nep413") return unusable(`standard ${request.standard} is not supported here, use nep413`)
  if (signerId !== signerId.toLowerCase()) return unusable("signerId must be lowercase")
  if (target === undefined) return refuse("order-not-found", `Deposit address ${depositAddress} not found`)
  const missing = missingIn(target)
  const depositType = target.kind === "order" ? target.depositType : target.request.depositType
  if (missing <= 0n) return unusable(`nothing can be deposited: it is ${target.status}`)
  if (depositType === "ORIGIN_CHAIN") return unusable("this address is funded on its origin chain")

  const keys = [depositAddress, signerId, now, serial] as const
  const intent = { intent: "transfer", receiver_id: depositAddress, tokens: { [target.origin.id]: String(missing) } }
  const deadline = Wire.formatTimestamp(now + Seeded.between(settings.intentMillis, settings.seed, "valid", ...keys))
  const payload = {
    message: JSON.stringify({ deadline, intents: [intent], signer_id: signerId }),
    nonce: Buffer.from(Seeded.bytes(settings.seed, "nonce", ...keys)).toString("base64"),
    recipient: settings.verifier
  }
  // The real service sends no callback, a null one, or one that means nothing but is part of what is signed.
  const callback = Seeded.between([0, 2], settings.seed, "callback", ...keys)
  if (callback === 0) return Result.succeed(payload)
  return Result.succeed({ ...payload, callbackUrl: callback === 1 ? null : "https://sandbox.invalid/signed" })
}

/** The amount that a deposit address still lacks, as far as its order or swap has noticed. */
const missingIn = (target: SandboxOrder | SandboxSwap): bigint => {
  if (target.kind === "swap") return target.isClosed ? 0n : target.quoted.amountIn - target.deposited
  return target.status === "AWAITING_DEPOSIT" ? target.inputAmount - target.deposited : 0n
}

/** The content of a signed message that has passed every check without state. */
interface Verified {
  readonly signerId: string
  readonly intentHash: string
  readonly transfers: Command<"ExecuteIntent">["payload"]["transfers"]
}

interface Unverified {
  /** True if the message is not the signer's; false if it is only unacceptable. */
  readonly isForged: boolean
  readonly text: string
}

/** Checks signature, message, recipient, deadline, the signer's key and the nonce's form; names the first fault. */
export const verify = (
  settings: SandboxSettings,
  now: number,
  signed: SignedData
): Result.Result<Verified, Unverified> =>
  Result.gen(function* () {
    const wrong = (text: string, isForged = false) => Result.fail<Unverified>({ isForged, text })
    const nonce = Nep413.parseNonce(signed.payload.nonce)
    if (nonce === undefined) return yield* wrong("nonce must be 32 bytes in base64")
    const digest = Nep413.digest({ ...signed.payload, nonce })
    if (!Ed25519.verify(signed.public_key, digest, signed.signature)) return yield* wrong("invalid signature", true)
    const decoded = decodeMessage(signed.payload.message)
    if (Result.isFailure(decoded)) return yield* wrong(`invalid message: ${decoded.failure.message}`)
    const message = decoded.success
    const deadline = Wire.parseTimestamp(message.deadline) ?? 0
    if (signed.payload.recipient !== settings.verifier) return yield* wrong("wrong verifying_contract")
    if (deadline < now) return yield* wrong("deadline has expired")
    if (Ed25519.implicitAccount(signed.public_key) !== message.signer_id) {
      return yield* wrong(`public key '${signed.public_key}' doesn't exist for account '${message.signer_id}'`, true)
    }
    const expiry = nonceExpiry(nonce)
    if (expiry !== undefined && expiry < BigInt(deadline) * 1_000_000n) {
      return yield* wrong("deadline is greater than nonce")
    }
    return {
      signerId: message.signer_id,
      intentHash: Nep413.hashText(digest),
      transfers: message.intents.flatMap(({ receiver_id: receiver, tokens }) =>
        Object.entries(tokens).map(([asset, amount]) => ({ receiver, asset, amount }))
      )
    }
  })

const versionedMagic = "5628f6c600"

/** The nanoseconds after which a versioned nonce expires. */
const nonceExpiry = (nonce: Uint8Array): bigint | undefined => {
  const bytes = Buffer.from(nonce)
  return bytes.subarray(0, 5).toString("hex") === versionedMagic ? bytes.readBigInt64LE(9) : undefined
}
