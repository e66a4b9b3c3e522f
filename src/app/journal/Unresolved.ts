/** Lists the questions that only the operator can settle, with their evidence and commands, and orders that wait too long. */
import { Effect, Record } from "effect"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { countText, utc } from "../../domain/Text.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import { disagreement } from "../../engine/holds/Holds.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { defaultTerms, overdueIn, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { nameOfStuck, stuckOrders } from "../../views/Orders.ts"
import { type JournalView, ofJournal } from "./JournalView.ts"

export const amountIn = Effect.fnUntraced(function* (view: JournalView, id: string, received: string | undefined) {
  if (received === undefined) return undefined
  const placement = view.state.placements.get(id)
  const asset = placement && view.assets.get(placement.outputAsset)
  const value = Decimal.parse(received)
  const amount = asset && value && Amount.fromDecimal(value, asset.decimals)
  if (amount !== undefined) return amount
  const expected = asset === undefined ? `the swap ${id}, which is not open` : `an amount of ${asset.symbol}`
  return yield* wrongUsage(`--received ${received}: expected ${expected}`)
})

export const list = ({ assets, now, state }: JournalView): Answer.CommandAnswer => {
  const problems = Problems.problemsOf(state, now)
  const other = disagreement(state)
  const data = () => ({
    witness: other?.text ?? null,
    problems: problems.map(({ amount, asset, strategy, slot, ...problem }) => ({
      ...problem,
      slot: slotKey(strategy, slot),
      asset,
      amount: Money.amountText(assets, asset, amount)
    }))
  })
  const witness = other === undefined ? [] : [`witness: ${other.text}`, "  limitbot resolve witness --forget", ""]
  if (problems.length === 0)
    return { data, lines: () => (witness.length > 0 ? witness : ["Nothing is in doubt, frozen or contradictory."]) }
  const rows = problems.map(({ amount, asset, kind, placement, since, slot, strategy }) => [
    placement,
    kind,
    slotKey(strategy, slot),
    Money.withSymbol(assets, asset, amount),
    utc(since)
  ])
  const problemTexts = problems.flatMap(({ evidence, placement }) => {
    const accepted = Problems.acceptedWords(state, placement, now).map((word) => `--${word}`)
    if (Problems.takesAmount(state, placement)) accepted.unshift("--paid --received AMOUNT")
    return [`${placement}: ${evidence}`, `  limitbot resolve ${placement} ${accepted.join(" | ")}`, ""]
  })
  const ask = `${countText(problems.length, "problem")}. Find out what happened, then run one of the commands above.`
  const table = Table.render(["PLACEMENT", "KIND", "SLOT", "AMOUNT", "SINCE"], rows)
  return { data, lines: () => [...table, "", ...witness, ...problemTexts, ask] }
}

const sameForAll = (term: number): StepTerms => Record.map({ ...defaultTerms }, () => term)

/** Lists orders whose money has been in one state for longer than its term, the oldest first. */
export const stuck = (after: number | undefined) =>
  ofJournal(({ assets, now, state, stuckAfter }) => {
    const terms = after === undefined ? stuckAfter : sameForAll(after)
    const rows = overdueIn(state, terms, now)
    const answer = Answer.ofList(stuckOrders(assets, now), rows, "Nothing is stuck: every order is within its limits.")
    const ticket = rows
      .slice(0, 1)
      .flatMap((row) => ["", `For a support ticket: limitbot orders ${nameOfStuck(row)} --out evidence.json`])
    return { ...answer, lines: () => [...answer.lines(), ...ticket] }
  })
