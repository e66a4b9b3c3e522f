/** `limitbot plan FILE…`: shows the actions of a run of these files now, their cost and their dangers. */
import { Command } from "effect/cli"
import { planned } from "../../app/plan/Planning.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { allow } from "./allow.ts"

export const command = Command.make(
  "plan",
  {
    files: flags.files("All strategy files that would run together (YAML)"),
    config: flags.config,
    journal: flags.file("journal", "Plan on this journal, such as that of a dry run; default: the configuration's"),
    allow,
    json: flags.json
  },
  Answer.printAnswerOf(planned)
).pipe(
  flags.help("Show the orders that a run would keep, cancel, create and defer now, with costs and dangers", {
    "limitbot plan strategies/*.yaml --config config/limitbot.yaml": "Plan all strategies together",
    "limitbot plan strategies/grid.yaml --allow fee-floor": "Accept one finding by its name"
  })
)
