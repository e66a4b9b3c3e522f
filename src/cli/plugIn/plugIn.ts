/** `limitbot plug-in check KIND -- COMMAND`: whether a program of the owner's keeps the contract of its kind. */
import { Effect, Option, Path, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as KmsChecks from "../../app/plugIn/KmsChecks.ts"
import * as NotifierChecks from "../../app/plugIn/NotifierChecks.ts"
import * as PriceChecks from "../../app/plugIn/PriceChecks.ts"
import * as SignerChecks from "../../app/plugIn/SignerChecks.ts"
import * as WalletChecks from "../../app/plugIn/WalletChecks.ts"
import * as Answer from "../../app/process/Answer.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Program from "../../programs/Program.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const kinds = ["notifier", "price", "wallet", "kms", "signer"] as const
type Kind = (typeof kinds)[number]

/** It does not keep its contract; what is wrong has been printed. */
export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", { message: Schema.String }) {}

interface Wish {
  readonly program: Program.Program
  readonly publicKey: string | undefined
  readonly market: string
  readonly limitMillis: number | undefined
}

const checkedAs = (kind: Kind, { limitMillis, market, program, publicKey }: Wish) => {
  switch (kind) {
    case "notifier":
      return NotifierChecks.checked(program, limitMillis)
    case "price":
      return PriceChecks.checked(program, market, limitMillis)
    case "wallet":
      return WalletChecks.checked(program, limitMillis)
    case "signer":
      return SignerChecks.checked(program.program, limitMillis)
    case "kms":
      return publicKey === undefined
        ? Effect.fail(
            new WrongUsage({ message: "a program of the kind kms needs --public-key: whose signatures it makes" })
          )
        : KmsChecks.checked(program, publicKey, limitMillis)
  }
}

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
  Answer.said(
    Effect.fnUntraced(function* ({ command, kind, market, publicKey, within }) {
      const path = yield* Path.Path
      const words = Program.programOf(command)
      if (words === undefined) return yield* new WrongUsage({ message: "there is no command after --" })
      const findings = yield* checkedAs(kind, {
        program: Program.located(words, (given) => path.resolve(given)),
        publicKey: Option.getOrUndefined(publicKey),
        market,
        limitMillis: Option.getOrUndefined(within)
      })
      const faults = findings.filter(({ fault }) => fault !== undefined).length
      return {
        data: () => ({ kind, command, ok: faults === 0, findings }),
        lines: () => [
          ...findings.map(({ check, fault }) =>
            fault === undefined ? `ok     ${check}` : `WRONG  ${check}: ${fault}`
          ),
          ...(faults === 0 ? [`It keeps the contract of a ${kind}.`] : [])
        ],
        exit:
          faults === 0
            ? undefined
            : new NotKept({
                message: `${faults} of ${findings.length} are wrong: docs/plug-ins.md says what a ${kind} does`
              })
      }
    })
  )
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
