/**
 * The gate before money leaves: one table of reasons, each with the steps that it stops. It is asked directly before an order is
 * created, before its payload is signed, before a wallet is asked, and before bytes leave, for the first time or again. What was
 * true when the turn began does not count here: the market may have run away, or somebody may have stopped the bot, the strategy
 * or the order.
 *
 * A planned placement that is stopped is given up. So is a created one: its order is cancelled as spare. Bytes that were sent
 * may have arrived. Those that are stopped stay here, and what became of them is judged once they have expired (see `Payload`).
 */
import { Context, Effect } from "effect"
import * as Drift from "../../domain/Drift.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import { isTerminal } from "../../domain/Order.ts"
import { firstOrder, hasNoBudget } from "../../domain/Placement.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { badDeviation, quietness, staleness } from "../planning/RiskLimits.ts"
import * as FundingStop from "../reconciliation/FundingStop.ts"
import * as JournalTail from "../restart/JournalTail.ts"
import type { BotState } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { type Slot, slotKey } from "../state/SlotFold.ts"
import type { StrategyState } from "../state/StrategyState.ts"
import * as VenueTime from "../tracking/VenueTime.ts"

/** `fund`: sign, ask a wallet, and send what never left. `resend`: send bytes again that left before. */
export type FundingStep = "create" | "fund" | "resend"

/** What the engine knows besides the journal when it works on a placement. */
export interface Surroundings {
  /** Missing when the market is no longer configured: then nothing is created or paid. */
  readonly market: Market | undefined
  /** Why this step of this placement may not be taken now, if so. */
  gate(placement: Placement, step: FundingStep): Effect.Effect<string | undefined>
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
}

/**
 * Why a first order is not created or paid now, if so. Only the command that asks a person for the word may pay one: any other
 * process that finds one gives it up, as long as nothing was signed.
 */
export const Consent = Context.Reference<
  (placement: Placement, step: FundingStep) => Effect.Effect<string | undefined>
>("limitbot/engine/funding/Consent", {
  defaultValue:
    () =>
    ({ strategy }, step) =>
      Effect.succeed(
        strategy === firstOrder && step !== "resend" ? "only limitbot first-order goes on with it" : undefined
      )
})

export interface GateInputs {
  readonly now: number
  /** Why everything must be withdrawn, or nothing may be paid, if so. */
  readonly stopped: string | undefined
  /** Nobody has agreed to it. */
  readonly unagreed?: string | undefined
  /** An incident of the venue in one of its assets. */
  readonly incident: string | undefined
  /** Limits of the placement's strategy; none when it is no longer loaded. */
  readonly limits: Limits | undefined
  readonly price: TwoSidedPrice | undefined
  /** How far our clock is ahead of the venue's, by the venue's latest answers. */
  readonly skewMillis: number | undefined
  /** Why this process may no longer pay, if so. */
  readonly leaseLost: string | undefined
}

interface Recorded {
  readonly state: BotState
  readonly placement: Placement
  readonly strategy: StrategyState | undefined
  readonly slot: Slot | undefined
}

interface Hold<Known> {
  readonly stops: ReadonlyArray<FundingStep>
  /** In words; `undefined` when it does not hold. */
  readonly why: (known: Known) => string | undefined
}

const isOver = (status: string | undefined): boolean =>
  status !== undefined && (isTerminal(status) || status === "PENDING_CANCEL")

const everything: ReadonlyArray<FundingStep> = ["create", "fund", "resend"]
const beginnings: ReadonlyArray<FundingStep> = ["create", "fund"]
const payments: ReadonlyArray<FundingStep> = ["fund"]

/** What the journal says of the whole bot. */
const recordedOfBot: ReadonlyArray<Hold<Pick<Recorded, "state">>> = [
  { stops: everything, why: ({ state }) => state.killed },
  {
    stops: everything,
    why: ({ state }) => (state.movedTo === undefined ? undefined : `this journal was handed over as ${state.movedTo}`)
  },
  { stops: everything, why: ({ state }) => JournalTail.closesGate(state.tail) },
  { stops: everything, why: ({ state }) => state.broken && `the journal is not what was written: ${state.broken}` },
  { stops: everything, why: ({ state }) => Drift.closing(state.drift) },
  { stops: everything, why: ({ state }) => (state.diskFullSince === undefined ? undefined : "the disk is full") },
  // The venue judges by its own clock whether bytes have expired; ours can only make prices and deadlines look fresh.
  { stops: beginnings, why: ({ state }) => VenueTime.problem(state) }
]

/**
 * What it says beside that of a placement. Whoever stops the bot, a strategy or an order means money that may still be here as well: sent again, it
 * would be paid to an order that is over by then, or for a strategy that must not spend. And where the books or the venue are
 * not trusted, no payment mends that. What has arrived of it, a deposit shows.
 */
const recordedOfPlacement: ReadonlyArray<Hold<Recorded>> = [
  {
    // It is wanted until the order is over, however often the venue refuses it.
    stops: everything,
    why: ({ placement: { cancel } }) => (cancel === undefined ? undefined : `it is being withdrawn: ${cancel.why.text}`)
  },
  { stops: everything, why: ({ placement: { status } }) => (isOver(status) ? `its order is ${status}` : undefined) },
  { stops: everything, why: ({ placement }) => placement.contradiction },
  {
    stops: everything,
    why: ({ slot }) => (slot?.frozen === undefined ? undefined : `its slot is frozen: ${slot.frozen}`)
  },
  {
    stops: everything,
    why: ({ strategy }) => (strategy?.isLoaded === false ? "its strategy is no longer loaded" : undefined)
  },
  {
    // Nobody can ask whether it still wants the order, so it cannot withdraw it either.
    stops: everything,
    why: ({ strategy }) =>
      strategy?.failing === undefined ? undefined : `its strategy cannot be planned: ${strategy.failing.reason}`
  },
  { stops: everything, why: ({ strategy }) => strategy?.paused?.reason },
  { stops: everything, why: ({ strategy }) => (strategy === undefined ? undefined : FundingStop.closesGate(strategy)) }
]

const recorded: ReadonlyArray<Hold<Recorded>> = [...recordedOfBot, ...recordedOfPlacement]

/** What only the running process knows of the whole bot. */
const presentOfBot: ReadonlyArray<Hold<Pick<GateInputs, "leaseLost" | "stopped">>> = [
  { stops: everything, why: ({ leaseLost }) => leaseLost },
  { stops: everything, why: ({ stopped }) => stopped }
]

/**
 * What it knows beside that. The market stops only what begins: an order that could not be
 * paid is not created either. An order whose bytes have left may
 * rest already, and sending them again is how the bot learns whether it does. At worst that funds it later, at its own limit, as
 * if the first attempt had been late. A strategy that no longer wants it cancels it, and that stops the bytes. If a price that is
 * old or gone stopped them too, every outage of the venue would leave payments in doubt.
 */
const present: ReadonlyArray<Hold<Recorded & GateInputs>> = [
  ...presentOfBot,
  { stops: beginnings, why: ({ unagreed }) => unagreed },
  { stops: everything, why: ({ incident }) => incident },
  { stops: beginnings, why: ({ skewMillis }) => VenueTime.problemOf(skewMillis) },
  { stops: beginnings, why: ({ limits, now }) => limits && quietness({ limits, now }) },
  { stops: beginnings, why: (known) => badPrice(known) },
  // Only an order tells its fee, so each attempt asks with one that stays unpaid.
  { stops: payments, why: (known) => dearFee(known) }
]

const dearFee = ({ limits, placement: { echo } }: Recorded & GateInputs): string | undefined => {
  const most = limits?.maxFeeBasisPoints
  if (echo === undefined || most === undefined || echo.basisPoints <= most) return undefined
  return `its fee is ${echo.basisPoints} basis points of the input, more than ${most} (limits.maxFeeBasisPoints)`
}

/** What has no budget was agreed to by a person, who saw its terms. */
const badPrice = ({ limits, now, placement, price, state }: Recorded & GateInputs): string | undefined => {
  if (hasNoBudget(placement.strategy)) return undefined
  if (limits === undefined || price === undefined)
    return state.doubts.get(placement.market)?.reason ?? "there is no price"
  return staleness({ now, price, limits }) ?? badDeviation(placement, { price, limits })
}

const firstOf = <Known>(holds: ReadonlyArray<Hold<Known>>, known: Known, step: FundingStep): string | undefined => {
  for (const { stops, why } of holds) {
    const reason = stops.includes(step) ? why(known) : undefined
    if (reason !== undefined) return reason
  }
  return undefined
}

const recordedOf = (state: BotState, placement: Placement): Recorded => ({
  state,
  placement,
  strategy: state.strategies.get(placement.strategy),
  slot: state.slots.get(slotKey(placement.strategy, placement.slot))
})

/** Why this bot begins and pays nothing at all, if so. */
export const closedForAll = (state: BotState, inputs: Pick<GateInputs, "leaseLost" | "stopped">): string | undefined =>
  firstOf(presentOfBot, inputs, "fund") ?? firstOf(recordedOfBot, { state }, "fund")

/** The same as far as the journal knows, for people who look at it. */
export const closedByRecord = (state: BotState, placement: Placement, step: FundingStep): string | undefined =>
  firstOf(recorded, recordedOf(state, placement), step)

/** Why a payment that nobody has confirmed is not sent, or not again, as far as the journal knows. */
export const unsentBecause = (state: BotState, placement: Placement): string | undefined => {
  if (placement.state !== "funding") return undefined
  const { acknowledged, attempts, payment } = placement.funding
  if (acknowledged || payment !== undefined) return undefined
  const isFirst = attempts === 0
  const why = closedByRecord(state, placement, isFirst ? "fund" : "resend")
  return why === undefined ? undefined : `its payment is not sent${isFirst ? "" : " again"}: ${why}`
}

/** Asked of the placement as it is by now. */
export const closedBecause = (
  state: BotState,
  { id }: Pick<Placement, "id">,
  step: FundingStep,
  inputs: GateInputs
): string | undefined => {
  const placement = state.placements.get(id)
  if (placement === undefined) return "it is over"
  const known = { ...recordedOf(state, placement), ...inputs }
  return firstOf(recorded, known, step) ?? firstOf(present, known, step)
}
