/** `limitbot containment`: what can still act or be paid, before and after a kill, and the proof that nothing can. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import * as Containment from "../../app/containment/Containment.ts"
import * as Looking from "../../app/containment/Looking.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "containment",
  {
    signer: flags.file("signer", "The file of the signer process that has the key, to look at its record as well"),
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ bot, signer }) {
    const lists = yield* Looking.look(yield* WhichBot.named(bot), Option.getOrUndefined(signer))
    const left = Containment.openIn(lists)
    return {
      data: () => Containment.dataOf(lists),
      lines: () => Containment.linesOf(lists),
      exit: left === undefined ? undefined : new Answer.PrintedFailure({ message: left })
    }
  }, Answer.print)
).pipe(
  help("List what can still act or be paid; exit code 0 proves that nothing can", {
    "limitbot containment": "Before a kill, and after it until every list is empty",
    "limitbot containment --signer config/signer.yaml --json": "With what the signer process signed, for a program"
  })
)
