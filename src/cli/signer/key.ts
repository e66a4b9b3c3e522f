/**
 * `limitbot key new|import|export`: make a key, put one under a passphrase, take it out again. Keys
 * and passphrases are read from and written to files that only their owner can read; none is ever printed.
 */
import { Console, Effect, FileSystem, type Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Keystore from "../../files/secrets/Keystore.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const passphraseFile = flags
  .fileFlag("passphrase-file")
  .pipe(Flag.withDescription("A file of mode 0600 with the passphrase of the keystore, at least 12 characters"))
const out = flags.fileFlag("out").pipe(Flag.withDescription("The file to write; it must not exist"))

const written = Effect.fnUntraced(function* (key: Redacted.Redacted, out: string) {
  yield* KeyFile.writeSecret(out, key)
  const { account, publicKey } = yield* KeyFile.ownerOf(key)
  yield* Console.log(`public key ${publicKey}\naccount    ${account}`)
})

const making = Command.make("new", { out }, ({ out }) =>
  Effect.flatMap(KeyFile.generate, (key) => written(key, out))
).pipe(help("Make a new ed25519 key and write it into a file that only you can read"))

const importing = Command.make(
  "import",
  {
    from: flags.fileArgument("key-file").pipe(Argument.withDescription("A file of mode 0600 with the key")),
    out,
    passphraseFile
  },
  Effect.fn(function* ({ from, out, passphraseFile }) {
    const [key, passphrase] = [yield* KeyFile.readKey(from), yield* KeyFile.readKey(passphraseFile)]
    const { account, publicKey } = yield* KeyFile.ownerOf(key)
    yield* KeyFile.write(out, yield* Keystore.seal(key, publicKey, passphrase))
    yield* Console.log(
      `public key ${publicKey}\naccount    ${account}\n${out} holds the key under the passphrase. Remove ${from} when you have a backup.`
    )
  })
).pipe(help("Put a key under a passphrase"))

const exporting = Command.make(
  "export",
  { from: flags.fileArgument("keystore").pipe(Argument.withDescription("A keystore")), out, passphraseFile },
  Effect.fn(function* ({ from, out, passphraseFile }) {
    const fileSystem = yield* FileSystem.FileSystem
    const text = yield* fileSystem.readFileString(from)
    yield* written(yield* Keystore.open(text, yield* KeyFile.readKey(passphraseFile)), out)
  })
).pipe(help("Take a key out of a keystore into a file that only you can read"))

export const command = Command.make("key").pipe(
  Command.withDescription("Make a key, put it under a passphrase, take it out again"),
  Command.withSubcommands([making, importing, exporting])
)
