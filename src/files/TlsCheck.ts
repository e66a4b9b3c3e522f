/** With `NODE_TLS_REJECT_UNAUTHORIZED=0` anyone on the network path can pose as the venue, so no money may move. */
import { Config, Effect, Option, Schema } from "effect"

const variable = "NODE_TLS_REJECT_UNAUTHORIZED"

export class TlsUnverified extends Schema.TaggedError<TlsUnverified>()("TlsUnverified", {}) {
  override get message(): string {
    return `The environment variable ${variable} is 0, so the venue's certificate is not checked. Unset it; name your own certificate authority with NODE_EXTRA_CA_CERTS.`
  }
}

export const verified = Effect.gen(function* () {
  const value = yield* Effect.option(Config.String(variable))
  if (Option.contains(value, "0")) return yield* new TlsUnverified()
})
