/** Writes a sandbox's configuration and its two secrets, for their owner only. Never replaces a file: it may belong to real money. */
import { Effect, FileSystem, Path, Schema } from "effect"
import type { ProfileName } from "../../venue/profile/Profiles.ts"
import { saltFrom } from "../SandboxApi.ts"
import type { ConnectionRecord } from "../SandboxServer.ts"
import { defaultSettings } from "../Settings.ts"

export const defaultPort = 8180

export class ConfigExists extends Schema.TaggedError<ConfigExists>()("ConfigExists", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} exists and is not replaced. Name another file, or move it away first.`
  }
}

export const write = Effect.fn("SandboxConfig.write")(function* (
  file: string,
  connection: ConnectionRecord,
  like?: ProfileName
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(file))
  const extension = path.extname(file)
  const first = path.basename(file, extension)
  const filesOf = ({ key }: ConnectionRecord["account"], index: number) => {
    const name = index === 0 ? first : `${first}-${index + 1}`
    return [
      [path.join(folder, `${name}.account.key`), `${key}\n`],
      [path.join(folder, `${name}.api.key`), `${connection.apiKey}\n`],
      [path.join(folder, `${name}${extension}`), text(name, connection, like)]
    ] as const
  }
  const files = [connection.account, ...(connection.others ?? [])].flatMap(filesOf)
  yield* fileSystem.makeDirectory(folder, { recursive: true })
  for (const [taken] of files) {
    if (yield* fileSystem.exists(taken)) return yield* new ConfigExists({ file: taken })
  }
  for (const [target, content] of files) {
    yield* fileSystem.writeFileString(target, content, { mode: 0o600, flag: "wx" })
  }
})

/** The sandbox identifies partners by their API keys, and they pay no platform fee. */
const partnerFacts = "  facts: { fees: { credential: apiKey } }\n"

const text = (
  name: string,
  { url, ledger, verifier }: ConnectionRecord,
  like: ProfileName | undefined
): string => `# A sandbox: its money is worth nothing.
venue:
  url: ${url}
${like === undefined ? partnerFacts : `  profile: ${like}\n  facts: { saltFrom: "${saltFrom(url)}" }\n`}  ledger: ${ledger}
  verifier: ${verifier}
  apiKey: { file: ${name}.api.key }
account:
  key: { file: ${name}.account.key }
assets:
${defaultSettings(ledger)
  .assets.map(({ symbol, id, decimals }) => `  ${symbol}: { id: "${id}", decimals: ${decimals} }`)
  .join("\n")}
journal: ${name}.sqlite
dashboard: { port: 0 } # a page on this machine, at any free port: limitbot status --dashboard prints its address
`

export const introduction = (
  { url, apiKey, account, others = [], verifier }: ConnectionRecord,
  config: string | undefined
): string =>
  [
    `Sandbox at ${url}: an imitation of the service, its money is worth nothing.`,
    `  books     ${url}/sandbox/books`,
    `  interface ${url}/openapi.json`,
    `  X-API-Key ${apiKey}`,
    ...[account, ...others].map(({ key, signerId }) => `  account   ${signerId} (key ${key})`),
    `  verifier  ${verifier}`,
    ...(config === undefined ? [] : [`  config    ${config}: limitbot plan FILE --config ${config}`]),
    "Stop it with Ctrl-C."
  ].join("\n")
