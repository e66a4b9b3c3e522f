/** Follows one swap in the journal to its end, no matter which process carries it. The exit code shows how it ended. */
import { Clock, Console, Effect } from "effect"
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import { byHand } from "../../domain/Placement.ts"
import { clock, printable } from "../../domain/Text.ts"
import { unclearPayment } from "../../engine/funding/Paying.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import { eachPage, Journal } from "../../journal/Journal.ts"
import * as Progress from "../../process/Progress.ts"
import * as EventLine from "../../report/text/EventLine.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import { jsonOf, lineOf } from "../../views/Events.ts"
import { swapView } from "../../views/Swaps.ts"
import { commandFailed } from "../CommandFailed.ts"

const unclearLines = ({ agreed, id, placement }: SwapHistory.SwapHistory): ReadonlyArray<string> =>
  unclearPayment(placement) === undefined
    ? []
    : [
        `Unclear if the wallet paid ${formatWithSymbol(agreed.amountIn, agreed.origin)} to ${agreed.depositAddress}.`,
        "It is not asked again. If its deposit shows, the swap continues by itself. If you are sure that it did not pay:",
        `limitbot swap --resume ${id} --pay-again`
      ].map(printable)

const sentence = ({ event }: SwapHistory.SwapStep, swap: SwapHistory.SwapHistory): string | undefined => {
  const { amountIn, amountOut, destination, origin } = swap.agreed
  const amountText = (amount: Amount) => formatWithSymbol(amount, origin)
  switch (event._tag) {
    case "Planned":
      return `agreed: ${amountText(amountIn)} for ${formatWithSymbol(amountOut, destination)}`
    case "FundingSigned":
      return `signed ${amountText(event.amount)} (intent ${event.intentHash})`
    case "FundingSent":
      return event.attempt === 1 ? undefined : `sends the same signed bytes again (attempt ${event.attempt})`
    case "FundingAcknowledged":
      return "the venue has the payment"
    case "PaymentReported":
      return "reported the transaction to the venue"
    // The venue's report covers these.
    case "DepositSeen":
    case "FillSeen":
    case "Closed":
    case "PaidOut":
    case "Refunded":
      return undefined
    case "SwapReported": {
      const { deposited = 0n, status } = event
      if (deposited > 0n) return `venue reports ${status}, ${amountText(deposited)} deposited`
      // A deposit that has not arrived yet is no news.
      return status === "PENDING_DEPOSIT" ? undefined : `venue reports ${status}`
    }
    case "Settled": {
      const end = SwapHistory.endOf(swap)
      return end?.outcome === "paid" ? `completed, ${end.text}` : `ended ${end?.outcome}: ${end?.text}`
    }
    default:
      return EventLine.describe(event, new Map([origin, destination].map((asset) => [asset.symbol, asset])))?.text
  }
}

const evidenceLines = (swap: SwapHistory.SwapHistory): ReadonlyArray<string> => {
  const { agreed } = swap
  const money = SwapHistory.moneyOf(swap)
  const view = swapView(swap)
  const places = SwapHistory.swapPlaces.flatMap((place) =>
    money.input[place] === 0n ? [] : [`${place} ${formatWithSymbol(money.input[place], agreed.origin)}`]
  )
  const hashes = [
    ["intents", view.intentHashes],
    ["on the home ledger", view.ledgerTxHashes],
    ["on the origin chain", view.originTxHashes],
    ["on the destination chain", view.destinationTxHashes]
  ] as const
  return [
    `Swap ${swap.id}: ${view.outcome ?? view.phase}${view.text === null ? "" : `: ${view.text}`}`,
    `  paid in    ${places.join(", ") || "nothing"}`,
    `  received   ${formatWithSymbol(money.received, agreed.destination)}`,
    ...hashes.flatMap(([where, list]) => (list.length === 0 ? [] : [`  ${where}: ${list.join(", ")}`])),
    `  address    ${agreed.depositAddress}${agreed.depositMemo === undefined ? "" : ` memo ${agreed.depositMemo}`}`,
    `  correlation ids: ${view.correlationIds.join(", ") || "none"}`,
    ...(view.contradiction === null ? [] : [`  CONTRADICTION: ${view.contradiction}`])
  ].map(printable)
}

const notEnded = (swap: string, why: string) =>
  commandFailed(`Swap ${swap} has not ended: ${why}. Check again with: limitbot swap --resume ${swap}`)

const pollMillis = 1_000
/** A deposit can still be refunded after the deadline. The user checks later for a longer wait. */
const patienceAfterDeadlineMillis = 120_000

export interface Followed {
  readonly name: string
  readonly json: boolean
  /** True hides steps that an earlier command has shown. */
  readonly isResumed: boolean
}

/** `step` runs between two reads of the journal. It returns the reason if no process continues the swap. */
export const toTheEnd = Effect.fnUntraced(function* <E, R>(
  { isResumed, json, name }: Followed,
  step: Effect.Effect<string | undefined, E, R>
) {
  const progress = yield* Progress.make(`swap ${name}`)
  const readSwap = yield* reader(name)
  const initialSwap = yield* readSwap
  if (initialSwap === undefined) return yield* commandFailed(`No swap ${name} in the journal`)
  let swap = initialSwap
  yield* isResumed ? advise(swap, json) : show(swap, swap.steps, json)
  while (!SwapHistory.isOver(swap)) {
    const stopReason = yield* step
    const stepCount = swap.steps.length
    swap = (yield* readSwap) ?? swap
    const steps = swap.steps.slice(stepCount)
    if (steps.length > 0) progress.wipe()
    yield* show(swap, steps, json)
    if (SwapHistory.isOver(swap)) break
    if (steps.some(({ event }) => event._tag === "PaymentUnclear")) yield* advise(swap, json)
    if (doubtOf(swap) !== undefined) return yield* stillOpen(swap)
    if (stopReason !== undefined) return yield* notEnded(name, `${stopReason}. ${knownOf(swap)}`)
    progress.update(stageOf(swap), stages, swap.placement.report?.status ?? SwapHistory.phaseOf(swap))
    const late = (yield* Clock.currentTimeMillis) - swap.agreed.deadline
    if (late > patienceAfterDeadlineMillis) return yield* stillOpen(swap)
    yield* Effect.sleep(pollMillis)
  }
  yield* closing(swap, json)
}, Effect.scoped)

const reader = Effect.fnUntraced(function* (name: string) {
  const { events } = yield* Journal
  const swaps = new Map<string, SwapHistory.SwapHistory>()
  let after = 0
  const see = (entry: Recorded): void => {
    after = entry.sequence
    SwapHistory.apply(swaps, entry)
  }
  const readNewEvents = Effect.suspend(() => eachPage(events({ after, strategy: byHand }), (page) => page.forEach(see)))
  return Effect.map(readNewEvents, () => swaps.get(name))
})

const advise = Effect.fnUntraced(function* (swap: SwapHistory.SwapHistory, json: boolean) {
  const lines = unclearLines(swap)
  if (lines.length === 0) return
  yield* Console.log(
    json ? JSON.stringify({ event: "attention", swap: swap.id, text: lines.join(" ") }) : lines.join("\n")
  )
})

/** Returns why the payment is unclear. `undefined` while its deposit may still show, as after a wallet that gave no answer. */
const doubtOf = ({ placement }: SwapHistory.SwapHistory): string | undefined =>
  placement.state === "in doubt" && placement.funding.payment?.state !== "unclear" ? placement.doubt.reason : undefined

const venueWord = ({ placement }: SwapHistory.SwapHistory): string => placement.report?.status ?? "nothing"

const knownOf = (swap: SwapHistory.SwapHistory): string => {
  const phase = SwapHistory.phaseOf(swap)
  return phase === "agreed"
    ? "Nothing was signed for it, so nothing was paid"
    : phase === "funding"
      ? `Its payment to ${swap.agreed.depositAddress} was signed and may have been made; it is never signed twice`
      : `It was paid, and the venue last reported ${venueWord(swap)}`
}

const stages = 4
const stageOf = (swap: SwapHistory.SwapHistory): number => {
  const phase = SwapHistory.phaseOf(swap)
  return phase === "agreed" ? 0 : phase === "funding" ? 1 : venueWord(swap) === "PROCESSING" ? 3 : 2
}

const stillOpen = (swap: SwapHistory.SwapHistory) => {
  const { agreed, id, placement } = swap
  return notEnded(
    id,
    doubtOf(swap) ??
      (unclearPayment(placement) !== undefined
        ? `unclear if the wallet paid ${agreed.depositAddress}; the venue reports ${venueWord(swap)} (if you are sure that it did not pay, add --pay-again)`
        : venueWord(swap) === "SUCCESS"
          ? `the venue reports SUCCESS without amounts, so the received amount is unproven. Check what the account received, then run: limitbot resolve ${id} --paid --received AMOUNT`
          : `its deadline has passed and the venue reports ${venueWord(swap)}`)
  )
}

const show = Effect.fnUntraced(function* (
  swap: SwapHistory.SwapHistory,
  steps: ReadonlyArray<SwapHistory.SwapStep>,
  json: boolean
) {
  for (const step of steps) {
    if (json) {
      yield* Console.log(jsonOf(lineOf(step, new Map())))
      continue
    }
    const text = sentence(step, swap)
    if (text !== undefined) yield* Console.log(printable(`${clock(step.at)}  ${swap.id}  ${text}`))
    if (step.event._tag === "PaymentAsked" && step.event.wallet === "manual") {
      yield* Console.log(SwapLine.paymentOrder(swap.agreed).join("\n"))
    }
  }
})

const closing = Effect.fnUntraced(function* (swap: SwapHistory.SwapHistory, json: boolean) {
  if (json) yield* Console.log(JSON.stringify({ event: "summary", ...swapView(swap) }))
  else yield* Console.log(`\n${evidenceLines(swap).join("\n")}`)
  const end = SwapHistory.endOf(swap)
  if (end?.outcome === "paid") return
  const dropped = swap.steps.map(({ event }) => event).findLast((event) => event._tag === "Abandoned")
  const text = end?.text ?? dropped?.reason ?? "nothing was paid"
  return yield* commandFailed(`Swap ${swap.id} ended ${end?.outcome ?? "unfunded"}: ${text}`)
})
