/** Where the control server listens, and how it proves who it is. */
import type { Redacted } from "effect"

export interface ControlOptions {
  readonly host: string
  readonly port: number
  /** Further names by which the server may be asked. */
  readonly names: ReadonlyArray<string>
  /** Files in PEM; without them only loopback, or what is explicitly accepted. */
  readonly tls: { readonly certificate: string; readonly key: Redacted.Redacted } | undefined
}
