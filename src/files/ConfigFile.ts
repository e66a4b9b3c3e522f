/** Reads the configuration file. Secrets are references (`SecretSource`). Relative paths start at the folder of the file. */
import { Effect, FileSystem, Path, type Redacted, Result, Schema } from "effect"
import { url } from "../control/Address.ts"
import type { ControlOptions } from "../control/ControlOptions.ts"
import type { NotifyOptions } from "../control/notify/Notifications.ts"
import type { Collector } from "../control/Telemetry.ts"
import { hourMillis } from "../domain/Durations.ts"
import type { DepositType } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import { defaultTerms } from "../engine/tracking/Overdue.ts"
import * as Read from "../strategy/Fields.ts"
import { inOrder, type Problem, type Report, render, report, sourceText } from "../strategy/Problem.ts"
import * as TermsSection from "../strategy/TermsSection.ts"
import { readFile, readYaml } from "../strategy/YamlReader.ts"
import type { Proxy } from "../venue/http/Outbound.ts"
import * as Charges from "../venue/profile/Charges.ts"
import { ledgerOf, verifierOf } from "../venue/profile/Profiles.ts"
import * as PlainFiles from "./PlainFiles.ts"
import * as PriceAlerts from "./PriceAlerts.ts"
import * as Keystore from "./secrets/Keystore.ts"
import { literalSecret, readSecret, type SecretSource, secret, unreadableSecret } from "./secrets/SecretSource.ts"
import * as AssetsSection from "./sections/AssetsSection.ts"
import * as DashboardConfig from "./sections/DashboardConfig.ts"
import * as FactsSection from "./sections/FactsSection.ts"
import * as NotifyConfig from "./sections/NotifyConfig.ts"
import * as ProxySection from "./sections/ProxySection.ts"
import * as WalletConfig from "./sections/WalletConfig.ts"
import * as WitnessSection from "./sections/WitnessSection.ts"

export type BotSettings = NonNullable<ReturnType<typeof settingsOf>["settings"]>

export interface BotConfig extends Omit<BotSettings, "dashboard" | "otlp" | keyof NotifyOptions>, NotifyOptions {
  readonly otlp: Collector | undefined
  readonly dashboard: ControlOptions | undefined
  readonly venue: BotSettings["venue"] & {
    readonly proxy?: Proxy
    readonly apiKey: Redacted.Redacted
    readonly partnerJwt: Redacted.Redacted | undefined
    readonly incidentToken?: Redacted.Redacted
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

/** `message` lists every problem with its line, secrets masked. */
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

export const load = Effect.fn("ConfigFile.load")(function* (file: string) {
  const { parsed, to, folder } = yield* open(file)
  const { secrets, settings } = parsed ?? {}
  const secretAt = (source: Read.Located<SecretSource> | undefined) =>
    source === undefined ? Effect.undefined : readSecret(source, folder, to)
  const apiKey = yield* secretAt(secrets?.apiKey)
  const partnerJwt = yield* secretAt(secrets?.partnerJwt)
  const incidentToken = yield* secretAt(settings?.venue.incidents?.token)
  const proxy = yield* ProxySection.loaded(secrets?.proxy, folder, to)
  const keystore = secrets?.keystore
  const key = keystore ? yield* Keystore.loaded(keystore, folder, to) : yield* secretAt(secrets?.key)
  const dashboard = settings?.dashboard && (yield* DashboardConfig.loaded(settings.dashboard, folder, to))
  const notify = yield* NotifyConfig.loadedTargets(settings?.notify ?? [], folder, to)
  const heartbeat = settings?.heartbeat && (yield* NotifyConfig.loadedHeartbeat(settings.heartbeat, folder, to))
  const otlp = settings?.otlp && { url: settings.otlp.url, token: yield* secretAt(settings.otlp.token) }
  const { signer, signerId } = settings?.account ?? {}
  const signing = signer && signerId !== undefined ? { signer, signerId } : key && { key }
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
    venue: { ...venue, apiKey, partnerJwt, ...present({ incidentToken, proxy }) },
    account: { ...account, signing }
  }
  return config
})

/** Reads everything except the secrets, for commands that only check strategies or read the journal. */
export const loadSettings = Effect.fn("ConfigFile.loadSettings")(function* (file: string) {
  const { parsed, to } = yield* open(file)
  return parsed?.settings === undefined || to.problems.length > 0 ? yield* invalid(to) : parsed.settings
})

/** Reads a text that is in no file; `name` appears in messages. */
export const settingsIn = Effect.fn("ConfigFile.settingsIn")(function* (name: string, text: string) {
  const { parsed, to } = yield* parse(sourceText(name, text), ".")
  return parsed?.settings === undefined || to.problems.length > 0 ? yield* invalid(to) : parsed.settings
})

const journalLine = /^journal:[ \t]*(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^#\r\n]*?))[ \t]*(?:#.*)?\r?$/m

/** Returns the path of the journal, even from a file with mistakes, because an emergency needs nothing else. */
export const journalOf = Effect.fn("ConfigFile.journalOf")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folder, parsed, to } = yield* open(file)
  if (parsed?.settings !== undefined && to.problems.length === 0) return parsed.settings.journal
  const [, ...spellings] = journalLine.exec(to.source.text) ?? []
  const journalPath = spellings.find((each) => each !== undefined && each !== "") ?? defaultJournal
  const journal = path.resolve(folder, journalPath)
  return (yield* fileSystem.exists(journal)) ? journal : yield* invalid(to)
})

const open = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.result(fileSystem.readFileString(file))
  const folder = path.dirname(path.resolve(file))
  if (Result.isSuccess(text)) return yield* parse(sourceText(file, text.success), folder)
  const to: Report = { source: sourceText(file, ""), problems: [] }
  const why = PlainFiles.phraseOf(text.failure) ?? text.failure.message
  report(to, { start: 0, end: 0 }, "the configuration file cannot be read", why)
  return { parsed: undefined, to, folder }
})

const parse = Effect.fnUntraced(function* (source: Report["source"], folder: string) {
  const path = yield* Path.Path
  const { fields, to } = readFile(config, source)
  const resolve = (given: string) => path.resolve(folder, given)
  return { parsed: fields === undefined ? undefined : settingsOf(fields, resolve, to), to, folder }
})

const invalid = ({ source, problems }: Report): Effect.Effect<never, ConfigInvalid> => {
  const sorted = inOrder(problems)
  // A secret may be anywhere in a text that is not YAML, so its lines are not shown.
  const safeText = Result.isSuccess(readYaml(source)) ? blotted(source.text, sorted) : ""
  return Effect.fail(
    new ConfigInvalid({ problems: sorted, rendered: sorted.map((problem) => render(problem, safeText)).join("\n") })
  )
}

/** Matches the rest of a line after a key for secrets or a similar key, unless it is a reference of the right form. */
const mayBeSecret =
  /((?<![\w-])(?!quoteKey\b)[\w-]*(?:key|jwt|token|secret|pass\w*|credentials?)["']?[ \t]*:[ \t]*)(?![ \t]|\{ *(?:env: *[A-Za-z_]\w*|file: *[^}\r\n]*) *\})([^\r\n]+)/gi

/** A secret may be here by mistake: after an unknown key, or instead of its file. */
const hidesRest = (message: string): boolean =>
  message === literalSecret || message.startsWith("unknown key ") || message.startsWith(unreadableSecret)

const indentOf = (line: string): number => line.search(/\S/)

/** Masks anything that looks like a secret, because problems are shown with their line. Columns stay unchanged. */
const blotted = (text: string, problems: ReadonlyArray<Problem>): string => {
  const stars = (hidden: string) => "*".repeat(hidden.length)
  const keyed = text.replace(mayBeSecret, (_, before: string, value: string) => before + stars(value))
  const lines = keyed.split("\n")
  for (const { line, column, message } of problems) {
    const lineText = lines[line - 1]
    if (!hidesRest(message) || lineText === undefined) continue
    // The name of an unknown key helps, so only its value is hidden.
    const name = message.startsWith("unknown key ")
      ? (/^["']?[\w.-]*["']?[ \t]*:?[ \t]*/.exec(lineText.slice(column - 1))?.[0].length ?? 0)
      : 0
    const keyEnd = column - 1 + name
    lines[line - 1] = lineText.slice(0, keyEnd) + stars(lineText.slice(keyEnd))
    // Lines with a deeper indentation may belong to the value.
    for (let next = line; indentOf(lines[next] ?? "") > indentOf(lineText); next++)
      lines[next] = stars(lines[next] ?? "")
  }
  return lines.join("\n")
}

const defaultJournal = "limitbot.sqlite"
const ledger = Read.oneOf("native", "near")
const { account, salt } = FactsSection
const publicKey = Read.matching("a public key such as ed25519:…", /^ed25519:[1-9A-HJ-NP-Za-km-z]{40,46}$/)
const symbol = Read.matching("a symbol of letters and digits, such as BTC", /^[A-Za-z0-9.]{1,20}$/)
const address = Read.matching("an address without spaces", /^[\x21-\x7e]{1,300}$/)

const feedWithToken = Read.section({
  url: Read.required(url, "address of the feed"),
  token: Read.optional(secret, "sent as a bearer token")
})
const feedAtUrl = Read.mapped(url, (url) => ({ url, token: undefined }))
const incidentFeed = Read.either(feedAtUrl, feedWithToken, ({ type }) => type !== "scalar")

const venueKeys = {
  url: Read.required(url, "address of the venue"),
  analyticsUrl: Read.optional(url, "address of its history", "the same"),
  profile: FactsSection.profile("which deployment of the service this is"),
  facts: Read.optional(FactsSection.reader, "single facts that differ from the profile's"),
  ledger: Read.optional(ledger, "how the venue spells its home ledger", "native, or the profile's"),
  verifier: Read.optional(account, "contract that signed payments must be for", "intents.<ledger>"),
  apiKey: Read.required(secret, "key of the venue"),
  partnerJwt: Read.optional(secret, "waives the platform fee, opens the history"),
  quoteKey: Read.optional(publicKey, "public key of the venue: quotes are then verified"),
  minOrderUsd: Read.optional(Read.price, "smallest order that the venue takes, in USD"),
  incidents: Read.optional(
    incidentFeed,
    "JSON feed of the venue's incidents: they stop new orders and payments in the affected assets",
    "none is read"
  ),
  proxy: Read.optional(ProxySection.reader, "how it and the receivers of messages are reached", "HTTPS_PROXY"),
  nonceSalt: Read.optional(salt, "salt of the verifier's nonces", "nonces without one")
}

const accountKeys = {
  key: Read.optional(secret, "ed25519 key of the account"),
  keystore: Read.optional(Read.located(Keystore.reader), "the key under a passphrase"),
  signer: Read.optional(
    Read.located(Read.section({ socket: Read.required(Read.text, "where `limitbot signer` listens") })),
    "a process that has the key instead"
  ),
  signerId: Read.optional(account, undefined, "the implicit account of the key"),
  depositType: Read.withDefault(AssetsSection.depositType, "INTENTS"),
  wallet: Read.optional(WalletConfig.reader),
  recipients: Read.optional(Read.table(symbol, address)),
  refundTo: Read.optional(Read.table(symbol, address)),
  ...TermsSection.keys
}

const accountReader = Read.checked(accountKeys, (settings, at) => ({ ...settings, at }))

const termOf = (step: keyof typeof defaultTerms, says: string) =>
  Read.withDefault(Read.duration, defaultTerms[step], says)

const stuckAfterReader = Read.section({
  create: termOf("create", "from the plan until its order is paid"),
  deposit: termOf("deposit", "from the payment to a deposit that shows"),
  doubt: termOf("doubt", "how long a payment may stay in doubt"),
  end: termOf("end", "from an order's deadline to its end"),
  payout: termOf("payout", "from the end of an order to its payout"),
  refund: termOf("refund", "from the end of an order to its refund")
})

const config = Read.settingsReader({
  venue: Read.required(Read.settingsReader(venueKeys)),
  account: Read.required(accountReader),
  assets: Read.required(AssetsSection.reader(symbol)),
  markets: Read.optional(AssetsSection.marketsReader),
  prices: Read.optional(AssetsSection.pricesReader, "how close a second source must be to a price"),
  limits: Read.optional(AssetsSection.limitsReader(symbol)),
  reconcileEvery: Read.withDefault(Read.duration, hourMillis, "how often a running bot compares its records"),
  canary: Read.optional(
    Read.section({ every: Read.required(Read.duration, "how often, such as 1d") }),
    "a running bot compares the service with its recorded behaviour (reads only)",
    "never"
  ),
  stuckAfter: Read.optional(stuckAfterReader, "how long each step may take before `orders --stuck` names the order"),
  journal: Read.withDefault(
    Read.text,
    defaultJournal,
    "everything the bot did and saw",
    `${defaultJournal} beside this file`
  ),
  witness: Read.optional(WitnessSection.reader, "the outside receiver of the journal's checkpoints", "nobody"),
  signals: Read.optional(
    Read.section({ file: Read.required(Read.text, "lines of time,name,value; new lines count at once") }),
    "a file of signals, in addition to those sent to the dashboard's port"
  ),
  alerts: Read.optional(Read.list(Read.text), "prices that are reported once, such as BTC/USDC above 70000"),
  notify: Read.optional(NotifyConfig.notifyReader, "receivers of messages"),
  otlp: Read.optional(
    Read.section({
      url: Read.required(url, "of an OpenTelemetry collector: traces, metrics and logs go below it"),
      token: Read.optional(secret, "sent as a bearer token")
    })
  ),
  heartbeat: Read.optional(NotifyConfig.heartbeat, "a sign of life to an outside monitor"),
  dashboard: Read.optional(DashboardConfig.reader, "the dashboard and the control API", "none")
})

export const schema = (): Read.JsonSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "The configuration of limitbot",
  ...Read.schemaOf(config)
})

type Config = NonNullable<ReturnType<typeof config>>
type Account = NonNullable<Config["account"]>

const settingsOf = (read: Config, resolve: (path: string) => string, to: Report) => {
  const { account, assets: rows, limits, otlp, venue } = read
  const { key, keystore } = account ?? {}
  const secrets = { apiKey: venue?.apiKey, partnerJwt: venue?.partnerJwt, proxy: venue?.proxy, key, keystore }
  const sources = [venue?.apiKey, venue?.partnerJwt, venue?.proxy, key, keystore?.value.passphrase]
  const secretVariables = sources.flatMap((found) =>
    typeof found?.value === "object" && "env" in found.value ? [found.value.env] : []
  )
  const assets = AssetsSection.assetsOf(rows, to)
  if (venue?.url === undefined || account === undefined || assets === undefined) return { secrets, settings: undefined }
  const { analyticsUrl = venue.url, profile, ledger = ledgerOf(profile), verifier = verifierOf(ledger) } = venue
  const { depositType, signerId, wallet } = account
  const depositTypes = AssetsSection.depositTypesOf(rows)
  const facts = FactsSection.resolved(venue, verifierOf(ledger))
  const hasPartner = venue.partnerJwt !== undefined
  const costs = Charges.tradeCosts(
    facts.fees,
    Charges.isPartner(facts, hasPartner),
    assets,
    ({ id }) => (depositTypes.get(id) ?? depositType) === "ORIGIN_CHAIN"
  )
  const sharedFeeBasisPoints = facts.fees.appFees === "shared" ? facts.fees.withPartner : undefined
  const traded = { assets, costs, ...present({ sharedFeeBasisPoints }) }
  const markets = AssetsSection.marketsOf(read.markets, read.prices, traded, resolve("."), to)
  const settings = {
    venue: {
      /** Without a slash at the end. */
      url: venue.url,
      analyticsUrl,
      ledger,
      verifier,
      profile,
      facts,
      quoteKey: venue.quoteKey,
      minOrderUsd: venue.minOrderUsd,
      /** A partner credential waives the platform's fee. */
      hasPartner,
      incidents: venue.incidents,
      assetSpellings: AssetsSection.spellingsOf(rows, to)
    },
    account: {
      signerId,
      signer: signerOf(account, resolve, to),
      depositType,
      wallet: wallet && WalletConfig.resolved(wallet, resolve, secretVariables),
      recipients: AssetsSection.addresses(account.recipients, assets, to),
      refundTo: AssetsSection.addresses(account.refundTo, assets, to),
      depositTypes,
      terms: termsOf(account, [depositType, ...depositTypes.values()], sharedFeeBasisPoints, to)
    },
    priceProgram: AssetsSection.priceProgramOf(read.prices, resolve),
    ...markets,
    limits: limits && AssetsSection.limitsOf(limits, assets, to),
    reconcileEvery: read.reconcileEvery,
    canary: read.canary && { everyMillis: read.canary.every },
    stuckAfter: read.stuckAfter ?? defaultTerms,
    journal: resolve(read.journal),
    witness: read.witness && WitnessSection.resolved(read.witness, resolve, NotifyConfig.hasMail(read.notify), to),
    signalFile: read.signals && resolve(read.signals.file),
    alerts: (read.alerts ?? []).flatMap((each) => PriceAlerts.alertOf(each.value, 0, markets.markets, to, each) ?? []),
    notify: NotifyConfig.targetsOf(read.notify, resolve, read.dashboard !== undefined, to),
    heartbeat: read.heartbeat,
    otlp,
    dashboard: read.dashboard
  }
  return { secrets, settings }
}

/** Returns the signing process, if any. The process does not report the owner of its key, so the account needs `signerId`. */
const signerOf = (
  { at, key: plain, keystore, signer, signerId }: Account,
  resolve: (path: string) => string,
  to: Report
) => {
  if (plain !== undefined && keystore !== undefined)
    return report(to, keystore, "account has a key and a keystore: leave one out")
  const key = plain ?? keystore
  if (signer !== undefined && key !== undefined) return report(to, key, "account has a key and a signer: leave one out")
  // An unreadable key has already been reported.
  if (signer === undefined && key === undefined && to.problems.length === 0)
    return report(to, at("key"), 'missing key "key": ed25519 key of the account', "or `keystore`, or `signer`")
  if (signer === undefined) return undefined
  if (signerId === undefined) return report(to, signer, "account.signer needs account.signerId beside it")
  return { socket: resolve(signer.value.socket) }
}

const termsOf = (
  account: Account,
  depositTypes: ReadonlyArray<DepositType>,
  sharedFeeBasisPoints: number | undefined,
  to: Report
): OrderTerms => {
  if (account.depositMode === "MEMO" && !depositTypes.includes("ORIGIN_CHAIN")) {
    const text = "a deposit by intent carries no memo: MEMO is for ORIGIN_CHAIN, and no asset is paid from there"
    report(to, account.at("depositMode"), text)
  }
  return TermsSection.termsOf(account, account.at, to, sharedFeeBasisPoints)
}
