/**
 * A wallet that is a program of the user's. It gets the payment as one JSON object on standard input and answers on
 * standard output with `{"txHash": "…", "sender": "…"}` or the bare hash. Exit code 65 says that nothing was sent.
 * Exit code 1 says so too, unless the output names a transaction; then the payment is unclear. Every other end
 * without a hash is unclear as well, because a program can die after it has paid. The program runs in its own process
 * group, so Ctrl-C on the bot does not interrupt it, and it inherits the environment without our secrets.
 */
import { Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { format } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import { type Paid, type PaymentRequest, Wallet, WalletRefused, WalletUnclear, walletPatienceMillis } from "./Wallet.ts"

/** EX_DATAERR: the program's promise that it sent nothing. */
const nothingSent = 65
/** The usual exit code of a program that fails, as a rule before it did anything. */
const generalFailure = 1
/** A program that was told to end and does not is killed, so that its payment is not waited for in silence. */
const forceKillAfter = Duration.seconds(2)
/** A transaction hash of any chain. */
const hash = /^[\x21-\x7e]{1,200}$/
const leastHashLength = 32
const mostAnswerBytes = 16_384

export interface WalletCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Environment variables that hold our own secrets: the program is started without them. */
  readonly secretVariables: ReadonlyArray<string>
}

export const layer = ({ args, program, secretVariables }: WalletCommand) =>
  Layer.effect(
    Wallet,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

      const run = Effect.fnUntraced(function* (payment: PaymentRequest) {
        const stdin = Stream.make(new TextEncoder().encode(`${JSON.stringify(request(payment))}\n`))
        const env = Object.fromEntries(secretVariables.map((name) => [name, undefined]))
        const options = { stdin, stderr: "inherit", detached: true, env, extendEnv: true, forceKillAfter } as const
        const command = ChildProcess.make(program, args, options)
        const child = yield* Effect.mapError(
          spawner.spawn(command),
          // The program never started.
          ({ message }) => new WalletRefused({ text: `${program} cannot be run: ${message}` })
        )
        const output = yield* child.stdout.pipe(
          Stream.decodeText(),
          Stream.runFold(
            () => "",
            (text, part) => (text + part).slice(0, mostAnswerBytes)
          )
        )
        return { code: Number(yield* child.exitCode), output: output.trim() }
      }, Effect.scoped)

      const pay = Effect.fn("Wallet.pay")(function* (payment: PaymentRequest) {
        const { code, output } = yield* run(payment).pipe(
          Effect.timeoutOrElse({
            duration: walletPatienceMillis,
            orElse: () => Effect.fail(new WalletUnclear({ text: `${program} did not end in ten minutes` }))
          }),
          Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new WalletUnclear({ text: message })))
        )
        const paid = readAnswer(output)
        if (code === generalFailure) {
          return yield* paid !== undefined && output.length >= leastHashLength
            ? new WalletUnclear({ text: `${program} ended with code 1 after it named the transaction ${paid.txHash}` })
            : new WalletRefused({ text: output.slice(0, 200) || `${program} failed` })
        }
        // A hash counts whatever the exit code: money may have moved. One word of refusal is not a hash.
        if (paid !== undefined && (code !== nothingSent || output.length >= leastHashLength)) return paid
        if (code === nothingSent)
          return yield* new WalletRefused({ text: output.slice(0, 200) || `${program} refused` })
        return yield* new WalletUnclear({ text: `${program} ended with code ${code} and without a transaction hash` })
      })

      return { kind: "command" as const, pay }
    })
  )

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
