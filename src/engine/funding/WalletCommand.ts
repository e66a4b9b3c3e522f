/**
 * A wallet that is a program of the user's. It gets the payment as one JSON object on standard input and answers on standard output with
 * `{"txHash": "…", "sender": "…"}` or the bare hash. Exit code 65 says that nothing was sent. Exit code 1 says so too, unless the output
 * names a transaction; then the payment is unclear. Every other end without a hash is unclear as well, because a program can die after it
 * has paid. The program runs in its own process group, so Ctrl-C on the bot does not interrupt it, and it inherits the environment without
 * our secrets.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { format } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import * as Program from "../../programs/Program.ts"
import { type Paid, type PaymentRequest, Wallet, WalletRefused, WalletUnclear, walletPatienceMillis } from "./Wallet.ts"

/** EX_DATAERR: the program's promise that it sent nothing. */
const nothingSent = 65
/** The usual exit code of a program that fails, mostly before it did anything. */
const generalFailure = 1
const hash = /^[\x21-\x7e]{1,200}$/
const minHashLength = 32
const maxAnswer = 16_384

export interface WalletCommand extends Program.Program {
  readonly secretVariables: ReadonlyArray<string>
}

export const answerOf = (program: string, { end, output: said }: Program.ProgramRun) => {
  const output = said.trim()
  if (end._tag === "Late") return new WalletUnclear({ text: `${program} did not end in ten minutes` })
  if (end._tag === "Killed") return new WalletUnclear({ text: `${program} was ended by ${end.signal}` })
  const walletAnswer = readAnswer(output)
  if (end.code === generalFailure) {
    return walletAnswer !== undefined && output.length >= minHashLength
      ? new WalletUnclear({
          text: `${program} ended with code 1 after it named the transaction ${walletAnswer.txHash}`
        })
      : new WalletRefused({ text: output.slice(0, 200) || `${program} failed` })
  }
  // A hash counts whatever the exit code: money may have moved. One word of refusal is not a hash.
  if (walletAnswer !== undefined && (end.code !== nothingSent || output.length >= minHashLength)) return walletAnswer
  if (end.code === nothingSent) return new WalletRefused({ text: output.slice(0, 200) || `${program} refused` })
  return new WalletUnclear({ text: `${program} ended with code ${end.code} and without a transaction hash` })
}

export const termsOf = (secretVariables: ReadonlyArray<string>) => ({
  limitMillis: walletPatienceMillis,
  mostOutput: maxAnswer,
  environment: { without: secretVariables }
})

export const layer = ({ secretVariables, ...program }: WalletCommand) =>
  Layer.effect(
    Wallet,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const terms = { ...termsOf(secretVariables), errors: "shown", mayLeaveRunning: true } as const

      const pay = Effect.fn("Wallet.pay")(
        function* (payment: PaymentRequest) {
          const ran = yield* Effect.mapError(
            Program.run(program, questionOf(payment), terms),
            ({ message }) => new WalletRefused({ text: message })
          )
          const answer = answerOf(program.program, ran)
          return "text" in answer ? yield* answer : answer
        },
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
      )

      return { kind: "command" as const, pay }
    })
  )

export const questionOf = (payment: PaymentRequest): string => `${JSON.stringify(request(payment))}\n`

const request = ({ amount, asset, deadline, depositAddress, depositMemo, reference }: PaymentRequest) => ({
  version: 1,
  reference,
  asset: { symbol: asset.symbol, id: asset.id, decimals: asset.decimals },
  amount: String(amount),
  amountFormatted: format(amount, asset.decimals),
  depositAddress,
  depositMemo: depositMemo ?? null,
  deadline: iso(deadline)
})

const Answer = Schema.fromJsonString(
  Schema.Struct({ txHash: Schema.String, sender: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)
const decode = Schema.decodeUnknownOption(Answer)

const readAnswer = (output: string): Paid | undefined => {
  const answer = Option.getOrUndefined(decode(output))
  const txHash = answer === undefined ? output : answer.txHash
  const isPlain = answer !== undefined || /^[\w.:@-]+$/.test(output)
  return isPlain && hash.test(txHash) ? { txHash, sender: answer?.sender ?? undefined } : undefined
}
