/** The salt in login nonces, which rotates: configured, or read from a public view of the verifier. A wrong salt only fails the login. */
import { Effect, Option, Ref, Schema } from "effect"
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
    ? `: the configured ${salt} is not the present salt of ${login.verifier}, which rotates: set venue.facts.saltFrom to an RPC address of its ledger`
    : ""

export const make = Effect.fnUntraced(function* (config: VenueConfig["Service"]) {
  const { login, saltFrom, salts } = factsOf(config)
  const http = yield* HttpClient.HttpClient
  const saltRef = yield* Ref.make<string | undefined>(salts[login.verifier])
  const isTold = yield* Ref.make(false)

  const renew = Effect.gen(function* () {
    if (saltFrom === undefined) return
    const view = { operation, address: saltFrom, contract: login.verifier, method: "current_salt" }
    const answer = yield* Effect.option(LedgerView.ask(http, { ...view, finality: "final" }))
    const salt = answer.pipe(
      Option.flatten,
      Option.flatMap((text) => decodeSalt(text))
    )
    if (Option.isSome(salt)) {
      yield* Ref.set(saltRef, salt.value)
      yield* Ref.set(isTold, false)
    } else if (!(yield* Ref.getAndSet(isTold, true)))
      yield* Effect.logWarning(`${saltFrom} does not report the salt of ${login.verifier}`)
  })

  const current = Effect.gen(function* () {
    if ((yield* Ref.get(saltRef)) === undefined) yield* renew
    return yield* Ref.get(saltRef)
  })

  return { current, renew } as const
})
