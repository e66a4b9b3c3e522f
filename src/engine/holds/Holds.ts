/**
 * Reasons why money may not leave, in one table. The table is read before an order is planned, and again directly before each step: its
 * create, its signature, the request to a wallet, and each sending of bytes. The price may have moved since the turn began, or a person may
 * have stopped the bot, the strategy or the order. Explanations, alarms and slots read the same rows, so they show what really holds.
 *
 * A stopped placement is given up while it is planned; once created, its order is also cancelled as spare. Bytes that were sent may have
 * arrived. Stopped bytes stay here, and their outcome is concluded once they have expired (see `protocol/Silence`).
 */
import * as Drift from "../../domain/Drift.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { isTerminal } from "../../domain/Order.ts"
import { firstOrder, hasNoBudget } from "../../domain/Placement.ts"
import { clockText, pausedBy } from "../../domain/Text.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { isTooLate, type Settings } from "../EngineSettings.ts"
import type { BotState } from "../state/BotState.ts"
import * as JournalIntegrity from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { type Slot, slotKey } from "../state/SlotFold.ts"
import type { StrategyState } from "../state/strategies/StrategyState.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import * as FundingStop from "./FundingStop.ts"
import { badDeviation, dearFee, quietness, staleness } from "./MarketLimits.ts"

/** `plan`: find slots to place or move. `fund`: sign, ask a wallet, or send bytes the first time. `resend`: send bytes again. */
export type Step = "plan" | "create" | "fund" | "resend"

export interface Hold {
  readonly scope: "bot" | "asset" | "strategy" | "slot" | "placement" | "price"
  readonly code: string
  readonly text: string
  readonly sentence?: string
  /** Epoch milliseconds, if known. */
  readonly since?: number
  readonly lifts: "itself" | "release" | "resume" | "resolve"
  readonly endsBy?: string
  readonly sparesExits?: true
  readonly stops: ReadonlyArray<Step>
}

export const commandLineOf = (command: string): string => `limitbot ${command === "release" ? "kill --off" : command}`

export const liftedBy = ({ endsBy, lifts }: Pick<Hold, "endsBy" | "lifts">): string | undefined =>
  lifts === "itself" ? endsBy : `${commandLineOf(lifts)}${endsBy === undefined ? "" : `, or ${endsBy}`}`

export interface PresentFacts {
  readonly now: number
  readonly stopped: string | undefined
  readonly incident: string | undefined
  /** Limits of the placement's strategy; `undefined` if it is no longer loaded. */
  readonly limits: Limits | undefined
  readonly price: TwoSidedPrice | undefined
  /** Time by which our clock is ahead of the venue's, by the venue's latest answers. */
  readonly skewMillis: number | undefined
  readonly settings: Pick<Settings, "deadlineMarginMillis">
  readonly leaseLost: string | undefined
}

interface Subject {
  readonly state: BotState
  readonly strategy: StrategyState | undefined
  readonly slot: Slot | undefined
}

type InPlacement = Subject & { readonly placement: Placement }

type Said = string | Pick<Hold, "text" | "sentence" | "since" | "endsBy" | "sparesExits">

interface HoldRow<Known> extends Pick<Hold, "scope" | "code" | "lifts" | "stops"> {
  readonly why: (known: Known) => Said | undefined
}

interface BotRow extends HoldRow<Pick<Subject, "state">> {
  readonly scope: "bot"
  readonly subject: string
  readonly inShort: string
}

const row = <Known>(
  scope: Hold["scope"],
  code: string,
  lifts: Hold["lifts"],
  stops: Hold["stops"],
  why: HoldRow<Known>["why"]
): HoldRow<Known> => ({ scope, code, lifts, stops, why })

/** `subject` and `inShort` are for displays. */
const botRow = (
  code: string,
  subject: string,
  lifts: Hold["lifts"],
  stops: Hold["stops"],
  inShort: string,
  why: BotRow["why"]
): BotRow => ({ scope: "bot", code, subject, lifts, stops, inShort, why })

/** Planning continues under most holds, because it also cancels orders that are no longer planned. */
const everything: ReadonlyArray<Step> = ["create", "fund", "resend"]
const beginnings: ReadonlyArray<Step> = ["create", "fund"]
const withPlans: ReadonlyArray<Step> = ["plan", ...everything]

/** A newer journal that is restored does not contain the finding, so the hold ends with it. */
export const remedyOfWitness =
  "restore the newer journal (limitbot journal restore), or accept this one: limitbot resolve witness --forget --because 'NAME: why'"

/** An outside witness of the journal's head has seen other or later events than this journal has. */
export const disagreement = ({ witnessed }: Pick<BotState, "witnessed">) =>
  witnessed === undefined || witnessed.isAccepted
    ? undefined
    : {
        text: `the journal differs from its witness: ${witnessed.text}`,
        sentence: `The journal differs from its witness, nothing is funded: ${witnessed.text}; ${remedyOfWitness}`
      }

export const ofBot: ReadonlyArray<BotRow> = [
  botRow("kill-switch", "all", "release", everything, "the kill switch is on", ({ state: { killed } }) => {
    return killed && { text: `the kill switch is on: ${killed}`, sentence: `Kill switch: ${killed}` }
  }),
  // The lock as a process last recorded it; its present state is in `ofProcess`.
  botRow("journal-gone", "journal", "itself", withPlans, "the journal's file was replaced", ({ state }) => {
    return state.leaseLost
  }),
  botRow("journal-moved", "journal", "itself", everything, "the journal was handed over", ({ state: { movedTo } }) => {
    if (movedTo === undefined) return undefined
    const sentence = `This journal was handed over to ${movedTo} and is closed here`
    return { text: `this journal was handed over as ${movedTo}`, sentence }
  }),
  botRow("journal-changed", "journal", "itself", everything, "the journal was changed", ({ state: { broken } }) => {
    if (broken === undefined) return undefined
    const sentence = `The journal was changed, nothing is funded: ${broken}; limitbot journal verify`
    return { text: `the journal was changed: ${broken}`, sentence }
  }),
  botRow("journal-behind", "journal", "resolve", everything, "the journal is behind", ({ state: { integrity } }) =>
    JournalIntegrity.whyStopped(integrity)
  ),
  botRow("witness-disagrees", "journal", "resolve", everything, "the journal differs from its witness", ({ state }) =>
    disagreement(state)
  ),
  botRow("service-changed", "service", "itself", everything, "the service has changed", ({ state: { drift } }) =>
    Drift.closing(drift)
  ),
  botRow("disk-full", "disk", "itself", withPlans, "the disk has no reserve", ({ state: { diskFull } }) => {
    if (diskFull === undefined) return undefined
    const { reason: text, since } = diskFull
    return { text, sentence: `Nothing new is placed or funded, cancels still work: ${text}`, since }
  }),
  // The venue judges by its own clock whether bytes have expired; ours can only make prices and deadlines look fresh.
  botRow("clock-wrong", "clock", "itself", ["plan", ...beginnings], "this machine's clock is wrong", ({ state }) => {
    const text = VenueTime.problem(state)
    return text && { text, sentence: `Nothing new is funded: ${clockText(state.clock?.skewMillis ?? 0)}` }
  })
]

/**
 * Holds on a strategy or a slot, by the journal. They also stop bytes that were sent, because their money may still be here. Sent again, it
 * would reach an order that has ended, or pay for a strategy that must not spend. No payment fixes books or a venue that are not trusted. A
 * deposit shows the part that has arrived.
 */
export const ofSlot: ReadonlyArray<HoldRow<Subject>> = [
  row("slot", "frozen", "resolve", everything, ({ slot }) => slot?.frozen && `its slot is frozen: ${slot.frozen}`),
  row("strategy", "not-loaded", "itself", everything, ({ strategy }) =>
    strategy?.isLoaded === false ? "its strategy is no longer loaded" : undefined
  ),
  // A strategy that cannot be planned can neither keep an order nor cancel it.
  row("strategy", "plan-failed", "itself", everything, ({ strategy }) => {
    const { failing } = strategy ?? {}
    return failing && { text: `its strategy cannot be planned: ${failing.reason}`, since: failing.since }
  }),
  // A pause for a loss lets exits continue, so that no position stays without its stop.
  row("strategy", "paused", "resume", everything, ({ strategy }) => {
    if (strategy?.paused === undefined) return undefined
    const text = `paused ${pausedBy(strategy.paused)}`
    const endsBy = FundingStop.endOfLoss.get(strategy.paused.limit)
    if (endsBy === undefined) return text
    return strategy.paused.action === "drain"
      ? { text, endsBy }
      : { text: `${text}; exits continue`, endsBy, sparesExits: true }
  }),
  row("strategy", "funding-stopped", "resume", everything, ({ strategy: own }) => own && FundingStop.whyStopped(own))
]

export const ofPlacement: ReadonlyArray<HoldRow<InPlacement>> = [
  // A requested cancel holds until the order has ended, even if the venue refuses it.
  row(
    "placement",
    "withdrawn",
    "itself",
    everything,
    ({ placement: { cancel } }) => cancel && `it is being cancelled: ${cancel.why.text}`
  ),
  row("placement", "order-over", "itself", everything, ({ placement: { status } }) =>
    isOver(status) ? `its order is ${status}` : undefined
  ),
  row("placement", "contradiction", "resolve", everything, ({ placement: { contradiction } }) => contradiction),
  row("placement", "not-agreed", "itself", beginnings, ({ placement: { strategy } }) =>
    strategy === firstOrder ? "an earlier version began it, and the operator had not agreed to pay it" : undefined
  ),
  ...ofSlot
]

const isOver = (status: string | undefined): boolean =>
  status !== undefined && (isTerminal(status) || status === "PENDING_CANCEL")

export const ofProcess: ReadonlyArray<HoldRow<Pick<PresentFacts, "leaseLost" | "stopped">>> = [
  row("bot", "journal-gone", "itself", withPlans, ({ leaseLost }) => leaseLost),
  row("bot", "stopped", "itself", everything, ({ stopped }) => stopped)
]

/**
 * Holds on a placement that only the running process knows. The market stops only new orders, and an order that could not be paid is not
 * created. An order whose bytes have left may be open already, and sending them again shows whether it is. At worst that funds it later, at
 * its own limit. A strategy that no longer plans it cancels it, which stops the bytes. If an old or missing price stopped them too, every
 * outage of the venue would leave payments in doubt.
 */
export const ofMoment: ReadonlyArray<HoldRow<InPlacement & PresentFacts>> = [
  row("asset", "incident", "itself", everything, ({ incident }) => incident),
  row("bot", "clock-wrong", "itself", beginnings, ({ skewMillis }) => VenueTime.problemOf(skewMillis)),
  row("strategy", "quiet-hours", "itself", beginnings, ({ limits, now }) => {
    const text = limits && quietness({ limits, now })
    return text && { text, sparesExits: true }
  }),
  row("price", "bad-price", "itself", beginnings, (known) => badPrice(known)),
  row("placement", "too-late", "itself", ["fund"], ({ now, placement, settings }) =>
    isTooLate(placement, now, settings) ? "its deadline is too close" : undefined
  ),
  // Only a created order shows its fee, so each attempt creates one and leaves it unpaid if the fee is too high.
  row("placement", "dear-fee", "itself", ["fund"], ({ limits, placement }) => dearFee(placement, limits))
]

/** Orders without a budget are exempt, because a person saw and agreed to their terms. */
const badPrice = ({ limits, now, placement, price, state }: InPlacement & PresentFacts): string | undefined => {
  if (hasNoBudget(placement.strategy)) return undefined
  if (limits === undefined || price === undefined) return state.doubts.get(placement.market)?.reason ?? "no price"
  return staleness({ now, price, limits }) ?? badDeviation(placement, { price, limits })
}

const findHolds = <Known>(rows: ReadonlyArray<HoldRow<Known>>, known: Known): ReadonlyArray<Hold> =>
  rows.flatMap(({ code, lifts, scope, stops, why }) => {
    const reason = why(known)
    if (reason === undefined) return []
    return [{ scope, code, lifts, stops, ...(typeof reason === "string" ? { text: reason } : reason) }]
  })

const subjectOf = (state: BotState, strategy: string, slot: string): Subject => ({
  state,
  strategy: state.strategies.get(strategy),
  slot: state.slots.get(slotKey(strategy, slot))
})

export const holdsOnBot = (state: BotState): ReadonlyArray<Hold & Pick<BotRow, "inShort" | "subject">> =>
  ofBot.flatMap((each) =>
    findHolds([each], { state }).map((hold) => ({ ...hold, subject: each.subject, inShort: each.inShort }))
  )

export const holdsOnSlot = (state: BotState, strategy: string, slot: string): ReadonlyArray<Hold> => [
  ...findHolds(ofBot, { state }),
  ...findHolds(ofSlot, subjectOf(state, strategy, slot))
]

export const holdsOn = (state: BotState, placement: Placement, facts?: PresentFacts) => {
  const holdSubject = { ...subjectOf(state, placement.strategy, placement.slot), placement }
  const recorded = [...findHolds(ofBot, holdSubject), ...findHolds(ofPlacement, holdSubject)]
  const current =
    facts === undefined ? [] : [...findHolds(ofProcess, facts), ...findHolds(ofMoment, { ...holdSubject, ...facts })]
  return [...recorded, ...current].filter((hold) => isFor(hold, placement))
}

export const isFor = ({ sparesExits }: Hold, { isExit }: { readonly isExit?: true | undefined }): boolean =>
  sparesExits !== true || isExit !== true

export const stopping = (holds: ReadonlyArray<Hold>, step: Step): string | undefined =>
  holds.find(({ stops }) => stops.includes(step))?.text

export const closedForAll = (
  state: BotState,
  facts: Pick<PresentFacts, "leaseLost" | "stopped">,
  step: Step
): string | undefined => stopping([...findHolds(ofProcess, facts), ...holdsOnBot(state)], step)

/** Reason why an unconfirmed payment is not sent, or not sent again, as far as the journal knows. */
export const unsentBecause = (state: BotState, placement: Placement): string | undefined => {
  if (placement.state !== "funding") return undefined
  const { acknowledged, attempts, payment } = placement.funding
  if (acknowledged || payment !== undefined) return undefined
  const isFirst = attempts === 0
  const why = stopping(holdsOn(state, placement), isFirst ? "fund" : "resend")
  return why === undefined ? undefined : `its payment is not sent${isFirst ? "" : " again"}: ${why}`
}

/** Reads the placement again, so the answer is about its present state. */
export const closedBecause = (
  state: BotState,
  { id }: Pick<Placement, "id">,
  step: Step,
  facts: PresentFacts
): string | undefined => {
  const placement = state.placements.get(id)
  return placement === undefined ? "it is over" : stopping(holdsOn(state, placement, facts), step)
}
