/** Runs the process that holds the key, separate from the bot with the strategies. It signs what its policies allow, until stopped. */
import { Console, Effect, Layer } from "effect"
import { Stop } from "../../process/Stop.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import { signedDeposits } from "../../signing/Domains.ts"
import * as IntentGuard from "../../signing/IntentGuard.ts"
import { publicKeyOf, Signer } from "../../signing/Signer.ts"
import * as SignerFile from "../files/SignerFile.ts"
import * as KmsSigner from "../remote/KmsSigner.ts"
import * as Record from "../remote/Record.ts"
import * as SignerServer from "../remote/SignerServer.ts"
import * as Ruled from "./Ruled.ts"

interface Asked {
  readonly config: string
  readonly socket: string
  readonly group: boolean
}

export const serve = Effect.fn("Serving.serve")(function* ({ config, group, socket }: Asked) {
  const file = yield* SignerFile.load(config)
  const stop = yield* Stop
  const { signing } = file
  const publicKey = "kms" in signing ? signing.kms.publicKey : yield* publicKeyOf(signing.key)
  const signerId = yield* AccountKey.accountOf(publicKey, file.signerId)
  const record = yield* Record.open(file.record)
  const signer = "kms" in signing ? KmsSigner.layer(signing.kms) : Signer.layer(signing.key)
  const services = Layer.provideMerge(IntentGuard.layer({ signerId, domains: file.facts.signing }), signer)
  const { facts, ruling } = file
  yield* Ruled.begin(ruling, record, signerId)
  const policies = yield* Ruled.of(ruling, record)
  const loginVerifier = facts.login.verifier
  const door = { socket, openTo: group ? "group" : "owner" } as const
  const serving = yield* SignerServer.serve({ ...door, signerId, publicKey, loginVerifier, policies, record }).pipe(
    Effect.provide(services)
  )
  yield* Console.log(
    `signs for ${signerId}, ${yield* Ruled.summaryOf(ruling, record)}, record ${file.record}, socket ${socket}`
  )
  const pays = signedDeposits.map((each) => `${each} by ${facts.signing[each].verifier}`)
  yield* Console.log(`payments: ${pays.join(", ")}; logins: ${loginVerifier}`)
  yield* Effect.raceFirst(serving, stop.requested)
}, Effect.scoped)
