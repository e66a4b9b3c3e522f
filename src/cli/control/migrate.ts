/** `limitbot migrate --report`: what has to be changed before this version goes on with what an earlier one wrote. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { answerOf } from "../../app/control/Doctor.ts"
import * as Migration from "../../app/control/Migration.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "migrate",
  {
    files: flags
      .fileArgument("file")
      .pipe(Argument.withDescription("Strategy files of the earlier version"), Argument.variadic()),
    config: flags.config,
    report: flags.toggle("report", "Say what has to be changed, and change nothing"),
    json: flags.json
  },
  Effect.fn(function* ({ config, files, report }) {
    if (!report)
      return yield* new WrongUsage({
        message: "Nothing is changed by itself: limitbot migrate --report says what you have to change"
      })
    return answerOf(yield* Migration.look(config, files))
  }, Answer.print)
).pipe(
  help("Say what has to be changed in files and the journal of an earlier version", {
    "limitbot migrate --report strategies/*.yaml": "Before the first start of a new version"
  })
)
