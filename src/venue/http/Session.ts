/**
 * The end user's session. It proves ownership of the account by a signed message without intents, keeps the tokens in
 * memory only, and renews them before they expire, one renewal at a time. The refresh token does not rotate.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Ref, Semaphore } from "effect"
import { layerWebCrypto, SecureRandom } from "effect/crypto/SecureRandom"
import { AuthenticateResponse, RefreshResponse } from "../api/AccountApi.ts"
import type { SignedData } from "../api/IntentsApi.ts"
import * as AccountKey from "../signing/AccountKey.ts"
import * as Nep413 from "../signing/Nep413.ts"
import { Signer, SigningRefused } from "../signing/Signer.ts"
import { VenueConfig } from "../VenueConfig.ts"
import { Rejected, VenueError } from "../VenueError.ts"
import { formatTimestamp } from "../wire/WireValue.ts"
import { SessionToken } from "./ClientCredentials.ts"
import { VenueClient } from "./VenueClient.ts"

const loginValidMillis = Duration.toMillis("5 minutes")
const maxLifetimeMillis = Duration.toMillis("30 days")
/** A token is renewed when this share of its life is left, so that it never expires in transit. */
const renewAtShareLeft = 0.1

const credential = "account.key and account.signerId"
const authenticateCall = { operation: "authenticate", priority: "background", credential } as const
const refreshCall = { operation: "refresh the session", priority: "background", credential } as const

interface Token {
  readonly value: Redacted.Redacted
  readonly renewAt: number
}

interface Tokens {
  readonly access: Token
  readonly refresh: Token
}

export class Session extends Context.Service<
  Session,
  {
    /**
     * Runs a call with a valid session. If the venue still refuses the token, the call runs once more with a new one.
     */
    run<A>(call: Effect.Effect<A, VenueError>): Effect.Effect<A, VenueError>
  }
>()("limitbot/venue/http/Session") {
  static readonly layer = Layer.effect(
    Session,
    Effect.gen(function* () {
      const client = yield* VenueClient
      const signLogin = signLoginWith(yield* VenueConfig, yield* Signer, yield* SecureRandom)
      const held = yield* Ref.make<Tokens | undefined>(undefined)
      const oneFlight = (yield* Semaphore.make(1)).withPermit

      const authenticate = Effect.gen(function* () {
        const signedData = yield* Effect.mapError(signLogin, (refused) => unsigned(refused))
        const send = client.api.account.authenticate({ payload: { signedData }, responseMode: "response-only" })
        const { value } = yield* client.write(authenticateCall, send, AuthenticateResponse)
        const now = yield* Clock.currentTimeMillis
        return {
          access: token(value.accessToken, value.expiresIn, now),
          refresh: token(value.refreshToken, value.refreshExpiresIn, now)
        }
      })

      const refresh = Effect.fnUntraced(function* (tokens: Tokens) {
        const payload = { refreshToken: Redacted.value(tokens.refresh.value) }
        const send = client.api.account.refresh({ payload, responseMode: "response-only" })
        const { value } = yield* client.read(refreshCall, send, RefreshResponse)
        const now = yield* Clock.currentTimeMillis
        return { ...tokens, access: token(value.accessToken, value.expiresIn, now) }
      })

      const renew = Effect.fnUntraced(function* (tokens: Tokens | undefined) {
        const now = yield* Clock.currentTimeMillis
        if (tokens === undefined || now >= tokens.refresh.renewAt) return yield* authenticate
        if (now < tokens.access.renewAt) return tokens
        return yield* refresh(tokens).pipe(Effect.catchReason("VenueError", "Unauthorized", () => authenticate))
      })

      const current = oneFlight(
        Ref.get(held).pipe(
          Effect.flatMap(renew),
          Effect.tap((tokens) => Ref.set(held, tokens))
        )
      )

      /** Only if nobody else has renewed it in the meantime. */
      const forget = (used: Tokens) => Ref.update(held, (tokens) => (tokens === used ? undefined : tokens))

      const run = Effect.fn("Session.run")(function* <A>(call: Effect.Effect<A, VenueError>) {
        const once = (tokens: Tokens) => Effect.provideService(call, SessionToken, tokens.access.value)
        const tokens = yield* current
        return yield* once(tokens).pipe(
          Effect.catchReason("VenueError", "Unauthorized", () =>
            forget(tokens).pipe(Effect.andThen(current), Effect.flatMap(once))
          )
        )
      })

      return Session.of({ run })
    })
  ).pipe(Layer.provide(layerWebCrypto))
}

const unsigned = ({ text }: SigningRefused) =>
  new VenueError({ reason: new Rejected({ operation: authenticateCall.operation, code: "not-signed", text }) })

/** Lifetimes come in seconds; an impossible one counts as expired. */
const token = (value: string, lifetimeSeconds: number, now: number): Token => {
  const lifetime = Math.min(maxLifetimeMillis, Math.max(0, lifetimeSeconds * 1000))
  return { value: Redacted.make(value), renewAt: now + Math.floor(lifetime * (1 - renewAtShareLeft)) }
}

/** The proof of ownership: no intents, so it can move nothing. */
const signLoginWith = (
  { account, nonceSalt, verifier }: VenueConfig["Service"],
  signer: Signer["Service"],
  random: SecureRandom["Service"]
) => {
  const key = AccountKey.make(account.signerId)
  return Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + loginValidMillis
    const bytes = yield* random.randomBytes(32)
    const nonce = nonceSalt === undefined ? bytes : versionedNonce(nonceSalt, deadline, bytes)
    const message = JSON.stringify({ deadline: formatTimestamp(deadline), intents: [], signer_id: account.signerId })
    const whole = { message, nonce, recipient: verifier }
    const digest = Nep413.digest(whole)
    const signed = yield* signer.sign(digest, whole)
    const problem = key.objection(digest, signed)
    if (problem !== undefined)
      return yield* new SigningRefused({
        text: `the signer returned another signature than it was asked for: ${problem}`
      })
    const { publicKey, signature } = signed
    const payload = { message, nonce: Buffer.from(nonce).toString("base64"), recipient: verifier }
    return { standard: "nep413", payload, public_key: publicKey, signature } satisfies SignedData
  })
}

/** The verifier's form of a nonce that expires with its deadline: magic, version 0, salt, nanoseconds, randomness. */
const versionedNonce = (salt: Uint8Array, deadline: number, random: Uint8Array): Uint8Array => {
  const nonce = Buffer.from(random)
  nonce.set([0x56, 0x28, 0xf6, 0xc6, 0], 0)
  nonce.set(salt.subarray(0, 4), 5)
  nonce.writeBigInt64LE(BigInt(deadline) * 1_000_000n, 9)
  return nonce
}
