/**
 * `limitbot signer key`: makes a key, puts one under a passphrase, or takes it out again. Keys
 * and passphrases are read from and written to files that only their owner can read; none is ever printed.
 */
import { Console, Effect, FileSystem, Option, type Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Keystore from "../../files/secrets/Keystore.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const out = flags.fileFlag("out").pipe(Flag.withDescription("The file to write; it must not exist"))

const written = Effect.fnUntraced(function* (key: Redacted.Redacted, out: string) {
  yield* KeyFile.writeSecret(out, key)
  const { account, publicKey } = yield* KeyFile.ownerOf(key)
  yield* Console.log(`public key ${publicKey}\naccount    ${account}`)
})

const sealed = Effect.fnUntraced(function* (from: string, passphraseFile: string, out: string) {
  const [key, passphrase] = [yield* KeyFile.readKey(from), yield* KeyFile.readKey(passphraseFile)]
  const { account, publicKey } = yield* KeyFile.ownerOf(key)
  yield* KeyFile.write(out, yield* Keystore.seal(key, publicKey, passphrase))
  yield* Console.log(
    `public key ${publicKey}\naccount    ${account}\n${out} holds the key under the passphrase. Remove ${from} when you have a backup.`
  )
})

export const key = Command.make(
  "key",
  {
    out,
    seal: flags.file("seal", "Put the key of this file of mode 0600 under a passphrase, instead of making one"),
    open: flags.file("open", "Read the key from this keystore, instead of making one"),
    passphraseFile: flags.file(
      "passphrase-file",
      "With --seal or --open: a file of mode 0600 with the passphrase of the keystore, at least 12 characters"
    )
  },
  Effect.fn(function* ({ open, out, passphraseFile, seal }) {
    if (Option.isSome(seal) && Option.isSome(open))
      return yield* new WrongUsage({ message: "--seal and --open exclude each other" })
    if (Option.isNone(seal) && Option.isNone(open)) return yield* written(yield* KeyFile.generate, out)
    if (Option.isNone(passphraseFile))
      return yield* new WrongUsage({ message: "A keystore needs --passphrase-file FILE" })
    if (Option.isSome(seal)) return yield* sealed(seal.value, passphraseFile.value, out)
    if (Option.isNone(open)) return
    const text = yield* FileSystem.FileSystem.use((files) => files.readFileString(open.value))
    yield* written(yield* Keystore.open(text, yield* KeyFile.readKey(passphraseFile.value)), out)
  })
).pipe(
  help("Make a new ed25519 key in a file that only you can read, or move one into a keystore or out of it", {
    "limitbot signer key --out account.key": "A new key",
    "limitbot signer key --seal account.key --passphrase-file passphrase --out account.keystore": "Under a passphrase"
  })
)
