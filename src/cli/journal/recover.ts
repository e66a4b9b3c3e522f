/** `limitbot recover [FILE…]`: a new journal from what the venue can prove, after the old one was lost. */
import { Argument, Command, Flag } from "effect/cli"
import { rebuilt } from "../../app/reconcile/Rebuilding.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "recover",
  {
    files: flags
      .fileArgument("file")
      .pipe(
        Argument.withDescription("The strategy files that ran (YAML); without them no order goes on in a slot"),
        Argument.variadic()
      ),
    beside: flags
      .fileFlag("beside")
      .pipe(
        Flag.withDescription(
          "The journal of another bot on the same account, whose orders are left alone; give it for each of them"
        ),
        Flag.atLeast(0)
      ),
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(rebuilt)
).pipe(help("Rebuild a lost journal from what the venue can prove, and say what it cannot"))
