/** `limitbot orders --stuck`: orders whose money has been in one state for longer than its term, the oldest first. */
import { Effect, Option, Record } from "effect"
import { defaultTerms, overdueIn, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as Answer from "../../process/Answer.ts"
import { nameOfStuck, stuckOrders } from "../../views/Orders.ts"
import { ofJournal } from "./JournalView.ts"
import * as WhichBot from "./WhichBot.ts"

const sameForAll = (term: number): StepTerms => Record.map({ ...defaultTerms }, () => term)

export const stuck = Effect.fn("stuck")(function* (bot: WhichBot.WhichBot, after: Option.Option<number>) {
  const { stuckAfter } = yield* WhichBot.settingsOf(bot)
  const terms = Option.match(after, { onNone: () => stuckAfter, onSome: sameForAll })
  return yield* ofJournal(bot, ({ state, assets, now }) => {
    const rows = overdueIn(state, terms, now)
    const answer = Answer.ofList(stuckOrders(assets, now), rows, "Nothing is stuck: every order is within its limits.")
    const ticket = rows
      .slice(0, 1)
      .flatMap((row) => ["", `For a support ticket: limitbot orders ${nameOfStuck(row)} --out evidence.json`])
    return { ...answer, lines: () => [...answer.lines(), ...ticket] }
  })
})
