/**
 * `notify` and `heartbeat` of the configuration: who is told what. Addresses that are secrets by themselves (Slack, Discord)
 * are references; a webhook's own address may stand in the file.
 */
import { Effect, Redacted } from "effect"
import { defaultTelegram, type Receiver, receivers, type Target } from "../../control/notify/channels.ts"
import type { HeartbeatOptions } from "../../control/notify/Heartbeat.ts"
import { type Severity, severities } from "../../control/notify/Notice.ts"
import * as Read from "../../strategy/Fields.ts"
import { described, schemaOf } from "../../strategy/JsonSchema.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import { readSecret, type SecretSource, secretSource } from "../files/SecretSource.ts"

const shortestMillis = 1_000

const webAddress = Read.scalar("an address such as https://host/path", (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text.replace(/\/+$/, "") : undefined
)

type Address = string | SecretSource

const readAddress: Read.Reader<Address> = (node, to) =>
  node.type === "map" ? secretSource(node, to) : webAddress(node, to)
const address = described(readAddress, () => ({ anyOf: [schemaOf(webAddress), schemaOf(secretSource)] }))

const targetFields = Read.fields({
  to: Read.required(Read.oneOf(...receivers)),
  url: Read.optional(address, "where to; telegram needs none"),
  secret: Read.optional(secretSource, "signs a webhook; the token of a telegram bot or of ntfy"),
  chat: Read.optional(Read.text, "of telegram"),
  least: Read.optional(Read.oneOf(...severities), "the least severity; left out: warn"),
  kinds: Read.optional(Read.list(Read.text), "kinds of events that are told whatever their severity")
})

export const notifyReader = Read.list(targetFields)

export const heartbeatReader = Read.fields({
  url: Read.required(address, "pinged while all is well; with /start and /fail as healthchecks do"),
  every: Read.optional(Read.duration, "left out: 1m")
})

type TargetFields = NonNullable<ReturnType<typeof targetFields>>

/** Checked, but for the secrets. */
export interface TargetConfig {
  readonly to: Receiver
  readonly url: Read.Located<Address> | undefined
  readonly secret: Read.Located<SecretSource> | undefined
  readonly chat: string | undefined
  readonly least: Severity
  readonly kinds: ReadonlyArray<string>
}

export interface HeartbeatConfig {
  readonly url: Read.Located<Address>
  readonly everyMillis: number
}

const targetOf = ({ value, ...place }: Read.Located<TargetFields>, report_: Report): TargetConfig | undefined => {
  const { chat, kinds, least, secret, to, url } = value
  if (to === undefined) return undefined
  const needs = (what: string, hint?: string) => report(report_, place, `${to.value} needs ${what}`, hint)
  if (to.value === "telegram" && (secret === undefined || chat === undefined)) return needs("secret and chat")
  if (to.value !== "telegram" && url === undefined) return needs("url")
  if ((to.value === "slack" || to.value === "discord") && typeof url?.value === "string") {
    return report(report_, url, `the address of ${to.value} is a secret`, "write { env: NAME } or { file: PATH }")
  }
  return {
    to: to.value,
    url,
    secret,
    chat: chat?.value,
    least: least?.value ?? "warn",
    kinds: (kinds?.value ?? []).map(({ value }) => value)
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

const addressOf = (source: Read.Located<Address>, folder: string, to: Report) => {
  const { value, ...place } = source
  return typeof value === "string" ? Effect.succeed(Redacted.make(value)) : readSecret({ value, ...place }, folder, to)
}

/** With their secrets read; a problem is reported at the place that named one. */
export const loadedTargets = Effect.fn("NotifyConfig.loadedTargets")(function* (
  targets: ReadonlyArray<TargetConfig>,
  folder: string,
  to: Report
) {
  const loaded: Array<Target> = []
  for (const { chat, kinds, least, secret: source, to: receiver, url: place } of targets) {
    const secret = source === undefined ? undefined : yield* readSecret(source, folder, to)
    const url = place === undefined ? Redacted.make(defaultTelegram) : yield* addressOf(place, folder, to)
    if (url === undefined) continue
    loaded.push({ to: receiver, url, secret, chat, rule: { least, kinds: new Set(kinds) } })
  }
  return loaded
})

export const loadedHeartbeat = Effect.fn("NotifyConfig.loadedHeartbeat")(function* (
  { everyMillis, url: place }: HeartbeatConfig,
  folder: string,
  to: Report
) {
  const url = yield* addressOf(place, folder, to)
  return url === undefined ? undefined : ({ url, everyMillis } satisfies HeartbeatOptions)
})
