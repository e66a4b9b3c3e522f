/** Checks that a program of the owner keeps the contract of its kind. */
import { Effect, Option, Path, Schema } from "effect"
import type { CommandAnswer } from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Program from "../../programs/Program.ts"
import type { kinds } from "./Check.ts"
import * as KmsChecks from "./KmsChecks.ts"
import * as NotifierChecks from "./NotifierChecks.ts"
import * as PriceChecks from "./PriceChecks.ts"
import * as SignerChecks from "./SignerChecks.ts"
import * as WalletChecks from "./WalletChecks.ts"

export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", { message: Schema.String }) {}

interface Asked {
  readonly kind: (typeof kinds)[number]
  readonly command: ReadonlyArray<string>
  readonly publicKey: Option.Option<string>
  readonly market: string
  readonly within: Option.Option<number>
}

const checkedAs = (program: Program.Program, { kind, market, publicKey, within }: Asked) => {
  const limitMillis = Option.getOrUndefined(within)
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
      return Option.isSome(publicKey)
        ? KmsChecks.checked(program, publicKey.value, limitMillis)
        : Effect.fail(new WrongUsage({ message: "a kms program needs --public-key, the key of its signatures" }))
  }
}

export const checked = Effect.fn("ProgramChecks.checked")(function* (asked: Asked) {
  const { command, kind } = asked
  const path = yield* Path.Path
  const words = Program.programOf(command)
  if (words === undefined) return yield* new WrongUsage({ message: "no command after --" })
  const findings = yield* checkedAs(
    Program.located(words, (given) => path.resolve(given)),
    asked
  )
  const faults = findings.filter(({ fault }) => fault !== undefined).length
  const message = `${faults} of ${findings.length} checks failed: see the contract of a ${kind} in docs/plug-ins.md`
  return {
    data: () => ({ kind, command, ok: faults === 0, findings }),
    lines: () => [
      ...findings.map(({ check, fault }) => (fault === undefined ? `ok     ${check}` : `WRONG  ${check}: ${fault}`)),
      ...(faults === 0 ? [`It follows the contract of a ${kind}.`] : [])
    ],
    exit: faults === 0 ? undefined : new NotKept({ message })
  } satisfies CommandAnswer
})
