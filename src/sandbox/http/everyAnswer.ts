/** Gives every error its endpoint's JSON body, even for an unknown route, another content type or a long id. Reads JSON:API as JSON. */
import { Effect } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { nextMeta, orderErrorCodes } from "../../venue/wire/WireError.ts"

const jsonApi = "application/vnd.api+json"

/** Codes for requests that reach no endpoint. The interface names none of them, and may add codes. */
const otherCodes: Readonly<Record<number, readonly [code: string, title: string]>> = {
  404: ["not-found", "There is nothing at this address"],
  405: ["method-not-allowed", "There is nothing at this address with this method"],
  413: ["payload-too-large", "Payload too large"],
  415: ["unsupported-media-type", "The body must be JSON"]
}

const isOrders = (path: string): boolean => path === "/v0/orders" || path.startsWith("/v0/orders/")

export const errorAnswer = Effect.fnUntraced(function* (
  url: string,
  { status, code, title }: { readonly status: number; readonly code: string; readonly title: string },
  headers: Readonly<Record<string, string>> = {}
) {
  const path = url.split("?")[0] ?? url
  const body = isOrders(path)
    ? { errors: [{ status: String(status), code, title }], meta: yield* nextMeta }
    : path.startsWith("/api/")
      ? { status, error: { code, message: title } }
      : { message: title }
  return HttpServerResponse.jsonUnsafe(body, { status, headers })
})

const unanswered = (url: string, status: number) => {
  const isOrder = status === 404 && url.startsWith("/v0/orders/")
  const [code, title] = isOrder
    ? (["order-not-found", orderErrorCodes["order-not-found"][1]] as const)
    : (otherCodes[status] ?? [status >= 500 ? "internal-error" : "request-rejected", "The request was not understood"])
  return errorAnswer(url, { status, code, title })
}

const isJson = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  /\bjson\b/.test(headers["content-type"] ?? "")

export const everyAnswer = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers, url } = request
    const isJsonApi = (headers["content-type"] ?? "").startsWith(jsonApi)
    const asJson = isJsonApi
      ? request.modify({ headers: { ...headers, "content-type": "application/json" } as typeof headers })
      : request
    const response = yield* handler.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, asJson),
      Effect.catchIf(
        (error) => error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound",
        () => Effect.succeed(HttpServerResponse.empty({ status: 404 }))
      )
    )
    const isError = response.status >= 400 && response.status < 600
    return isError && !isJson(response) ? yield* unanswered(url, response.status) : response
  })
