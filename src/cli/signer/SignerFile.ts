/**
 * The file of `limitbot signer`: its own, not the bot's, so that whoever owns the bot does not own the caps. It names the
 * key, the verifier, where the record is, and for each asset how much may leave at once and in a day.
 */
import { Effect, FileSystem, Path, Result, Schema } from "effect"
import { fromDecimal } from "../../domain/Amount.ts"
import type { Cap } from "../../signer/Policy.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, render, report, sourceText } from "../../strategy/Problem.ts"
import { readYaml } from "../../strategy/YamlReader.ts"
import { readSecret, secretSource } from "../files/SecretSource.ts"
import * as Keystore from "./Keystore.ts"

const keystoreFields = Read.fields({
  file: Read.required(Read.text),
  passphrase: Read.required(secretSource)
})

const fileFields = Read.fields({
  key: Read.optional(secretSource, "ed25519 key of the account"),
  keystore: Read.optional(keystoreFields, "the same under a passphrase"),
  signerId: Read.optional(Read.text, "left out: the implicit account of the key"),
  verifier: Read.optional(Read.text, "left out: intents.near"),
  record: Read.optional(Read.text, "left out: signer.log beside this file"),
  assets: Read.required(
    Read.table(
      Read.text,
      Read.fields({
        id: Read.required(Read.text, "the venue's identifier"),
        decimals: Read.required(Read.integer(0, 36)),
        maxTransfer: Read.required(Read.price, "most in one order"),
        maxPerDay: Read.required(Read.price, "most in 24 hours")
      })
    )
  )
})

/** The file cannot be used. */
export class SignerFileInvalid extends Schema.TaggedError<SignerFileInvalid>()("SignerFileInvalid", {
  message: Schema.String
}) {}

type Fields = NonNullable<ReturnType<typeof fileFields>>

const capsOf = ({ assets }: Fields, to: Report): ReadonlyMap<string, Cap> =>
  new Map(
    (assets?.value ?? []).flatMap(([symbol, { value }]): ReadonlyArray<readonly [string, Cap]> => {
      const { decimals, id, maxPerDay, maxTransfer } = value
      if (decimals === undefined || id === undefined || maxPerDay === undefined || maxTransfer === undefined) return []
      const [once, daily] = [maxTransfer, maxPerDay].map((cap) => fromDecimal(cap.value, decimals.value))
      if (once === undefined || daily === undefined) {
        report(to, symbol, `a cap of ${symbol.value} has more than ${decimals.value} decimals`)
        return []
      }
      return [[id.value, { symbol: symbol.value, maxTransfer: once, maxPerDay: daily }]]
    })
  )

const keyOf = Effect.fnUntraced(function* ({ key, keystore }: Fields, folder: string, to: Report) {
  if (key !== undefined) return yield* readSecret(key, folder, to)
  const { file, passphrase: source } = keystore?.value ?? {}
  if (file === undefined || source === undefined)
    return report(to, { start: 0, end: 0 }, "the file needs key, or keystore")
  const passphrase = yield* readSecret(source, folder, to)
  if (passphrase === undefined) return undefined
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return yield* fileSystem.readFileString(path.resolve(folder, file.value)).pipe(
    Effect.flatMap((text) => Keystore.open(text, passphrase)),
    Effect.catch(({ message }) => Effect.sync(() => report(to, file, `the keystore cannot be opened: ${message}`)))
  )
})

export const load = Effect.fn("SignerFile.load")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    fileSystem.readFileString(file),
    () =>
      new SignerFileInvalid({
        message: `${file}: the signer's file cannot be read: does it exist, and may you read it?`
      })
  )
  const to: Report = { source: sourceText(file, text), problems: [] }
  const folder = path.dirname(path.resolve(file))
  const yaml = readYaml(to.source)
  if (Result.isFailure(yaml)) to.problems.push(...yaml.failure)
  const fields = Result.isFailure(yaml) ? undefined : fileFields(yaml.success, to)
  const caps = fields === undefined ? new Map<string, Cap>() : capsOf(fields, to)
  const key = fields === undefined ? undefined : yield* keyOf(fields, folder, to)
  if (fields === undefined || key === undefined || to.problems.length > 0) {
    // Lines are not shown: one of them may hold a secret that stands where it must not.
    const message = to.problems.map((problem) => render(problem, "")).join("\n")
    return yield* new SignerFileInvalid({ message })
  }
  return {
    key,
    caps,
    signerId: fields.signerId?.value,
    verifier: fields.verifier?.value ?? "intents.near",
    record: path.resolve(folder, fields.record?.value ?? "signer.log")
  }
})
