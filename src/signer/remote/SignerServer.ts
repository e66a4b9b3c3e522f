/**
 * The signer process: the key, the guard, its own caps and its own record, behind a Unix socket that only its owner, or its group, can
 * open. It accepts no bytes to sign: it reads the venue's payload itself, checks it against the transfer named in the request, and signs
 * only a payload that is exactly that transfer. It handles one request at a time, so that the caps hold.
 */
import { chmodSync, unlinkSync } from "node:fs"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Clock, Deferred, Effect, Result, Schema, Semaphore } from "effect"
import { Socket } from "effect/socket"
import { dayMillis, minuteMillis } from "../../domain/Durations.ts"
import * as StrictJson from "../../domain/StrictJson.ts"
import { messageOf, sentenceOf } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Checkpoint from "../../signing/Checkpoint.ts"
import { IntentGuard } from "../../signing/IntentGuard.ts"
import * as Nep413 from "../../signing/Nep413.ts"
import { Signer } from "../../signing/Signer.ts"
import * as CountedTime from "./CountedTime.ts"
import { approvalsUsed, objectionTo, objectionToLogin, ownChecks, type Policy } from "./Policy.ts"
import { approverOf } from "./PolicySeal.ts"
import type { Record, RecordBroken } from "./Record.ts"
import { longestLine, SignerAnswer, SignerRequest } from "./RemoteSigner.ts"
import { givenBefore, marginMillis } from "./Spending.ts"

export interface SignerOptions {
  readonly socket: string
  readonly openTo: "owner" | "group"
  readonly signerId: string
  readonly publicKey: string
  readonly loginVerifier: string
  /** All policies in force at a time. A payment has to satisfy each. */
  readonly policies: (now: number) => ReadonlyArray<Policy>
  readonly record: Record
}

export class SocketUnavailable extends Schema.TaggedError<SocketUnavailable>()("SocketUnavailable", {
  message: Schema.String
}) {}

const maxApprovalMillis = 7 * dayMillis

const modeFor = { owner: 0o600, group: 0o660 } as const

const requestMillis = 5_000
const maxWaiting = 64

const strict = { onExcessProperty: "error" } as const
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SignerRequest), strict)
const encode = Schema.encodeSync(Schema.fromJsonString(SignerAnswer))

const refused = (check: string, expected: string, found: string) =>
  ({ _tag: "Refused", check, expected, found }) as const

const declined = (check: string, expected: string, found: string): SignerAnswer => ({
  _tag: "Declined",
  reason: `its own ${check} allows ${expected}, this is ${found}`
})

const answerer = Effect.fn("SignerServer.answerer")(function* (options: Omit<SignerOptions, "socket" | "openTo">) {
  const { policies, publicKey, record, signerId } = options
  const [guard, signer] = [yield* IntentGuard, yield* Signer]
  const oneAtATime = yield* Semaphore.make(1)

  const clock = yield* CountedTime.make(record.entries)

  const refuse = Effect.fnUntraced(function* (check: string, expected: string, found: string, about = {}) {
    const reason = `${check}: expected ${expected}, found ${found}`
    yield* record.append({ at: yield* clock, what: "refused", ...about, reason })
    return refused(check, expected, found)
  })

  const unavailable = Effect.fnUntraced(function* (reason: string, about: object) {
    yield* record.append({ at: yield* clock, what: "refused", ...about, reason })
    return { _tag: "Unavailable", reason } as const
  })

  const transfer = Effect.fnUntraced(function* (request: Extract<SignerRequest, { readonly _tag: "Transfer" }>) {
    const { amount: text, asset, depositAddress, depositType = "INTENTS", payload, standard } = request
    const [at, wall] = [yield* clock, yield* Clock.currentTimeMillis]
    const about = { depositAddress, asset, amount: text }
    if (!/^[1-9]\d{0,60}$/.test(text)) return yield* refuse("amount", "a whole number of smallest units", text)
    const payment = { depositAddress, depositType, asset, amount: BigInt(text) }
    const before = givenBefore(payment, record.entries, at)
    if (before !== undefined) return before
    const holding = policies(at)
    const objection = holding
      .map((policy) => objectionTo(payment, policy, record.entries, at, wall))
      .find((each) => each !== undefined)
    if (objection !== undefined) {
      const { check, expected, found } = yield* refuse(...objection, about)
      return ownChecks.has(check) ? declined(check, expected, found) : refused(check, expected, found)
    }
    // Recorded before the key is used: the amount and the used approvals count whatever happens next.
    const signingEntry = { ...about, ...approvalsUsed(payment, holding, record.entries, wall) }
    yield* record.append({ at, what: "signing", ...signingEntry })
    const ended = { ...about, releases: true }
    return yield* guard.signTransfer({ standard, payload }, payment).pipe(
      Effect.matchEffect({
        onFailure: (failure): Effect.Effect<SignerAnswer, RecordBroken> =>
          failure._tag === "IntentRefused"
            ? refuse(failure.check, failure.expected, failure.found, ended)
            : unavailable(failure._tag === "SignerUnavailable" ? failure.reason : failure.message, ended),
        onSuccess: (signed) => {
          // If the clocks differ, the later expiry counts.
          const until = Math.max(signed.validUntil, at + signed.validUntil - wall) + marginMillis
          const entry = { at, what: "signed", ...signingEntry, ...signed, until } as const
          return Effect.as(record.append(entry), { _tag: "Signed", ...signed } as const)
        }
      })
    )
  })

  /** Answers a line. Fails if the record cannot be written: then nothing may be signed. */
  return Effect.fn("SignerServer.answer")(
    function* (line: string) {
      const request = yield* Effect.option(decode(line))
      if (request._tag === "None") return refused("request", "a request of this program", line.slice(0, 60))
      if (request.value._tag === "Who") return { _tag: "Holder", signerId, publicKey } as const
      if (request.value._tag === "Checkpoint") {
        const answer = yield* signedCheckpoint(request.value.text, signerId, signer)
        return answer ?? (yield* refuse("checkpoint", "a checkpoint of this account's journal", "another text"))
      }
      if (request.value._tag === "Approve") {
        const approval = yield* approvalOf(request.value, options, yield* clock)
        if ("check" in approval) return yield* refuse(approval.check, approval.expected, approval.found)
        return yield* Effect.as(record.append(approval), { _tag: "Approved" } as const)
      }
      if (request.value._tag === "Transfer") return yield* transfer(request.value)
      return yield* Effect.provideService(login(request.value, options, yield* clock, refuse), Signer, signer)
    },
    oneAtATime.withPermit,
    Effect.map(encode)
  )
})

type Refuse = (check: string, expected: string, found: string) => Effect.Effect<SignerAnswer, RecordBroken>

const login = Effect.fnUntraced(function* (
  { message, nonce: text, recipient }: Extract<SignerRequest, { readonly _tag: "Login" }>,
  { loginVerifier, record, signerId }: Pick<SignerOptions, "loginVerifier" | "record" | "signerId">,
  at: number,
  refuse: Refuse
) {
  const signer = yield* Signer
  const objection = objectionToLogin(record.entries, at)
  if (objection !== undefined) return yield* refuse(...objection)
  if (recipient !== loginVerifier) return yield* refuse("recipient", loginVerifier, recipient)
  const nonce = Nep413.parseNonce(text)
  if (nonce === undefined) return yield* refuse("nonce", "32 bytes in base64", text)
  const problem = loginProblem(message, signerId, yield* Clock.currentTimeMillis)
  if (problem !== undefined) return yield* refuse("message", "a login of this account without intents", problem)
  yield* record.append({ at, what: "login" })
  return yield* answerWith("LoggedIn", signer.sign(Nep413.digest({ message, nonce, recipient })))
})

const answerWith = (_tag: "LoggedIn" | "CheckpointSigned", signing: ReturnType<Signer["Service"]["sign"]>) =>
  Effect.match(signing, {
    onFailure: ({ text }): SignerAnswer => refused("signer", "a signature", text),
    onSuccess: ({ publicKey, signature }) => ({ _tag, publicKey, signature })
  })

const approvalOf = Effect.fnUntraced(function* (
  { amount, asset, nonce, signature, validUntil }: Extract<SignerRequest, { readonly _tag: "Approve" }>,
  { policies, record, signerId }: Pick<SignerOptions, "policies" | "record" | "signerId">,
  at: number
) {
  const wall = yield* Clock.currentTimeMillis
  const keys = policies(at).flatMap(({ approvers = [] }) => approvers)
  const by = approverOf({ account: signerId, asset, amount, validUntil, nonce }, signature, keys)
  if (by === undefined) return refused("approval", "the signature of an approver over this payment", "another one")
  if (validUntil <= wall || validUntil > wall + maxApprovalMillis)
    return refused("approval", "a time within the next seven days", new Date(validUntil).toISOString())
  if (record.entries.some(({ approvals, what }) => what === "approved" && approvals?.includes(nonce) === true))
    return refused("approval", "an approval that was not used before", "the same one")
  return { at, what: "approved", asset, amount, validUntil, approvals: [nonce], by } as const
})

/** Signs a checkpoint and no other text. It moves no money and opens no session, so it has no cap and no line in the record. */
const signedCheckpoint = Effect.fnUntraced(function* (text: string, signerId: string, signer: Signer["Service"]) {
  if (Checkpoint.parse(text)?.account !== signerId) return undefined
  return yield* answerWith("CheckpointSigned", signer.sign(Buffer.from(text), { checkpoint: text }))
})

/** Longest life of a login that is signed. A login lives for five minutes; one without an end would be a password. */
const maxLoginMillis = 15 * minuteMillis

const Login = Schema.Struct({ deadline: Schema.Unknown, intents: Schema.Tuple([]), signer_id: Schema.Unknown })
const decodeLogin = Schema.decodeUnknownResult(Login, strict)

const loginProblem = (text: string, signerId: string, now: number): string | undefined => {
  const message = Result.flatMap(StrictJson.parseJson(text), (json) => Result.mapError(decodeLogin(json), sentenceOf))
  if (message._tag === "Failure") return message.failure
  const { deadline: until, signer_id } = message.success
  if (signer_id !== signerId) return "another signer_id"
  const deadline = Timestamp.parse(String(until))
  return deadline !== undefined && deadline <= now + maxLoginMillis ? undefined : "a deadline too far ahead, or none"
}

const isAnswered = (path: string) =>
  NodeSocket.makeNet({ path }).pipe(
    Effect.flatMap(({ reader }) => reader),
    Effect.scoped,
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )

const removed = (socket: string) => Effect.ignore(Effect.try(() => unlinkSync(socket)))

/** Removes the socket of a dead process. A socket that answers belongs to another process. */
const listen = Effect.fnUntraced(function* ({ openTo, socket: path }: Pick<SignerOptions, "openTo" | "socket">) {
  if (yield* isAnswered(path))
    return yield* new SocketUnavailable({ message: `Another process listens on ${path} already` })
  yield* removed(path)
  const server = yield* Effect.mapError(
    NodeSocketServer.make({ path }),
    ({ cause }) => new SocketUnavailable({ message: `Cannot listen on ${path}: ${messageOf(cause)}` })
  )
  yield* Effect.addFinalizer(() => removed(path))
  chmodSync(path, modeFor[openTo])
  return server
})

/** The returned effect does not end, and fails if the record cannot be written. */
export const serve = Effect.fn("SignerServer.serve")(function* ({ openTo, socket, ...options }: SignerOptions) {
  const answer = yield* answerer(options)
  const server = yield* listen({ openTo, socket })
  const broken = yield* Deferred.make<never, RecordBroken>()
  let waiting = 0

  const lineOf = Effect.fnUntraced(function* (connection: Socket.Socket) {
    const pull = yield* Socket.readerString(connection)
    let text = ""
    while (!text.includes("\n")) {
      text += (yield* pull).join("")
      if (text.length > longestLine) return yield* Effect.fail("too long")
    }
    return text.slice(0, text.indexOf("\n"))
  })

  // A connection without a complete line in time, or beyond the limit of waiting ones, is closed.
  const one = Effect.fnUntraced(
    function* (connection: Socket.Socket) {
      const line = yield* Effect.timeout(lineOf(connection), requestMillis)
      if (waiting >= maxWaiting) return
      waiting += 1
      const answered = Effect.onExit(answer(line), (exit) => {
        waiting -= 1
        return exit._tag === "Failure" ? Deferred.failCause(broken, exit.cause) : Effect.void
      })
      const { write } = yield* connection.writer
      yield* write(`${yield* answered}\n`)
    },
    Effect.scoped,
    (each) => Effect.ignoreCause(each)
  )
  return Effect.raceFirst(Effect.orDie(server.run(one)), Deferred.await(broken))
})
