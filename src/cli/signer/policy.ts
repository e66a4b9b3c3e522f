/**
 * `limitbot signer policy` signs what a signer may sign, and shows what holds now with the room that is left. `limitbot signer approve`
 * allows one larger payment. Neither the bot nor the signer has the keys of these two.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Policies from "../../signer/serving/Policies.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const signerFile = flags
  .fileFlag("config")
  .pipe(Flag.withAlias("c"), flags.byDefault("The signer's own file: key, caps, record", "config/signer.yaml"))

export const policy = Command.make(
  "policy",
  {
    file: flags
      .fileArgument("policy")
      .pipe(
        Argument.withDescription("With --key: the policy to sign (YAML); default: show the active ones"),
        Argument.optional
      ),
    key: flags.file("key", "A file of mode 0600 with the ed25519 key that signs the policy"),
    config: signerFile,
    json: flags.json
  },
  Effect.fn(function* ({ file, key, ...given }) {
    if (Option.isSome(file) && Option.isSome(key)) return yield* Policies.sign({ file: file.value, key: key.value })
    if (Option.isSome(file) || Option.isSome(key))
      return yield* new WrongUsage({ message: "Signing a policy needs both: POLICY --key FILE" })
    yield* Answer.print(Policies.holding(given), given)
  })
).pipe(
  help("Show the active policies, their limits and how much of each cap is used; or sign one", {
    "limitbot signer policy": "What holds now",
    "limitbot signer policy policy.yaml --key policy.key": "Sign a policy: signers accept only signed ones"
  })
)

export const approve = Command.make(
  "approve",
  {
    asset: Argument.String("asset").pipe(Argument.withDescription("A symbol of the policy")),
    amount: Argument.String("amount").pipe(Argument.withDescription("The largest amount of the payment")),
    policy: flags.fileFlag("policy").pipe(Flag.withDescription("The signer's policy (YAML)")),
    key: flags.fileFlag("key").pipe(Flag.withDescription("A file of mode 0600 with the ed25519 key that signs")),
    socket: Flag.String("socket").pipe(Flag.withDescription("The Unix socket of the signer")),
    within: flags.duration("within", "How long the approval is valid, at most 7d; default: 1h")
  },
  Policies.approve
).pipe(help("Approve one payment above the policy's limit"))
