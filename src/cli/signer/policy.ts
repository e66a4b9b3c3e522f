/**
 * `limitbot policy sign|show`: what a signer may sign, signed by somebody who is neither the bot nor the signer; and what holds now, with
 * the room that is left. `limitbot approve`: an approver's word for one larger payment.
 */
import { Argument, Command, Flag } from "effect/cli"
import * as Answer from "../../process/Answer.ts"
import * as Policies from "../../signer/serving/Policies.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const key = flags.fileFlag("key").pipe(Flag.withDescription("A file of mode 0600 with the ed25519 key that signs"))

export const signerFile = flags
  .fileFlag("config")
  .pipe(Flag.withAlias("c"), flags.byDefault("The signer's own file: key, caps, record", "config/signer.yaml"))

const signing = Command.make(
  "sign",
  { file: flags.fileArgument("policy").pipe(Argument.withDescription("The policy (YAML)")), key },
  Policies.sign
).pipe(help("Sign a policy: a signer takes no other"))

const showing = Command.make(
  "show",
  { config: signerFile, json: flags.json },
  Answer.printAnswerOf(Policies.holding)
).pipe(help("Show which policies hold, all that they restrict, and how much of each cap is used"))

export const policy = Command.make("policy").pipe(
  Command.withDescription("Sign what a signer may sign, and see what holds"),
  Command.withSubcommands([signing, showing])
)

export const approve = Command.make(
  "approve",
  {
    asset: Argument.String("asset").pipe(Argument.withDescription("A symbol of the policy")),
    amount: Argument.String("amount").pipe(Argument.withDescription("The most that the one payment may be")),
    policy: flags.fileFlag("policy").pipe(Flag.withDescription("The policy that the signer obeys (YAML)")),
    key,
    socket: Flag.String("socket").pipe(Flag.withDescription("The Unix socket of the signer")),
    within: flags.duration("within", "How long the word waits for its payment, at most 7d; default: 1h")
  },
  Policies.approve
).pipe(help("Approve one payment that is larger than the policy lets the signer sign alone"))
