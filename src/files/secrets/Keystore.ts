/**
 * Stores a key under a passphrase: scrypt, then AES-256-GCM, both from Node. The parameters are authenticated with the key, so nobody can
 * weaken them unnoticed. Parameters weaker than ours are refused, and so are huge ones, which would only exhaust memory.
 */
import { createCipheriv, createDecipheriv, scrypt } from "node:crypto"
import { Effect, FileSystem, Path, Redacted, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Read from "../../strategy/Fields.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import { readSecret, secretSource } from "./SecretSource.ts"

const Base64 = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9+/]+={0,2}$/), Schema.isMaxLength(1_000))

const Parameters = Schema.Struct({
  version: Schema.Literal(1),
  publicKey: Schema.String,
  kdf: Schema.Literal("scrypt"),
  N: Schema.Int.check(Schema.isBetween({ minimum: 2 ** 17, maximum: 2 ** 20 })),
  r: Schema.Int.check(Schema.isBetween({ minimum: 8, maximum: 16 })),
  p: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  cipher: Schema.Literal("aes-256-gcm"),
  salt: Base64,
  nonce: Base64
})
type Parameters = typeof Parameters.Type

const KeystoreFile = Schema.fromJsonString(Schema.Struct({ ...Parameters.fields, ciphertext: Base64, tag: Base64 }))

/** `message` names the fault and shows nothing of the contents. */
export class KeystoreUnusable extends Schema.TaggedError<KeystoreUnusable>()("KeystoreUnusable", {
  message: Schema.String
}) {}

const unusable = (message: string) => new KeystoreUnusable({ message })

const derive = (passphrase: Redacted.Redacted, { N, p, r, salt }: Parameters) =>
  Effect.callback<Buffer, KeystoreUnusable>((resume) => {
    const options = { N, r, p, maxmem: 256 * N * r }
    scrypt(Redacted.value(passphrase).normalize("NFKC"), Buffer.from(salt, "base64"), 32, options, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.fail(unusable(error.message)))
    )
  })

/** Has a fixed order of fields, so that their order in the file does not matter. */
const authenticated = ({ N, cipher, kdf, nonce, p, publicKey, r, salt, version }: Parameters): Buffer =>
  Buffer.from(JSON.stringify([version, publicKey, kdf, N, r, p, cipher, salt, nonce]))

const leastPassphrase = 12

export const seal = Effect.fn("Keystore.seal")(function* (
  key: Redacted.Redacted,
  publicKey: string,
  passphrase: Redacted.Redacted
) {
  if (Redacted.value(passphrase).length < leastPassphrase) {
    return yield* unusable(`the passphrase is shorter than ${leastPassphrase} characters`)
  }
  const random = (size: number) => Buffer.from(randomBytesUnsafe(size)).toString("base64")
  const parameters = {
    version: 1,
    publicKey,
    kdf: "scrypt",
    N: 2 ** 17,
    r: 8,
    p: 1,
    cipher: "aes-256-gcm",
    salt: random(32),
    nonce: random(12)
  } as const
  const secret = yield* derive(passphrase, parameters)
  const cipher = createCipheriv(parameters.cipher, secret, Buffer.from(parameters.nonce, "base64"))
  cipher.setAAD(authenticated(parameters))
  const ciphertext = Buffer.concat([cipher.update(Redacted.value(key), "utf8"), cipher.final()])
  const sealed = {
    ...parameters,
    ciphertext: ciphertext.toString("base64"),
    tag: cipher.getAuthTag().toString("base64")
  }
  return `${JSON.stringify(sealed, undefined, 2)}\n`
})

export const open = Effect.fn("Keystore.open")(function* (text: string, passphrase: Redacted.Redacted) {
  const file = yield* Effect.mapError(Schema.decodeEffect(KeystoreFile)(text), () =>
    unusable("it is not a keystore of this program, or its parameters are too weak or too large")
  )
  const { ciphertext, tag, ...parameters } = file
  const secret = yield* derive(passphrase, parameters)
  return yield* Effect.try({
    try: () => {
      const decipher = createDecipheriv(parameters.cipher, secret, Buffer.from(parameters.nonce, "base64"), {
        authTagLength: 16
      })
      decipher.setAAD(authenticated(parameters))
      decipher.setAuthTag(Buffer.from(tag, "base64"))
      return Redacted.make(
        Buffer.concat([decipher.update(Buffer.from(ciphertext, "base64")), decipher.final()]).toString("utf8")
      )
    },
    catch: () => unusable("the passphrase is wrong, or the file was changed")
  })
})

/** Reads `keystore: { file, passphrase }` of a configuration. */
export const reader = Read.fields({
  file: Read.required(Read.text, "as `limitbot signer key --seal` writes it"),
  passphrase: Read.required(secretSource)
})

export const loaded = Effect.fn("KeystoreSource.open")(function* (
  { value: { file, passphrase: source } }: Read.Located<NonNullable<ReturnType<typeof reader>>>,
  folder: string,
  to: Report
) {
  const passphrase = source === undefined ? undefined : yield* readSecret(source, folder, to)
  if (file === undefined || passphrase === undefined) return undefined
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem.readFileString((yield* Path.Path).resolve(folder, file.value)).pipe(
    Effect.flatMap((text) => open(text, passphrase)),
    Effect.catch(({ message }) => Effect.sync(() => report(to, file, `the keystore cannot be opened: ${message}`)))
  )
})
