/**
 * Checks every request before any other code reads it, because the attacker of a loopback server is a page in the operator's own browser.
 * The host must be a name of this server (no DNS rebinding), the origin its own. Cross-site fetches and large or other bodies are refused.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Context, Effect, Redacted } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Tokens } from "./Tokens.ts"

const largestBody = 1_000_000
export const largestBodySize = ByteSize.bytes(largestBody)

/** Host names that requests may use besides those of loopback, without the port. */
export const ServerNames = Context.Reference<ReadonlySet<string>>("limitbot/control/http/ServerNames", {
  defaultValue: () => new Set()
})

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

const headers = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
}

export const refused = (message: string) => ({ _tag: "RequestRefused", message })

export const refusal = (status: number, message: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(refused(message), { status, headers })

type Request = HttpServerRequest.HttpServerRequest

const nameOf = (host: string): string => host.replace(/:\d{1,5}$/, "").toLowerCase()

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST"])

const objection = ({ headers, method }: Request, names: ReadonlySet<string>): readonly [number, string] | undefined => {
  const { host = "", origin, "sec-fetch-site": site } = headers
  if (!loopbackNames.has(nameOf(host)) && !names.has(nameOf(host))) return [421, "This host name is not this server"]
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return [403, "Requests of other origins are refused"]
  }
  if (site !== undefined && site !== "same-origin" && site !== "none") return [403, "Cross-site requests are refused"]
  if (!methods.has(method)) return [405, "Only GET, HEAD and POST are understood"]
  if (method !== "POST") return undefined
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") return [415, "Send commands as application/json"]
  if (headers["content-encoding"] !== undefined) return [415, "Send the body without Content-Encoding"]
  const length = headers["content-length"]
  if (length === undefined) return [411, "A body needs a Content-Length"]
  if (!/^\d{1,9}$/.test(length) || Number(length) > largestBody) return [413, `A body has at most ${largestBody} bytes`]
  return undefined
}

export const guard = Effect.fnUntraced(function* <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  // Node keeps the first of several hosts, and a proxy in front may keep another.
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  if (rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length > 1)
    return refusal(400, "A request must name one host")
  const violation = objection(request, yield* ServerNames)
  if (violation !== undefined) return refusal(...violation)
  const response = yield* Effect.catchIf(app, isNowhere, () => Effect.succeed(refusal(404, nothingHere)))
  const isBare = response.status >= 400 && response.body._tag === "Empty"
  if (isBare) return refusal(response.status, response.status === 404 ? nothingHere : "The request was not understood")
  return HttpServerResponse.setHeaders(response, headers)
})

/** Returns the holder of the request's bearer token; `undefined` without a valid one. */
export const speaking = ({ holderOf }: Pick<Tokens, "holderOf">) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const token = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1]
    return token === undefined ? Effect.undefined : holderOf(Redacted.make(token))
  })

const nothingHere = "There is nothing at this address"

const isNowhere = (error: unknown): boolean =>
  error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"
