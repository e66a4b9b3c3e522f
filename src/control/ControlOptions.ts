/** Where the control server listens, and how it proves its identity. */
import type { Redacted } from "effect"

export interface ControlOptions {
  readonly host: string
  readonly port: number
  /** Another port does where this one is taken: nobody asked for it, or for a run on paper beside the bot that has it. */
  readonly mayMove: boolean
  /** Further host names that requests may use. */
  readonly names: ReadonlyArray<string>
  /** A further token that looks, for who must not read the journal's folder: a collector of metrics. */
  readonly viewerToken: Redacted.Redacted | undefined
  /** PEM files; without them only loopback is allowed, or what is explicitly accepted. */
  readonly tls: { readonly certificate: string; readonly key: Redacted.Redacted } | undefined
}
