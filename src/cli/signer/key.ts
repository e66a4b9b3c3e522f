/**
 * `limitbot key new|import|export`: make a key, put one under a passphrase, take it out again. Keys
 * and passphrases are read from and written to files that only their owner can read; none is ever printed.
 */
import { Console, Effect, FileSystem, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Keystore from "../../files/secrets/Keystore.ts"
import { readSecret } from "../../files/secrets/SecretSource.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { publicKeyOf } from "../../signing/Signer.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import * as FileName from "../FileName.ts"
import { help } from "../help.ts"

/** A key file cannot be read or written. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String
}) {}

const passphraseFile = FileName.flag("passphrase-file").pipe(
  Flag.withDescription("A file of mode 0600 with the passphrase of the keystore, at least 12 characters")
)
const out = FileName.flag("out").pipe(Flag.withDescription("The file to write; it must not exist"))

/** A secret of a file that only its owner can read. */
export const secretIn = Effect.fnUntraced(function* (file: string) {
  const to: Report = { source: sourceText(file, ""), problems: [] }
  const secret = yield* readSecret({ value: { file }, start: 0, end: 0 }, ".", to)
  if (secret === undefined)
    return yield* new KeyFileUnusable({ message: to.problems[0]?.message ?? `${file} is empty` })
  return secret
})

/** A new file that only its owner can read; one that exists is not replaced. */
export const write = Effect.fnUntraced(function* (file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem
    .writeFileString(file, text, { mode: 0o600, flag: "wx" })
    .pipe(Effect.mapError(() => new KeyFileUnusable({ message: `${file} cannot be written: it may exist already` })))
})

const named = (publicKey: string): string =>
  `public key ${publicKey}\naccount    ${Ed25519.implicitAccount(publicKey) ?? publicKey}`

/** A new ed25519 key. */
export const generate = Effect.sync(() => Redacted.make(Ed25519.format(randomBytesUnsafe(32))))

const making = Command.make(
  "new",
  { out },
  Effect.fn(function* ({ out }) {
    const key = yield* generate
    yield* write(out, `${Redacted.value(key)}\n`)
    yield* Console.log(named(yield* publicKeyOf(key)))
  })
).pipe(help("Make a new ed25519 key and write it into a file that only you can read"))

const importing = Command.make(
  "import",
  {
    from: FileName.argument("key-file").pipe(Argument.withDescription("A file of mode 0600 with the key")),
    out,
    passphraseFile
  },
  Effect.fn(function* ({ from, out, passphraseFile }) {
    const [key, passphrase] = [yield* secretIn(from), yield* secretIn(passphraseFile)]
    const publicKey = yield* publicKeyOf(key)
    yield* write(out, yield* Keystore.seal(key, publicKey, passphrase))
    yield* Console.log(
      `${named(publicKey)}\n${out} holds the key under the passphrase. Remove ${from} when you have a backup.`
    )
  })
).pipe(help("Put a key under a passphrase"))

const exporting = Command.make(
  "export",
  { from: FileName.argument("keystore").pipe(Argument.withDescription("A keystore")), out, passphraseFile },
  Effect.fn(function* ({ from, out, passphraseFile }) {
    const fileSystem = yield* FileSystem.FileSystem
    const text = yield* fileSystem.readFileString(from)
    const key = yield* Keystore.open(text, yield* secretIn(passphraseFile))
    yield* write(out, `${Redacted.value(key)}\n`)
    yield* Console.log(named(yield* publicKeyOf(key)))
  })
).pipe(help("Take a key out of a keystore into a file that only you can read"))

export const command = Command.make("key").pipe(
  Command.withDescription("Make a key, put it under a passphrase, take it out again"),
  Command.withSubcommands([making, importing, exporting])
)
