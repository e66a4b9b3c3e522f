/** Lists orders whose money has been in one state for longer than its term, the oldest first. */
import { Option, Record } from "effect"
import { defaultTerms, overdueIn, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as Answer from "../../process/Answer.ts"
import { nameOfStuck, stuckOrders } from "../../views/Orders.ts"
import { ofJournal } from "./JournalView.ts"

const sameForAll = (term: number): StepTerms => Record.map({ ...defaultTerms }, () => term)

export const stuck = (after: Option.Option<number>) =>
  ofJournal(({ assets, now, state, stuckAfter }) => {
    const terms = Option.match(after, { onNone: () => stuckAfter, onSome: sameForAll })
    const rows = overdueIn(state, terms, now)
    const answer = Answer.ofList(stuckOrders(assets, now), rows, "Nothing is stuck: every order is within its limits.")
    const ticket = rows
      .slice(0, 1)
      .flatMap((row) => ["", `For a support ticket: limitbot orders ${nameOfStuck(row)} --out evidence.json`])
    return { ...answer, lines: () => [...answer.lines(), ...ticket] }
  })
