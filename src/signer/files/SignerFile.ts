/** The file of `limitbot signer`. It is separate from the bot's, so that the bot's owner does not control the caps. */
import { Effect, FileSystem, Path, type Redacted, Result, Schema } from "effect"
import * as PlainFiles from "../../files/PlainFiles.ts"
import * as Keystore from "../../files/secrets/Keystore.ts"
import { readSecret, secret } from "../../files/secrets/SecretSource.ts"
import * as FactsSection from "../../files/sections/FactsSection.ts"
import * as Program from "../../programs/Program.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, render, report, sourceText } from "../../strategy/Problem.ts"
import { readFile } from "../../strategy/YamlReader.ts"
import { verifierOf } from "../../venue/profile/Profiles.ts"
import type * as KmsSigner from "../remote/KmsSigner.ts"
import type { Policy } from "../remote/Policy.ts"
import { isSealed } from "../remote/PolicySeal.ts"
import * as PolicyFile from "./PolicyFile.ts"

const kms = Read.settingsReader({
  command: Read.required(Read.plainList(Read.text), "the program that asks the service, and its arguments"),
  publicKey: Read.required(PolicyFile.publicKey)
})

const signerFile = Read.settingsReader({
  key: Read.optional(secret, "ed25519 key of the account"),
  keystore: Read.optional(Read.located(Keystore.reader), "the same under a passphrase"),
  kms: Read.optional(Read.located(kms), "a service that has the key, behind a program"),
  signerId: Read.optional(Read.text, undefined, "the implicit account of the key"),
  verifier: Read.optional(Read.text, undefined, verifierOf("near")),
  profile: FactsSection.profile("of the service, as in the bot's own file"),
  facts: Read.optional(FactsSection.reader, "single facts that differ from the profile's"),
  record: Read.withDefault(Read.text, "signer.log", undefined, "signer.log beside this file"),
  policy: Read.optional(Read.located(Read.text), "a signed file of limits, instead of the keys below"),
  policyKey: Read.optional(Read.located(PolicyFile.publicKey), "the public key that must have signed it"),
  ...PolicyFile.keys
})

export class SignerFileInvalid extends Schema.TaggedError<SignerFileInvalid>()("SignerFileInvalid", {
  message: Schema.String
}) {}

type Fields = NonNullable<ReturnType<typeof signerFile>>

export type Ruling =
  | { readonly policy: Policy }
  | { readonly signed: PolicyFile.SignedPolicy; readonly text: string; readonly file: string }

const rulingOf = Effect.fnUntraced(function* (fields: Fields, folder: string, to: Report) {
  const { policy: named, policyKey } = fields
  if (named === undefined) {
    if (policyKey !== undefined)
      return report(to, policyKey, "policyKey without policy does nothing", "policy: FILE, which this key has signed")
    const policy = PolicyFile.policyOf(fields, to)
    if (policy === undefined)
      return report(to, { start: 0, end: 0 }, 'missing key "assets"', "or `policy`, a signed file that has them")
    return { policy } satisfies Ruling
  }
  const { approvers, assets, destinations, hours, total } = fields
  if ([approvers, assets, destinations, hours, total].some((own) => own !== undefined))
    return report(to, named, "the signed policy sets all limits: remove its keys here")
  if (policyKey === undefined)
    return report(to, named, "a policy needs the key that must have signed it", "policyKey: ed25519:…")
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const file = path.resolve(folder, named.value)
  const [text, seal] = yield* Effect.forEach([file, `${file}.sig`], (each) =>
    Effect.option(fileSystem.readFileString(each))
  )
  if (text?._tag !== "Some") return report(to, named, `${named.value} cannot be read`)
  if (seal?._tag !== "Some")
    return report(to, named, `${named.value} is not signed`, `limitbot signer policy ${named.value} --key FILE`)
  if (!isSealed(text.value, seal.value, policyKey.value))
    return report(to, named, `${named.value}.sig is not the signature of this file by policyKey`)
  const parsing = PolicyFile.parse(text.value, file)
  if (Result.isFailure(parsing)) return report(to, named, parsing.failure.message)
  return { signed: parsing.success, text: text.value, file } satisfies Ruling
})

export type Signing = { readonly key: Redacted.Redacted } | { readonly kms: KmsSigner.Kms }

const signingOf = Effect.fnUntraced(function* ({ key, keystore, kms }: Fields, folder: string, to: Report) {
  const keySources = [key, keystore, kms].filter((each) => each !== undefined)
  if (keySources.length !== 1) {
    return report(to, keySources[1] ?? { start: 0, end: 0 }, "the file needs exactly one of key, keystore and kms")
  }
  if (kms !== undefined) {
    const { command, publicKey } = kms.value
    const program = Program.programOf(command ?? [])
    if (program === undefined || publicKey === undefined) return undefined
    const path = yield* Path.Path
    const located = Program.located(program, (given) => path.resolve(folder, given))
    return { kms: { ...located, publicKey } } satisfies Signing
  }
  const holder = keystore ? yield* Keystore.loaded(keystore, folder, to) : key && (yield* readSecret(key, folder, to))
  return holder === undefined ? undefined : ({ key: holder } satisfies Signing)
})

export const load = Effect.fn("SignerFile.load")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    fileSystem.readFileString(file),
    (error) =>
      new SignerFileInvalid({
        message: `${file}: the signer's file cannot be read: ${PlainFiles.phraseOf(error) ?? error.message}`
      })
  )
  const { fields, to } = readFile(signerFile, sourceText(file, text))
  const folder = path.dirname(path.resolve(file))
  const ruling = fields === undefined ? undefined : yield* rulingOf(fields, folder, to)
  const signing = fields === undefined ? undefined : yield* signingOf(fields, folder, to)
  if (fields === undefined || signing === undefined || ruling === undefined || to.problems.length > 0) {
    // Lines are not shown, because a misplaced secret may be on one of them.
    const message = to.problems.map((problem) => render(problem, "")).join("\n")
    return yield* new SignerFileInvalid({ message })
  }
  return {
    signing,
    ruling,
    signerId: fields.signerId,
    facts: FactsSection.resolved(fields, verifierOf("near")),
    record: path.resolve(folder, fields.record)
  }
})
