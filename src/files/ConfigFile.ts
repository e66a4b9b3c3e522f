/**
 * The configuration file: which venue, whose account, what may be traded, where the journal is. It is read with the
 * same reporting as strategy files. Secrets are references (see `SecretSource`). Relative paths start at the file's
 * folder.
 */
import { Effect, FileSystem, Path, type Redacted, Result, Schema } from "effect"
import { url } from "../control/Address.ts"
import type { ControlOptions } from "../control/ControlOptions.ts"
import type { NotifyOptions } from "../control/notify/Notifications.ts"
import type { Collector } from "../control/Telemetry.ts"
import type * as Decimal from "../domain/Decimal.ts"
import { hourMillis } from "../domain/Durations.ts"
import type { DepositType } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import type * as EngineSettings from "../engine/EngineSettings.ts"
import type { StepTerms } from "../engine/tracking/Overdue.ts"
import type { WitnessTerms } from "../orderbook/PriceWitness.ts"
import * as Read from "../strategy/Fields.ts"
import { type JsonSchema, schemaOf } from "../strategy/JsonSchema.ts"
import type { Markets } from "../strategy/Markets.ts"
import { inOrder, type Problem, type Report, render, report, sourceText } from "../strategy/Problem.ts"
import * as TermsSection from "../strategy/TermsSection.ts"
import { readYaml } from "../strategy/YamlReader.ts"
import type { VenueFacts } from "../venue/profile/Facts.ts"
import { defaultProfile, ledgerOf, type ProfileName, verifierOf } from "../venue/profile/Profiles.ts"
import * as PlainFiles from "./PlainFiles.ts"
import * as KeystoreSource from "./secrets/KeystoreSource.ts"
import { literalSecret, readSecret, type SecretSource, secretSource } from "./secrets/SecretSource.ts"
import * as AssetsSection from "./sections/AssetsSection.ts"
import * as DashboardConfig from "./sections/DashboardConfig.ts"
import * as FactsSection from "./sections/FactsSection.ts"
import * as NotifyConfig from "./sections/NotifyConfig.ts"
import * as OverallLimits from "./sections/OverallLimits.ts"
import * as StuckAfter from "./sections/StuckAfter.ts"
import * as WalletConfig from "./sections/WalletConfig.ts"

/** Everything except the secrets. */
export interface BotSettings {
  readonly venue: {
    /** Without a slash at the end. */
    readonly url: string
    readonly analyticsUrl: string
    /** How identifiers of the interface spell the home ledger. */
    readonly ledger: "native" | "near"
    /** The intents contract that every signed payload must name. */
    readonly verifier: string
    /** The venue's public key for quotes; if given, their signatures are verified. */
    readonly quoteKey: string | undefined
    readonly minOrderUsd: Decimal.Decimal | undefined
    /** The configuration has a partner credential, which waives the platform's fee. */
    readonly hasPartner: boolean
    /** A feed of the venue's incidents: new funding of an affected asset is held. */
    readonly incidents: string | undefined
    /** The name is for people; what the program does follows the facts. */
    readonly profile: ProfileName
    readonly facts: VenueFacts
    /** Other spellings of asset ids that the venue may answer with. */
    readonly assetSpellings: ReadonlyMap<string, string>
  }
  readonly account: {
    /** Default: the implicit account of the key. */
    readonly signerId: string | undefined
    /** The process that signs, if this one has no key. */
    readonly signer: { readonly socket: string } | undefined
    readonly depositType: DepositType
    /** Who pays deposits on other chains. */
    readonly wallet: WalletConfig.WalletConfig | undefined
    /** Where money is paid and refunded to on other chains: address by symbol. */
    readonly recipients: ReadonlyMap<string, string>
    readonly refundTo: ReadonlyMap<string, string>
    /** Where an asset's money is, if not where `depositType` says: by asset id. */
    readonly depositTypes: ReadonlyMap<string, DepositType>
    readonly terms: OrderTerms
  }
  readonly markets: Markets
  readonly prices: WitnessTerms
  /** Limits over all strategies together. */
  readonly limits: EngineSettings.OverallLimits | undefined
  /** How long each step of an order may take before `stuck` names it. */
  readonly stuckAfter: StepTerms
  /** Milliseconds between two comparisons of a running bot with its witnesses. */
  readonly reconcileEvery: number
  /** How often a running bot holds the service against what was recorded of it, if at all. */
  readonly canary: { readonly everyMillis: number } | undefined
  readonly journal: string
  readonly dashboard: DashboardConfig.DashboardConfig | undefined
  readonly notify: ReadonlyArray<NotifyConfig.TargetConfig>
  readonly heartbeat: NotifyConfig.HeartbeatConfig | undefined
  readonly otlp: { readonly url: string; readonly token: Read.Located<SecretSource> | undefined } | undefined
}

export interface BotConfig extends Omit<BotSettings, "dashboard" | "otlp" | keyof NotifyOptions>, NotifyOptions {
  readonly otlp: Collector | undefined
  readonly dashboard: ControlOptions | undefined
  readonly venue: BotSettings["venue"] & {
    readonly apiKey: Redacted.Redacted
    readonly partnerJwt: Redacted.Redacted | undefined
  }
  readonly account: BotSettings["account"] & {
    readonly signing:
      | {
          /** `ed25519:` and base58 of a 32-byte seed or a 64-byte secret key. */
          readonly key: Redacted.Redacted
        }
      | { readonly signer: { readonly socket: string }; readonly signerId: string }
  }
}

/** The file is unusable. `message` is for people: every problem with its line, secrets masked. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  problems: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      line: Schema.Int,
      column: Schema.Int,
      endColumn: Schema.optionalKey(Schema.Int),
      message: Schema.String,
      hint: Schema.optionalKey(Schema.String)
    })
  ),
  rendered: Schema.String
}) {
  override get message(): string {
    return this.rendered
  }
}

/** The whole configuration with its secrets. */
export const load = Effect.fn("ConfigFile.load")(function* (file: string) {
  const { parsed, to, folder } = yield* open(file)
  const secretAt = (source: Read.Located<SecretSource> | undefined) =>
    source === undefined ? Effect.undefined : readSecret(source, folder, to)
  const apiKey = yield* secretAt(parsed?.secrets.apiKey)
  const partnerJwt = yield* secretAt(parsed?.secrets.partnerJwt)
  const keystore = parsed?.secrets.keystore
  const key =
    keystore === undefined ? yield* secretAt(parsed?.secrets.key) : yield* KeystoreSource.open(keystore, folder, to)
  const wanted = parsed?.settings?.dashboard
  const dashboard = wanted === undefined ? undefined : yield* DashboardConfig.loaded(wanted, folder, to)
  const notify = yield* NotifyConfig.loadedTargets(parsed?.settings?.notify ?? [], folder, to)
  const beat = parsed?.settings?.heartbeat
  const heartbeat = beat === undefined ? undefined : yield* NotifyConfig.loadedHeartbeat(beat, folder, to)
  const settings = parsed?.settings
  const otlp =
    settings?.otlp === undefined ? undefined : { url: settings.otlp.url, token: yield* secretAt(settings.otlp.token) }
  const process = settings?.account.signer
  const named = settings?.account.signerId
  const signing =
    process !== undefined && named !== undefined
      ? { signer: process, signerId: named }
      : key === undefined
        ? undefined
        : { key }
  if (settings === undefined || apiKey === undefined || signing === undefined || to.problems.length > 0) {
    return yield* invalid(to)
  }
  const { venue, account, ...others } = settings
  const config: BotConfig = {
    ...others,
    dashboard,
    notify,
    heartbeat,
    otlp,
    venue: { ...venue, apiKey, partnerJwt },
    account: { ...account, signing }
  }
  return config
})

/** Everything except the secrets: for checking strategies and for looking at the journal. */
export const loadSettings = Effect.fn("ConfigFile.loadSettings")(function* (file: string) {
  const { parsed, to } = yield* open(file)
  return parsed?.settings === undefined || to.problems.length > 0 ? yield* invalid(to) : parsed.settings
})

/** As the line says that a person writes; whatever else is wrong with the file. */
const journalLine = /^journal:[ \t]*(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^#\r\n]*?))[ \t]*(?:#.*)?\r?$/m

/** Where the journal is: in an emergency that is all that is needed of a file that was edited and has mistakes. */
export const journalOf = Effect.fn("ConfigFile.journalOf")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folder, parsed, to } = yield* open(file)
  if (parsed?.settings !== undefined && to.problems.length === 0) return parsed.settings.journal
  const [, ...spellings] = journalLine.exec(to.source.text) ?? []
  const named = spellings.find((each) => each !== undefined && each !== "") ?? defaultJournal
  const journal = path.resolve(folder, named)
  return (yield* fileSystem.exists(journal)) ? journal : yield* invalid(to)
})

const open = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.result(fileSystem.readFileString(file))
  const to: Report = {
    source: sourceText(
      file,
      Result.getOrElse(text, () => "")
    ),
    problems: []
  }
  const folder = path.dirname(path.resolve(file))
  if (Result.isFailure(text)) {
    const why = PlainFiles.phraseOf(text.failure) ?? text.failure.message
    report(to, { start: 0, end: 0 }, "the configuration file cannot be read", why)
    return { parsed: undefined, to, folder }
  }
  const yaml = readYaml(to.source)
  if (Result.isFailure(yaml)) to.problems.push(...yaml.failure)
  const fields = Result.isFailure(yaml) ? undefined : configFields(yaml.success, to)
  const resolve = (given: string) => path.resolve(folder, given)
  return { parsed: fields === undefined ? undefined : settingsOf(fields, resolve, to), to, folder }
})

const invalid = ({ source, problems }: Report): Effect.Effect<never, ConfigInvalid> => {
  const sorted = inOrder(problems)
  const shown = blotted(source.text, sorted)
  return Effect.fail(
    new ConfigInvalid({ problems: sorted, rendered: sorted.map((problem) => render(problem, shown)).join("\n") })
  )
}

/** The rest of a line after a key for secrets, unless it is a proper reference. */
const mayBeSecret =
  /(\b(?:apiKey|partnerJwt|key)["']?[ \t]*:[ \t]*)(?![ \t]|\{ *(?:env: *[A-Za-z_]\w*|file: *[^}\r\n]*) *\})([^\r\n]+)/g

/** Problems are shown with their line, so anything that looks like a secret is masked first; columns stay the same. */
const blotted = (text: string, problems: ReadonlyArray<Problem>): string => {
  const stars = (hidden: string) => "*".repeat(hidden.length)
  const keyed = text.replace(mayBeSecret, (_, before: string, value: string) => before + stars(value))
  const lines = keyed.split("\n")
  for (const { line, column, message } of problems) {
    const found = lines[line - 1]
    if (message === literalSecret && found !== undefined) {
      lines[line - 1] = found.slice(0, column - 1) + stars(found.slice(column - 1))
    }
  }
  return lines.join("\n")
}

const defaultJournal = "limitbot.sqlite"
const ledger = Read.oneOf("native", "near")
const { account, salt } = FactsSection
const publicKey = Read.matching("a public key such as ed25519:…", /^ed25519:[1-9A-HJ-NP-Za-km-z]{40,46}$/)
const symbol = Read.matching("a symbol of letters and digits, such as BTC", /^[A-Za-z0-9.]{1,20}$/)
const address = Read.matching("an address without spaces", /^[\x21-\x7e]{1,300}$/)

const configFields = Read.fields({
  venue: Read.required(
    Read.fields({
      url: Read.required(url, "address of the venue"),
      analyticsUrl: Read.optional(url, "address of its history; default: the same"),
      profile: Read.optional(FactsSection.profile, "which deployment of the service this is; default: document"),
      facts: Read.optional(FactsSection.reader, "single facts that differ from the profile's"),
      ledger: Read.optional(ledger, "how the venue spells its home ledger; default: native, or the profile's"),
      verifier: Read.optional(account, "contract that signed payments must be for; default: intents.<ledger>"),
      apiKey: Read.required(secretSource, "key of the venue"),
      partnerJwt: Read.optional(secretSource, "waives the platform fee, opens the history"),
      quoteKey: Read.optional(publicKey, "public key of the venue: quotes are then verified"),
      minOrderUsd: Read.optional(Read.price, "smallest order that the venue takes, in USD"),
      incidents: Read.optional(url, "JSON feed of the venue's incidents: they hold new funding; default: none is read"),
      nonceSalt: Read.optional(salt, "salt of the verifier's nonces; default: nonces without one")
    })
  ),
  account: Read.required(
    Read.fields({
      key: Read.optional(secretSource, "ed25519 key of the account"),
      keystore: Read.optional(KeystoreSource.reader, "the key under a passphrase"),
      signer: Read.optional(
        Read.fields({ socket: Read.required(Read.text, "where `limitbot signer` listens") }),
        "a process that has the key instead"
      ),
      signerId: Read.optional(account, "default: the implicit account of the key"),
      depositType: Read.optional(Read.oneOf(...AssetsSection.depositTypes), "default: INTENTS"),
      wallet: Read.optional(WalletConfig.reader),
      recipients: Read.optional(Read.table(symbol, address)),
      refundTo: Read.optional(Read.table(symbol, address)),
      ...TermsSection.readers
    })
  ),
  assets: Read.required(AssetsSection.reader(symbol)),
  markets: Read.optional(AssetsSection.marketsReader),
  prices: Read.optional(AssetsSection.pricesReader, "when a price has a second witness"),
  limits: Read.optional(OverallLimits.reader(symbol)),
  reconcileEvery: Read.optional(Read.duration, "how often a running bot compares its records; default: 1h"),
  canary: Read.optional(
    Read.fields({ every: Read.required(Read.duration, "how often, such as 1d") }),
    "a running bot asks the service, reading only, whether it is still what was recorded of it; default: never"
  ),
  stuckAfter: Read.optional(StuckAfter.reader, "how long each step may take before `stuck` names the order"),
  journal: Read.optional(Read.text, "everything the bot did and saw; default: limitbot.sqlite beside this file"),
  notify: Read.optional(NotifyConfig.notifyReader, "who is told what"),
  otlp: Read.optional(
    Read.fields({
      url: Read.required(url, "of an OpenTelemetry collector: traces, metrics and logs go below it"),
      token: Read.optional(secretSource, "sent as a bearer token")
    })
  ),
  heartbeat: Read.optional(NotifyConfig.heartbeatReader, "a sign of life to somebody who watches from outside"),
  dashboard: Read.optional(DashboardConfig.reader, "the dashboard and the control API; default: none")
})

/** The whole file for editors. */
export const schema = (): JsonSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "The configuration of limitbot",
  ...schemaOf(configFields)
})

type ConfigFields = NonNullable<ReturnType<typeof configFields>>

const settingsOf = (read: ConfigFields, resolve: (path: string) => string, to: Report) => {
  const [venue, account] = [read.venue?.value, read.account?.value]
  const { key, keystore } = account ?? {}
  const secrets = { apiKey: venue?.apiKey, partnerJwt: venue?.partnerJwt, key, keystore }
  const secretVariables = [venue?.apiKey, venue?.partnerJwt, key, keystore?.value.passphrase].flatMap((found) =>
    found !== undefined && "env" in found.value ? [found.value.env] : []
  )
  const assets = AssetsSection.assetsOf(read.assets?.value, to)
  if (venue?.url === undefined || account === undefined || assets === undefined) return { secrets, settings: undefined }
  const profile = venue.profile?.value ?? defaultProfile
  const ledgerName = venue.ledger?.value ?? ledgerOf(profile)
  const settings: BotSettings = {
    venue: {
      url: venue.url.value,
      analyticsUrl: venue.analyticsUrl?.value ?? venue.url.value,
      ledger: ledgerName,
      verifier: venue.verifier?.value ?? verifierOf(ledgerName),
      profile,
      facts: FactsSection.resolved(venue, verifierOf(ledgerName)),
      quoteKey: venue.quoteKey?.value,
      minOrderUsd: venue.minOrderUsd?.value,
      hasPartner: venue.partnerJwt !== undefined,
      incidents: venue.incidents?.value,
      assetSpellings: AssetsSection.spellingsOf(read.assets?.value, to)
    },
    account: {
      signerId: account.signerId?.value,
      signer: read.account === undefined ? undefined : signerOf(read.account, resolve, to),
      depositType: account.depositType?.value ?? "INTENTS",
      wallet:
        account.wallet === undefined
          ? undefined
          : WalletConfig.resolved(account.wallet.value, resolve, secretVariables),
      recipients: AssetsSection.addresses(account.recipients?.value, assets, to),
      refundTo: AssetsSection.addresses(account.refundTo?.value, assets, to),
      depositTypes: AssetsSection.depositTypesOf(read.assets?.value),
      terms: termsOf(read, account, to)
    },
    ...AssetsSection.marketsOf(read, assets, resolve("."), to),
    limits: read.limits === undefined ? undefined : OverallLimits.resolved(read.limits.value, assets, to),
    reconcileEvery: read.reconcileEvery?.value ?? hourMillis,
    canary: read.canary?.value.every && { everyMillis: read.canary.value.every.value },
    stuckAfter: StuckAfter.resolved(read.stuckAfter?.value),
    journal: resolve(read.journal?.value ?? defaultJournal),
    notify: NotifyConfig.targetsOf(read.notify?.value, to),
    heartbeat: NotifyConfig.heartbeatOf(read.heartbeat, to),
    otlp:
      read.otlp?.value.url === undefined ? undefined : { url: read.otlp.value.url.value, token: read.otlp.value.token },
    dashboard: read.dashboard === undefined ? undefined : DashboardConfig.resolved(read.dashboard, resolve, to)
  }
  return { secrets, settings }
}

/** Either a key, plain or in a keystore, or a process that holds it; a process does not say whose key it is. */
const signerOf = (
  { value: { key: plain, keystore, signer, signerId }, ...place }: NonNullable<ConfigFields["account"]>,
  resolve: (path: string) => string,
  to: Report
): BotSettings["account"]["signer"] => {
  if (plain !== undefined && keystore !== undefined)
    return report(to, keystore, "account has a key and a keystore: leave one out")
  const key = plain ?? keystore
  if (signer !== undefined && key !== undefined) return report(to, key, "account has a key and a signer: leave one out")
  // An unreadable key has already been reported.
  if (signer === undefined && key === undefined && to.problems.length > 0) return undefined
  if (signer === undefined && key === undefined)
    return report(to, place, '"key" is missing: ed25519 key of the account', "or `signer`, a process that has it")
  if (signer?.value.socket === undefined) return undefined
  if (signerId === undefined) return report(to, signer, "account.signer needs account.signerId beside it")
  return { socket: resolve(signer.value.socket.value) }
}

const termsOf = (
  read: ConfigFields,
  account: NonNullable<ConfigFields["account"]>["value"],
  to: Report
): OrderTerms => {
  const { depositMode, depositType } = account
  const kinds = [depositType?.value, ...AssetsSection.depositTypesOf(read.assets?.value).values()]
  if (depositMode?.value === "MEMO" && !kinds.includes("ORIGIN_CHAIN")) {
    report(to, depositMode, "a deposit by intent carries no memo: MEMO is for ORIGIN_CHAIN, which no asset is")
  }
  return TermsSection.resolved(account, to)
}
