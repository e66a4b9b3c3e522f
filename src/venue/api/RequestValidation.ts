/** Answers requests that do not fit their schema: orders get one entry per fault with a JSON pointer, other endpoints one sentence. */
import { Effect, Layer } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { faultsOf, type SchemaFault, sentenceOf } from "../../domain/Text.ts"
import {
  type Fault,
  historyError,
  historyErrorAt,
  messageError,
  messageErrorAt,
  orderError,
  orderErrorAt
} from "../wire/WireError.ts"

export class OrderValidation extends HttpApiMiddleware.Service<OrderValidation>()(
  "limitbot/venue/api/OrderValidation",
  { error: [400, 403, 409].map(orderErrorAt) }
) {}

export class MessageValidation extends HttpApiMiddleware.Service<MessageValidation>()(
  "limitbot/venue/api/MessageValidation",
  { error: [messageErrorAt(400)] }
) {}

export class HistoryValidation extends HttpApiMiddleware.Service<HistoryValidation>()(
  "limitbot/venue/api/HistoryValidation",
  { error: [historyErrorAt(400)] }
) {}

/** RFC 6901. */
const toPointer = (path: ReadonlyArray<string>): string =>
  path.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** A fault in our own answer is a defect. The server reports it as an internal error. */
const unlessOurs =
  <E>(answer: (error: HttpApiError.HttpApiSchemaError) => Effect.Effect<never, E>) =>
  (error: HttpApiError.HttpApiSchemaError): Effect.Effect<never, E> =>
    error.kind === "Body" || error.kind === "ResponseHeaders" ? Effect.die(error) : answer(error)

const orderFault = (error: HttpApiError.HttpApiSchemaError) => {
  const problems = faultsOf(error.cause)
  const faults = problems.map(({ message, path }): Fault => ({ detail: message, pointer: toPointer(path) }))
  const at = (pointer: string) => faults.some((fault) => fault.pointer === pointer)
  if (error.kind === "Params") return orderError("order-not-found")
  if (error.kind !== "Payload") return orderError("validation-failed", problems.map(sentence))
  if (at("")) return orderError("malformed-request", faults)
  if (at("/data/id")) return orderError("client-generated-id", [{ pointer: "/data/id" }])
  if (at("/data/type")) return orderError("resource-type-mismatch", [{ pointer: "/data/type" }])
  return orderError("validation-failed", faults)
}

const sentence = ({ message, path }: SchemaFault): Fault => ({ detail: `${path.join(".")}: ${message}` })

export const layer: Layer.Layer<OrderValidation | MessageValidation | HistoryValidation> = Layer.mergeAll(
  HttpApiMiddleware.layerSchemaErrorTransform(OrderValidation, unlessOurs(orderFault)),
  HttpApiMiddleware.layerSchemaErrorTransform(
    MessageValidation,
    unlessOurs(({ cause }) => messageError(400, sentenceOf(cause)))
  ),
  HttpApiMiddleware.layerSchemaErrorTransform(
    HistoryValidation,
    unlessOurs(({ cause }) => historyError(400, "validation-failed", sentenceOf(cause)))
  )
)
