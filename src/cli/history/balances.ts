/** `limitbot balances`: what the account holds at the venue. */
import { Command } from "effect/cli"
import { balances } from "../../app/history/AccountHistory.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "balances",
  { config: flags.config, csv: flags.csv, json: flags.json },
  Answer.printAnswerOf(balances)
).pipe(help("Show the private balances of the account at the venue"))
