/** Reads or creates files with a secret that only their owner can read. It never replaces such a file and never prints its content. */
import { Effect, FileSystem, Redacted, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { publicKeyOf } from "../../signing/Signer.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import { readSecret } from "./SecretSource.ts"

export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String
}) {}

export const readKey = Effect.fn("KeyFile.read")(function* (file: string) {
  const to: Report = { source: sourceText(file, ""), problems: [] }
  const secret = yield* readSecret({ value: { file }, start: 0, end: 0 }, ".", to)
  return secret ?? (yield* new KeyFileUnusable({ message: to.problems[0]?.message ?? `${file} is empty` }))
})

/** Fails if the file exists. */
export const write = Effect.fn("KeyFile.write")(function* (file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem
    .writeFileString(file, text, { mode: 0o600, flag: "wx" })
    .pipe(Effect.mapError(() => new KeyFileUnusable({ message: `${file} cannot be written: it may exist already` })))
})

export const writeSecret = (file: string, secret: Redacted.Redacted) => write(file, `${Redacted.value(secret)}\n`)

export const generate = Effect.sync(() => Redacted.make(Ed25519.format(randomBytesUnsafe(32))))

export const ownerOf = Effect.fn("KeyFile.ownerOf")(function* (key: Redacted.Redacted) {
  const publicKey = yield* publicKeyOf(key)
  return { publicKey, account: Ed25519.implicitAccount(publicKey) ?? publicKey }
})
