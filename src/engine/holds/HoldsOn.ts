/** Which holds apply to the bot, a slot or a placement, and which step they stop. Actions and displays both ask here. */

import type { BotState } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import {
  type BotRow,
  type Hold,
  type HoldRow,
  ofBot,
  ofMoment,
  ofPlacement,
  ofProcess,
  ofSlot,
  type PresentFacts,
  type Step,
  type Subject
} from "./Holds.ts"

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
  ofBot.flatMap((row) =>
    findHolds([row], { state }).map((hold) => ({ ...hold, subject: row.subject, inShort: row.inShort }))
  )

export const holdsOnSlot = (state: BotState, strategy: string, slot: string): ReadonlyArray<Hold> => [
  ...findHolds(ofBot, { state }),
  ...findHolds(ofSlot, subjectOf(state, strategy, slot))
]

export const holdsOn = (state: BotState, placement: Placement, facts?: PresentFacts): ReadonlyArray<Hold> => {
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
