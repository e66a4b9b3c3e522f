/**
 * Follows one swap in the journal, whoever carries it: shows every new step, and at the end the evidence. The exit tells
 * how it ended.
 */
import { Clock, Console, Effect, Schema, Stream } from "effect"
import { byHand } from "../../domain/Placement.ts"
import * as SwapAccount from "../../domain/SwapAccount.ts"
import { type AgreedSwap, type RecordedStep, SwapEvent } from "../../domain/SwapEvent.ts"
import { Journal } from "../../journal/Journal.ts"
import { see } from "../../journal/swapSteps.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import * as Progress from "../process/Progress.ts"

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

/** The journal has no such swap, or the swap is not in the required state. */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", { message: Schema.String }) {}

/** Between two looks. */
const pollMillis = 1_000
/** After the deadline a deposit can still be refunded; for a longer wait, look again later. */
const patienceAfterDeadlineMillis = 120_000

export interface Followed {
  readonly name: string
  readonly json: boolean
  /** It was begun earlier: what is known already is not shown again. */
  readonly isResumed: boolean
}

/**
 * `step` does what is to be done between two looks: the next step of the swap, or a look at the bot that carries it. It says why
 * nobody goes on with it, if so.
 */
export const toTheEnd = Effect.fnUntraced(function* <E, R>(
  { isResumed, json, name }: Followed,
  step: Effect.Effect<string | undefined, E, R>
) {
  const progress = yield* Progress.make(`swap ${name}`)
  const read = yield* reader(name)
  const known = yield* read
  if (known.account === undefined)
    return yield* new NotResumable({ message: `There is no swap ${name} in the journal` })
  let account: SwapAccount.SwapAccount = known.account
  yield* isResumed ? advise(account, json) : show(known.steps, account.agreed, json)
  while (!SwapAccount.isOver(account)) {
    const left = yield* step
    const { account: present, steps } = yield* read
    account = present ?? account
    if (steps.length > 0) progress.wipe()
    yield* show(steps, account.agreed, json)
    if (SwapAccount.isOver(account)) break
    if (steps.some(({ event }) => event._tag === "WalletUnclear")) yield* advise(account, json)
    if (account.doubt !== undefined && account.phase === "funding") return yield* stillOpen(account)
    if (left !== undefined) return yield* new SwapStillOpen({ swap: name, why: `${left}. ${knownOf(account)}` })
    progress.update(stageOf(account), stages, account.seen?.status ?? account.phase)
    const late = (yield* Clock.currentTimeMillis) - account.agreed.deadline
    if (late > patienceAfterDeadlineMillis) return yield* stillOpen(account)
    yield* Effect.sleep(pollMillis)
  }
  yield* closing(account, json)
}, Effect.scoped)

/** The swap as the journal tells it now, with the steps since the last reading. */
const reader = Effect.fnUntraced(function* (name: string) {
  const journal = yield* Journal
  const swaps = new Map<string, SwapAccount.SwapAccount>()
  let after = 0
  return Effect.gen(function* () {
    const entries = yield* Stream.runCollect(journal.events({ after, strategy: byHand }))
    after = entries.at(-1)?.sequence ?? after
    const steps = entries.flatMap((entry) => see(swaps, entry)).filter(({ swap }) => swap === name)
    return { account: swaps.get(name), steps }
  })
})

/** Says what only the operator can find out. */
const advise = Effect.fnUntraced(function* (account: SwapAccount.SwapAccount, json: boolean) {
  const lines = (account.seen?.deposited ?? 0n) === 0n ? SwapLine.unclearPayment(account) : []
  if (lines.length === 0) return
  yield* Console.log(
    json ? JSON.stringify({ event: "attention", swap: account.id, text: lines.join(" ") }) : lines.join("\n")
  )
})

/** How far it came, by the journal: whoever goes on with it pays at most once. */
const knownOf = ({ agreed, phase, seen }: SwapAccount.SwapAccount): string =>
  phase === "agreed"
    ? "Nothing was signed for it, so nothing was paid"
    : phase === "funding"
      ? `Its payment to ${agreed.depositAddress} was signed and may have been made; it is never signed a second time`
      : `It was paid, and the venue last said ${seen?.status ?? "nothing"}`

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
        : seen?.status === "SUCCESS"
          ? `the venue says SUCCESS and shows no amounts, so nothing proves what arrived. See what the account received, then say it: limitbot resolve ${id} --paid --received AMOUNT`
          : `its deadline is over and the venue says ${seen?.status ?? "nothing"}`)
  })

const show = Effect.fnUntraced(function* (steps: ReadonlyArray<RecordedStep>, agreed: AgreedSwap, json: boolean) {
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
  const dropped = account.timeline.findLast(({ event }) => event._tag === "SwapDropped")?.event
  const text = ended?.text ?? (dropped?._tag === "SwapDropped" ? dropped.reason : "nothing was paid")
  return yield* new SwapNotPaid({ swap: id, outcome: ended?.outcome ?? "unfunded", text })
})
