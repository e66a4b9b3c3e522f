/** `limitbot swap list`: every swap in the journal, with where its money is. */
import { Command } from "effect/cli"
import * as SwapList from "../../app/swap/SwapList.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const list = Command.make(
  "list",
  { config: flags.config, csv: flags.csv, json: flags.json },
  Answer.printAnswerOf(({ config }) => SwapList.listSwaps(config))
).pipe(help("List the swaps and where their money is"))
