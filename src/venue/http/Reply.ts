/**
 * Reads the reply of one exchange and determines its meaning. A reply is read completely, but never beyond its limit. Text for messages is
 * cut and stripped of control characters, because the other side may be hostile. A failed read can be repeated, but a failed write may have
 * been executed unless it was clearly refused.
 */
import { DateTime, Duration, Effect, Option, Record, Redacted, Schema, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { present } from "../../domain/Present.ts"
import { isRecord } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { OutcomeUnknown, Rejected, RetryLater, Unauthorized, VenueError } from "../VenueError.ts"
import { MessageBody, StructuredErrors } from "../wire/WireError.ts"
import { clean } from "../wire/WireValue.ts"

const usualBytes = 512 * 1024
/** For one order: a fill with its payout takes at most 400 bytes, so this is room for ten thousand fills. */
export const orderBytes = 4 * 1024 * 1024
/** For lists: fifty orders take about 60 kB, and with two hundred fills each 2 MB. */
export const listBytes = 2 * 1024 * 1024
const defaultPauseMillis = 1000
const minPauseMillis = 1000
const maxPauseMillis = 300_000

export type RequestKind = "read" | "write"

export interface RequestTraits {
  readonly operation: string
  readonly kind: RequestKind
  readonly credential?: string | undefined
  readonly mostBytes?: number | undefined
  /** Secrets that no answer may show, besides those sent with the request. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

interface Trace {
  readonly correlationId?: string
}

const unknown = (operation: string, text: string, seen: Trace & { readonly status?: number } = {}): VenueError =>
  new VenueError({ reason: new OutcomeUnknown({ operation, text, ...seen }) })

export const noAnswer = (operation: string, text: string, { correlationId }: Trace = {}): VenueError =>
  unknown(operation, clean(text), present({ correlationId }))

/** The error for an answer of the right form that cannot be used. Its status shows that the venue is there. */
export const unusable = (operation: string, text: string, { correlationId }: Trace = {}): VenueError =>
  unknown(operation, clean(text), { status: 200, ...present({ correlationId }) })

const impossible = (operation: string, reply: Reply, text: string): VenueError =>
  unknown(operation, clean(`the venue answered ${reply.status}, but ${text}`), seenIn(reply))

/** Shorter secrets may be words that answers contain for other reasons. */
const minSecretLength = 8

/** A hostile or careless service may repeat our credentials. They must not get into messages, logs and the journal. */
const withoutSecrets = (
  { headers }: HttpClientResponse.HttpClientResponse["request"],
  configured: ReadonlyArray<Redacted.Redacted>
) => {
  const credentials = [headers["x-api-key"], headers["authorization"]?.replace(/^Bearer /, "")]
  const secrets = [...credentials, ...configured.map(Redacted.value)].filter(
    (secret) => secret !== undefined && secret.length >= minSecretLength
  )
  return (text: string): string =>
    secrets.reduce<string>((rest, secret = "") => rest.replaceAll(secret, "<redacted>"), text)
}

/** Reads the body as it streams and stops at the limit, which ends the connection. */
export const receive = (
  { mostBytes = usualBytes, operation, secrets = [] }: RequestTraits,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Reply, VenueError | HttpClientError.HttpClientError> => {
  const { headers, request, status } = response
  const mask = withoutSecrets(request, secrets)
  return response.stream.pipe(
    Stream.runFoldEffect(
      () => ({ chunks: [] as Uint8Array[], bytes: 0 }),
      (body, chunk) => {
        body.chunks.push(chunk)
        body.bytes += chunk.length
        return body.bytes > mostBytes ? Effect.fail(tooLarge(operation, status, mostBytes)) : Effect.succeed(body)
      }
    ),
    Effect.flatMap(({ chunks }) =>
      Effect.try({
        try: () => utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
        catch: () => unknown(operation, "the answer is not UTF-8 text", { status })
      })
    ),
    Effect.map((body) => ({ status, headers: Record.map(headers, mask), body: mask(body) }))
  )
}

const tooLarge = (operation: string, status: number, mostBytes: number) => {
  const text = `the answer is longer than ${mostBytes / 1024} KiB, so it was not read; check that the address is the venue's`
  return unknown(operation, text, { status })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const asStructured = Schema.decodeUnknownOption(StructuredErrors)
const asMessage = Schema.decodeUnknownOption(MessageBody)
const asCode = Schema.decodeUnknownOption(
  Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })
)

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? clean(value) : undefined)

const traceOf = (json: unknown): Trace & { readonly venueTime?: number } => {
  const top = isRecord(json) ? json : {}
  const meta = isRecord(top["meta"]) ? top["meta"] : {}
  const correlationId = textOf(meta["correlationId"]) ?? textOf(top["correlationId"])
  const timestamp = textOf(meta["timestamp"]) ?? textOf(top["timestamp"])
  const venueTime = timestamp === undefined ? undefined : Timestamp.parse(timestamp)
  return present({ correlationId, venueTime })
}

const seenIn = (reply: Reply): Trace & { readonly status: number } => {
  const { correlationId } = traceOf(Option.getOrUndefined(parseJson(reply.body)))
  const id = correlationId ?? textOf(reply.headers["x-correlation-id"] ?? reply.headers["x-request-id"])
  return { status: reply.status, ...present({ correlationId: id }) }
}

const pauseMillis = (header: string | undefined = "", now: number): number | undefined => {
  const date = Option.getOrUndefined(DateTime.make(header))
  const isSeconds = /^\d{1,9}(\.\d+)?$/.test(header)
  const delayMillis = isSeconds ? Number(header) * 1000 : date && DateTime.toEpochMillis(date) - now
  return delayMillis === undefined ? undefined : Math.min(maxPauseMillis, Math.max(minPauseMillis, delayMillis))
}

const refusalIn = (reply: Reply): { readonly code: string; readonly text: string; readonly pointer?: string } => {
  const json = Option.getOrUndefined(parseJson(reply.body))
  const status = `http-${reply.status}`
  const structured = Option.getOrUndefined(asStructured(json))
  const first = structured?.errors[0]
  if (structured !== undefined && first !== undefined) {
    const details = structured.errors.map(({ detail, title }) => detail ?? title ?? "no detail").join("; ")
    const pointer = first.source?.pointer
    const text = pointer === undefined ? details : `${details} (at ${pointer})`
    return { code: clean(first.code), text: clean(text), ...(pointer === undefined ? {} : { pointer: clean(pointer) }) }
  }
  const coded = Option.getOrUndefined(asCode(json))
  if (coded !== undefined) return { code: clean(coded.error.code), text: clean(coded.error.message) }
  const message = Option.getOrUndefined(asMessage(json))
  return { code: status, text: clean(message?.message ?? reply.body.trim()) || "no reason given" }
}

export const refused = (
  { credential, kind, operation }: RequestTraits,
  reply: Reply,
  now: number
): VenueError | undefined => {
  const { status } = reply
  if (status >= 200 && status < 300) return undefined
  const replyFacts = seenIn(reply)
  const { code, pointer, text } = refusalIn(reply)
  const reason = () => {
    if (status === 401) return new Unauthorized({ operation, text, ...replyFacts, ...present({ credential }) })
    if (status === 429 || (kind === "read" && (status >= 500 || status === 408 || status === 425))) {
      const afterMillis = pauseMillis(reply.headers["retry-after"], now) ?? defaultPauseMillis
      return new RetryLater({
        operation,
        afterMillis: Math.round(afterMillis),
        text: `${status} ${text}`,
        ...replyFacts
      })
    }
    if (status < 400 || status >= 500 || status === 408 || status === 425) {
      return new OutcomeUnknown({ operation, text: `the venue answered ${status}: ${text}`, ...replyFacts })
    }
    return new Rejected({ operation, code, text, ...replyFacts, ...present({ pointer }) })
  }
  return new VenueError({ reason: reason() })
}

export const decode = <A>(schema: Schema.Codec<A, unknown>) => {
  const fromJson = Schema.decodeUnknownEffect(schema)
  return (operation: string, reply: Reply) =>
    Option.match(parseJson(reply.body), {
      onNone: () => Effect.fail(impossible(operation, reply, "its body is not JSON")),
      onSome: (json) =>
        fromJson(json).pipe(
          Effect.mapBoth({
            onSuccess: (value) => ({ value, ...traceOf(json) }),
            onFailure: (error) => impossible(operation, reply, `its body is not as described: ${error.message}`)
          })
        )
    })
}

export const askedPause = (error: VenueError): Duration.Duration =>
  Duration.millis(error.reason._tag === "RetryLater" ? error.reason.afterMillis : 0)
