/** `limitbot swap AMOUNT FROM TO`: one conversion at once, from the quote to the evidence; `--resume` goes on after an interruption. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { carry } from "../../app/swap/Carrying.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import { list } from "./list.ts"
import * as SwapFlags from "./SwapFlags.ts"
import { withdrawals } from "./withdrawals.ts"

const ways = {
  yes: flags.toggle("yes", "Agree to the quote without being asked"),
  resume: flags.text("resume", "Go on with this swap, for example s3"),
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
    if (Option.isSome(resume) && Option.isSome(given.amount)) {
      return yield* new WrongUsage({
        message: "--resume goes on with a swap as it was agreed: without amounts"
      })
    }
    if (payAgain && Option.isNone(resume)) {
      return yield* new WrongUsage({ message: "--pay-again goes with --resume only" })
    }
    yield* carry(yield* ConfigFile.load(file), given, { json, payAgain, resume, yes })
  })
).pipe(
  Command.withDescription("Swap one asset for another: quote, agree, pay, follow to the end"),
  Command.withSubcommands([list, withdrawals]),
  Command.withExamples([
    { command: "limitbot swap 0.01 BTC USDC", description: "Shows the quote and asks" },
    { command: "limitbot swap 500 BTC USDC --type EXACT_OUTPUT --yes --json", description: "Receive exactly 500 USDC" },
    { command: "limitbot swap --resume s3", description: "Go on after an interruption" }
  ])
)
