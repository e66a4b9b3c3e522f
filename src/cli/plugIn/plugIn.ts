/** `limitbot plug-in check KIND -- COMMAND`: whether a program of the owner's keeps the contract of its kind. */
import { Argument, Command, Flag } from "effect/cli"
import { checked, kinds } from "../../app/plugIn/ProgramChecks.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const check = Command.make(
  "check",
  {
    kind: Argument.Literals("kind", kinds).pipe(Argument.withDescription(kinds.join(", "))),
    command: Argument.String("command").pipe(
      Argument.withDescription("After --: the program and its arguments; for a signer its socket"),
      Argument.variadic({ min: 1 })
    ),
    publicKey: flags.text("public-key", "For kms: the key whose signatures it makes, ed25519:…"),
    market: Flag.String("market").pipe(flags.byDefault("For price: a market that it knows", "BTC/USDC")),
    within: flags.duration("within", "The longest that one answer may take (default: what a bot waits; a wallet 1m)"),
    json: flags.json
  },
  Answer.printAnswerOf(checked)
).pipe(
  help("Ask a program of your own as a bot would ask it, and say what it does wrong", {
    "limitbot plug-in check notifier -- ./tell.sh": "does it take every message?",
    "limitbot plug-in check wallet -- ./pay.sh --config pay.json": "does it refuse what it cannot pay?"
  })
)

export const command = Command.make("plug-in").pipe(
  help("Programs of your own: notifiers, price witnesses, wallets, key services, signers"),
  Command.withSubcommands([check])
)
