/** Generates payloads that fund a deposit address, and verifies signed ones, in the verifier's order. Commands check the rest. */
import { Result, Schema } from "effect"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Domains from "../../signing/Domains.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import * as Nep413 from "../../signing/Nep413.ts"
import type { SignedData } from "../../venue/api/IntentsApi.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as Seeded from "../Seeded.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { type SandboxOrder, type SandboxSwap, type State, saltOf } from "./State.ts"

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
  Schema.Struct({ signer_id: Wire.Identifier, deadline: Wire.TimestampText, intents: Schema.Array(Transfer) })
)
const decodeMessage = Schema.decodeUnknownResult(Message, { onExcessProperty: "error" })

const unusable = (text: string) => refuse("request-rejected", text)

/** `serial` separates payloads of the same time. */
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
  const domain = Domains.domainOf(factsOf(settings).signing, depositType)
  if (domain === undefined) return unusable("this address is funded on its origin chain")

  const keys = [depositAddress, signerId, now, serial] as const
  const intent = {
    intent: "transfer",
    receiver_id: depositAddress,
    tokens: { [Domains.tokenIn(domain, target.origin.id)]: String(missing) }
  }
  const validUntil = now + Seeded.between(settings.intentMillis, settings.seed, "valid", ...keys)
  const deadline = Timestamp.format(validUntil)
  const nonce = Buffer.from(Seeded.bytes(settings.seed, "nonce", ...keys))
  if (isSalted(state)) {
    nonce.write(versionedMagic, 0, "hex")
    nonce.write(saltOf(state, domain.verifier), 5, "hex")
    nonce.writeBigInt64LE(BigInt(validUntil + 1_000) * 1_000_000n, 9)
  }
  const payload = {
    message: JSON.stringify({ deadline, intents: [intent], signer_id: signerId }),
    nonce: nonce.toString("base64"),
    recipient: domain.verifier
  }
  // The real service sends no callback, a null one, or one that has no effect but is part of the signed bytes.
  const callback = Seeded.between([0, 2], settings.seed, "callback", ...keys)
  if (callback === 0) return Result.succeed(payload)
  return Result.succeed({ ...payload, callbackUrl: callback === 1 ? null : "https://sandbox.invalid/signed" })
}

const missingIn = (target: SandboxOrder | SandboxSwap): bigint => {
  if (target.kind === "swap") return target.isClosed ? 0n : target.quoted.amountIn - target.deposited
  return target.status === "AWAITING_DEPOSIT" ? target.inputAmount - target.deposited : 0n
}

interface Unverified {
  /** True if the signature is not the signer's; false if the message is only unacceptable. */
  readonly isForged: boolean
  readonly text: string
}

export const verify = (state: State, signed: SignedData, purpose: "login" | "transfer") =>
  Result.gen(function* () {
    const { now, settings } = state
    const { login, signing } = factsOf(settings)
    const wrong = (text: string, isForged = false) => Result.fail<Unverified>({ isForged, text })
    const nonce = Nep413.parseNonce(signed.payload.nonce)
    if (nonce === undefined) return yield* wrong("nonce must be 32 bytes in base64")
    const digest = Nep413.digest({ ...signed.payload, nonce })
    if (!Ed25519.verify(signed.public_key, digest, signed.signature)) return yield* wrong("invalid signature", true)
    const decoded = decodeMessage(signed.payload.message)
    if (Result.isFailure(decoded)) return yield* wrong(`invalid message: ${decoded.failure.message}`)
    const message = decoded.success
    const deadline = Timestamp.parse(message.deadline) ?? 0
    const { recipient } = signed.payload
    const ledgers = Domains.depositsOf(signing, recipient)
    if (purpose === "login" ? recipient !== login.verifier : ledgers.length === 0)
      return yield* wrong("wrong verifying_contract")
    if (deadline < now) return yield* wrong("deadline has expired")
    if (Ed25519.implicitAccount(signed.public_key) !== message.signer_id) {
      return yield* wrong(`public key '${signed.public_key}' doesn't exist for account '${message.signer_id}'`, true)
    }
    const parts = nonceParts(nonce)
    if (parts !== undefined && parts.expiry < BigInt(deadline) * 1_000_000n) {
      return yield* wrong("deadline is greater than nonce")
    }
    const problem = purpose === "login" && login.nonce === "started" ? startProblem(state, parts) : undefined
    if (problem !== undefined) return yield* wrong(problem)
    if (isSalted(state) && parts !== undefined && parts.salt !== saltOf(state, recipient))
      return yield* wrong("invalid salt")
    // If both ledgers have the same verifier, only the deposit address tells them apart.
    const [ledger] = ledgers.length === 1 ? ledgers : []
    const nameIn = (token: string) => (ledger === undefined ? token : Domains.assetOf(signing[ledger], token))
    return {
      signerId: message.signer_id,
      intentHash: Nep413.hashText(digest),
      ...present({ ledger }),
      transfers: message.intents.flatMap(({ receiver_id: receiver, tokens }) =>
        Object.entries(tokens).map(([token, amount]) => ({
          receiver,
          asset: nameIn(token) ?? `token ${token}`,
          amount
        }))
      )
    }
  })

const isSalted = ({ settings }: State): boolean => factsOf(settings).login.nonce === "started"

const startProblem = (state: State, parts: NonceParts | undefined): string | undefined => {
  if (parts === undefined) return "timestamp validation failed: the nonce has no start"
  const { startsWithinSeconds: within } = factsOf(state.settings).login
  if (within === undefined) return undefined
  const seconds = (Number(parts.start / 1_000_000n) - state.now) / 1000
  return seconds < -within.before || seconds > within.after ? "timestamp validation failed" : undefined
}

const versionedMagic = "5628f6c600"

interface NonceParts {
  readonly salt: string
  /** Nanoseconds after which it expires. */
  readonly expiry: bigint
  /** Nanoseconds from which it is valid, if the login requires one; random otherwise. */
  readonly start: bigint
}

const nonceParts = (nonce: Uint8Array): NonceParts | undefined => {
  const bytes = Buffer.from(nonce)
  if (bytes.subarray(0, 5).toString("hex") !== versionedMagic) return undefined
  const salt = bytes.subarray(5, 9).toString("hex")
  return { salt, expiry: bytes.readBigInt64LE(9), start: bytes.readBigUInt64LE(17) }
}
