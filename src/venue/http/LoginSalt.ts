/** The salt in login nonces, which rotates: configured, or read from a public view of the verifier. A wrong salt only fails the login. */
import { Effect, Option, Ref, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { VenueFacts } from "../profile/Facts.ts"
import { factsOf, type VenueConfig } from "../VenueConfig.ts"
import { isAboutSalt } from "../wire/VerifierAnswer.ts"
import * as LedgerView from "./LedgerView.ts"

const operation = "read the salt of the verifier"
const Salt = Schema.fromJsonString(Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}$/)))
const decodeSalt = Schema.decodeUnknownOption(Salt)

export const missing = (verifier: string): string =>
  `the login needs the salt of ${verifier}: set venue.nonceSalt, or venue.facts.saltFrom to an RPC address of its ledger`

export const isMissing = ({ login, saltFrom, salts }: VenueFacts): boolean =>
  login.nonce === "started" && saltFrom === undefined && salts[login.verifier] === undefined

/** Returns advice for a login that was refused because of a salt that only a person can change. */
export const advice = ({ login, saltFrom }: VenueFacts, salt: string | undefined, refusal: string): string =>
  saltFrom === undefined && salt !== undefined && isAboutSalt(refusal)
    ? `: the configured ${salt} is not the present salt of ${login.verifier}; set venue.nonceSalt to the present one, or venue.facts.saltFrom to an RPC address of its ledger`
    : ""

export const make = Effect.fnUntraced(function* (config: VenueConfig["Service"]) {
  const { login, saltFrom, salts } = factsOf(config)
  const http = yield* HttpClient.HttpClient
  const saltRef = yield* Ref.make<string | undefined>(salts[login.verifier])
  const isTold = yield* Ref.make(false)

  const ask = (address: string) =>
    LedgerView.ask(http, {
      operation,
      address,
      contract: login.verifier,
      method: "current_salt",
      finality: "final"
    }).pipe(Effect.map(Option.flatMap((text) => decodeSalt(text))))

  const renew =
    saltFrom === undefined
      ? Effect.void
      : ask(saltFrom).pipe(
          Effect.result,
          Effect.flatMap((answer) => {
            const newSalt = Result.isSuccess(answer) ? Option.getOrUndefined(answer.success) : undefined
            if (newSalt !== undefined) return Effect.andThen(Ref.set(saltRef, newSalt), Ref.set(isTold, false))
            const tell = Effect.logWarning(`${saltFrom} does not report the salt of ${login.verifier}`)
            return Effect.when(
              tell,
              Effect.map(Ref.getAndSet(isTold, true), (before) => !before)
            )
          })
        )

  const current = Effect.gen(function* () {
    if ((yield* Ref.get(saltRef)) === undefined) yield* renew
    return yield* Ref.get(saltRef)
  })

  return { current, renew } as const
})
