/** Which holds apply to the bot, a slot or a placement, and which step they stop. Actions and displays both ask here. */
import type { BotState } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import * as Holds from "./Holds.ts"

const findHolds = <Known>(rows: ReadonlyArray<Holds.HoldRow<Known>>, known: Known): ReadonlyArray<Holds.Hold> =>
  rows.flatMap(({ code, lifts, scope, stops, why }) => {
    const reason = why(known)
    if (reason === undefined) return []
    return [{ scope, code, lifts, stops, ...(typeof reason === "string" ? { text: reason } : reason) }]
  })

const subjectOf = (state: BotState, strategy: string, slot: string): Holds.Subject => ({
  state,
  strategy: state.strategies.get(strategy),
  slot: state.slots.get(slotKey(strategy, slot))
})

export const holdsOnBot = (state: BotState): ReadonlyArray<Holds.Hold & Pick<Holds.BotRow, "inShort" | "subject">> =>
  Holds.ofBot.flatMap((row) =>
    findHolds([row], { state }).map((hold) => ({ ...hold, subject: row.subject, inShort: row.inShort }))
  )

export const holdsOnSlot = (state: BotState, strategy: string, slot: string): ReadonlyArray<Holds.Hold> => [
  ...findHolds(Holds.ofBot, { state }),
  ...findHolds(Holds.ofSlot, subjectOf(state, strategy, slot))
]

export const holdsOn = (state: BotState, placement: Placement, facts?: Holds.PresentFacts) => {
  const holdSubject = { ...subjectOf(state, placement.strategy, placement.slot), placement }
  const recorded = [...findHolds(Holds.ofBot, holdSubject), ...findHolds(Holds.ofPlacement, holdSubject)]
  const current =
    facts === undefined
      ? []
      : [...findHolds(Holds.ofProcess, facts), ...findHolds(Holds.ofMoment, { ...holdSubject, ...facts })]
  return [...recorded, ...current].filter((hold) => isFor(hold, placement))
}

export const isFor = ({ sparesExits }: Holds.Hold, { isExit }: { readonly isExit?: true | undefined }): boolean =>
  sparesExits !== true || isExit !== true

export const stopping = (holds: ReadonlyArray<Holds.Hold>, step: Holds.Step): string | undefined =>
  holds.find(({ stops }) => stops.includes(step))?.text

export const closedForAll = (
  state: BotState,
  facts: Pick<Holds.PresentFacts, "leaseLost" | "stopped">,
  step: Holds.Step
): string | undefined => stopping([...findHolds(Holds.ofProcess, facts), ...holdsOnBot(state)], step)

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
  step: Holds.Step,
  facts: Holds.PresentFacts
): string | undefined => {
  const placement = state.placements.get(id)
  return placement === undefined ? "it is over" : stopping(holdsOn(state, placement, facts), step)
}
