/**
 * Everything that can go wrong at the venue, grouped by what the caller does about it.
 *
 * | reason         | the request was          | the caller                                          |
 * |----------------|--------------------------|-----------------------------------------------------|
 * | Rejected       | refused, with a code     | reports it to the strategy; never repeats it as it is |
 * | RetryLater     | not taken this time      | tries again after the wait                          |
 * | OutcomeUnknown | perhaps executed         | reads until the venue reports which; assumes neither |
 * | Unauthorized   | refused for its key      | stops if that lasts, and reports it to the operator |
 *
 * No code of the venue means "certainly absent": other services have answered 4xx to requests that they executed.
 */
import { Schema } from "effect"
import { refusalVerdicts } from "../domain/Payload.ts"
import { present } from "../domain/Present.ts"

const context = {
  operation: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  correlationId: Schema.optionalKey(Schema.String)
}

export const quoteRefusedCode = "quote-refused"
export const noPriceCode = "no-price"
export const invalidRequestCode = "invalid-request"
export const heldBackCode = "held-back"
const unsentCodes: ReadonlySet<string> = new Set([invalidRequestCode, heldBackCode])

/** Refused, with a code. The venue refuses it again if it is repeated unchanged. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  ...context,
  /** The venue's code; without one, the HTTP status, such as `http-400`. */
  code: Schema.String,
  text: Schema.String,
  /** JSON pointer to the wrong attribute, if the venue sent one. The text names it too. */
  pointer: Schema.optionalKey(Schema.String),
  verdict: Schema.optionalKey(Schema.Literals(refusalVerdicts))
}) {
  /** The venue has not seen the request. */
  get isUnsent(): boolean {
    return this.status === undefined && unsentCodes.has(this.code)
  }

  override get message(): string {
    if (this.code === quoteRefusedCode) return `The venue's quote cannot be trusted: ${this.text}`
    if (this.isUnsent) return `limitbot did not send "${this.operation}": ${this.text}`
    return `The venue refused to ${this.operation}: ${this.code}: ${this.text}`
  }
}

/** Not accepted this time. Try again after the wait. */
export class RetryLater extends Schema.TaggedError<RetryLater>()("RetryLater", {
  ...context,
  afterMillis: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return `The venue cannot ${this.operation} now (${this.text}): it may be asked again after ${Math.ceil(this.afterMillis / 1000)} s`
  }
}

const changing: ReadonlySet<string> = new Set([
  "create order",
  "cancel order",
  "submit intent",
  "submit deposit",
  "authenticate"
])

/** May have been executed. Read until the venue reports which, and assume neither. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  ...context,
  text: Schema.String,
  /** The connection failed or broke. The text is a whole sentence. */
  isUnreached: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    const doubt = changing.has(this.operation) ? "; it may or may not have happened" : ""
    return this.isUnreached === true
      ? `${this.text}${doubt} (${this.operation})`
      : `No usable answer to "${this.operation}": ${this.text}${doubt}`
  }
}

/** The venue refused the credential. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  ...context,
  /** The setting that holds the credential. */
  credential: Schema.optionalKey(Schema.String),
  text: Schema.String
}) {
  override get message(): string {
    const where = this.credential ?? "venue.apiKey and venue.partnerJwt"
    return `The venue does not accept our credential for "${this.operation}": ${this.text}. Check ${where}: it may be wrong or have expired`
  }
}

/** The error of every call; `reason` decides what to do about it. */
export class VenueError extends Schema.TaggedError<VenueError>()("VenueError", {
  reason: Schema.Union([Rejected, RetryLater, OutcomeUnknown, Unauthorized])
}) {
  override get message(): string {
    return this.reason.message
  }
}

/** The error of a request that is refused here, or whose answer counts as a refusal. */
export const refusal = (
  operation: string,
  code: string,
  text: string,
  { correlationId }: { readonly correlationId?: string } = {}
): VenueError => new VenueError({ reason: new Rejected({ operation, code, text, ...present({ correlationId }) }) })

export const quoteRefused = (operation: string, text: string, trace: { readonly correlationId?: string }): VenueError =>
  refusal(operation, quoteRefusedCode, text, trace)

export const withoutPrice = (operation: string, trace: { readonly correlationId?: string }): VenueError =>
  refusal(operation, noPriceCode, "its quote has no amountOut: the venue has no price of this now", trace)
