/** The `witness:` section of the configuration: who outside this machine is told how far the journal has come, and how often. */
import { url } from "../../control/Address.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Read from "../../strategy/Fields.ts"
import { report } from "../../strategy/Problem.ts"

const keys = {
  every: Read.withDefault(Read.duration, 10 * minuteMillis, "how often, where the journal has grown"),
  file: Read.optional(Read.text, "checkpoints are appended to it: on another disk"),
  url: Read.optional(url, "checkpoints are posted to it, and the last one is read from it")
}

export type WitnessPlace = { readonly everyMillis: number } & ({ readonly file: string } | { readonly url: string })

export const reader = Read.checked(keys, ({ every: everyMillis, file, url }, at, to): WitnessPlace | undefined => {
  if (file !== undefined && url === undefined) return { everyMillis, file }
  if (url !== undefined && file === undefined) return { everyMillis, url }
  return report(to, at("file"), "a witness is a file or a url, one of them")
})

/** A path starts at the configuration's folder. */
export const resolved = (terms: WitnessPlace, resolve: (path: string) => string): WitnessPlace =>
  "file" in terms ? { ...terms, file: resolve(terms.file) } : terms
