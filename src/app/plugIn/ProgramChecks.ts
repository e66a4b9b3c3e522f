/** Checks that a plug-in keeps the contract of its kind (`docs/plug-ins.md`), by the bot's code. No question can lead to a payment. */
import { createHash } from "node:crypto"
import { Clock, Effect, Path, Predicate, Schema } from "effect"
import { bodyOf } from "../../control/notify/channels.ts"
import * as command from "../../control/notify/command.ts"
import type { Notice } from "../../control/notify/Notice.ts"
import * as WalletCommand from "../../engine/funding/WalletCommand.ts"
import { usualSecrets } from "../../files/sections/WalletConfig.ts"
import * as SecondSourceProgram from "../../orderbook/SecondSourceProgram.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Program from "../../programs/Program.ts"
import * as KmsSigner from "../../signer/remote/KmsSigner.ts"
import { exchange, SignerAnswer, type SignerRequest } from "../../signer/remote/RemoteSigner.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import { commandFailed } from "../CommandFailed.ts"

interface Asked {
  readonly kind: "notifier" | "price" | "wallet" | "kms" | "signer"
  readonly command: ReadonlyArray<string>
  readonly publicKey: string | undefined
  readonly market: string
  readonly within: number | undefined
}

interface Tried {
  readonly check: string
  readonly fault: string | undefined
}

/** Returns the fault of a program that ended by itself; `undefined` if there is none. */
type FaultOf = (run: Program.ProgramRun) => string | undefined
type ProgramCheck = readonly [check: string, question: string, faultOf: FaultOf]

type ProgramLimits = Pick<Program.ProgramTerms, "environment" | "limitMillis" | "mostOutput">

const programs = (
  program: Program.Program,
  checks: ReadonlyArray<ProgramCheck>,
  limits: ProgramLimits,
  publicKey = ""
) =>
  Effect.forEach(
    checks,
    Effect.fnUntraced(function* ([check, question, faultOf]) {
      const run = yield* Program.run(program, question, { ...limits, errors: "kept" })
      return { check, fault: misbehaviour(run, limits, publicKey) ?? faultOf(run) } satisfies Tried
    })
  )

const misbehaviour = (
  run: Program.ProgramRun,
  { limitMillis, mostOutput }: ProgramLimits,
  publicKey: string
): string | undefined => {
  const printedText = `${run.output}\n${run.errors}`
  if (run.end._tag !== "Exited") return `it ${Program.endInWords(run, limitMillis)}`
  if (run.isCut) return `it printed more than ${mostOutput} characters: the bot reads no further`
  if (run.isHeld) return "a process that it started keeps its input or output open: a bot reads for one more second"
  if ((publicKey === "" ? printedText : printedText.replaceAll(publicKey, "")).match(Program.looksSecret) !== null)
    return "it printed something like a key or a token, which may end up in a log"
  return undefined
}

const withNewKey = (json: string): string => JSON.stringify({ ...JSON.parse(json), added: { later: [1] } })

// A notifier must accept every message of a bot, one at a time, and confirm by its exit code.
/** A notifier that prints more on standard output than this has misunderstood something. */
const mostOutput = 16_384

const noticedAt = Date.UTC(2026, 0, 31, 12)
const notice = (text: string, severity: Notice["severity"] = "warn"): Notice => ({
  at: noticedAt,
  severity,
  kind: "Test",
  subject: "grid/cell-07",
  text
})
const message = (all: ReadonlyArray<Notice>): string => bodyOf("plug-in check", all, noticedAt)

const notices: ReadonlyArray<readonly [check: string, body: string]> = [
  ["takes a message", message([notice("this is a test of a notifier")])],
  [
    "takes quotes, line breaks, markup and shell commands as text",
    message([notice(`"quoted" 'twice' \\ <b>&amp; $(true) \`true\` %s @everyone\n\tnext line ✓ ありがとう`, "alarm")])
  ],
  // A pipe holds less than a megabyte, so the check detects a program that ends without reading it.
  [
    "reads the longest message to its end",
    message(Array.from({ length: 20 }, (_, index) => notice(`${index + 1} ${"long ".repeat(10_000)}`)))
  ],
  ["ignores keys of a later version", withNewKey(message([{ ...notice("with a new key"), kind: "NewKind" }]))]
]

const notifier = (program: Program.Program, limitMillis: number = command.terms.limitMillis) => {
  const faultOf: FaultOf = (run) => {
    const failure = command.failureOf(run)
    if (failure !== undefined) return `it ${failure}`
    return run.hasTaken ? undefined : "it reported success, but ended before it read the message"
  }
  const checks = notices.map(([check, body]): ProgramCheck => [check, `${body}\n`, faultOf])
  return programs(program, checks, { environment: command.terms.environment, limitMillis, mostOutput })
}

// A price program must return a price and its time for a known market, and none for an unknown one.
const price = Effect.fn("ProgramChecks.price")(function* (
  program: Program.Program,
  market: string,
  limitMillis: number = SecondSourceProgram.terms.limitMillis
) {
  const now = yield* Clock.currentTimeMillis
  const answered = (run: Parameters<typeof SecondSourceProgram.answerOf>[0]) => SecondSourceProgram.answerOf(run, now)
  const tells: FaultOf = (run) => {
    const answer = answered(run)
    if (answer._tag === "Failed") return `it ${answer.reason}`
    return answer._tag === "None" ? "it has no recent price" : undefined
  }
  const isSilent: FaultOf = (run) => {
    const answer = answered(run)
    return answer._tag === "Told" ? `it told ${answer.listed.mid}` : undefined
  }
  const question = SecondSourceProgram.questionOf(market)
  const checks: ReadonlyArray<ProgramCheck> = [
    [`prints the price of ${market}`, question, tells],
    ["ignores keys of a later version in the question", `${withNewKey(question)}\n`, tells],
    ["has no price of a market that does not exist", SecondSourceProgram.questionOf("NOTHING/NOWHERE"), isSilent]
  ]
  return yield* programs(program, checks, { ...SecondSourceProgram.terms, limitMillis })
})

// A wallet program must send nothing, name no transaction, and fail: the asset, the address and the deadline are impossible.
const refusalMillis = 60_000

const impossible = WalletCommand.questionOf({
  reference: "plug-in-check-1",
  asset: { symbol: "NOTHING", id: "plug-in-check:no-such-asset", decimals: 8 },
  amount: 1n,
  depositAddress: "plug-in-check-no-address",
  depositMemo: undefined,
  deadline: Date.UTC(2020, 0, 1)
})

const payments: ReadonlyArray<readonly [check: string, question: string]> = [
  ["refuses an unknown asset whose deadline has passed", impossible],
  ["refuses it again under the same reference", impossible],
  ["refuses an unknown version of the question", impossible.replace('"version":1', '"version":999')],
  ["refuses malformed input", "this is no JSON\n"]
]

const wallet = (program: Program.Program, limitMillis = refusalMillis) => {
  const { environment, mostOutput } = WalletCommand.termsOf(usualSecrets)
  const faultOf: FaultOf = (run) => {
    const answer = WalletCommand.answerOf("it", run)
    if (Predicate.isTagged(answer, "WalletRefused")) return undefined
    return "txHash" in answer
      ? `it named the transaction ${answer.txHash} for a payment that cannot be made`
      : `a bot cannot know if it paid: ${answer.text}. Code 65 means that nothing was sent`
  }
  const checks = payments.map(([check, question]): ProgramCheck => [check, question, faultOf])
  return programs(program, checks, { environment, limitMillis, mostOutput })
}

// A key service must sign the received bytes unchanged, with one key. It gets only texts and digests of this check.
const kmsText = (which: string): Buffer => Buffer.from(`limitbot plug-in check\n${which}\nThis is no payment.\n`)
const kmsDigest = (which: string): Buffer => createHash("sha256").update(kmsText(which)).digest()

const kmsMessages: ReadonlyArray<readonly [check: string, message: Uint8Array]> = [
  ["signs 32 bytes, as of a payment or a login", kmsDigest("one")],
  ["signs other bytes with the same key", kmsDigest("two")],
  ["signs the first ones again", kmsDigest("one")],
  ["signs a longer text, as of a checkpoint", kmsText("a longer text\n".repeat(20))]
]

const kms = (program: Program.Program, publicKey: string, limitMillis: number = KmsSigner.terms.limitMillis) => {
  const checks = kmsMessages.map(([check, message]): ProgramCheck => {
    const faultOf: FaultOf = (run) => {
      const answer = KmsSigner.answerOf({ program: "it", publicKey }, message, run)
      return "text" in answer ? answer.text : undefined
    }
    return [check, KmsSigner.questionOf(publicKey, message), faultOf]
  })
  return programs(program, checks, { ...KmsSigner.terms, limitMillis }, publicKey)
}

// A signer behind a socket must name its account and refuse all other requests here; they leave lines in its record.
const patienceMillis = 10_000

const line = (request: SignerRequest): string => JSON.stringify(request)

const login = { nonce: Buffer.alloc(32, 7).toString("base64"), recipient: "plug-in-check.invalid" }
const payment = {
  standard: "nep413",
  payload: { message: "{}", ...login },
  depositAddress: "plug-in-check-no-address",
  asset: "plug-in-check:no-such-asset"
}

const refusals: ReadonlyArray<readonly [check: string, line: string]> = [
  ["does not sign a payment in an unlisted asset", line({ _tag: "Transfer", ...payment, amount: "1" })],
  ["does not sign a negative payment", line({ _tag: "Transfer", ...payment, amount: "-1" })],
  ["does not sign a login at an unknown verifier", line({ _tag: "Login", message: "{}", ...login })],
  ["does not sign a text that is not a checkpoint", line({ _tag: "Checkpoint", text: "limitbot plug-in check\n" })],
  ["answers an unknown request", JSON.stringify({ _tag: "PlugInCheck" })],
  ["answers malformed input", "this is no JSON"]
]

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SignerAnswer))

const ask = (socket: string, said: string, limitMillis: number) =>
  exchange(socket, said).pipe(
    Effect.flatMap((answer) => Effect.mapError(decode(answer), () => "a bot cannot read its answer")),
    Effect.timeoutOrElse({
      duration: limitMillis,
      orElse: () => Effect.fail(`it did not answer in ${limitMillis / 1_000} seconds`)
    })
  )

const isRefusal = ({ _tag }: SignerAnswer): boolean =>
  _tag === "Refused" || _tag === "Declined" || _tag === "Unavailable"

const signer = Effect.fn("ProgramChecks.signer")(function* (socket: string, limitMillis = patienceMillis) {
  const judged = (check: string, said: string, judge: (answer: SignerAnswer) => Effect.Effect<string | undefined>) =>
    ask(socket, said, limitMillis).pipe(
      Effect.matchEffect({ onFailure: Effect.succeed<string | undefined>, onSuccess: judge }),
      Effect.map((fault): Tried => ({ check, fault }))
    )
  const who = yield* judged("names its account", line({ _tag: "Who" }), (answer) =>
    answer._tag === "Holder"
      ? AccountKey.accountOf(answer.publicKey, answer.signerId).pipe(
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => undefined })
        )
      : Effect.succeed(`it answered ${answer._tag} instead of Holder`)
  )
  const others = yield* Effect.forEach(refusals, ([check, said]) =>
    judged(check, said, (answer) =>
      Effect.succeed(isRefusal(answer) ? undefined : `it answered ${answer._tag} instead of Refused`)
    )
  )
  return [who, ...others]
})

const checkedAs = (program: Program.Program, { kind, market, publicKey, within }: Asked) => {
  switch (kind) {
    case "notifier":
      return notifier(program, within)
    case "price":
      return price(program, market, within)
    case "wallet":
      return wallet(program, within)
    case "signer":
      return signer(program.program, within)
    case "kms":
      return publicKey !== undefined
        ? kms(program, publicKey, within)
        : Effect.fail(wrongUsage("a kms program needs --public-key, the key of its signatures"))
  }
}

export const checked = Effect.fn("ProgramChecks.checked")(function* (asked: Asked) {
  const { command, kind } = asked
  const path = yield* Path.Path
  const words = Program.programOf(command)
  if (words === undefined) return yield* wrongUsage("no command after --")
  const findings = yield* checkedAs(
    Program.located(words, (given) => path.resolve(given)),
    asked
  )
  const faults = findings.filter(({ fault }) => fault !== undefined).length
  const message = `${faults} of ${findings.length} checks failed: see the contract of a ${kind} in docs/plug-ins.md`
  return {
    data: () => ({ kind, command, ok: faults === 0, findings }),
    lines: () => [
      ...findings.map(({ check, fault }) => (fault === undefined ? `ok     ${check}` : `WRONG  ${check}: ${fault}`)),
      ...(faults === 0 ? [`It follows the contract of a ${kind}.`] : [])
    ],
    exit: faults === 0 ? undefined : commandFailed(message)
  } satisfies CommandAnswer
})
