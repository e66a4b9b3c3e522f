/**
 * What holds for the whole bot and not for one strategy or order: which run it is, the kill switch, and whether venue, disk,
 * journal, clock and files are well. A fold of the journal; a new run begins well until it is told otherwise.
 */
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import type { Drift } from "../../domain/Drift.ts"
import type { LearnedFee } from "../../domain/EchoedFee.ts"
import { slotKey } from "./SlotFold.ts"

export interface RunState {
  run: Of<"BotStarted"> | undefined
  runStartedAt: number
  killed: string | undefined
  /** This journal was handed over to another machine, as this copy. */
  movedTo: string | undefined
  venueDownSince: number | undefined
  /** What its first failure said. */
  venueDownWhy: string | undefined
  diskFullSince: number | undefined
  /** Why this process may begin and pay nothing more, if so. */
  leaseLost: string | undefined
  /** How the journal differs from what was written to it, if it does. */
  broken: string | undefined
  /** What a witness outside saw of this account's journal and this one does not have, until a person lets it go on. */
  witnessed: (Of<"WitnessDisagreed"> & { readonly isAccepted: boolean }) | undefined
  /** What is wrong with the files as saved now; the running strategies are older. */
  rejectedEdit: ReadonlyArray<string> | undefined
  /** What the last comparison with other witnesses found, and when, if not all agreed. */
  reconciled: (Pick<Of<"Reconciled">, "contradictions" | "foreign"> & { readonly at: number }) | undefined
  /** The account's own capital that came or went without an origin. */
  capital: ReadonlyArray<Of<"CapitalMoved">>
  /** How the service differs from what was recorded of it. */
  drift: ReadonlyArray<Drift>
  /** Markets whose quotes may not be used, or that have none, and why. */
  doubts: Map<string, { readonly reason: string; readonly isUnquoted: boolean; readonly since: number }>
  /** The newest asset ids that a run had, by symbol. */
  assets: ReadonlyMap<string, string>
  /** What orders are charged, as their echoes say. */
  echoedFees: Map<string, LearnedFee>
  /** Our clock against the venue's, once it was compared in this run. */
  clock: Pick<Of<"ClockCompared">, "skewMillis" | "ok"> | undefined
}

export const make = (): RunState => ({
  run: undefined,
  runStartedAt: 0,
  killed: undefined,
  movedTo: undefined,
  venueDownSince: undefined,
  venueDownWhy: undefined,
  diskFullSince: undefined,
  leaseLost: undefined,
  broken: undefined,
  witnessed: undefined,
  rejectedEdit: undefined,
  reconciled: undefined,
  capital: [],
  drift: [],
  doubts: new Map(),
  echoedFees: new Map(),
  assets: new Map(),
  clock: undefined
})

type RunEvent = Of<
  | "BotStarted"
  | "ClockCompared"
  | "KillSwitch"
  | "PriceDoubted"
  | "PriceConfirmed"
  | "VenueDown"
  | "VenueUp"
  | "DiskFull"
  | "DiskFreed"
  | "LeaseLost"
  | "LeaseRegained"
  | "StrategiesRefused"
  | "EditMended"
  | "JournalMoved"
  | "JournalRestored"
  | "JournalBroken"
  | "WitnessDisagreed"
  | "Reconciled"
  | "CapitalMoved"
  | "ServiceCompared"
>

export const apply = (state: RunState, event: RunEvent, at: number): void => {
  switch (event._tag) {
    case "BotStarted":
      Object.assign(state, { ...make(), run: event, runStartedAt: at, ...lasting(state) })
      state.assets = new Map([...state.assets, ...Object.entries(event.assets ?? {})])
      return
    case "ClockCompared":
      state.clock = event
      return
    case "KillSwitch":
      state.killed = event.on ? event.reason : undefined
      return
    case "PriceDoubted":
      state.doubts.set(event.market, { reason: event.reason, isUnquoted: event.isUnquoted === true, since: at })
      return
    case "PriceConfirmed":
      state.doubts.delete(event.market)
      return
    case "VenueDown":
      state.venueDownSince = event.since ?? at
      state.venueDownWhy = event.reason
      return
    case "VenueUp":
      state.venueDownSince = undefined
      state.venueDownWhy = undefined
      return
    case "DiskFull":
      state.diskFullSince = at
      return
    case "DiskFreed":
      state.diskFullSince = undefined
      return
    case "LeaseLost":
      state.leaseLost = event.reason
      return
    case "LeaseRegained":
      state.leaseLost = undefined
      return
    case "StrategiesRefused":
      state.rejectedEdit = event.problems
      return
    case "EditMended":
      state.rejectedEdit = undefined
      return
    case "JournalMoved":
      state.movedTo = event.to
      return
    case "JournalRestored":
      state.movedTo = undefined
      return
    case "JournalBroken":
      state.broken = event.text
      return
    case "WitnessDisagreed":
      state.witnessed = { ...event, isAccepted: false }
      return
    case "Reconciled":
      state.reconciled = event.contradictions.length + event.foreign.length > 0 ? { ...event, at } : undefined
      return
    case "CapitalMoved":
      state.capital = [...state.capital, event]
      return
    case "ServiceCompared":
      state.drift = event.drift
      return
  }
}

/** How comparisons name an order of ours; `slot` with its strategy. */
export const orderName = ({ placement, slot }: { readonly placement: string; readonly slot: string }): string =>
  `${slot} ${placement}`

type Told = Pick<Of<"Reconciled">, "contradictions" | "foreign">

/**
 * What a comparison has found of an order says nothing any more once its books were corrected, or a person has said what is true.
 * The next comparison says it anew, if it is still so. An order that was taken into the books is foreign no more.
 */
export const corrected = (told: Told, event: PlacementEvent): Told => {
  const { contradictions, foreign } = told
  if (event._tag === "Bound")
    return { contradictions, foreign: foreign.filter(({ subject }) => subject !== event.orderId) }
  if (event._tag !== "TakenBack" && event._tag !== "Resolved") return told
  const { placement, slot, strategy } = event
  const subjects = [`order ${orderName({ placement, slot: slotKey(strategy, slot) })}: `, `swap ${placement}: `]
  const isOfIt = (sentence: string): boolean => subjects.some((subject) => sentence.startsWith(subject))
  return { contradictions: contradictions.filter((sentence) => !isOfIt(sentence)), foreign }
}

/** What the operator's word names where it is about the witness outside. */
export const ofWitness = "witness"

export const correct = (state: RunState, event: PlacementEvent): void => {
  if (event._tag === "Resolved" && event.placement === ofWitness && state.witnessed !== undefined)
    state.witnessed = { ...state.witnessed, isAccepted: true }
  const { reconciled } = state
  if (reconciled === undefined) return
  const { contradictions, foreign } = corrected(reconciled, event)
  state.reconciled = contradictions.length + foreign.length > 0 ? { ...reconciled, contradictions, foreign } : undefined
}

/** What a new run does not end. A finding is told again only when it differs. */
const lasting = ({
  assets,
  capital,
  diskFullSince,
  drift,
  echoedFees,
  killed,
  movedTo,
  reconciled,
  witnessed
}: RunState) => ({
  assets,
  capital,
  diskFullSince,
  drift,
  echoedFees,
  killed,
  movedTo,
  reconciled,
  witnessed
})
