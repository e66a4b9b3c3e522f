/**
 * `notify` and `heartbeat` of the configuration: who is told what. Addresses that are themselves secrets (Slack,
 * Discord) are references; a webhook's own address may be in the file.
 */
import { Effect, Redacted } from "effect"
import { isPrivate } from "../../control/Address.ts"
import { defaultTelegram, type Receiver, receivers, type Target } from "../../control/notify/channels.ts"
import type { Mailbox } from "../../control/notify/email.ts"
import type { HeartbeatOptions } from "../../control/notify/Heartbeat.ts"
import { daily, type Severity, severities } from "../../control/notify/Notice.ts"
import { BotEvent } from "../../domain/BotEvent.ts"
import * as Read from "../../strategy/Fields.ts"
import { described, schemaOf } from "../../strategy/JsonSchema.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import { readSecret, type SecretSource, secretSource } from "../secrets/SecretSource.ts"

const shortestMillis = 1_000

const withoutSlash = (text: string): string => text.replace(/\/+$/, "")

const expected = "an address such as https://host/path (http only for this machine)"
const webAddress = Read.scalar(expected, (text) => (isPrivate(text) ? withoutSlash(text) : undefined))

type Address = string | SecretSource

const readAddress: Read.Reader<Address> = (node, to) =>
  node.type === "map" ? secretSource(node, to) : webAddress(node, to)
const address = described(readAddress, () => ({ anyOf: [schemaOf(webAddress), schemaOf(secretSource)] }))

/** As in the journal: a misspelled kind would be an alert that never comes. */
const kind = Read.oneOf(...Object.keys(BotEvent.cases), ...daily)

const targetFields = Read.fields({
  to: Read.required(Read.oneOf(...receivers)),
  url: Read.optional(address, "where to; telegram needs none"),
  secret: Read.optional(secretSource, "signs a webhook; the token of a telegram bot or of ntfy"),
  chat: Read.optional(Read.text, "of telegram"),
  least: Read.optional(Read.oneOf(...severities), "the least severity; default: warn"),
  kinds: Read.optional(Read.list(kind), "kinds of events that are told whatever their severity"),
  except: Read.optional(Read.list(kind), "kinds of events that are not told"),
  commands: Read.optional(
    Read.list(Read.text),
    "of telegram: chats whose /status, /profit, /pause, /resume and /kill are obeyed"
  ),
  from: Read.optional(Read.text, "of email: the sender's address"),
  recipients: Read.optional(Read.list(Read.text), "of email: who gets it"),
  user: Read.optional(Read.text, "of email: who logs in at the server, with the secret")
})

export const notifyReader = Read.list(targetFields)

export const heartbeatReader = Read.fields({
  url: Read.required(address, "pinged while all is well; with /start and /fail as healthchecks do"),
  every: Read.optional(Read.duration, "default: 1m")
})

type TargetFields = NonNullable<ReturnType<typeof targetFields>>

/** Checked, except for the secrets. */
export interface TargetConfig {
  readonly to: Receiver
  readonly url: Read.Located<Address> | undefined
  readonly secret: Read.Located<SecretSource> | undefined
  readonly chat: string | undefined
  readonly least: Severity
  readonly kinds: ReadonlyArray<string>
  readonly except: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
  readonly mailbox: Mailbox | undefined
}

export interface HeartbeatConfig {
  readonly url: Read.Located<Address>
  readonly everyMillis: number
}

const texts = (list: Read.Located<ReadonlyArray<Read.Located<string>>> | undefined): ReadonlyArray<string> =>
  (list?.value ?? []).map(({ value }) => value)

const targetOf = ({ value, ...place }: Read.Located<TargetFields>, report_: Report): TargetConfig | undefined => {
  const { chat, commands, except, from, kinds, least, recipients, secret, to, url, user } = value
  if (to === undefined) return undefined
  const needs = (what: string, hint?: string) => report(report_, place, `${to.value} needs ${what}`, hint)
  if (to.value === "telegram" && (secret === undefined || chat === undefined)) return needs("secret and chat")
  if (to.value !== "telegram" && url === undefined) return needs("url")
  if ((to.value === "slack" || to.value === "discord") && typeof url?.value === "string") {
    return report(report_, url, `the address of ${to.value} is a secret`, "write { env: NAME } or { file: PATH }")
  }
  const isMail = to.value === "email"
  if (isMail && (from === undefined || recipients === undefined)) return needs("from and recipients")
  if (typeof url?.value === "string" && url.value.startsWith("smtp") !== isMail) {
    return report(report_, url, isMail ? "email needs smtps://host or smtp://host" : "expected an address of the web")
  }
  return {
    to: to.value,
    url,
    secret,
    chat: chat?.value,
    least: least?.value ?? "warn",
    kinds: texts(kinds),
    except: texts(except),
    commands: texts(commands),
    mailbox: from === undefined ? undefined : { from: from.value, recipients: texts(recipients), user: user?.value }
  }
}

export const targetsOf = (
  read: ReadonlyArray<Read.Located<TargetFields>> | undefined,
  to: Report
): ReadonlyArray<TargetConfig> => (read ?? []).flatMap((each) => targetOf(each, to) ?? [])

export const heartbeatOf = (
  read: Read.Located<NonNullable<ReturnType<typeof heartbeatReader>>> | undefined,
  to: Report
): HeartbeatConfig | undefined => {
  if (read?.value.url === undefined) return undefined
  const { every, url } = read.value
  if (every !== undefined && every.value < shortestMillis)
    return report(to, every, "a heartbeat comes at most every second")
  return { url, everyMillis: every?.value ?? 60_000 }
}

const addressOf = Effect.fnUntraced(function* (source: Read.Located<Address>, folder: string, to: Report) {
  const { value, ...place } = source
  if (typeof value === "string") return Redacted.make(value)
  const secret = yield* readSecret({ value, ...place }, folder, to)
  if (secret === undefined) return undefined
  const text = Redacted.value(secret)
  return isPrivate(text) ? Redacted.make(withoutSlash(text)) : report(to, place, `the secret there is not ${expected}`)
})

/** With their secrets read; a problem is reported at the place that names the secret. */
export const loadedTargets = Effect.fn("NotifyConfig.loadedTargets")(function* (
  targets: ReadonlyArray<TargetConfig>,
  folder: string,
  to: Report
) {
  const loaded: Array<Target> = []
  for (const { except, kinds, least, secret: source, to: receiver, url: place, ...rest } of targets) {
    const secret = source === undefined ? undefined : yield* readSecret(source, folder, to)
    const url = place === undefined ? Redacted.make(defaultTelegram) : yield* addressOf(place, folder, to)
    if (url === undefined) continue
    loaded.push({
      ...rest,
      to: receiver,
      url,
      secret,
      rule: { least, kinds: new Set(kinds), except: new Set(except) }
    })
  }
  return loaded
})

/** For messages that are written and not sent. Nobody commands either. */
export const withoutSecrets = ({ except, kinds, least, secret, to, url: _, ...rest }: TargetConfig): Target => ({
  ...rest,
  to,
  url: Redacted.make("https://nobody.invalid/message"),
  secret: secret && Redacted.make("none"),
  commands: [],
  rule: { least, kinds: new Set(kinds), except: new Set(except) }
})

export const loadedHeartbeat = Effect.fn("NotifyConfig.loadedHeartbeat")(function* (
  { everyMillis, url: place }: HeartbeatConfig,
  folder: string,
  to: Report
) {
  const url = yield* addressOf(place, folder, to)
  return url === undefined ? undefined : ({ url, everyMillis } satisfies HeartbeatOptions)
})
