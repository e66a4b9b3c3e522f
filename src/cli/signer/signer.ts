/** `limitbot signer`: the process that holds the key, separate from the bot and its strategies; also makes keys and policies. */
import { Console, Effect, FileSystem, type Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Keystore from "../../files/secrets/Keystore.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Policies from "../../signer/serving/Policies.ts"
import { serve } from "../../signer/serving/Serving.ts"
import * as flags from "../flags.ts"

const signerFile = flags
  .fileFlag("config")
  .pipe(Flag.withAlias("c"), flags.byDefault("The signer's own file: key, caps, record", "config/signer.yaml"))

const policy = Command.make(
  "policy",
  {
    file: flags.optionalFileArgument("policy", "With --key: the policy to sign (YAML); default: show the active ones"),
    key: flags.file("key", "A file of mode 0600 with the ed25519 key that signs the policy"),
    config: signerFile,
    json: flags.json
  },
  Effect.fn(function* ({ file, key, ...given }) {
    if (file !== undefined && key !== undefined) return yield* Policies.sign({ file, key })
    if (file !== undefined || key !== undefined)
      return yield* wrongUsage("Signing a policy needs both: POLICY --key FILE")
    yield* Answer.print(Policies.holding(given), given)
  })
).pipe(
  flags.help("Show the active policies, their limits and how much of each cap is used; or sign one", {
    "limitbot signer policy": "What holds now",
    "limitbot signer policy policy.yaml --key policy.key": "Sign a policy: signers accept only signed ones"
  })
)

const approve = Command.make(
  "approve",
  {
    asset: flags.argument("asset", "A symbol of the policy"),
    amount: flags.argument("amount", "The largest amount of the payment"),
    policy: flags.fileFlag("policy", "The signer's policy (YAML)"),
    key: flags.fileFlag("key", "A file of mode 0600 with the ed25519 key that signs"),
    socket: flags.textFlag("socket", "The Unix socket of the signer"),
    within: flags.duration("within", "How long the approval is valid, at most 7d; default: 1h")
  },
  Policies.approve
).pipe(flags.help("Approve one payment above the policy's limit"))

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

const key = Command.make(
  "key",
  {
    out: flags.fileFlag("out", "The file to write; it must not exist"),
    seal: flags.file("seal", "Put the key of this file of mode 0600 under a passphrase, instead of making one"),
    open: flags.file("open", "Read the key from this keystore, instead of making one"),
    passphraseFile: flags.file(
      "passphrase-file",
      "With --seal or --open: a file of mode 0600 with the passphrase of the keystore, at least 12 characters"
    )
  },
  Effect.fn(function* ({ open, out, passphraseFile, seal }) {
    if (seal !== undefined && open !== undefined) return yield* wrongUsage("--seal and --open exclude each other")
    if (seal === undefined && open === undefined) return yield* written(yield* KeyFile.generate, out)
    if (passphraseFile === undefined) return yield* wrongUsage("A keystore needs --passphrase-file FILE")
    if (seal !== undefined) return yield* sealed(seal, passphraseFile, out)
    if (open === undefined) return
    const text = yield* FileSystem.FileSystem.use((files) => files.readFileString(open))
    yield* written(yield* Keystore.open(text, yield* KeyFile.readKey(passphraseFile)), out)
  })
).pipe(
  flags.help("Make a new ed25519 key in a file that only you can read, or move one into a keystore or out of it", {
    "limitbot signer key --out account.key": "A new key",
    "limitbot signer key --seal account.key --passphrase-file passphrase --out account.keystore": "Under a passphrase"
  })
)

export const command = Command.make(
  "signer",
  {
    socket: flags.textFlag("socket", "The Unix socket to listen on; only its owner can open it"),
    group: flags.toggle("group", "The socket's group can open it as well: for a bot under another user"),
    config: signerFile
  },
  serve
).pipe(
  flags.help("Hold the key in a separate process, with its own caps and record"),
  Command.withSubcommands([key, policy, approve])
)
