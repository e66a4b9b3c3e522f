/**
 * The key in another process: the bot asks over a socket and never has the key. A connection carries one request and one answer, each one
 * line of JSON. A payment that the signer process refuses stays unsigned, and a signature whose answer was lost was never sent. The guard
 * checks its signatures again, because they are trusted no more than the venue's payloads.
 */
import { connect } from "node:net"
import { Effect, Layer, Schema } from "effect"
import { accountOf, KeyOfAnother } from "../../signing/AccountKey.ts"
import * as Guard from "../../signing/IntentGuard.ts"
import { IntentGuard, IntentRefused, type PayingAccount, SignerUnavailable } from "../../signing/IntentGuard.ts"
import type { Nep413Payload } from "../../signing/Nep413.ts"
import { type CheckpointText, Signer, SigningRefused } from "../../signing/Signer.ts"

/** Payloads are the venue's JSON; the signer parses them itself. */
export const SignerRequest = Schema.TaggedUnion({
  Transfer: {
    standard: Schema.String,
    payload: Schema.Json,
    depositAddress: Schema.String,
    /** Missing from bots that are older than the second verifier. */
    depositType: Schema.optionalKey(Schema.String),
    asset: Schema.String,
    amount: Schema.String
  },
  /** The message that opens a session, without intents. `nonce` is base64. */
  Login: { message: Schema.String, nonce: Schema.String, recipient: Schema.String },
  Checkpoint: { text: Schema.String },
  /** An approval of one payment of at most this amount. `validUntil` is in epoch milliseconds. */
  Approve: {
    asset: Schema.String,
    amount: Schema.String.check(Schema.isPattern(/^[1-9]\d{0,60}$/)),
    validUntil: Schema.Int,
    nonce: Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
    signature: Schema.String
  },
  Who: {}
})
export type SignerRequest = typeof SignerRequest.Type

const signed = { body: Schema.String, intentHash: Schema.String, validUntil: Schema.Int }
export const SignerAnswer = Schema.TaggedUnion({
  Signed: signed,
  /** Not the requested payload: an earlier one for the same payment, which may still be executed. */
  SignedBefore: signed,
  LoggedIn: { publicKey: Schema.String, signature: Schema.String },
  CheckpointSigned: { publicKey: Schema.String, signature: Schema.String },
  Approved: {},
  Holder: { signerId: Schema.String, publicKey: Schema.String },
  Refused: { check: Schema.String, expected: Schema.String, found: Schema.String },
  Unavailable: { reason: Schema.String },
  Declined: { reason: Schema.String }
})
export type SignerAnswer = typeof SignerAnswer.Type

const patience = "10 seconds"
export const longestLine = 100_000

const encode = Schema.encodeSync(Schema.fromJsonString(SignerRequest))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SignerAnswer))

export const exchange = (socket: string, line: string): Effect.Effect<string, string> =>
  Effect.callback<string, string>((resume) => {
    let reply = ""
    const connection = connect(socket, () => connection.write(`${line}\n`))
    connection.setEncoding("utf8")
    connection.on("data", (part: string) => {
      reply += part
      if (reply.length > longestLine) connection.destroy()
    })
    connection.on("error", (error) => resume(Effect.fail(error.message)))
    connection.on("close", () => resume(reply.endsWith("\n") ? Effect.succeed(reply) : Effect.fail("it said nothing")))
    return Effect.sync(() => connection.destroy())
  })

const ask = (socket: string, request: SignerRequest): Effect.Effect<SignerAnswer, SignerUnavailable> =>
  exchange(socket, encode(request)).pipe(
    Effect.timeout(patience),
    Effect.flatMap((line) => decode(line)),
    Effect.mapError((error) => new SignerUnavailable({ reason: typeof error === "string" ? error : error.message }))
  )

const asJson = Schema.decodeUnknownOption(Schema.Json)

/** Fails if the signer process reports another account. A process that does not answer may start later. */
export const signsFor = Effect.fn("RemoteSigner.signsFor")(function* (socket: string, account: string) {
  const answer = yield* Effect.option(ask(socket, { _tag: "Who" }))
  if (answer._tag === "None" || answer.value._tag !== "Holder") return account
  const { publicKey, signerId } = answer.value
  if (signerId !== account) return yield* new KeyOfAnother({ account, publicKey, signsFor: signerId })
  return yield* accountOf(publicKey, account)
})

export const guardLayer = (socket: string, payer: PayingAccount) =>
  Layer.effect(
    IntentGuard,
    Guard.make(
      payer,
      Effect.fnUntraced(function* ({ expected, generated: { payload, standard } }) {
        const json = asJson(payload)
        if (json._tag === "None") {
          return yield* new IntentRefused({ check: "payload", expected: "JSON", found: typeof payload })
        }
        const amount = String(expected.amount)
        const answer = yield* ask(socket, { _tag: "Transfer", standard, payload: json.value, ...expected, amount })
        if (answer._tag === "Signed" || answer._tag === "SignedBefore")
          return { ...answer, isEarlier: answer._tag === "SignedBefore" }
        if (answer._tag === "Unavailable") return yield* new SignerUnavailable({ reason: answer.reason })
        if (answer._tag === "Declined") return yield* new SignerUnavailable({ reason: answer.reason, isDeclined: true })
        if (answer._tag === "Refused") {
          const { check, expected: wanted, found } = answer
          return yield* new IntentRefused({ check, expected: wanted, found })
        }
        return yield* new IntentRefused({ check: "signer process", expected: "a transfer", found: answer._tag })
      })
    )
  )

export class ApprovalRefused extends Schema.TaggedError<ApprovalRefused>()("ApprovalRefused", {
  message: Schema.String
}) {}

export const approve = Effect.fn("RemoteSigner.approve")(function* (
  socket: string,
  { amount, asset, nonce, signature, validUntil }: Omit<Extract<SignerRequest, { readonly _tag: "Approve" }>, "_tag">
) {
  const answer = yield* ask(socket, { _tag: "Approve", amount, asset, nonce, signature, validUntil })
  if (answer._tag === "Approved") return
  const why =
    answer._tag === "Refused" ? `${answer.check}: expected ${answer.expected}, found ${answer.found}` : answer._tag
  return yield* new ApprovalRefused({ message: `The signer rejected the approval: ${why}` })
})

/** `undefined` if the signer process does not report its key now. */
export const publicKeyOf = (socket: string): Effect.Effect<string | undefined> =>
  ask(socket, { _tag: "Who" }).pipe(
    Effect.map((answer) => (answer._tag === "Holder" ? answer.publicKey : undefined)),
    Effect.orElseSucceed(() => undefined)
  )

export const layer = (socket: string): Layer.Layer<Signer> =>
  Layer.succeed(Signer, {
    sign: Effect.fnUntraced(function* (_bytes, seen) {
      if (seen === undefined) return yield* new SigningRefused({ text: "the signer process sees whole messages only" })
      const answer = yield* Effect.mapError(
        ask(socket, requestOf(seen)),
        ({ message }) => new SigningRefused({ text: message })
      )
      if (answer._tag === "LoggedIn" || answer._tag === "CheckpointSigned")
        return { publicKey: answer.publicKey, signature: answer.signature }
      const text = answer._tag === "Refused" ? `${answer.check}: ${answer.found}` : "another answer than asked for"
      return yield* new SigningRefused({ text })
    })
  })

const requestOf = (seen: Nep413Payload | CheckpointText): SignerRequest =>
  "checkpoint" in seen
    ? { _tag: "Checkpoint", text: seen.checkpoint }
    : {
        _tag: "Login",
        message: seen.message,
        nonce: Buffer.from(seen.nonce).toString("base64"),
        recipient: seen.recipient
      }
