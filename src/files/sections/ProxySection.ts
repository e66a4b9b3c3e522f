/**
 * Reads `venue.proxy`, or HTTPS_PROXY and NO_PROXY of the environment: the way to the venue and the receivers of messages. An address with
 * a password is a secret. This machine is reached directly, unless NO_PROXY is `none`.
 */
import { Config, Effect, Option, Redacted } from "effect"
import * as Read from "../../strategy/Fields.ts"
import { described, schemaOf } from "../../strategy/Fields.ts"
import { type Report, report, type Span } from "../../strategy/Problem.ts"
import type { Proxy } from "../../venue/http/Outbound.ts"
import { literalSecret, readSecret, type SecretSource, secretSource } from "../secrets/SecretSource.ts"

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

const expected = "an address such as http://proxy.example:3128"
const plain = Read.scalar(expected, (text) => (isAddress(text) ? text : undefined), undefined, { type: "string" })
const readAddress: Read.Reader<string | SecretSource> = (node, to) => {
  if (node.type === "map") return secretSource(node, to)
  const hasUser = node.type === "scalar" && node.text.includes("@")
  return hasUser ? report(to, node, literalSecret, "write { env: NAME } or { file: PATH }") : plain(node, to)
}

export const reader = Read.located(described(readAddress, () => ({ anyOf: [schemaOf(plain), schemaOf(secretSource)] })))

const variable = Effect.fnUntraced(function* (name: string) {
  const both = Config.option(Config.Redacted(name).pipe(Config.orElse(() => Config.Redacted(name.toLowerCase()))))
  return Option.getOrUndefined(yield* Effect.orDie(both))
})

const thisMachine = "localhost,127.0.0.1,::1"

export const loaded = Effect.fn("ProxySection.loaded")(function* (
  source: Read.Located<string | SecretSource> | undefined,
  folder: string,
  to: Report
) {
  const at: Span = source ?? { start: 0, end: 0 }
  const value = source?.value
  const address =
    value === undefined
      ? yield* variable("HTTPS_PROXY")
      : typeof value === "string"
        ? Redacted.make(value)
        : yield* readSecret({ ...at, value }, folder, to)
  if (address === undefined || Redacted.value(address) === "") return undefined
  if (!isAddress(Redacted.value(address)))
    return report(to, at, `${source === undefined ? "HTTPS_PROXY" : "the secret there"} is not ${expected}`)
  const except = Redacted.value((yield* variable("NO_PROXY")) ?? Redacted.make(""))
  const direct = except === "none" ? "" : `${thisMachine},${except}`
  return { address, direct } satisfies Proxy
})
