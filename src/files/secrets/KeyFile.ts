/** Files with a key or another secret that only their owner can read: read, or made new and never replaced. None is ever printed. */
import { Effect, FileSystem, Redacted, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { publicKeyOf } from "../../signing/Signer.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import { readSecret } from "./SecretSource.ts"

/** A key file cannot be read or written. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String
}) {}

/** The secret in a file. */
export const read = Effect.fn("KeyFile.read")(function* (file: string) {
  const to: Report = { source: sourceText(file, ""), problems: [] }
  const secret = yield* readSecret({ value: { file }, start: 0, end: 0 }, ".", to)
  return secret ?? (yield* new KeyFileUnusable({ message: to.problems[0]?.message ?? `${file} is empty` }))
})

/** A new file; one that exists is not replaced. */
export const write = Effect.fn("KeyFile.write")(function* (file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem
    .writeFileString(file, text, { mode: 0o600, flag: "wx" })
    .pipe(Effect.mapError(() => new KeyFileUnusable({ message: `${file} cannot be written: it may exist already` })))
})

export const writeSecret = (file: string, secret: Redacted.Redacted) => write(file, `${Redacted.value(secret)}\n`)

/** A new ed25519 key. */
export const generate = Effect.sync(() => Redacted.make(Ed25519.format(randomBytesUnsafe(32))))

/** Whose key it is, unless the account was named otherwise. */
export const ownerOf = Effect.fn("KeyFile.ownerOf")(function* (key: Redacted.Redacted) {
  const publicKey = yield* publicKeyOf(key)
  return { publicKey, account: Ed25519.implicitAccount(publicKey) ?? publicKey }
})
