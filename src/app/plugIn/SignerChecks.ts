/**
 * The checks of a signer behind a socket: it must name its account, and sign nothing outside its purpose. Every request here should be
 * refused; the requests leave lines in the signer's record.
 */
import { Effect, Schema } from "effect"
import { exchange, SignerAnswer, type SignerRequest } from "../../signer/remote/RemoteSigner.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import type { Tried } from "./Check.ts"

const patienceMillis = 10_000

const line = (request: SignerRequest): string => JSON.stringify(request)

const login = { nonce: Buffer.alloc(32, 7).toString("base64"), recipient: "plug-in-check.invalid" }
const payment = {
  standard: "nep413",
  payload: { message: "{}", ...login },
  depositAddress: "plug-in-check-no-address",
  asset: "plug-in-check:no-such-asset"
}

const refusals: ReadonlyArray<readonly [check: string, line: string]> = [
  ["does not sign a payment in an unlisted asset", line({ _tag: "Transfer", ...payment, amount: "1" })],
  ["does not sign a negative payment", line({ _tag: "Transfer", ...payment, amount: "-1" })],
  ["does not sign a login at an unknown verifier", line({ _tag: "Login", message: "{}", ...login })],
  ["does not sign a text that is not a checkpoint", line({ _tag: "Checkpoint", text: "limitbot plug-in check\n" })],
  ["answers an unknown request", JSON.stringify({ _tag: "PlugInCheck" })],
  ["answers malformed input", "this is no JSON"]
]

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SignerAnswer))

const ask = (socket: string, said: string, limitMillis: number) =>
  exchange(socket, said).pipe(
    Effect.flatMap((answer) => Effect.mapError(decode(answer), () => "a bot cannot read its answer")),
    Effect.timeoutOrElse({
      duration: limitMillis,
      orElse: () => Effect.fail(`it did not answer in ${limitMillis / 1_000} seconds`)
    })
  )

const isRefusal = ({ _tag }: SignerAnswer): boolean =>
  _tag === "Refused" || _tag === "Declined" || _tag === "Unavailable"

export const checked = Effect.fn("SignerChecks.checked")(function* (socket: string, limitMillis = patienceMillis) {
  const judged = (check: string, said: string, judge: (answer: SignerAnswer) => Effect.Effect<string | undefined>) =>
    ask(socket, said, limitMillis).pipe(
      Effect.matchEffect({ onFailure: Effect.succeed<string | undefined>, onSuccess: judge }),
      Effect.map((fault): Tried => ({ check, fault }))
    )
  const who = yield* judged("names its account", line({ _tag: "Who" }), (answer) =>
    answer._tag === "Holder"
      ? AccountKey.accountOf(answer.publicKey, answer.signerId).pipe(
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => undefined })
        )
      : Effect.succeed(`it answered ${answer._tag} instead of Holder`)
  )
  const others = yield* Effect.forEach(refusals, ([check, said]) =>
    judged(check, said, (answer) =>
      Effect.succeed(isRefusal(answer) ? undefined : `it answered ${answer._tag} instead of Refused`)
    )
  )
  return [who, ...others]
})
