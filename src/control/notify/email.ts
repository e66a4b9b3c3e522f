/** Notices by e-mail, over SMTP with TLS: a password never goes over an unencrypted connection. */
import { Context, Effect, Redacted, Schema } from "effect"
import { isLoopback } from "../Address.ts"

export interface Mailbox {
  readonly from: string
  readonly recipients: ReadonlyArray<string>
  /** Absent if the server needs no login. The password is the secret. */
  readonly user: string | undefined
}

/** The mail server did not accept a message. Its address is not shown. */
export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", { reason: Schema.String }) {}

const patienceMillis = 15_000

const send = Effect.fn("email.send")(function* (
  url: Redacted.Redacted,
  { from, recipients, user }: Mailbox,
  password: Redacted.Redacted | undefined,
  subject: string,
  text: string
) {
  // Loaded on demand: most bots send no mail, and the start should not wait for it.
  const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
  const { hostname, port, protocol } = new URL(Redacted.value(url))
  const secure = protocol === "smtps:"
  const options = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && !isLoopback(hostname),
    connectionTimeout: patienceMillis,
    greetingTimeout: patienceMillis,
    socketTimeout: patienceMillis,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: Redacted.value(password) } })
  }
  const transport = yield* Effect.acquireRelease(
    Effect.sync(() => createTransport(options)),
    (made) => Effect.sync(() => made.close())
  )
  const letter = { from, to: [...recipients], subject, text }
  yield* Effect.tryPromise({
    try: () => transport.sendMail(letter),
    catch: (cause) => new MailNotSent({ reason: reasonOf(cause) })
  })
}, Effect.scoped)

/** A rehearsal replaces it: it keeps the letters and sends none. */
export const Mailer = Context.Reference<typeof send>("limitbot/control/notify/Mailer", { defaultValue: () => send })

/** The error's code, never its message: servers repeat what they receive. */
const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  return code === "EAUTH" ? "the server refused the login" : code === "" ? "the server rejected it" : code
}
