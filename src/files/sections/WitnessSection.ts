/** Reads `witness:`, the outside witnesses to which the progress of the journal is reported, and the interval. */
import { url } from "../../control/Address.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, report, type Span } from "../../strategy/Problem.ts"

const keys = {
  every: Read.withDefault(Read.duration, 10 * minuteMillis, "how often, if the journal has grown"),
  file: Read.optional(Read.text, "checkpoints are appended to it: on another disk"),
  url: Read.optional(url, "checkpoints are posted to it, and the last one is read from it"),
  mail: Read.optional(Read.duration, "how often the newest one is also e-mailed to the receivers of `notify`", "never")
}

type Place = { readonly file: string } | { readonly url: string }
type Written = Place & {
  readonly everyMillis: number
  readonly mail: { readonly millis: number; readonly at: Span } | undefined
}
export type WitnessPlace = Place & { readonly everyMillis: number; readonly mailMillis?: number }

export const reader = Read.checked(
  keys,
  ({ every: everyMillis, file, mail: millis, url }, at, to): Written | undefined => {
    const mail = millis === undefined ? undefined : { millis, at: at("mail") }
    if (file !== undefined && url === undefined) return { everyMillis, mail, file }
    if (url !== undefined && file === undefined) return { everyMillis, mail, url }
    return report(to, at("file"), "a witness is either a file or a url")
  }
)

export const resolved = (
  { everyMillis, mail, ...place }: Written,
  resolve: (path: string) => string,
  hasMail: boolean,
  to: Report
): WitnessPlace => {
  if (mail !== undefined && !hasMail) report(to, mail.at, "nobody gets e-mail", "notify: a receiver with to: email")
  const where = "file" in place ? { file: resolve(place.file) } : place
  return { ...where, everyMillis, ...(mail === undefined ? {} : { mailMillis: mail.millis }) }
}
