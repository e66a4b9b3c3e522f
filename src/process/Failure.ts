/** Prints one message for a failure on standard error. Only a defect of the program has a stack trace, and only on demand. */
import { Cause, Config, Console, Effect, Option, PlatformError, Predicate } from "effect"
import { CliError } from "effect/cli"
import * as Runtime from "effect/Runtime"
import { correlationText, messageOf } from "../domain/Text.ts"
import * as PlainFiles from "../files/PlainFiles.ts"
import { isOfOwnCode } from "../strategy/own/OwnCodeFailed.ts"
import { VenueError } from "../venue/VenueError.ts"

const busyAddressOf = (error: unknown): string | undefined => {
  if (
    !Predicate.isTagged(error, "ServeError") ||
    !Predicate.hasProperty(error, "cause") ||
    !Predicate.hasProperty(error.cause, "code")
  )
    return undefined
  const { cause } = error
  if (cause.code !== "EADDRINUSE") return undefined
  const address = Predicate.hasProperty(cause, "address") ? cause.address : "the address"
  return `${address}:${Predicate.hasProperty(cause, "port") ? cause.port : ""}`
}

export const wordsOf = (error: unknown): string => {
  const busy = busyAddressOf(error)
  if (busy !== undefined) return `${busy} is in use by another program: choose another port, or stop what uses it`
  if (error instanceof VenueError) return `${error.message}${correlationText(error.reason)}`
  if (!(error instanceof PlatformError.PlatformError)) return messageOf(error)
  const { reason } = error
  const phrase = PlainFiles.phraseOf(error)
  if (phrase !== undefined && "pathOrDescriptor" in reason) return `${reason.pathOrDescriptor}: ${phrase}`
  return reason.cause instanceof Error ? reason.cause.message : error.message
}

export const tell = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  if (Cause.hasInterruptsOnly(cause)) return
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) {
    const errorValue = error.value
    if (
      CliError.isCliError(errorValue) ||
      (Predicate.hasProperty(errorValue, Runtime.errorReported) && !errorValue[Runtime.errorReported])
    )
      return
    return yield* Console.error(`limitbot: ${wordsOf(errorValue)}`)
  }
  const debug = yield* Config.String("LIMITBOT_DEBUG").pipe(Config.option, Effect.orElseSucceed(Option.none))
  const squashed = Cause.squash(cause)
  const text = messageOf(squashed)
  // The failed code is the user's, so we ask for no report.
  if (isOfOwnCode(squashed)) return yield* Console.error(`limitbot: ${text}`)
  yield* Console.error(`limitbot: internal error: ${text}. The journal is intact; start again, and report this.`)
  if (Option.isSome(debug)) yield* Console.error(Cause.pretty(cause))
})
