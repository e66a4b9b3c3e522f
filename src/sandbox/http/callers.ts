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

type Identity = Caller["Service"] | undefined

const orRefuse =
  <E>(refused: Effect.Effect<never, E>) =>
  (identity: Identity): Effect.Effect<Caller["Service"], E> =>
    identity === undefined ? refused : Effect.succeed(identity)

const forOrders = orRefuse(orderError("authentication-required"))
const forMessages = orRefuse(messageError(401, "A valid credential is required"))
const forHistory = orRefuse(historyError(401, "unauthorized", "A valid partner token is required"))

export const layer = (seed: number) => {
  const partners = Keys.partnersByApiKey(seed)
  const byApiKey = ({ credential }: Sent): Identity => {
    const partner = partners.get(Redacted.value(credential))
    return partner === undefined ? undefined : { partner }
  }
  const byToken = (use: "partner" | "access", { credential }: Sent) =>
    Effect.map(Clock.currentTimeMillis, (now): Identity => {
      const claims = Keys.readToken(seed, Redacted.value(credential), use, now)
      if (claims === undefined) return undefined
      return use === "partner" ? { partner: claims.sub } : { account: claims.sub }
    })
  const byKeyOrNothing = Effect.fnUntraced(function* (sent: Sent) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    // A token here has failed its check already, so the request is refused even if its key is good.
    if (headers["authorization"] !== undefined) return undefined
    return Redacted.value(sent.credential) === "" ? {} : byApiKey(sent)
  })

  return Layer.mergeAll(
    Layer.succeed(OrderCredential, {
      apiKey: (handler, sent) => Effect.provideServiceEffect(handler, Caller, forOrders(byApiKey(sent))),
      session: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byToken("access", sent), forOrders))
    }),
    Layer.succeed(PartnerKey, {
      apiKey: (handler, sent) => Effect.provideServiceEffect(handler, Caller, forMessages(byApiKey(sent))),
      jwt: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byToken("partner", sent), forMessages))
    }),
    Layer.succeed(PartnerJwt, {
      jwt: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byToken("partner", sent), forHistory))
    }),
    Layer.succeed(UserSession, {
      session: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byToken("access", sent), forMessages))
    }),
    // A quote may be anonymous; a wrong credential is refused, not ignored.
    Layer.succeed(OptionalPartner, {
      jwt: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byToken("partner", sent), forMessages)),
      apiKey: (handler, sent) =>
        Effect.provideServiceEffect(handler, Caller, Effect.flatMap(byKeyOrNothing(sent), forMessages))
    })
  )
}
