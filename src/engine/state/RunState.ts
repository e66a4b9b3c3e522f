/** State of the whole bot, not of a strategy or an order. A new run starts healthy until an event reports otherwise. */
import type { Of, PlacementEvent, Tag } from "../../domain/BotEvent.ts"
import type { Drift } from "../../domain/Drift.ts"
import type { LearnedFee } from "../../domain/EchoedFee.ts"
import { diskFullText } from "../../domain/Text.ts"
import { slotKey } from "./SlotFold.ts"

export interface RunState {
  run: Of<"BotStarted"> | undefined
  runStartedAt: number
  killed: string | undefined
  /** Name of the copy that was handed over to another machine. */
  movedTo: string | undefined
  venueDownSince: number | undefined
  venueDownWhy: string | undefined
  diskFull: { readonly since: number; readonly reason: string } | undefined
  leaseLost: string | undefined
  broken: string | undefined
  /** Events of this account's journal that an outside witness saw and this journal lacks; `isAccepted` once a person lets it continue. */
  witnessed: (Of<"WitnessDisagreed"> & { readonly isAccepted: boolean }) | undefined
  rejectedEdit: ReadonlyArray<string> | undefined
  reconciled: (Pick<Of<"Reconciled">, "contradictions" | "foreign"> & { readonly at: number }) | undefined
  capital: ReadonlyArray<Of<"CapitalMoved">>
  drift: ReadonlyArray<Drift>
  doubts: ReadonlyMap<string, { readonly reason: string; readonly isUnquoted: boolean; readonly since: number }>
  assets: ReadonlyMap<string, string>
  alerts: ReadonlyMap<string, number>
  echoedFees: Map<string, LearnedFee>
  /** Our clock against the venue's; `undefined` before the first comparison of this run. */
  clock: Pick<Of<"ClockCompared">, "skewMillis" | "ok"> | undefined
}

/** All other state outlasts a run, so that a finding is reported again only if it differs. */
const healthy = () => ({
  venueDownSince: undefined,
  venueDownWhy: undefined,
  leaseLost: undefined,
  broken: undefined,
  rejectedEdit: undefined,
  doubts: new Map<string, never>(),
  clock: undefined
})

export const make = (): RunState => ({
  ...healthy(),
  run: undefined,
  runStartedAt: 0,
  killed: undefined,
  movedTo: undefined,
  diskFull: undefined,
  witnessed: undefined,
  reconciled: undefined,
  capital: [],
  drift: [],
  echoedFees: new Map(),
  assets: new Map(),
  alerts: new Map()
})

type Change<T extends Tag> = (event: Of<T>, at: number, state: RunState) => Partial<RunState>

const table = {
  BotStarted: (run, runStartedAt, { assets }) => ({
    ...healthy(),
    run,
    runStartedAt,
    assets: new Map([...assets, ...Object.entries(run.assets ?? {})])
  }),
  ClockCompared: (clock) => ({ clock }),
  KillSwitch: ({ on, reason }) => ({ killed: on ? reason : undefined }),
  PriceDoubted: ({ isUnquoted = false, market, reason }, since, { doubts }) => ({
    doubts: new Map(doubts).set(market, { reason, isUnquoted, since })
  }),
  PriceConfirmed: ({ market }, _, { doubts }) => ({
    doubts: new Map([...doubts].filter(([name]) => name !== market))
  }),
  VenueDown: ({ reason, since }, at) => ({ venueDownSince: since ?? at, venueDownWhy: reason }),
  VenueUp: () => ({ venueDownSince: undefined, venueDownWhy: undefined }),
  DiskFull: ({ reason = diskFullText }, at, { diskFull }) => ({
    diskFull: { since: diskFull?.since ?? at, reason }
  }),
  DiskFreed: () => ({ diskFull: undefined }),
  LeaseLost: ({ reason }) => ({ leaseLost: reason }),
  LeaseRegained: () => ({ leaseLost: undefined }),
  StrategiesRefused: ({ problems }) => ({ rejectedEdit: problems }),
  EditMended: () => ({ rejectedEdit: undefined }),
  JournalMoved: ({ to }) => ({ movedTo: to }),
  JournalRestored: () => ({ movedTo: undefined }),
  JournalBroken: ({ text }) => ({ broken: text }),
  WitnessDisagreed: (event) => ({ witnessed: { ...event, isAccepted: false } }),
  Reconciled: (event, at) => ({
    reconciled: event.contradictions.length + event.foreign.length > 0 ? { ...event, at } : undefined
  }),
  CapitalMoved: (event, _, { capital }) => ({ capital: [...capital, event] }),
  ServiceCompared: ({ drift }) => ({ drift }),
  AlertReached: ({ alert }, at, { alerts }) => ({ alerts: new Map(alerts).set(alert, at) })
} satisfies { readonly [T in Tag]?: Change<T> }

type RunTag = keyof typeof table
const changes: { readonly [T in RunTag]: Change<T> } = table

export const apply = <T extends RunTag>(state: RunState, tag: T, event: Of<T>, at: number): void => {
  Object.assign(state, changes[tag](event, at, state))
}

export const orderName = ({ placement, slot }: { readonly placement: string; readonly slot: string }): string =>
  `${slot} ${placement}`

type Told = Pick<Of<"Reconciled">, "contradictions" | "foreign">

/** Drops findings that a correction or a person has settled. If a finding persists, the next comparison reports it again. */
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
