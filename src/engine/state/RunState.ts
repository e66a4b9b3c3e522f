/**
 * State of the whole bot, independent of strategies and orders: the run, the kill switch, and the health of venue, disk, journal, clock and
 * files. A fold of the journal; a new run starts healthy until an event reports otherwise.
 */
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import type { Drift } from "../../domain/Drift.ts"
import type { LearnedFee } from "../../domain/EchoedFee.ts"
import { slotKey } from "./SlotFold.ts"

export interface RunState {
  run: Of<"BotStarted"> | undefined
  runStartedAt: number
  killed: string | undefined
  /** Name of the copy that was handed over to another machine. */
  movedTo: string | undefined
  venueDownSince: number | undefined
  venueDownWhy: string | undefined
  diskFullSince: number | undefined
  leaseLost: string | undefined
  broken: string | undefined
  /** Events of this account's journal that an outside witness saw and this journal lacks; `isAccepted` once a person lets it continue. */
  witnessed: (Of<"WitnessDisagreed"> & { readonly isAccepted: boolean }) | undefined
  rejectedEdit: ReadonlyArray<string> | undefined
  /** Findings and time of the last comparison with other witnesses, unless all agreed. */
  reconciled: (Pick<Of<"Reconciled">, "contradictions" | "foreign"> & { readonly at: number }) | undefined
  capital: ReadonlyArray<Of<"CapitalMoved">>
  drift: ReadonlyArray<Drift>
  doubts: Map<string, { readonly reason: string; readonly isUnquoted: boolean; readonly since: number }>
  assets: ReadonlyMap<string, string>
  echoedFees: Map<string, LearnedFee>
  /** Our clock against the venue's; `undefined` before the first comparison of this run. */
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

export const orderName = ({ placement, slot }: { readonly placement: string; readonly slot: string }): string =>
  `${slot} ${placement}`

type Told = Pick<Of<"Reconciled">, "contradictions" | "foreign">

/**
 * Drops findings about an order once its books were corrected or a person has confirmed the facts. The next comparison reports a finding
 * again if it persists. An adopted order is no longer foreign.
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

export const ofWitness = "witness"

export const correct = (state: RunState, event: PlacementEvent): void => {
  if (event._tag === "Resolved" && event.placement === ofWitness && state.witnessed !== undefined)
    state.witnessed = { ...state.witnessed, isAccepted: true }
  const { reconciled } = state
  if (reconciled === undefined) return
  const { contradictions, foreign } = corrected(reconciled, event)
  state.reconciled = contradictions.length + foreign.length > 0 ? { ...reconciled, contradictions, foreign } : undefined
}

/** State that outlasts a run. A finding is reported again only when it differs. */
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
}: RunState) => ({ assets, capital, diskFullSince, drift, echoedFees, killed, movedTo, reconciled, witnessed })
