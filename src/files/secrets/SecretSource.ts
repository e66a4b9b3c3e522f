/**
 * Reads a secret from `{ env: NAME }` or `{ file: PATH }`, never from the configuration itself. No message repeats it, and its value is
 * `Redacted` at once. A file must be a plain file (no symbolic link) that only its owner can read. Type, mode and content come from one
 * open handle, so nobody can swap the file in between.
 */
import { Config, Effect, FileSystem, Option, Path, type PlatformError, Redacted } from "effect"
import { described, type Located, located, type Reader } from "../../strategy/Fields.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import * as PlainFiles from "../PlainFiles.ts"

export type SecretSource = { readonly env: string } | { readonly file: string }

const largestSecretBytes = 16_384
const othersMayAccess = 0o077

export const literalSecret = "never put a secret in this file"
const howTo = "write { env: NAME } for an environment variable, or { file: PATH } for a file of mode 0600"

const environmentName = "^[A-Za-z_][A-Za-z0-9_]{0,127}$"

const readSource: Reader<SecretSource> = (node, to) => {
  if (node.type !== "map") return report(to, node, literalSecret, howTo)
  const [entry, ...others] = [...node.entries]
  if (entry === undefined || others.length > 0) return report(to, node, "expected one of env and file", howTo)
  const [key, { value }] = entry
  const text = value.type === "scalar" ? value.text : ""
  if (key === "env" && new RegExp(environmentName).test(text)) return { env: text }
  if (key === "file" && text !== "") return { file: text }
  return report(to, node, "expected { env: NAME } or { file: PATH }", howTo)
}

export const secretSource = described(readSource, () => ({
  type: "object",
  description: howTo,
  properties: { env: { type: "string", pattern: environmentName }, file: { type: "string", minLength: 1 } },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false
}))

export const secret = located(secretSource)

/** Returns `undefined` if the secret is not available, and reports this at the place that names it. */
export const readSecret = Effect.fnUntraced(function* (source: Located<SecretSource>, folder: string, to: Report) {
  const lookup = "env" in source.value ? fromEnvironment(source.value.env) : fromFile(source.value.file, folder)
  return yield* lookup.pipe(Effect.catch((message) => Effect.sync(() => report(to, source, message))))
})

const fromEnvironment = (name: string) =>
  Config.Redacted(name).pipe(
    Effect.mapError(() => `the environment variable ${name} is not set`),
    Effect.flatMap(trimmed(`the environment variable ${name}`))
  )

export const unreadableSecret = "cannot read the secret file"

/** True if no part of the text looks like a key: neither a scheme nor many letters and digits in a row. */
const isPath = (file: string): boolean => !/:|[A-Za-z0-9+=_]{32}/.test(file)

const fromFile = Effect.fnUntraced(function* (file: string, folder: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).resolve(folder, file)
  const failed = (error: PlatformError.PlatformError) =>
    isPath(file)
      ? `${unreadableSecret} ${path}: ${PlainFiles.phraseOf(error) ?? "it cannot be opened"}`
      : `${unreadableSecret}: the configuration seems to contain the secret itself`
  const handle = yield* fileSystem.open(path, { noFollow: true }).pipe(Effect.mapError(failed))
  const { type, mode } = yield* handle.stat.pipe(Effect.mapError(failed))
  if (type !== "File") return yield* Effect.fail(`the secret file ${path} is not a plain file`)
  if ((mode & othersMayAccess) !== 0) {
    return yield* Effect.fail(`others can read the secret file ${path}: run chmod 600 on it`)
  }
  const bytes = yield* handle.readAlloc(largestSecretBytes).pipe(Effect.mapError(failed))
  const text = new TextDecoder().decode(Option.getOrUndefined(bytes))
  return yield* trimmed(`the secret file ${path}`)(Redacted.make(text))
}, Effect.scoped)

/** A text file ends with a newline that is not part of the secret. */
const trimmed = (what: string) => (secret: Redacted.Redacted) => {
  const text = Redacted.value(secret).trim()
  return text === "" ? Effect.fail(`${what} is empty`) : Effect.succeed(Redacted.make(text))
}
