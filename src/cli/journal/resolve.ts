/** `limitbot resolve`: shows the questions that only the operator can settle and takes the answers, with or without a running bot. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { ofJournal, withJournal } from "../../app/journal/JournalView.ts"
import { settle } from "../../app/journal/Resolving.ts"
import { amountIn, list } from "../../app/journal/Unresolved.ts"
import { operatorWords } from "../../control/api/OperatorCommands.ts"
import { present } from "../../domain/Present.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { Word } from "../../views/Problems.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "resolve",
  {
    placement: flags.optionalArgument(
      "placement",
      "The placement, as the list names it, or witness; default: the list"
    ),
    paid: flags.toggle("paid", operatorWords.paid.means),
    "not-paid": flags.toggle("not-paid", operatorWords["not-paid"].means),
    adopt: flags.toggle("adopt", operatorWords.adopt.means),
    forget: flags.toggle("forget", operatorWords.forget.means),
    received: flags.text("received", "With --paid, of a swap that the venue ended without amounts: what arrived"),
    because: Flag.String("because").pipe(flags.byDefault("Reason, for the journal", "stated by the operator")),
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ because: text, placement, received, ...given }) {
    const outcomeFlags = Word.literals.filter((word) => given[word])
    const [word] = outcomeFlags
    if (placement === undefined) {
      if (word !== undefined) return yield* wrongUsage(`--${word}: of which placement?`)
      return yield* ofJournal(list)
    }
    if (word === undefined || outcomeFlags.length > 1) {
      const message = `Use one of ${Word.literals.map((each) => `--${each}`).join(", ")} about ${placement}`
      return yield* wrongUsage(message)
    }
    return yield* withJournal((view) =>
      Effect.flatMap(amountIn(view, placement, received), (amount) =>
        settle(view, { placement, word, text, ...present({ received: amount }) })
      )
    )
  }, Answer.print)
).pipe(WhichBot.ofBot, flags.help("List unclear payments, frozen slots and contradictions, and record what happened"))
