/** Where the control server listens, and how it proves its identity. */
import type { Redacted } from "effect"

export interface ControlOptions {
  readonly host: string
  readonly port: number
  /** True if another port may be used when this one is taken: the user set no port, or this is a dry run beside the bot that has it. */
  readonly mayMove: boolean
  /** Further host names that requests may use. */
  readonly names: ReadonlyArray<string>
  /** A further viewer token, for a client that must not read the journal's folder, such as a collector of metrics. */
  readonly viewerToken: Redacted.Redacted | undefined
  /** PEM files; without them only loopback is allowed, or addresses that are explicitly accepted. */
  readonly tls: { readonly certificate: string; readonly key: Redacted.Redacted } | undefined
}
