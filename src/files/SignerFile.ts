/**
 * The file of `limitbot signer`. It is separate from the bot's, so that the bot's owner does not control the caps. It
 * names the key, the verifier, the place of the record, and how much of each asset may leave at once and per day.
 */
import { Effect, FileSystem, Path, type Redacted, Result, Schema } from "effect"
import { fromDecimal } from "../domain/Amount.ts"
import * as Ed25519 from "../signing/Ed25519.ts"
import type * as KmsSigner from "../signing/remote/KmsSigner.ts"
import type { Cap } from "../signing/remote/Policy.ts"
import * as Read from "../strategy/Fields.ts"
import { type Report, render, report, sourceText } from "../strategy/Problem.ts"
import { readYaml } from "../strategy/YamlReader.ts"
import { verifierOf } from "../venue/profile/Profiles.ts"
import * as PlainFiles from "./PlainFiles.ts"
import * as KeystoreSource from "./secrets/KeystoreSource.ts"
import { readSecret, secret } from "./secrets/SecretSource.ts"
import * as FactsSection from "./sections/FactsSection.ts"

const kms = Read.known({
  command: Read.required(Read.list(Read.text), "the program that asks the service, and its arguments"),
  publicKey: Read.required(
    Read.scalar("a public key, ed25519:… in base58", (text) =>
      Ed25519.parse(text, 32) === undefined ? undefined : text
    )
  )
})

const signerFile = Read.known({
  key: Read.optional(secret, "ed25519 key of the account"),
  keystore: Read.optional(Read.located(KeystoreSource.reader), "the same under a passphrase"),
  kms: Read.optional(Read.located(kms), "a service that has the key, behind a program"),
  signerId: Read.optional(Read.text, undefined, "the implicit account of the key"),
  verifier: Read.optional(Read.text, undefined, verifierOf("near")),
  profile: FactsSection.profile("of the service, as in the bot's own file"),
  facts: Read.optional(FactsSection.reader, "single facts that differ from the profile's"),
  record: Read.withDefault(Read.text, "signer.log", undefined, "signer.log beside this file"),
  assets: Read.required(
    Read.table(
      Read.text,
      Read.section({
        id: Read.required(Read.text, "the venue's identifier"),
        decimals: Read.required(Read.integer(0, 36)),
        maxTransfer: Read.required(Read.price, "most in one order"),
        maxPerDay: Read.required(Read.price, "most in 24 hours")
      })
    )
  )
})

/** The file is unusable. */
export class SignerFileInvalid extends Schema.TaggedError<SignerFileInvalid>()("SignerFileInvalid", {
  message: Schema.String
}) {}

type Fields = NonNullable<ReturnType<typeof signerFile>>

const capsOf = ({ assets }: Fields, to: Report): ReadonlyMap<string, Cap> =>
  new Map(
    (assets ?? []).flatMap(([symbol, { value }]): ReadonlyArray<readonly [string, Cap]> => {
      const { decimals, id } = value
      const [maxTransfer, maxPerDay] = [value.maxTransfer, value.maxPerDay].map((cap) => fromDecimal(cap, decimals))
      if (maxTransfer === undefined || maxPerDay === undefined) {
        report(to, symbol, `a cap of ${symbol.value} has more than ${decimals} decimals`)
        return []
      }
      return [[id, { symbol: symbol.value, maxTransfer, maxPerDay }]]
    })
  )

/** What signs: a key, or a service that holds it. */
export type Signing = { readonly key: Redacted.Redacted } | { readonly kms: KmsSigner.Kms }

const signingOf = Effect.fnUntraced(function* ({ key, keystore, kms }: Fields, folder: string, to: Report) {
  const given = [key, keystore, kms].filter((each) => each !== undefined)
  if (given.length !== 1) {
    return report(to, given[1] ?? { start: 0, end: 0 }, "the file needs exactly one of key, keystore and kms")
  }
  if (kms !== undefined) {
    const { command, publicKey } = kms.value
    const [program, ...args] = (command ?? []).map(({ value }) => value)
    if (program === undefined || publicKey === undefined) return undefined
    const path = yield* Path.Path
    const resolved = program.includes("/") ? path.resolve(folder, program) : program
    return { kms: { program: resolved, args, publicKey } } satisfies Signing
  }
  const found =
    keystore !== undefined
      ? yield* KeystoreSource.open(keystore, folder, to)
      : key === undefined
        ? undefined
        : yield* readSecret(key, folder, to)
  return found === undefined ? undefined : ({ key: found } satisfies Signing)
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
  const to: Report = { source: sourceText(file, text), problems: [] }
  const folder = path.dirname(path.resolve(file))
  const yaml = readYaml(to.source)
  if (Result.isFailure(yaml)) to.problems.push(...yaml.failure)
  const fields = Result.isFailure(yaml) ? undefined : signerFile(yaml.success, to)
  const caps = fields === undefined ? new Map<string, Cap>() : capsOf(fields, to)
  const signing = fields === undefined ? undefined : yield* signingOf(fields, folder, to)
  if (fields === undefined || signing === undefined || to.problems.length > 0) {
    // Lines are not shown, because a misplaced secret may be on one of them.
    const message = to.problems.map((problem) => render(problem, "")).join("\n")
    return yield* new SignerFileInvalid({ message })
  }
  return {
    signing,
    caps,
    signerId: fields.signerId,
    facts: FactsSection.resolved(fields, verifierOf("near")),
    record: path.resolve(folder, fields.record)
  }
})
