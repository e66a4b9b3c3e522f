/** Three error bodies: structured errors of the order endpoints, `{message}` of most others, `{status, error}` of the history endpoints. */
import { Clock, Context, Effect, Random, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { informal } from "./WireValue.ts"

export const Meta = Schema.Struct({
  correlationId: informal(Schema.String),
  timestamp: informal(Schema.String)
}).annotate({ identifier: "Meta" })

/** The source of a server's correlation ids. A seeded server replaces the random one, so that its ids repeat. */
export const NextCorrelationId = Context.Reference<Effect.Effect<string>>("limitbot/venue/wire/NextCorrelationId", {
  defaultValue: () => Effect.map(Random.nextInt, (value) => Math.abs(value).toString(36).padStart(11, "0"))
})

export const nextMeta = Effect.gen(function* () {
  const correlationId = yield* yield* NextCorrelationId
  return { correlationId, timestamp: Timestamp.format(yield* Clock.currentTimeMillis) }
})

const ErrorEntry = Schema.Struct({
  status: informal(Schema.String),
  code: Schema.String,
  title: informal(Schema.String),
  detail: informal(Schema.String),
  source: informal(Schema.Struct({ pointer: informal(Schema.String) }))
})
type ErrorEntry = typeof ErrorEntry.Type

export const StructuredErrors = Schema.Struct({ errors: Schema.Array(ErrorEntry), meta: informal(Meta) }).annotate({
  identifier: "StructuredErrors"
})
export const MessageBody = Schema.Struct({ message: Schema.String, correlationId: informal(Schema.String) }).annotate({
  identifier: "Message"
})
export const HistoryErrorBody = Schema.Struct({
  status: Schema.Int,
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
}).annotate({ identifier: "HistoryError" })

const head = { status: Schema.Int, retryAfter: Schema.optionalKey(Schema.String) }
const retryAfterHeader = { "retry-after": Schema.optionalKey(Schema.String) }
const fromHeader = (headers: { readonly "retry-after"?: string }) => present({ retryAfter: headers["retry-after"] })
const encode = <Body>({ body, retryAfter }: { readonly body: Body; readonly retryAfter?: string }) => ({
  body,
  headers: present({ "retry-after": retryAfter })
})

class OrderError extends Schema.TaggedError<OrderError>()("OrderError", { ...head, body: StructuredErrors }) {}
class MessageError extends Schema.TaggedError<MessageError>()("MessageError", { ...head, body: MessageBody }) {}
class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", { ...head, body: HistoryErrorBody }) {}

const hasStatus = (status: number) => Schema.makeFilter((error: { readonly status: number }) => error.status === status)

export const orderErrorAt = (status: number) =>
  OrderError.check(hasStatus(status)).pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: StructuredErrors.pipe(HttpApiSchema.status(status)), headers: retryAfterHeader },
      { decode: ({ body, headers }) => new OrderError({ status, body, ...fromHeader(headers) }), encode }
    )
  )

export const messageErrorAt = (status: number) =>
  MessageError.check(hasStatus(status)).pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: MessageBody.pipe(HttpApiSchema.status(status)), headers: retryAfterHeader },
      { decode: ({ body, headers }) => new MessageError({ status, body, ...fromHeader(headers) }), encode }
    )
  )

export const historyErrorAt = (status: number) =>
  HistoryError.check(hasStatus(status)).pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: HistoryErrorBody.pipe(HttpApiSchema.status(status)), headers: retryAfterHeader },
      { decode: ({ body, headers }) => new HistoryError({ status, body, ...fromHeader(headers) }), encode }
    )
  )

export const orderErrorCodes = {
  "malformed-request": [400, "Malformed request"],
  "validation-failed": [400, "Validation failed"],
  "request-rejected": [400, "Request rejected"],
  "order-rejected": [400, "Order rejected"],
  "authentication-required": [401, "Authentication required"],
  "client-generated-id": [403, "Client-generated ids are not supported"],
  "order-not-found": [404, "Order not found"],
  "resource-type-mismatch": [409, "Resource type mismatch"],
  "rate-limit-exceeded": [429, "Rate limit exceeded"],
  "internal-error": [500, "Internal error"],
  "service-unavailable": [503, "Service unavailable"]
} as const

export type OrderErrorCode = keyof typeof orderErrorCodes

export interface Fault {
  readonly detail?: string
  /** JSON pointer into the request body. */
  readonly pointer?: string
}

const after = (seconds: number | undefined) =>
  present({ retryAfter: seconds === undefined ? undefined : String(seconds) })

export const orderError = Effect.fnUntraced(function* (
  code: OrderErrorCode,
  faults: ReadonlyArray<Fault> = [{}],
  retryAfterSeconds?: number
) {
  const [status, title] = orderErrorCodes[code]
  const errors = faults.map(
    ({ detail, pointer }): ErrorEntry => ({
      status: String(status),
      code,
      title,
      ...present({ detail, source: pointer === undefined ? undefined : { pointer } })
    })
  )
  return yield* new OrderError({ status, body: { errors, meta: yield* nextMeta }, ...after(retryAfterSeconds) })
})

export const messageError = (status: number, message: string) =>
  Effect.fail(new MessageError({ status, body: { message } }))

export const historyError = (status: number, code: string, message: string, retryAfterSeconds?: number) =>
  Effect.fail(new HistoryError({ status, body: { status, error: { code, message } }, ...after(retryAfterSeconds) }))
