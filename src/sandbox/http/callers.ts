/** Answers the contract's credential middlewares from the keys and tokens of the sandbox's seed. */
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import {
  Caller,
  OptionalPartner,
  OrderCredential,
  PartnerJwt,
  PartnerKey,
  UserSession
} from "../../venue/api/Credentials.ts"
import { historyError, messageError, orderError } from "../../venue/wire/WireError.ts"
import * as Keys from "./Keys.ts"

interface Sent {
  readonly credential: Redacted.Redacted
}

export const ownerOf = (caller: Caller["Service"]): string =>
  caller.partner === undefined ? `account ${caller.account ?? ""}` : `partner ${caller.partner}`

type Identity = Effect.Effect<Caller["Service"] | undefined, never, HttpServerRequest.HttpServerRequest>

const asCaller =
  <E>(identify: (sent: Sent) => Identity, refused: Effect.Effect<never, E>) =>
  <A, F, R>(handler: Effect.Effect<A, F, R>, sent: Sent) =>
    Effect.flatMap(
      identify(sent),
      (identity): Effect.Effect<A, E | F, Exclude<R, Caller>> =>
        identity === undefined ? refused : Effect.provideService(handler, Caller, identity)
    )

const forOrders = orderError("authentication-required")
const forMessages = messageError(401, "A valid credential is required")
const forHistory = historyError(401, "unauthorized", "A valid partner token is required")

export const layer = (seed: number) => {
  const partners = Keys.partnersByApiKey(seed)
  const byApiKey = ({ credential }: Sent): Identity => {
    const partner = partners.get(Redacted.value(credential))
    return Effect.succeed(partner === undefined ? undefined : { partner })
  }
  const byToken =
    (use: "partner" | "access") =>
    ({ credential }: Sent): Identity =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const claims = Keys.readToken(seed, Redacted.value(credential), use, now)
        if (claims === undefined) return undefined
        return use === "partner" ? { partner: claims.sub } : { account: claims.sub }
      })
  const byKeyOrNothing = Effect.fnUntraced(function* (sent: Sent) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    // A token here has failed its check already, so the request is refused even if its key is good.
    if (headers["authorization"] !== undefined) return undefined
    return Redacted.value(sent.credential) === "" ? {} : yield* byApiKey(sent)
  })

  return Layer.mergeAll(
    Layer.succeed(OrderCredential, {
      apiKey: asCaller(byApiKey, forOrders),
      session: asCaller(byToken("access"), forOrders)
    }),
    Layer.succeed(PartnerKey, {
      apiKey: asCaller(byApiKey, forMessages),
      jwt: asCaller(byToken("partner"), forMessages)
    }),
    Layer.succeed(PartnerJwt, { jwt: asCaller(byToken("partner"), forHistory) }),
    Layer.succeed(UserSession, { session: asCaller(byToken("access"), forMessages) }),
    // A quote may be anonymous; a wrong credential is refused, not ignored.
    Layer.succeed(OptionalPartner, {
      jwt: asCaller(byToken("partner"), forMessages),
      apiKey: asCaller(byKeyOrNothing, forMessages)
    })
  )
}
