/** Reads `keystore: { file, passphrase }` of a configuration, and opens the encrypted key when the program starts. */
import { Effect, FileSystem, Path } from "effect"
import * as Read from "../../strategy/Fields.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import * as Keystore from "./Keystore.ts"
import { readSecret, secretSource } from "./SecretSource.ts"

export const reader = Read.fields({
  file: Read.required(Read.text, "as `limitbot signer key --seal` writes it"),
  passphrase: Read.required(secretSource)
})

export const open = Effect.fn("KeystoreSource.open")(function* (
  { value: { file, passphrase: source } }: Read.Located<NonNullable<ReturnType<typeof reader>>>,
  folder: string,
  to: Report
) {
  const passphrase = source === undefined ? undefined : yield* readSecret(source, folder, to)
  if (file === undefined || passphrase === undefined) return undefined
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem.readFileString((yield* Path.Path).resolve(folder, file.value)).pipe(
    Effect.flatMap((text) => Keystore.open(text, passphrase)),
    Effect.catch(({ message }) => Effect.sync(() => report(to, file, `the keystore cannot be opened: ${message}`)))
  )
})
