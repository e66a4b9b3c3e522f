/**
 * The end user's session. A signed message without intents proves that we own the account. The tokens are kept in memory only and renewed
 * before they expire, one renewal at a time. The refresh token does not rotate. The venue judges a login by its own clock and by the
 * present salt of its verifier. A refused login is tried once more if our knowledge of either has improved since.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Ref, Semaphore } from "effect"
import { layerWebCrypto, SecureRandom } from "effect/crypto/SecureRandom"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import * as Nep413 from "../../signing/Nep413.ts"
import { Signer, SigningRefused } from "../../signing/Signer.ts"
import { AuthenticateResponse, RefreshResponse } from "../api/AccountApi.ts"
import type { SignedData } from "../api/IntentsApi.ts"
import { factsOf, VenueConfig } from "../VenueConfig.ts"
import { Rejected, refusal, Unauthorized, VenueError } from "../VenueError.ts"
import * as LoginSalt from "./LoginSalt.ts"
import { SessionToken, VenueClient } from "./VenueClient.ts"

const loginValidMillis = Duration.toMillis("5 minutes")
const maxLifetimeMillis = Duration.toMillis("30 days")
/** Share of a token's life that is left when it is renewed, so that it never expires in transit. */
const renewAtShareLeft = 0.1

const credential = "account.key and account.signerId"
const authenticateCall = { operation: "authenticate", priority: "background", credential } as const
const refreshCall = { operation: "refresh the session", priority: "background", credential } as const

interface Token {
  readonly value: Redacted.Redacted
  readonly renewAt: number
}

type Tokens = Readonly<Record<"access" | "refresh", Token>>

/** The end user's session: a signed login, renewed before it expires, with tokens in memory only. */
export class Session extends Context.Service<
  Session,
  {
    /** Runs a call with a valid session. If the venue still refuses the token, the call runs once more with a new one. */
    run<A>(call: Effect.Effect<A, VenueError>): Effect.Effect<A, VenueError>
  }
>()("limitbot/venue/http/Session") {
  static readonly layer = Layer.effect(
    Session,
    Effect.gen(function* () {
      const client = yield* VenueClient
      const config = yield* VenueConfig
      const salt = yield* LoginSalt.make(config)
      const signLogin = signLoginWith(config, yield* Signer, yield* SecureRandom)
      const tokensRef = yield* Ref.make<Tokens | undefined>(undefined)
      const oneFlight = (yield* Semaphore.make(1)).withPermit

      const logIn = Effect.fnUntraced(function* (terms: LoginTerms) {
        const signedData = yield* Effect.mapError(signLogin(terms), unsigned)
        const send = client.api.account.authenticate({ payload: { signedData }, responseMode: "response-only" })
        const { value } = yield* client.write(authenticateCall, send, AuthenticateResponse)
        const now = yield* Clock.currentTimeMillis
        return {
          access: token(value.accessToken, value.expiresIn, now),
          refresh: token(value.refreshToken, value.refreshExpiresIn, now)
        }
      })

      const advised = (used: string | undefined, failure: VenueError): VenueError => {
        const { reason } = failure
        const advice = LoginSalt.advice(factsOf(config), used, reason.text)
        const text = `${reason.text}${advice}`
        if (reason._tag === "Rejected") return new VenueError({ reason: new Rejected({ ...reason, text }) })
        if (advice === "" || reason._tag !== "Unauthorized") return failure
        const credential = "venue.nonceSalt and venue.facts.salts"
        return new VenueError({ reason: new Unauthorized({ ...reason, credential, text }) })
      }

      const currentTerms = Effect.all({ aheadMillis: client.clockSkewMillis, salt: salt.current })

      const learn = Effect.fnUntraced(function* (used: LoginTerms, failure: VenueError) {
        const { _tag } = failure.reason
        if (_tag !== "Rejected" && _tag !== "Unauthorized") return yield* failure
        yield* salt.renew
        const better = yield* currentTerms
        const isLater = Math.abs((better.aheadMillis ?? 0) - (used.aheadMillis ?? 0)) > toleratedMillis
        const what = [
          ...(isLater ? ["its own clock"] : []),
          ...(better.salt === used.salt ? [] : ["the present salt of its verifier"])
        ]
        if (what.length === 0) return yield* advised(used.salt, failure)
        yield* Effect.logWarning(
          `The venue refused the login: ${failure.reason.text}. It is tried once more with ${what.join(" and ")}`
        )
        return better
      })

      const authenticate = Effect.gen(function* () {
        const used = yield* currentTerms
        return yield* logIn(used).pipe(Effect.catch((failure) => Effect.flatMap(learn(used, failure), logIn)))
      })

      const refresh = Effect.fnUntraced(function* (tokens: Tokens) {
        const payload = { refreshToken: Redacted.value(tokens.refresh.value) }
        const send = client.api.account.refresh({ payload, responseMode: "response-only" })
        const { value } = yield* client.read(refreshCall, send, RefreshResponse)
        return { ...tokens, access: token(value.accessToken, value.expiresIn, yield* Clock.currentTimeMillis) }
      })

      const renew = Effect.fnUntraced(function* (tokens: Tokens | undefined) {
        const now = yield* Clock.currentTimeMillis
        if (tokens === undefined || now >= tokens.refresh.renewAt) return yield* authenticate
        if (now < tokens.access.renewAt) return tokens
        return yield* refresh(tokens).pipe(Effect.catchIf(isRefused, () => authenticate))
      })

      const current = oneFlight(
        Ref.get(tokensRef).pipe(
          Effect.flatMap(renew),
          Effect.tap((tokens) => Ref.set(tokensRef, tokens))
        )
      )

      const forget = (used: Tokens) => Ref.update(tokensRef, (tokens) => (tokens === used ? undefined : tokens))

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

const isRefused = ({ reason }: VenueError): boolean => reason._tag === "Unauthorized" || reason._tag === "Rejected"

const unsigned = ({ text }: SigningRefused) => refusal(authenticateCall.operation, "not-signed", text)

/** Lifetimes are in seconds. A negative one counts as expired. */
const token = (value: string, lifetimeSeconds: number, now: number): Token => {
  const lifetime = Math.min(maxLifetimeMillis, Math.max(0, lifetimeSeconds * 1000))
  return { value: Redacted.make(value), renewAt: now + Math.floor(lifetime * (1 - renewAtShareLeft)) }
}

/** The difference of clocks, in milliseconds, for which no venue refuses a login. */
const toleratedMillis = 2_000

interface LoginTerms {
  readonly aheadMillis: number | undefined
  readonly salt: string | undefined
}

/** The proof of ownership has no intents, so it can move nothing. Its times are the venue's. */
const signLoginWith = (config: VenueConfig["Service"], signer: Signer["Service"], random: SecureRandom["Service"]) => {
  const { signerId } = config.account
  const { login } = factsOf(config)
  const key = AccountKey.make(signerId)
  return Effect.fnUntraced(function* ({ aheadMillis = 0, salt }: LoginTerms) {
    const start = (yield* Clock.currentTimeMillis) - aheadMillis
    const deadline = start + loginValidMillis
    const isStarted = login.nonce === "started"
    if (salt === undefined && isStarted) return yield* new SigningRefused({ text: LoginSalt.missing(login.verifier) })
    const bytes = yield* random.randomBytes(32)
    const nonce =
      salt === undefined ? bytes : versionedNonce({ salt, deadline, bytes, start: isStarted ? start : undefined })
    const message = JSON.stringify({ deadline: Timestamp.format(deadline), intents: [], signer_id: signerId })
    const whole = { message, nonce, recipient: login.verifier }
    const digest = Nep413.digest(whole)
    const signed = yield* signer.sign(digest, whole)
    const problem = key.objection(digest, signed)
    if (problem !== undefined)
      return yield* new SigningRefused({
        text: `the signer returned another signature than it was asked for: ${problem}`
      })
    const { publicKey, signature } = signed
    const payload = { message, nonce: Buffer.from(nonce).toString("base64"), recipient: login.verifier }
    return { standard: "nep413", payload, public_key: publicKey, signature } satisfies SignedData
  })
}

interface VersionedNonce {
  /** Four bytes in hex. */
  readonly salt: string
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly start: number | undefined
  readonly bytes: Uint8Array
}

/**
 * The verifier's form of a nonce that expires with its deadline: magic, version 0, salt, deadline, random bytes. The nonce of a started
 * login also has a start, in the eight bytes before the last seven. Times are in nanoseconds.
 */
const versionedNonce = ({ bytes, deadline, salt, start }: VersionedNonce): Uint8Array => {
  const nonce = Buffer.from(bytes)
  nonce.set([0x56, 0x28, 0xf6, 0xc6, 0], 0)
  nonce.write(salt, 5, 4, "hex")
  nonce.writeBigInt64LE(BigInt(deadline) * 1_000_000n, 9)
  if (start !== undefined) nonce.writeBigUInt64LE(BigInt(start) * 1_000_000n, 17)
  return nonce
}
