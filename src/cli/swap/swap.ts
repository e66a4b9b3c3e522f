/**
 * `limitbot swap AMOUNT FROM TO`: a swap from the quote to the evidence. The quote is shown and agreed to, funded
 * exactly once, followed to its end, and closed with hashes and amounts. After any interruption it continues with
 * `--resume`.
 */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as SwapAccount from "../../domain/SwapAccount.ts"
import { type RecordedStep, SwapEvent, type SwapEventOf } from "../../domain/SwapEvent.ts"
import * as SwapBook from "../../engine/funding/SwapBook.ts"
import * as Swapping from "../../engine/funding/Swapping.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as VenueTime from "../../engine/tracking/VenueTime.ts"
import { type JournalInUse, LeaseLost } from "../../journal/Lease.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import { Swaps } from "../../venue/Swaps.ts"
import { Venue } from "../../venue/Venue.ts"
import { VenueError } from "../../venue/VenueError.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as TlsCheck from "../files/TlsCheck.ts"
import * as flags from "../flags.ts"
import { Process } from "../Process.ts"
import * as Progress from "../Progress.ts"
import * as KillFile from "../run/KillFile.ts"
import { Terminal } from "../Terminal.ts"
import { WrongUsage } from "../Usage.ts"
import * as PartnerMode from "./PartnerMode.ts"
import * as SwapFlags from "./SwapFlags.ts"
import * as SwapTerms from "./SwapTerms.ts"

/** What may not be paid now is not even quoted. */
export class SwapHeld extends Schema.TaggedError<SwapHeld>()("SwapHeld", { why: Schema.String }) {
  override get message(): string {
    return `Nothing is paid now: ${this.why}`
  }
}

/** Nobody agreed, so nothing was paid. */
export class NotAgreed extends Schema.TaggedError<NotAgreed>()("NotAgreed", {}) {
  override get message(): string {
    return "Not agreed to; nothing was paid"
  }
}

/** A journal has one writer, and paying means writing. */
export class BotIsRunning extends Schema.TaggedError<BotIsRunning>()("BotIsRunning", {
  journal: Schema.String,
  pid: Schema.Int
}) {
  override get message(): string {
    return `A bot (process ${this.pid}) works with ${this.journal}, and only one may pay from it. Stop that bot and swap then, or let the bot do it: a rule with \`by: swap\` in one of its files. Only looking (--dry) is possible meanwhile.`
  }
}

/** The journal has no such swap, or the swap is not in the required state. */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", { message: Schema.String }) {}

/** Over, but without the wanted output. */
export class SwapNotPaid extends Schema.TaggedError<SwapNotPaid>()("SwapNotPaid", {
  swap: Schema.String,
  outcome: Schema.String,
  text: Schema.String
}) {
  override get message(): string {
    return `Swap ${this.swap} ended ${this.outcome}: ${this.text}`
  }
}

/** Still under way, and nothing more can be done now. */
export class SwapStillOpen extends Schema.TaggedError<SwapStillOpen>()("SwapStillOpen", {
  swap: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `Swap ${this.swap} is not over: ${this.why}. Look again with: limitbot swap --resume ${this.swap}`
  }
}

/** After the deadline a deposit can still be refunded; for a longer wait, look again later. */
const patienceAfterDeadlineMillis = 120_000

const ways = {
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Agree to the quote without being asked"),
    Flag.withDefault(false)
  ),
  resume: Flag.String("resume").pipe(Flag.withDescription("Go on with this swap, for example s3"), Flag.optional),
  payAgain: Flag.Boolean("pay-again").pipe(
    Flag.withDescription("With --resume: you have made sure that the wallet did not pay, and it may be asked again"),
    Flag.withDefault(false)
  ),
  config: flags.config,
  json: flags.json
}

export const command = Command.make(
  "swap",
  { ...SwapFlags.terms, ...ways },
  Effect.fn(function* ({ config: file, json, payAgain, resume, yes, ...given }) {
    if (Option.isSome(resume) && Option.isSome(given.amount)) {
      return yield* new WrongUsage({
        message: "--resume goes on with a swap as it was agreed: without amounts"
      })
    }
    if (payAgain && Option.isNone(resume)) {
      return yield* new WrongUsage({ message: "--pay-again goes with --resume only" })
    }
    const config = yield* ConfigFile.load(file)
    const signerId = yield* PartnerMode.signerOf(config)
    if (given.dry && Option.isNone(resume)) {
      return yield* Effect.provide(looked(given, config, signerId, json), PartnerMode.venue(config, signerId))
    }
    const { pid } = yield* Process
    yield* Effect.gen(function* () {
      const book = yield* SwapBook.make
      const account = Option.isSome(resume)
        ? yield* resumed(book, resume.value, payAgain, json)
        : yield* begun(book, given, config, signerId, { yes, json })
      yield* toTheEnd(book, yield* gateOf(config.journal), account, json)
    }).pipe(
      Effect.provide(PartnerMode.swapping(config, signerId, pid)),
      Effect.catchTag("JournalInUse", ({ journal, pid }: JournalInUse) => new BotIsRunning({ journal, pid }))
    )
  })
).pipe(
  Command.withDescription("Swap one asset for another: quote, agree, pay, follow to the end"),
  Command.withExamples([
    { command: "limitbot swap 0.01 BTC USDC", description: "Shows the quote and asks" },
    { command: "limitbot swap 500 BTC USDC --type EXACT_OUTPUT --yes --json", description: "Receive exactly 500 USDC" },
    { command: "limitbot swap --resume s3", description: "Go on after an interruption" }
  ])
)

interface Ways {
  readonly yes: boolean
  readonly json: boolean
}

/** What closes a bot's gate closes this one: the kill switch, a lost lease, a wrong clock. */
const gateOf = Effect.fnUntraced(function* (journal: string) {
  const { state } = yield* Bookkeeper
  const venue = yield* Venue
  const leaseLost = yield* LeaseLost
  const killed = yield* KillFile.watch(journal)
  return Effect.gen(function* () {
    const why = yield* killed
    if (why !== undefined) return `The kill switch is on: ${why}`
    if (state.movedTo !== undefined) return `this journal was handed over as ${state.movedTo}`
    return (yield* leaseLost) ?? VenueTime.problemOf(yield* venue.clockSkewMillis)
  })
})

/** Only the quote. */
const looked = Effect.fnUntraced(function* (
  given: SwapFlags.Terms,
  config: ConfigFile.BotConfig,
  signerId: string,
  json: boolean
) {
  const asked = yield* SwapFlags.asked(given, config, signerId, yield* Clock.currentTimeMillis)
  const { value } = yield* (yield* Swaps).quote(asked.request)
  yield* showDry(asked, value, json)
})

/** A new swap, agreed to and in the journal. */
const begun = Effect.fnUntraced(function* (
  book: SwapBook.SwapBook,
  given: SwapFlags.Terms,
  config: ConfigFile.BotConfig,
  signerId: string,
  { json, yes }: Ways
) {
  const terminal = yield* Terminal
  yield* TlsCheck.verified
  if (!yes && (json || !terminal.isInteractive)) {
    return yield* new WrongUsage({ message: "Nobody is there to agree to the quote: add --yes, or --dry to only look" })
  }
  const now = yield* Clock.currentTimeMillis
  const asked = yield* SwapFlags.asked(given, config, signerId, now)
  const closed = yield* yield* gateOf(config.journal)
  if (closed !== undefined) return yield* new SwapHeld({ why: closed })
  const answer = yield* (yield* Swaps).quote(asked.request)
  const agreed = yield* SwapTerms.agreed(asked, answer, {
    venue: config.venue.url,
    account: signerId,
    isSignatureVerified: config.venue.quoteKey !== undefined
  })
  if (!json) yield* Console.log(SwapLine.terms(agreed).join("\n"))
  if (!yes && !(yield* isConfirmed)) return yield* new NotAgreed()
  const account = yield* book.begin(agreed)
  yield* show(account.timeline, agreed, json)
  return account
})

const isConfirmed = Prompt.run(Prompt.Confirm({ message: "Pay and swap?" })).pipe(
  Effect.catchTag("QuitError", () => Effect.succeed(false))
)

const showDry = (
  { destination, origin }: SwapFlags.SwapRequest,
  { quote }: Effect.Success<ReturnType<Swaps["Service"]["quote"]>>["value"],
  json: boolean
) =>
  json
    ? Console.log(JSON.stringify({ dry: true, origin: origin.symbol, destination: destination.symbol, quote }))
    : Console.log(
        [
          "DRY: a quote only, nothing was created or paid.",
          `pay        ${quote.amountInFormatted ?? quote.amountIn} ${origin.symbol}`,
          `receive    ${quote.amountOutFormatted ?? quote.amountOut} ${destination.symbol}`,
          `takes      about ${quote.timeEstimate ?? "?"} s`
        ].join("\n")
      )

const resumed = Effect.fnUntraced(function* (book: SwapBook.SwapBook, id: string, payAgain: boolean, json: boolean) {
  const account = book.find(id)
  if (account === undefined) return yield* new NotResumable({ message: `There is no swap ${id} in the journal` })
  if (!payAgain || SwapAccount.isOver(account)) {
    yield* advise(account, json)
    return account
  }
  if (account.wallet === undefined || !SwapAccount.mayHavePaid(account.wallet) || account.wallet.state === "paid") {
    return yield* new NotResumable({ message: `Swap ${id} has no payment that is unclear` })
  }
  const reason = "said with --pay-again"
  const released = yield* book.append(id, account.steps, [{ _tag: "WalletReleased", reason }])
  yield* show(released, account.agreed, json)
  return released.reduce<SwapAccount.SwapAccount>(SwapAccount.apply, account)
})

/** Says what only the operator can find out. */
const advise = Effect.fnUntraced(function* (account: SwapAccount.SwapAccount, json: boolean) {
  const lines = (account.seen?.deposited ?? 0n) === 0n ? SwapLine.unclearPayment(account) : []
  if (lines.length === 0) return
  yield* Console.log(
    json ? JSON.stringify({ event: "attention", swap: account.id, text: lines.join(" ") }) : lines.join("\n")
  )
})

/** Follows a swap, showing every step, until it is over or nothing more can be done now. */
const toTheEnd = Effect.fnUntraced(function* (
  book: SwapBook.SwapBook,
  gate: Effect.Effect<string | undefined>,
  begunWith: SwapAccount.SwapAccount,
  json: boolean
) {
  const swapping = yield* Swapping.make(book, gate)
  const progress = yield* Progress.make(`swap ${begunWith.id}`)
  let account = begunWith
  while (!SwapAccount.isOver(account)) {
    const before = account.steps
    account = yield* patiently(swapping.advance(account), book, account)
    const fresh = account.timeline.slice(before)
    if (fresh.length > 0) progress.wipe()
    yield* show(fresh, account.agreed, json)
    if (SwapAccount.isOver(account)) break
    if (fresh.some(({ event }) => event._tag === "WalletUnclear")) yield* advise(account, json)
    if (account.doubt !== undefined && account.phase === "funding") return yield* stillOpen(account)
    const now = yield* Clock.currentTimeMillis
    progress.update(stageOf(account), stages, account.seen?.status ?? account.phase)
    const late = now - account.agreed.deadline
    if (late > patienceAfterDeadlineMillis) return yield* stillOpen(account)
    yield* Effect.sleep(Swapping.defaultPace.pollMillis)
  }
  yield* closing(account, json)
}, Effect.scoped)

/** A venue that does not answer is asked again; steps recorded before the failure are read back. */
const patiently = <E, R>(
  step: Effect.Effect<SwapAccount.SwapAccount, E | VenueError, R>,
  book: SwapBook.SwapBook,
  account: SwapAccount.SwapAccount
) =>
  Effect.gen(function* () {
    const result = yield* Effect.result(step)
    if (result._tag === "Success") return result.success
    const error = result.failure
    if (!(error instanceof VenueError) || error.reason._tag === "Unauthorized") return yield* Effect.fail(error)
    yield* Effect.logDebug(error.message)
    return book.find(account.id) ?? account
  })

const stages = 4
const stageOf = ({ phase, seen }: SwapAccount.SwapAccount): number =>
  phase === "agreed" ? 0 : phase === "funding" ? 1 : seen?.status === "PROCESSING" ? 3 : 2

const stillOpen = ({ agreed, doubt, id, seen, wallet }: SwapAccount.SwapAccount) =>
  new SwapStillOpen({
    swap: id,
    why:
      doubt ??
      (wallet?.state === "asked" || wallet?.state === "unclear"
        ? `nobody knows whether the wallet paid ${agreed.depositAddress}; the venue says ${seen?.status ?? "nothing"} (if you are sure that it did not, add --pay-again)`
        : `its deadline is over and the venue says ${seen?.status ?? "nothing"}`)
  })

const show = Effect.fnUntraced(function* (
  steps: ReadonlyArray<RecordedStep>,
  agreed: SwapEventOf<"SwapAgreed">,
  json: boolean
) {
  for (const step of steps) {
    if (json) {
      yield* Console.log(yield* stepJson(step))
      continue
    }
    const line = SwapLine.stepLine(step, agreed)
    if (line !== undefined) yield* Console.log(line)
    if (step.event._tag === "WalletAsked" && step.event.wallet === "manual") {
      yield* Console.log(SwapLine.paymentOrder(agreed).join("\n"))
    }
  }
})

const encode = Schema.encodeEffect(SwapEvent)

const stepJson = Effect.fnUntraced(function* ({ at, event, step, swap }: RecordedStep) {
  const { _tag, ...fields } = yield* Effect.orDie(encode(event)) // Recorded steps have been encoded before.
  return JSON.stringify({ event: _tag, swap, step, at, ...fields })
})

const closing = Effect.fnUntraced(function* (account: SwapAccount.SwapAccount, json: boolean) {
  if (json) yield* Console.log(JSON.stringify({ event: "summary", ...SwapLine.evidence(account) }))
  else yield* Console.log(`\n${SwapLine.evidenceLines(account).join("\n")}`)
  const { ended, id } = account
  if (ended?.outcome === "paid") return
  const dropped = account.timeline.at(-1)?.event
  const text = ended?.text ?? (dropped?._tag === "SwapDropped" ? dropped.reason : "nothing was paid")
  return yield* new SwapNotPaid({ swap: id, outcome: ended?.outcome ?? "unfunded", text })
})
