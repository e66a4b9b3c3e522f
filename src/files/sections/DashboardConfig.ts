/**
 * Reads `dashboard`: the address of the control server. It is meant for this machine. Any other address sends tokens over a network, and
 * needs TLS or the explicit statement that something else encrypts.
 */
import { Effect, FileSystem, Path, Redacted } from "effect"
import { isLoopback } from "../../control/Address.ts"
import type { ControlOptions } from "../../control/ControlOptions.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import * as PlainFiles from "../PlainFiles.ts"
import { readSecret, secret } from "../secrets/SecretSource.ts"

export const defaultPort = 8177
/** Characters. A shorter token may be guessed. */
const shortestToken = 32
const howToMakeOne = "openssl rand -hex 32 makes one"

const hostName = Read.written(
  Read.scalar("an address or a name to listen on, such as 127.0.0.1", (text) =>
    /^[A-Za-z0-9.:[\]-]{1,253}$/.test(text) ? text : undefined
  ),
  String
)

const keys = {
  host: Read.withDefault(hostName, "127.0.0.1"),
  port: Read.optional(
    Read.integer(0, 65_535),
    undefined,
    `${defaultPort}, or any free one if it is taken; 0: any free one`
  ),
  names: Read.optional(Read.plainList(hostName), "more host names that browsers use for it"),
  tls: Read.optional(
    Read.section({
      certificate: Read.required(Read.located(Read.text), "file in PEM"),
      key: Read.required(secret, "its private key in PEM")
    })
  ),
  viewerToken: Read.optional(secret, "a second token that only reads, for example for Prometheus"),
  unencrypted: Read.optional(Read.trueOrFalse, "listens beyond this machine without TLS: a proxy encrypts")
}

export const reader = Read.checked(keys, ({ host, names = [], port, tls, unencrypted, viewerToken }, at, to) => {
  if (!isLoopback(host) && tls === undefined && unencrypted !== true) {
    const hint = "set dashboard.tls, or dashboard.unencrypted: true if a proxy or a container's network protects it"
    const text = `dashboard.host ${host} can be reached from other machines without encryption`
    return report(to, at("host"), text, hint)
  }
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: port ?? defaultPort,
    /** The server may leave the default port if another program uses it, but not a port that the configuration names. */
    mayMove: port === undefined,
    names: [...(isLoopback(host) ? [] : [host]), ...names],
    viewerToken,
    tls
  }
})

type DashboardConfig = NonNullable<ReturnType<typeof reader>>

export const loaded = Effect.fn("DashboardConfig.loaded")(function* (
  { tls, viewerToken: source, ...place }: DashboardConfig,
  folder: string,
  to: Report
) {
  const viewerToken = source === undefined ? undefined : yield* readSecret(source, folder, to)
  if (source !== undefined && viewerToken !== undefined && Redacted.value(viewerToken).length < shortestToken)
    return report(to, source, `dashboard.viewerToken has fewer than ${shortestToken} characters`, howToMakeOne)
  const address = { ...place, viewerToken }
  if (tls === undefined) return { ...address, tls: undefined } satisfies ControlOptions
  const fileSystem = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).resolve(folder, tls.certificate.value)
  const key: Redacted.Redacted | undefined = yield* readSecret(tls.key, folder, to)
  const certificate = yield* fileSystem.readFileString(file).pipe(
    Effect.catch((error) => {
      const why = PlainFiles.phraseOf(error) ?? error.message
      return Effect.sync(() => report(to, tls.certificate, `cannot read the certificate ${file}: ${why}`))
    })
  )
  if (key === undefined || certificate === undefined) return undefined
  return { ...address, tls: { certificate, key } } satisfies ControlOptions
})
