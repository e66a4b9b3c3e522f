/**
 * Sends notices to the receivers, each from its own queue, so that a slow, broken or absent receiver costs the bot nothing: a full queue
 * drops its oldest notice. Notices within two seconds form one message, and messages to one receiver are ten seconds apart. A failed
 * message is retried for about four minutes, plus the pauses for which the receiver asks, then given up.
 */
import { Clock, Effect, identity, Predicate, Queue, Schedule, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { type Persist, Phones } from "../push/PhoneServices.ts"
import { bodyOf, phoneMessage, type Receiver, requestFor, type Target, textFor, title } from "./channels.ts"
import { Teller } from "./command.ts"
import { Mailer } from "./email.ts"
import { isWanted, type Notice, severities } from "./Notice.ts"

const usualPace = { groupMillis: 2_000, spacingMillis: 10_000, retryMillis: 2_000, retries: 7 }

const maxWaiting = 1_000
const maxLines = 20
const patience = "15 seconds"

/** A receiver's address is a secret, so the error does not contain it. */
export class NotDelivered extends Schema.TaggedError<NotDelivered>()("NotDelivered", {
  to: Schema.String,
  reason: Schema.String,
  /** Absent if the receiver did not ask for a pause before the next attempt. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {
  override get message(): string {
    return `The ${this.to} notification was not delivered: ${this.reason}`
  }
}

/**
 * Sends `notices` to one receiver in one message. Fails with `NotDelivered`. `persist` retries the request; for `push` it retries the
 * request to each phone, so that phones that have the message do not get it twice.
 */
export const deliver = (target: Target, bot: string, notices: ReadonlyArray<Notice>, persist: Persist = identity) =>
  target.to === "push" ? push(bot, notices, persist) : persist(send({ ...target, to: target.to }, bot, notices))

const push = Effect.fn("Notifier.push")(function* (bot: string, notices: ReadonlyArray<Notice>, persist: Persist) {
  const tell = yield* Phones
  const now = yield* Clock.currentTimeMillis
  const delivery = tell(phoneMessage(bot, notices, now), persist)
  return yield* Effect.mapError(delivery, ({ reason }) => new NotDelivered({ to: "push", reason }))
})

const send = Effect.fn("Notifier.send")(function* (
  target: Target & { readonly to: Exclude<Receiver, "push"> },
  bot: string,
  notices: ReadonlyArray<Notice>
) {
  const { command, mailbox, secret, to, url } = target
  const failed = ({ reason }: { readonly reason: string }) => new NotDelivered({ to, reason })
  if (to === "email") {
    if (mailbox === undefined) return
    const send = yield* Mailer
    const transmission = send(url, mailbox, secret, title(bot, notices), textFor(to, bot, notices))
    return yield* Effect.mapError(transmission, failed)
  }
  const now = yield* Clock.currentTimeMillis
  if (to === "command") {
    if (command === undefined) return
    const tell = yield* Teller
    return yield* Effect.mapError(tell(command, bodyOf(bot, notices, now)), failed)
  }
  const client = yield* HttpClient.HttpClient
  yield* client.execute(requestFor({ ...target, to }, bot, notices, now)).pipe(
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.timeout(patience),
    Effect.mapError((error) => new NotDelivered({ to, reason: reasonOf(error), ...pauseOf(error, now) }))
  )
})

interface Failed {
  readonly _tag: string
  readonly reason?: unknown
}

const responseOf = ({ reason }: Failed): unknown =>
  Predicate.hasProperty(reason, "response") ? reason.response : undefined

/** A longer pause that a receiver asks for is cut to this. */
const longestPauseMillis = 600_000

const pauseOf = (error: Failed, now: number): { readonly retryAfterMillis?: number } => {
  const response = responseOf(error)
  const headers = Predicate.hasProperty(response, "headers") ? response.headers : undefined
  const written = Predicate.hasProperty(headers, "retry-after") ? String(headers["retry-after"]) : ""
  const millis = /^\d+(\.\d+)?$/.test(written) ? Number(written) * 1_000 : Date.parse(written) - now
  return millis > 0 ? { retryAfterMillis: Math.min(millis, longestPauseMillis) } : {}
}

const waitAsAsked = (error: unknown): Effect.Effect<void> =>
  Predicate.hasProperty(error, "retryAfterMillis") && typeof error.retryAfterMillis === "number"
    ? Effect.sleep(error.retryAfterMillis)
    : Effect.void

const reasonOf = (error: Failed): string => {
  const response = responseOf(error)
  if (Predicate.hasProperty(response, "status")) return `answered ${response.status}`
  return error._tag === "TimeoutError" ? "no answer in time" : "cannot be reached"
}

const grouped = (notices: ReadonlyArray<Notice>): ReadonlyArray<Notice> => {
  const rest = notices.length - maxLines
  const last = notices.at(-1)
  if (rest <= 0 || last === undefined) return notices
  // The most severe are kept, in their order.
  const mostSevere = new Set(notices.toSorted((a, b) => gravityOf(b) - gravityOf(a)).slice(0, maxLines))
  const more: Notice = { ...last, severity: "quiet", kind: "More", subject: "limitbot", text: `and ${rest} more` }
  return [...notices.filter((notice) => mostSevere.has(notice)), more]
}

const gravityOf = ({ severity }: Notice): number => severities.indexOf(severity)

/** Starts one sender per receiver. Returns a function that accepts a notice and never waits. */
export const make = Effect.fn("Notifier.make")(function* (
  targets: ReadonlyArray<Target>,
  bot: string,
  pace = usualPace
) {
  const queues = yield* Effect.forEach(targets, (target) =>
    Effect.gen(function* () {
      const queue = yield* Queue.sliding<Notice>(maxWaiting)
      const tell = Effect.gen(function* () {
        const first = yield* Queue.take(queue)
        yield* Effect.sleep(pace.groupMillis)
        const others = yield* Queue.clear(queue)
        const schedule = Schedule.exponential(pace.retryMillis)
        const again: Persist = (sending) =>
          Effect.retry(Effect.tapError(sending, waitAsAsked), { schedule, times: pace.retries })
        yield* deliver(target, bot, grouped([first, ...others]), again).pipe(
          Effect.catch((error) => Effect.logWarning(error.message))
        )
        yield* Effect.sleep(pace.spacingMillis)
      })
      yield* Effect.forkScoped(Effect.forever(tell))
      return { target, queue }
    })
  )
  return (notice: Notice) =>
    Effect.forEach(
      queues.filter(({ target }) => isWanted(target.rule, notice)),
      ({ queue }) => Queue.offer(queue, notice),
      { discard: true }
    )
})
