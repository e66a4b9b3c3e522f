/** `limitbot containment`: what can still act or be paid, before and after a kill, and the proof that nothing can. */
import { Command } from "effect/cli"
import { answerOf } from "../../app/containment/Looking.ts"
import * as Answer from "../../process/Answer.ts"
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
  Answer.printAnswerOf(WhichBot.withBot(answerOf))
).pipe(
  help("List what can still act or be paid; exit code 0 proves that nothing can", {
    "limitbot containment": "Before a kill, and after it until every list is empty",
    "limitbot containment --signer config/signer.yaml --json": "With what the signer process signed, for a program"
  })
)
