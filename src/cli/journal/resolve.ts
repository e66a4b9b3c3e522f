/** `limitbot resolve`: shows what only the operator can decide and takes their word, with or without a running bot. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type JournalView, ofJournal, withJournal } from "../../app/journal/JournalView.ts"
import { settle } from "../../app/journal/Resolving.ts"
import * as Answer from "../../app/process/Answer.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { operatorWords } from "../../control/api/OperatorCommands.ts"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "resolve",
  {
    placement: Argument.String("placement").pipe(
      Argument.withDescription("The placement, as the list names it; default: the list"),
      Argument.optional
    ),
    paid: flags.toggle("paid", operatorWords.paid.means),
    "not-paid": flags.toggle("not-paid", operatorWords["not-paid"].means),
    adopt: flags.toggle("adopt", operatorWords.adopt.means),
    forget: flags.toggle("forget", operatorWords.forget.means),
    received: flags.text("received", "With --paid, of a swap that the venue ended without amounts: what arrived"),
    because: Flag.String("because").pipe(flags.byDefault("Why, for the journal", "said by the operator")),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ because: text, config, placement, received, ...given }) {
    const said = Problems.words.filter((word) => given[word])
    const [word] = said
    if (Option.isNone(placement)) {
      if (word !== undefined) return yield* new WrongUsage({ message: `--${word}: of which placement?` })
      return yield* ofJournal(config, list)
    }
    if (word === undefined || said.length > 1) {
      const message = `Say one of ${Problems.words.map((each) => `--${each}`).join(", ")} about ${placement.value}`
      return yield* new WrongUsage({ message })
    }
    return yield* withJournal(config, (view) =>
      Effect.flatMap(amountIn(view, placement.value, received), (amount) =>
        settle(view, { placement: placement.value, word, text, ...present({ received: amount }) })
      )
    )
  }, Answer.print)
).pipe(Command.withDescription("List what is in doubt, frozen or contradictory, and say what happened"))

/** What arrived, in smallest units of what the swap was to bring. */
const amountIn = Effect.fnUntraced(function* (view: JournalView, id: string, received: Option.Option<string>) {
  if (Option.isNone(received)) return undefined
  const placement = view.state.placements.get(id)
  const asset = placement && view.assets.get(placement.outputAsset)
  const value = Decimal.parse(received.value)
  const amount = asset && value && Amount.fromDecimal(value, asset.decimals)
  if (amount !== undefined) return amount
  const expected = asset === undefined ? `the swap ${id}, which is not open` : `an amount of ${asset.symbol}`
  return yield* new WrongUsage({ message: `--received ${received.value}: expected ${expected}` })
})

const list = ({ assets, now, state }: JournalView): Answer.CommandAnswer => {
  const problems = Problems.problemsOf(state, now)
  const data = () => ({
    problems: problems.map(({ amount, asset, strategy, slot, ...problem }) => ({
      ...problem,
      slot: `${strategy}/${slot}`,
      asset,
      amount: Money.amountText(assets, asset, amount)
    }))
  })
  if (problems.length === 0) return { data, lines: () => ["Nothing is in doubt, frozen or contradictory."] }
  const rows = problems.map(({ amount, asset, kind, placement, since, slot, strategy }) => [
    placement,
    kind,
    `${strategy}/${slot}`,
    Money.withSymbol(assets, asset, amount),
    iso(since)
  ])
  const told = problems.flatMap(({ evidence, placement }) => {
    const accepted = Problems.acceptedWords(state, placement, now).map((word) => `--${word}`)
    if (Problems.takesAmount(state, placement)) accepted.unshift("--paid --received AMOUNT")
    return [`${placement}: ${evidence}`, `  limitbot resolve ${placement} ${accepted.join(" | ")}`, ""]
  })
  const ask = `${counted(problems.length, "problem")}. Find out what happened, then say it with one of the words above.`
  const table = Table.render(["PLACEMENT", "KIND", "SLOT", "AMOUNT", "SINCE"], rows)
  return { data, lines: () => [...table, "", ...told, ask] }
}
