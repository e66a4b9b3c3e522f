/**
 * The swaps by hand of a journal: placements of a strategy of their own. In older journals they are steps among the events,
 * and in the oldest they have a table of their own. Here all of them are read as steps: commands show these, and their JSON
 * keeps the form that it had when the journal itself held the steps.
 */
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { BotEvent, PlacementEvent, Recorded } from "../domain/BotEvent.ts"
import { byHand } from "../domain/Placement.ts"
import { present } from "../domain/Present.ts"
import * as SwapAccount from "../domain/SwapAccount.ts"
import { type RecordedStep, StoredSwapEvent, type SwapEvent } from "../domain/SwapEvent.ts"
import { broken, Journal } from "./Journal.ts"

interface Row {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly body: string
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StoredSwapEvent))

/** Steps in the table of the oldest versions, swap by swap. */
const oldSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM sqlite_master WHERE name = 'swap_journal'`
  if (tables.length === 0) return []
  const rows = yield* sql<Row>`
    SELECT swap, step, at, body FROM swap_journal ORDER BY length(swap), swap, step`
  return yield* Effect.forEach(rows, ({ body, ...place }) =>
    Effect.map(decode(body), (event): RecordedStep => ({ ...place, event })).pipe(
      Effect.mapError(broken(`Step ${place.step} of swap ${place.swap} does not decode`))
    )
  )
}).pipe(Effect.mapError(broken("Cannot read the swaps of older versions")))

/** Every swap as its journal tells it, oldest first. */
export const readSwaps = Effect.gen(function* () {
  const journal = yield* Journal
  const swaps = new Map<string, SwapAccount.SwapAccount>()
  const old = Map.groupBy(yield* oldSteps, ({ swap }) => swap)
  const taken = [
    ...(yield* Stream.runCollect(journal.events({ tags: ["SwapStep"] }))),
    ...(yield* Stream.runCollect(journal.events({ strategy: byHand })))
  ]
  const isTaken = new Set(taken.map(({ event }) => nameIn(event)))
  for (const [swap, steps] of old) {
    const account = isTaken.has(swap) ? undefined : SwapAccount.fold(steps)
    if (account !== undefined) swaps.set(swap, account)
  }
  for (const entry of taken) see(swaps, entry)
  return [...swaps.values()].toSorted((a, b) => a.agreedAt - b.agreedAt)
})

const nameIn = (event: BotEvent): string | undefined =>
  event._tag === "SwapStep" ? event.swap : "placement" in event ? event.placement : undefined

/** Folds one event into the swaps by name (in place), and returns the steps that it makes. */
export const see = (
  swaps: Map<string, SwapAccount.SwapAccount>,
  { at, event }: Recorded
): ReadonlyArray<RecordedStep> => {
  if (event._tag === "SwapStep") {
    swaps.set(event.swap, SwapAccount.apply(swaps.get(event.swap), event))
    return [event]
  }
  if (!isByHand(event)) return []
  const swap = event.placement
  // One that older steps began is told anew by its placement.
  const known = event._tag === "Planned" ? undefined : swaps.get(swap)
  if (known === undefined && event._tag !== "Planned") return []
  const first = (known?.steps ?? 0) + 1
  const steps = stepsOf(event, known).map(
    (step, index): RecordedStep => ({ swap, step: first + index, at, event: step })
  )
  const account = steps.reduce<SwapAccount.SwapAccount | undefined>(SwapAccount.apply, known)
  if (account !== undefined) swaps.set(swap, account)
  return steps
}

const isByHand = (event: BotEvent): event is PlacementEvent => "placement" in event && event.strategy === byHand

const stepsOf = (event: PlacementEvent, account: SwapAccount.SwapAccount | undefined): ReadonlyArray<SwapEvent> => {
  switch (event._tag) {
    case "Planned":
      return event.swap === undefined ? [] : [{ _tag: "SwapAgreed", ...event.swap }]
    case "Abandoned":
      return [{ _tag: "SwapDropped", reason: event.reason }]
    case "FundingSigned": {
      const { amount, correlationId, intentHash, signed, validUntil } = event
      return [{ _tag: "IntentSigned", amount, signed, intentHash, validUntil, ...present({ correlationId }) }]
    }
    case "FundingSent":
      return [{ _tag: "IntentSent", attempt: event.attempt }]
    case "FundingAcknowledged": {
      const { correlationId, intentHash } = event
      return [{ _tag: "IntentAcknowledged", intentHash, ...present({ correlationId }) }]
    }
    case "FundingAnswered": {
      const { code, correlationId, text } = event
      return [{ _tag: "IntentAnswered", code, text, ...present({ correlationId }) }]
    }
    case "FundingDead": {
      const { reason } = event
      const refusal = reason.replace(/^The wallet did not pay: /, "")
      const why: SwapEvent =
        account?.intent === undefined ? { _tag: "WalletRefused", text: refusal } : { _tag: "IntentDead", reason }
      return [why, { _tag: "SwapEnded", outcome: "unfunded", text: reason }]
    }
    case "FundingInDoubt":
      // That of an unclear wallet has been told already.
      return account?.wallet?.state === "unclear" ? [] : [{ _tag: "SwapInDoubt", reason: event.reason }]
    case "PaymentAsked": {
      const { amount, wallet } = event
      return [{ _tag: "WalletAsked", attempt: 1, wallet, amount }]
    }
    case "PaymentAskedAgain": {
      const { amount = 0n, wallet = "command" } = account?.wallet ?? {}
      return [
        { _tag: "WalletReleased", reason: "said with --pay-again" },
        { _tag: "WalletAsked", attempt: event.attempt, wallet, amount }
      ]
    }
    case "PaymentMade": {
      const { sender, txHash } = event
      return [{ _tag: "WalletPaid", txHash, ...present({ sender }) }]
    }
    case "PaymentUnclear":
      return [{ _tag: "WalletUnclear", text: event.text }]
    case "PaymentReported":
      return [{ _tag: "DepositReported", txHash: event.txHash }]
    case "SwapReported": {
      const { _tag, placement, slot, strategy, ...report } = event
      return [{ _tag: "SwapSeen", ...report }]
    }
    case "Contradiction": {
      const { correlationId, evidence, what } = event
      return [{ _tag: "SwapContradicted", what, evidence, ...present({ correlationId }) }]
    }
    case "Resolved":
      return [{ _tag: "SwapResolved", word: event.word, text: event.text, ...present({ received: event.received }) }]
    case "LegFailed":
      return [{ _tag: "SwapEnded", outcome: "failed", text: `the venue gave it up: ${event.reason}` }]
    case "Settled":
      return account === undefined ? [] : [{ _tag: "SwapEnded", ...SwapAccount.conclusion(account) }]
    default:
      return []
  }
}
