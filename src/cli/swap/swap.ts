/** `limitbot swap AMOUNT FROM TO`: one conversion at once, from the quote to the evidence; `--resume` goes on after an interruption. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { carry } from "../../app/swap/Carrying.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { list } from "./list.ts"
import * as SwapFlags from "./SwapFlags.ts"
import { withdrawals } from "./withdrawals.ts"

const ways = {
  yes: flags.toggle("yes", "Agree to the quote without being asked"),
  resume: flags.orMissing(flags.text("resume", "Go on with this swap, for example s3")),
  payAgain: flags.toggle(
    "pay-again",
    "With --resume: you have made sure that the wallet did not pay, and it may be asked again"
  ),
  config: flags.config,
  json: flags.json
}

export const command = Command.make(
  "swap",
  { ...SwapFlags.terms, ...ways },
  Effect.fn(function* ({ config: file, json, payAgain, resume, yes, ...given }) {
    if (resume !== undefined && given.amount !== undefined) {
      return yield* new WrongUsage({
        message: "--resume goes on with a swap as it was agreed: without amounts"
      })
    }
    if (payAgain && resume === undefined) {
      return yield* new WrongUsage({ message: "--pay-again goes with --resume only" })
    }
    yield* carry(yield* ConfigFile.load(file), given, { json, payAgain, resume, yes })
  })
).pipe(
  help("Swap one asset for another: quote, agree, pay, follow to the end", {
    "limitbot swap 0.01 BTC USDC": "Shows the quote and asks",
    "limitbot swap 500 BTC USDC --type EXACT_OUTPUT --yes --json": "Receive exactly 500 USDC",
    "limitbot swap --resume s3": "Go on after an interruption"
  }),
  Command.withSubcommands([list, withdrawals])
)
