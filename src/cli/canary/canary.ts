/** `limitbot canary`: compares the service with what this program was written for. Exit code 1 when money depends on a difference. */
import { Command } from "effect/cli"
import { compared } from "../../app/control/ServiceComparison.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "canary",
  { config: flags.config, json: flags.json },
  Answer.printAnswerOf(compared)
).pipe(help("Compare the service with what this program was written for; reads only"))
